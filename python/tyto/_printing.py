"""Options of printing, and arrays as text."""

import contextlib

from ._base import as_array
from ._core import c

__all__ = ["array_repr", "array_str", "errstate", "get_printoptions", "printoptions",
           "set_printoptions"]

# NumPy's names of the library's options.
_NAMES = {"precision": "precision", "threshold": "threshold", "edgeitems": "edge_items",
          "linewidth": "line_width", "suppress": "suppress", "nanstr": "nan_text",
          "infstr": "inf_text", "sign": "sign", "floatmode": "mode"}


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


def array_repr(x):
    """Return repr(x)."""
    return repr(as_array(x))


def array_str(x):
    """Return str(x)."""
    return str(as_array(x))


class errstate(contextlib.ContextDecorator):
    """Context of NumPy's floating-point warnings: the library gives none, so nothing changes."""

    def __init__(self, **kinds):
        for name in kinds:
            if name not in ("all", "divide", "over", "under", "invalid", "call"):
                raise TypeError(f"errstate: there is no kind of error {name!r}")
        if "raise" in kinds.values():
            raise NotImplementedError("errstate: the library raises no floating-point errors; "
                                      "use isfinite to find results that are not finite")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None
