"""Messages of the library in the words of this package, and hints for misspelt names."""

import difflib
import functools
import inspect
import re
import sys

from . import _core
from ._base import stands_for
from ._core import c
from ._elsewhere import ARGUMENTS, MODULE, NETWORKS, PLOTS, RANDOM, SIGNAL, STATS

# Names elsewhere of what is in a module; those of networks are in all others.
_SPACES = {"tyto": MODULE, "tyto.random": RANDOM, "tyto.stats": STATS, "tyto.plot": PLOTS,
           "tyto.signal": SIGNAL}
# Modules of functions on arrays, which messages name.
_MODULES = ("fft", "linalg", "neighbours", "random", "signal", "sparse", "special", "stats")
# Modules in which a name of a table may be that another module lacks.
_ROOMS = ("learn", "linalg", "neighbours", "nn", "optim")
_PARTS = ("_create", "_dtypes", "_elementwise", "_files", "_grids", "_histogram", "_manipulate",
          "_methods", "_numeric", "_others", "_pad", "_reduce", "_search", *_MODULES)


def hint(name, names, elsewhere=MODULE):
    """Return the replacement of a name of another library, or the nearest of some names.

    A name is in the form ": did you mean 'NAME'?"; "" if none is near.
    """
    if name.startswith("_"):  # which tools ask for
        return ""
    known = elsewhere.get(name, "")
    if known.startswith(":"):
        return known
    first = known.partition(".")[0].partition("(")[0]
    near = [known] if first in names else [f"tyto.{known}"] if first in _ROOMS else []
    near = near or [word for word in names if word.lower() == name.lower()][:1]
    near = near or difflib.get_close_matches(name, names, 1)
    if not near:  # MultiheadAttention is multi_head_attention here
        plain = {word.replace("_", "").lower(): word for word in names}
        close = difflib.get_close_matches(name.replace("_", "").lower(), plain, 1)
        near = [plain[word] for word in close]
    return f": did you mean '{near[0]}'?" if near else ""


def argument(name):
    """Return the replacement of an argument of NumPy's functions, or ""."""
    return ARGUMENTS.get(name, "")


def unknown(name, names, module=__package__):
    """Return the AttributeError of a name that a module lacks."""
    instead = hint(name, names, _SPACES.get(module, NETWORKS))
    return _error(f"module {module!r} has no attribute {name!r}{instead}", name)


def _error(message, name):
    """Return an AttributeError without its object, so that Python adds no second hint."""
    error = AttributeError(message)
    if hasattr(error, "name"):
        error.name = name
    return error


def absent(x, name, elsewhere, items=()):
    """Return the AttributeError of a name that an object lacks.

    items: names that are in brackets here, such as those of columns.
    """
    kind = type(x)
    instead = f": write x[{name!r}]" if name in items else hint(
        name, [word for word in dir(kind) if word[0] != "_"], elsewhere)
    return _error(f"{kind.__name__!r} has no attribute {name!r}{instead}", name)


@functools.lru_cache(maxsize=None)
def _names():
    """Return the name in this package of each function of C that is in it."""
    import tyto

    found = {}
    for space in (*(getattr(tyto, module) for module in _MODULES), tyto):
        for name, value in vars(space).items():
            own = getattr(value, "__name__", None)
            if isinstance(own, str) and getattr(c, own, None) is value and name[0] != "_":
                # of several names the one in C, or the shortest
                found[own] = min(found.get(own, name), name, key=lambda n: (n != own, len(n), n))
    for name in dir(tyto):  # written in Python, with the same meaning
        if callable(getattr(c, name, None)) and inspect.isfunction(getattr(tyto, name)):
            found.setdefault(name, name)
    return {"cast": "astype", **found}


def _callers():
    """Return the codes of the functions of this package that led to the error, innermost first."""
    frame, found = sys._getframe(2), []
    while frame:
        package, _, module = frame.f_globals.get("__name__", "").partition(".")
        if package != __package__ or module not in _PARTS:
            break
        found.append(frame.f_code)
        frame = frame.f_back
    return [code for code in found if not code.co_name.startswith(("_", "<"))]


# Options as messages name them for C and for the command: ".ragged of ty_table_options; tyto
# --ragged" and ".rate of ty_file_options, or --rate of tyto convert".
_OPTION = re.compile(r"(?<![\w)])\.(\w+)(?: of ty_\w+_options)?"
                     r"(?:; tyto(?: \w+)? --[\w-]+|, or --\w+(?: \w+)? of tyto(?: convert)?)")


def spoken(message):
    """Return a message with names and words of Python in the place of those of C."""
    known, words, codes = _names(), _core._words, _callers()
    first = re.match(r"(?:ty_)?(\w+)(?=: | of )", message)
    if first and callable(getattr(c, first[1], None)):
        name, rest = known.get(first[1], first[1]), message[first.end():]
        if codes and stands_for(codes[0], first[1]):
            name = codes[0].co_name
        outer = codes[-1].co_name if codes else name
        # a function that calls others names itself before
        message = name + rest if outer == name else f"{outer}: {name}{rest}"

    def word_of(match):
        return repr(words[match[0]]) if match[0] in words else match[0]

    def name_of(match):
        name = match[1]
        return known.get(name, f"c.{name}" if callable(getattr(c, name, None)) else match[0])
    message = _OPTION.sub(r"\1=...", message)
    message = re.sub(r"\bTY_[A-Z0-9_]+\b", word_of, message)
    return re.sub(r"\bty_(\w+)", name_of, message)
