"""Methods of tyto.Array that need NumPy or pickle; the extension calls them."""

import pickle
import sys

from tyto import _core

# Names of NumPy that differ from ours.
_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "amax": "max",
    "amin": "min",
    "bitwise_not": "bitwise_invert",
    "concatenate": "concat",
    "conjugate": "conj",
    "fabs": "abs",
    "fmod": "fmod",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "transpose": "permute_dims",
    "true_divide": "divide",
}
# Reductions by ufuncs.
_REDUCTIONS = {
    "add": "sum",
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}


def _find(name, part=""):
    """Return our function for a name of NumPy, or None; part: "linalg", "fft" or ""."""
    import tyto

    space = getattr(tyto, part, None) if part else tyto
    for candidate in (name, _NAMES.get(name, name)):
        function = getattr(space, candidate, None)
        if callable(function) and not isinstance(function, type):
            return function
    return getattr(getattr(tyto, "c", None), name, None) if not part else None


def _refuse(what):
    raise TypeError(
        f"{what}: tyto has no function of this name; use numpy.asarray(x) to compute it by NumPy"
    )


# ---- NumPy ----


def to_numpy(array, dtype=None, copy=None):
    """Return a NumPy array over the memory of an array, or a copy."""
    import numpy

    try:
        view = memoryview(array)
    except BufferError:
        view = _as_other_bytes(array, copy)
    result = numpy.asarray(view)
    if dtype is not None and result.dtype != dtype:
        if copy is False:
            raise ValueError(f"__array__: {result.dtype} as {dtype} needs a copy")
        return result.astype(dtype)
    return result.copy() if copy else result


def _as_other_bytes(array, copy):
    """Return NumPy's array of one without a buffer: on a device, or of a dtype of ml_dtypes."""
    if array.device != "cpu":
        if copy is False:
            raise BufferError(
                f"__array__: the array is on device {array.device}, so a copy is needed"
            )
        return to_numpy(_core.from_dlpack(array, copy=True))
    name = str(array.dtype)
    try:
        import ml_dtypes

        other = getattr(ml_dtypes, name)
    except (ImportError, AttributeError):
        raise TypeError(
            f"__array__: NumPy has no dtype {name}; use tyto.astype(x, tyto.float32), or install "
            f"ml_dtypes"
        ) from None
    return memoryview_of(_core.rows_of(array)).view(other)


def memoryview_of(array):
    """Return NumPy's array of an array with a buffer."""
    import numpy

    return numpy.asarray(memoryview(array))


def _store(result, out):
    """Write a result into the array of an `out` argument, and return that array."""
    import numpy

    if isinstance(out, _core.Array):
        out[...] = result
    else:
        numpy.copyto(out, numpy.asarray(result), casting="same_kind")
    return out


def apply_ufunc(array, ufunc, method, *inputs, **keywords):
    """Compute a ufunc of NumPy, or its reduction, by the function of tyto that has its name."""
    del array
    name = ufunc.__name__
    outs = keywords.pop("out", None)
    if method == "reduce":
        function = _find(_REDUCTIONS[name]) if name in _REDUCTIONS else None
        keywords.setdefault("axis", 0)
        keywords = {k: v for k, v in keywords.items() if k in ("axis", "keepdims") or v is not None}
    else:
        function = _find(name) if method == "__call__" else None
    what = f"numpy.{name}" + ("" if method == "__call__" else "." + method)
    if function is None:
        _refuse(what)
    dtype = keywords.pop("dtype", None)
    if keywords and method == "__call__":
        raise TypeError(f"{what}: arrays of tyto do not take {', '.join(sorted(keywords))}")
    result = function(*inputs, **keywords)
    if dtype is not None:
        result = sys.modules["tyto"].astype(result, dtype)
    if outs is None:
        return result
    if isinstance(result, (tuple, list)):
        return tuple(r if o is None else _store(r, o) for r, o in zip(result, outs))
    return _store(result, outs[0])


def apply_function(array, function, types, args, keywords):
    """Compute a function of NumPy by the function of tyto that has its name."""
    del array, types
    module = getattr(function, "__module__", None) or "numpy"
    part = module.split(".")[1] if module.count(".") else ""
    part = part if part in ("linalg", "fft") else ""
    name = function.__name__
    if name in ("shape", "ndim", "size") and len(args) == 1 and isinstance(args[0], _core.Array):
        return getattr(args[0], name)
    ours = _find(name, part)
    if ours is None:
        _refuse(f"{module}.{name}")
    return ours(*args, **keywords)


# ---- pickle ----


def reduce(array, protocol):
    """Return what pickle stores of an array."""
    rows = _core.rows_of(array)
    data = pickle.PickleBuffer(rows) if protocol >= 5 else memoryview(rows).tobytes()
    return _core.array_of_bytes, (str(array.dtype), array.shape, data)
