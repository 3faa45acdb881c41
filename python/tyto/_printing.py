"""Options of printing, and arrays as text."""

import contextlib

from ._base import as_array
from ._core import c

__all__ = ["array2string", "array_repr", "array_str", "errstate", "get_printoptions", "geterr",
           "printoptions", "set_printoptions", "seterr"]

# NumPy's names of the library's options.
_NAMES = {"precision": "precision", "threshold": "threshold", "edgeitems": "edge_items",
          "linewidth": "line_width", "suppress": "suppress", "nanstr": "nan_text",
          "infstr": "inf_text", "sign": "sign", "floatmode": "mode"}
_CHOICES = {"sign": ("-", "+", " "), "floatmode": ("fixed", "unique", "maxprec", "maxprec_equal")}


def get_printoptions():
    """Return the options of printing of this thread, by NumPy's names."""
    now = c.print_options_now()
    found = {name: getattr(now, ours) for name, ours in _NAMES.items()}
    found["precision"] = max(found["precision"], 0)
    return found


def set_printoptions(**options):
    """Set options of printing for this thread; others stay.

    precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, sign and floatmode
    ("maxprec", "fixed", "unique", "maxprec_equal") are NumPy's.
    """
    for name in options:
        if name not in _NAMES:
            raise TypeError(f"set_printoptions: there is no option {name!r}; there are "
                            f"{', '.join(_NAMES)}")
    for name, words in _CHOICES.items():
        if options.get(name) is not None and options[name] not in words:
            raise ValueError(f"set_printoptions: {name} is one of {', '.join(map(repr, words))}, "
                             f"not {options[name]!r}")
    now = {**get_printoptions(), **{k: v for k, v in options.items() if v is not None}}
    now["precision"] = now["precision"] or -1  # the library's 0 is the default
    now["threshold"] = min(now["threshold"], 2 ** 31 - 1)
    c.set_print_options(**{ours: now[name] for name, ours in _NAMES.items()})


@contextlib.contextmanager
def printoptions(**options):
    """Return a context in which options of printing are others."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield get_printoptions()
    finally:
        set_printoptions(**before)


def array_repr(x, max_line_width=None, precision=None, suppress_small=None):
    """Return repr(x), with options of set_printoptions."""
    with printoptions(linewidth=max_line_width, precision=precision, suppress=suppress_small):
        return repr(as_array(x))


def array_str(x, max_line_width=None, precision=None, suppress_small=None):
    """Return str(x), with options of set_printoptions."""
    with printoptions(linewidth=max_line_width, precision=precision, suppress=suppress_small):
        return str(as_array(x))


def array2string(x, max_line_width=None, precision=None, suppress_small=None, separator=" ", *,
                 threshold=None, edgeitems=None, sign=None, floatmode=None):
    """Return str(x), with options of set_printoptions; separator stands between elements."""
    with printoptions(linewidth=max_line_width, precision=precision, suppress=suppress_small,
                      threshold=threshold, edgeitems=edgeitems, sign=sign, floatmode=floatmode):
        x = as_array(x)
        if separator == " ":
            return str(x)
        if separator.strip() != "," or separator != separator.rstrip() + " ":
            raise ValueError(f"array2string: separator is ' ' or ', ', not {separator!r}")
        return repr(x)[len("Array("):].rsplit("]", 1)[0].replace("\n      ", "\n") + "]" \
            if x.ndim and x.size else str(x)


# Kinds of floating-point errors, and what NumPy does when they happen.
_ERRORS = ("divide", "over", "under", "invalid")
_ANSWERS = ("ignore", "warn", "raise", "call", "print", "log")


def _check_errors(name, kinds):
    """Raise an exception unless kinds of errors and their answers are NumPy's."""
    for kind, answer in kinds.items():
        if kind not in ("all", *_ERRORS):
            raise TypeError(f"{name}: there is no kind of error {kind!r}; there are all, "
                            f"{', '.join(_ERRORS)}")
        if answer == "raise":
            raise NotImplementedError(f"{name}: the library raises no floating-point errors; "
                                      "use isfinite to find results that are not finite")
        if answer is not None and answer not in _ANSWERS:
            raise ValueError(f"{name}: {kind} is one of {', '.join(_ANSWERS)}, not {answer!r}")


class errstate(contextlib.ContextDecorator):
    """Context of NumPy's floating-point warnings: the library gives none, so nothing changes."""

    def __init__(self, *, call=None, **kinds):
        _check_errors("errstate", kinds)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Check what NumPy does at floating-point errors, and return geterr(): nothing changes."""
    _check_errors("seterr", {"all": all, "divide": divide, "over": over, "under": under,
                             "invalid": invalid})
    return geterr()


def geterr():
    """Return "ignore" for each kind of floating-point error, since the library warns of none."""
    return dict.fromkeys(_ERRORS, "ignore")
