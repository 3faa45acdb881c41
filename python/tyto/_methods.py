"""Methods of arrays that are functions of the namespace, under the standard's and NumPy's names."""

from . import _elementwise, _manipulate, _reduce, _search, linalg
from ._base import fresh, is_integer, on
from ._core import Array, c
from ._dtypes import astype, bool_, can_cast, dtype_of, uint8
from ._elsewhere import ARRAY, Missing
from ._grids import Flags, Flat

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def array_namespace(self, /, *, api_version=None):
    """Return this namespace, which follows the array API standard."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"__array_namespace__: versions are {', '.join(VERSIONS)}, "
                         f"not {api_version!r}")
    import tyto
    return tyto


def to_device(self, device, /, *, stream=None):
    """Return the array with its elements on a device, such as "cpu" or "opencl:0"."""
    if stream is not None:
        raise ValueError("to_device: streams are the library's own, so stream is None, "
                         f"not {stream!r}")
    return on(self, device)


def transpose(self, *axes):
    """Return a view with its axes in another order, by default reversed."""
    axes = axes[0] if len(axes) == 1 and not is_integer(axes[0]) else axes
    return _manipulate.transpose(self, axes or None)


def astype_method(self, dtype, copy=True, *, casting="unsafe"):
    """Return an array with its elements converted to a dtype; casting is that of can_cast."""
    if casting != "unsafe" and not can_cast(self.dtype, dtype, casting):
        raise TypeError(f"astype: {self.dtype} does not convert to {dtype_of(dtype)} by "
                        f"casting={casting!r}")
    return astype(self, dtype, copy=copy)


def flatten(self, order="C"):
    """Return a copy of the elements as a vector; order "F": by columns."""
    return fresh(_manipulate.ravel(self, order))


def view(self, dtype=None):
    """Return a view, of the same bytes as elements of a dtype if one is given."""
    same = dtype is None or dtype_of(dtype) == self.dtype
    return self[...] if same else c.view_as(self, dtype_of(dtype))


def conj(self):
    """Return the complex conjugates; an array of real numbers itself, as in NumPy."""
    return c.conj(self) if self.dtype.kind == "c" else self


def partition(self, kth, axis=-1, kind="introselect"):
    """Partition the array itself along an axis."""
    self[...] = _search.partition(self, kth, axis, kind)


def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Return the sum of a diagonal."""
    return _reduce.sum(c.diagonal_at(self, offset, axis1, axis2), -1, dtype, out)


def rounded(self, ndigits=None):
    """Return the array rounded for round(); one number without ndigits is an integer of Python."""
    if ndigits is None and self.ndim == 0:
        return int(c.round(self))
    return _elementwise.round(self, ndigits or 0)


def compress(self, condition, axis=None):
    """Return the slices along an axis at which a condition is true."""
    return _search.compress(condition, self, axis)


def tobytes(self, order="C"):
    """Return the bytes of the elements in row-major order; order "F": by columns."""
    x = self if order == "C" else _manipulate.ravel(self, order)
    # bytes, since bfloat16 has no format of buffers
    return memoryview(c.view_as(c.contiguous(c.ravel(x)), uint8)).tobytes()


def tofile(self, file, sep="", format="%s"):
    """Write the bytes of the elements in row-major order to a path or an open file.

    With a separator the elements are written as text, each by the format.
    """
    if sep == "":
        data = self.tobytes()
    else:
        data = sep.join(format % x for x in c.ravel(self).tolist()).encode()
    if hasattr(file, "write"):
        file.write(data)
        return
    with open(file, "wb") as opened:
        opened.write(data)


def fill(self, value):
    """Set all elements to a number."""
    self[...] = value


def sort(self, axis=-1, kind=None, *, descending=False, stable=True):
    """Sort the array itself along an axis."""
    _search.check_kind("sort", kind)
    self[...] = c.sort(self, axis, descending)


# Functions of a module that are methods under their own names.
SAME = (
    (_reduce, "all any argmax argmin cumprod cumsum max mean min prod ptp std sum var"),
    (_manipulate, "diagonal ravel repeat squeeze swapaxes"),
    (_search, "argpartition argsort nonzero put searchsorted take"),
    (_elementwise, "clip round"),
    (linalg, "dot"),
)


def add_methods():
    """Give the class of arrays its methods, unless it has them."""
    own = {"__array_namespace__": array_namespace, "to_device": to_device,
           "transpose": transpose, "astype": astype_method, "flatten": flatten, "view": view,
           "trace": trace, "fill": fill, "sort": sort, "compress": compress,
           "tobytes": tobytes, "tofile": tofile, "__round__": rounded,
           "conj": conj, "conjugate": conj, "partition": partition,
           "flat": property(Flat, Flat.fill, doc=Flat.__doc__),
           "flags": property(Flags, doc=Flags.__doc__),
           "choose": _method(_search.choose, "choose")}
    for module, names in SAME:
        for name in names.split():
            own[name] = _method(getattr(module, name), name)
    for name, function in own.items():
        if name not in Array.__dict__:
            setattr(Array, name, function)
    for name in ARRAY:
        setattr(Array, name, Missing(name))
    Array.__dir__ = _names


def _names(self):
    """Return the names of the attributes, without those that only say what to write instead."""
    return sorted(set(object.__dir__(self)) - ARRAY.keys())


def _method(function, name):
    """Return a function that is bound to arrays; builtins are not by themselves."""
    if hasattr(function, "__code__"):
        return function

    def method(self):
        """Call the function."""
        return function(self)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = function.__doc__
    return method
