"""What the modules of the namespace share."""

import inspect
import operator
import sys

from . import _core
from ._core import Array, as_view, c, read_only


def names_of(module):
    """Return the public names of a module of this package."""
    names = vars(module).get("__all__")
    if names is not None:
        return list(names)
    shared = ("tyto._base", "tyto._dtypes")  # imported for a module's own use
    return [name for name, value in vars(module).items()
            if name[0] != "_" and callable(value) and not isinstance(value, _core.DType)
            and value.__module__.startswith("tyto") and value.__module__ not in shared]


def attributes_of(name, *further):
    """Return __getattr__ and __dir__ of the module of a name: hints, and its public names.

    further: public names that its __all__ leaves out.
    """
    def names():
        return sorted({*names_of(sys.modules[name]), *further})

    def getattr_of_module(word):
        from ._hints import unknown

        raise unknown(word, names(), name)

    return getattr_of_module, names


def offered(function, module, name):
    """Return a function that has the name under which a module offers it, so pickle finds it."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function


def refuses_pickle(name, instead):
    """Return a method __reduce__ that says what to write instead."""
    def __reduce__(self):
        raise TypeError(f"{name} cannot be pickled or copied; {instead}")
    return __reduce__


def stands_for(code, name):
    """Return True if a function of this package does the same as the one of C of that name."""
    called = [word for word in code.co_names if callable(getattr(c, word, None))]
    return name in called and all(word.startswith(called[0]) for word in called)


def describe(names):
    """Add descriptions of the library to the functions of a namespace that stand for its own."""
    for name, function in names.items():
        code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
        if code is not None and name[0] != "_" and stands_for(code, name):
            function.__doc__ = f"{function.__doc__}\n\n{getattr(c, name).__doc__}"


def on(x, device):
    """Return x with its elements on a device; None: where they are."""
    return x if device is None else c.to(x, str(device))


def as_array(x):
    """Return x, or the array that asarray makes of it."""
    return x if isinstance(x, Array) else _core.asarray(x)


def shown(x, view, /, *, fixed=False):
    """Return view(x), a function of one array that copies nothing, as a view that knows x.

    fixed: it must not be assigned, as in NumPy.
    """
    x = as_array(x)
    result = as_view(view(x), x, view)
    return read_only(result) if fixed else result


def fresh(x):
    """Return a copy of an array in memory of its own."""
    return _core.asarray(x, copy=True)


def apart(result, *arrays):
    """Return a result whose elements have memory of their own, as NumPy copies.

    Promises and tracked arrays never change, so they stay.
    """
    if result.is_promise:
        return result
    repeats = any(step == 0 and n > 1 for step, n in zip(result.strides, result.shape))
    shares = any(isinstance(x, Array) and c.shares_memory(x, result) for x in arrays)
    return fresh(result) if repeats or shares else result


def is_integer(value):
    """Return True for one integer: of Python, of NumPy, or an array of integers without axes."""
    return hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0


def ints(value):
    """Return a tuple of one integer, or of a sequence of integers."""
    if is_integer(value):
        return (operator.index(value),)
    if not hasattr(value, "__iter__"):
        raise TypeError(f"expected an integer or a sequence of integers, not {value!r}")
    return tuple(map(operator.index, value))


def size_along(x, axis, name):
    """Return the size of an axis; name is that of the function in the error."""
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"{name}: axis {axis} is out of bounds for {x.ndim} axes")
    return x.shape[axis]


def placed_into(out, result):
    """Assign a result to out, an array or a tuple of one, and return it; None: the result itself.

    The shapes must be equal, and the dtype of out of the kind of the result's or a wider one.
    """
    if out is None:
        return result
    if isinstance(out, tuple) and len(out) == 1:
        return placed_into(out[0], result)
    if not isinstance(out, Array) or not isinstance(result, Array):
        wrong = out if isinstance(result, Array) else result
        raise TypeError(f"out takes one array for one result, not {type(wrong).__name__}")
    if out.shape != result.shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {result.shape}")
    from ._dtypes import can_cast

    if not can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(f"out is {out.dtype}, and the result {result.dtype}; "
                        "convert it by astype, and assign it to out[...]")
    out[...] = result
    return out
