"""Grids and rows from slices, walks over elements: NumPy's mgrid, r_, ndenumerate and x.flat."""

import itertools
import math
import operator

from ._base import as_array, ints, is_integer
from ._core import _is_read_only, _reshaped, c
from ._create import arange, linspace, meshgrid
from ._dtypes import int64

__all__ = ["c_", "mgrid", "ndenumerate", "ndindex", "ogrid", "r_", "s_"]


def _span(part):
    """Return the vector of a slice start:stop:step; an imaginary step is a number of elements."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if part.stop is None:
        raise ValueError("a slice of a grid needs its stop")
    if isinstance(step, complex):
        return linspace(start, part.stop, int(abs(step)))
    return arange(start, part.stop, step)


class _Grid:
    """mgrid[0:3, 0:1:5j] and ogrid[...]: the coordinates of a grid."""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, parts):
        if isinstance(parts, slice):
            return _span(parts)
        vectors = meshgrid(*map(_span, parts), indexing="ij", sparse=self._sparse)
        return vectors if self._sparse else c.stack(list(vectors), 0)


class _Rows:
    """r_[1:4, 0, x] and c_[x, y]: joined vectors, along the first axis or as columns."""

    def __init__(self, columns):
        self._columns = columns

    def __getitem__(self, parts):
        parts = parts if isinstance(parts, tuple) else (parts,)
        for part in parts:
            if isinstance(part, str):
                raise ValueError(f"r_ and c_ take no directive {part!r}; use concat or stack")
        arrays = [_span(part) if isinstance(part, slice) else as_array(part) for part in parts]
        arrays = [c.atleast(x, 1) for x in arrays]
        if self._columns:
            arrays = [c.expand(x, 1) if x.ndim == 1 else x for x in arrays]
        return c.concat(arrays, -1 if self._columns else 0)


class _Index:
    """s_[1:3, ..., 0]: the index itself."""

    def __getitem__(self, index):
        return index


mgrid, ogrid = _Grid(False), _Grid(True)
r_, c_ = _Rows(False), _Rows(True)
s_ = _Index()


def ndindex(*shape):
    """Return an iterator over the indices of the elements of a shape."""
    sizes = ints(shape[0]) if len(shape) == 1 else shape
    if any(size < 0 for size in sizes):
        raise ValueError(f"ndindex: {tuple(sizes)} has a negative size")
    return itertools.product(*map(range, sizes))


def ndenumerate(x):
    """Return an iterator over (index, number) of the elements."""
    x = as_array(x)
    return zip(ndindex(x.shape), c.ravel(x).tolist())


class Flat:
    """The elements of an array in row-major order, which can be assigned: x.flat."""

    def __init__(self, x):
        self._array = x

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return iter(c.ravel(self._array))

    def _place(self, index):
        """Return an array and the index in it that selects the elements at an index in order.

        The time does not depend on the size of the array, so that loops take linear time.
        """
        x = self._array
        if isinstance(index, tuple):
            if len(index) > 1:
                raise IndexError(f"x.flat has one axis, but {len(index)} indices were given")
            index = index[0] if index else ...
        if index is None:
            raise IndexError("x.flat takes integers, slices, ..., or arrays, but not None")
        if x.ndim == 1:
            return x, index
        if x.ndim == 0 or (not x.is_promise and c.is_contiguous(x)):
            return _reshaped(x, (x.size,)), index
        if is_integer(index) and not isinstance(index, bool):
            return x, _split(index, x.shape)
        if index is ...:
            index = slice(None)
        places = arange(*index.indices(x.size)) if isinstance(index, slice) else as_array(index)
        if places.dtype.kind == "b":
            if places.shape != (x.size,):
                raise IndexError(f"a mask of x.flat has the shape ({x.size},), not {places.shape}")
            places = c.flat_nonzero(places)
        if not places.size:  # an empty list has no dtype of its own
            places = c.cast(places, int64)
        if places.dtype.kind not in "iu":
            raise IndexError(f"an index of x.flat is an integer, not {index!r}")
        return x, tuple(c.unravel_index(c.where(places < 0, places + x.size, places), x.shape))

    def __getitem__(self, index):
        x, place = self._place(index)
        return x[place].copy()

    def __setitem__(self, index, value):
        x, place = self._place(index)
        if isinstance(value, (bool, int, float, complex)):
            x[place] = value
            return
        values, shape = as_array(value), x[place].shape
        if shape and values.size:  # values are taken in turn, again and again
            values = c.reshape(c.resize(values, (math.prod(shape),)), shape)
        if values.size or not shape:
            x[place] = values

    @staticmethod
    def fill(x, values):
        """Assign to x.flat: the values in turn, again and again."""
        Flat(x)[:] = values

    def __array__(self, dtype=None, copy=None):
        return self[:].__array__(dtype)


def _split(index, shape):
    """Return the indices along the axes of the element at an index in order."""
    size, place = math.prod(shape), operator.index(index)
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for x.flat of {size} elements")
    place, parts = place % size, []
    for n in reversed(shape):
        place, part = divmod(place, n)
        parts.append(part)
    return tuple(reversed(parts))


def _lies(x, order):
    """Return True if the elements lie in an order of axes, the fastest first, without gaps."""
    step = x.itemsize
    for axis in order:
        if x.shape[axis] != 1 and x.strides[axis] != step:  # an axis of one element has any step
            return not x.size
        step *= x.shape[axis]
    return True


def _writeable(x):
    """Return True if elements can be assigned; views and imported memory may refuse that."""
    if _is_read_only(x):
        return False
    if x.is_promise or x.device != "cpu":
        return True
    try:
        return not memoryview(x).readonly
    except (BufferError, TypeError):
        return True


_FLAGS = {
    "C_CONTIGUOUS": lambda x: _lies(x, range(x.ndim - 1, -1, -1)),
    "F_CONTIGUOUS": lambda x: _lies(x, range(x.ndim)),
    "OWNDATA": lambda x: False,  # memory is counted, and belongs to no array
    "WRITEABLE": _writeable,
    "ALIGNED": lambda x: True,
    "WRITEBACKIFCOPY": lambda x: False,
}
_SHORT = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE",
          "A": "ALIGNED", "X": "WRITEBACKIFCOPY"}


class Flags:
    """How the elements of an array lie in memory: x.flags["C_CONTIGUOUS"], x.flags.writeable."""

    def __init__(self, x):
        self._array = x

    def __getitem__(self, name):
        name = _SHORT.get(name, name)
        if name not in _FLAGS:
            raise KeyError(f"{name!r} is no flag; there are {', '.join(_FLAGS)}")
        return _FLAGS[name](self._array)

    def __getattr__(self, name):
        if name.startswith("_") or name.upper() not in _FLAGS:
            raise AttributeError(f"there is no flag {name!r}; there are "
                                 f"{', '.join(map(str.lower, _FLAGS))}")
        return self[name.upper()]

    def __repr__(self):
        return "\n".join(f"  {name} : {self[name]}" for name in _FLAGS)
