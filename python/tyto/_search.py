"""Searching, sorting, sets, and elements at indices."""

from collections import namedtuple

from ._base import as_array, ints, placed_into, size_along
from ._core import c
from ._dtypes import bool_, can_cast, int64, with_number
from ._grids import Flat
from ._reduce import is_integral

FLAT = -2 ** 31  # TY_FLAT: the axis of the flattened array


def where(condition, x1=None, x2=None, /):
    """Return elements of x1 where the condition is true, else of x2; alone: nonzero."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    return c.where(condition, x1, x2)


def nonzero(x, /):
    """Return the indices of elements that are not 0: one vector for each axis."""
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("nonzero: expected an array of 1 axis or more, got one of 0")
    return tuple(c.nonzero(x))


def argwhere(x):
    """Return the indices of elements that are not 0: one row for each."""
    return c.argwhere(x)


def flatnonzero(x):
    """Return the indices of elements that are not 0 in the flattened array."""
    return c.flat_nonzero(x)


def searchsorted(x1, /, x2, side="left", sorter=None):
    """Return the places at which elements of x2 keep x1 sorted."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if sorter is not None:
        x1, sorter = as_array(x1), as_array(sorter)
        if sorter.shape != x1.shape:
            raise ValueError(f"searchsorted: a sorter of shape {sorter.shape} for an array of "
                             f"shape {x1.shape}")
        x1 = c.take(x1, sorter, 0)
    return c.searchsorted(x1, x2, side == "right")


def digitize(x, bins, right=False):
    """Return for each element the index of its bin; edges of bins ascend or descend."""
    x, bins = as_array(x), as_array(bins)
    if x.dtype.kind == "c":
        raise TypeError("digitize: complex numbers have no order; take real(x) or abs(x) first")
    if not bins.is_promise and not (bool(c.is_sorted(bins, -1)) or
                                    bool(c.is_sorted(bins[::-1], -1))):
        raise ValueError("digitize: the edges neither ascend nor descend; sort them first")
    return c.digitize(x, bins, right)


# ---- sorting ----

def check_kind(name, kind):
    """Raise a ValueError for a kind of sort that NumPy does not have; all of them sort stably."""
    if kind not in (None, "quicksort", "mergesort", "heapsort", "stable"):
        raise ValueError(f"{name}: kind is 'quicksort', 'mergesort', 'heapsort', 'stable' or None, "
                         f"not {kind!r}")


def sort(x, /, axis=-1, *, descending=False, stable=True, kind=None):
    """Sort along an axis; without one x is flattened.  Always stable."""
    check_kind("sort", kind)
    return c.sort(c.ravel(x), 0, descending) if axis is None else c.sort(x, axis, descending)


def argsort(x, /, axis=-1, *, descending=False, stable=True, kind=None):
    """Return the indices that sort along an axis.  Always stable."""
    check_kind("argsort", kind)
    return c.argsort(c.ravel(x), 0, descending) if axis is None else c.argsort(x, axis, descending)


def lexsort(keys, axis=-1):
    """Return the indices that sort by the last key, then by the one before it, and so on."""
    return c.lexsort(list(keys), axis)


def partition(x, kth, axis=-1, kind="introselect"):
    """Put element kth of each line, or each of several, in its sorted place, lesser ones before.

    kind is NumPy's only one.
    """
    _check_selection("partition", kind)
    return _partitioned(x, kth, axis, c.partition, c.sort)


def argpartition(x, kth, axis=-1, kind="introselect"):
    """Return the indices that partition lines; kind is NumPy's only one."""
    _check_selection("argpartition", kind)
    return _partitioned(x, kth, axis, c.argpartition, c.argsort)


def _check_selection(name, kind):
    """Raise a ValueError for another kind of selection than NumPy's."""
    if kind != "introselect":
        raise ValueError(f"{name}: kind is 'introselect', not {kind!r}")


def _partitioned(x, kth, axis, one, several):
    """Return lines with kth in place; a sorted line has all elements in place."""
    x, axis = (c.ravel(x), 0) if axis is None else (as_array(x), axis)
    places = ints(kth)
    if len(places) == 1:
        return one(x, places[0], axis)
    result = several(x, axis, False)
    n = x.shape[axis]
    for k in places:
        if not -n <= k < n:
            raise IndexError(f"kth {k} is out of bounds for axis {axis} of size {n}; "
                             f"expected {-n}..{n - 1}")
    return result


def top_k(x, k, axis=-1, largest=True):
    """Return the k greatest or least elements of each line, and their indices."""
    return c.top_k(x, k, axis, largest), c.top_k_index(x, k, axis, largest)


def ordinal(x, axis=-1):
    """Return the place that each element gets when its line is sorted."""
    return c.ordinal(x, axis)


def is_sorted(x, axis=-1):
    """Return True for each line that ascends."""
    return c.is_sorted(x, axis)


# ---- sets ----

UniqueAllResult = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = namedtuple("UniqueInverseResult", "values inverse_indices")


def unique_all(x, /):
    """Return distinct elements, first indices, inverse indices and counts; NaN are distinct."""
    return _unique_all(as_array(x))


def unique_counts(x, /):
    """Return distinct elements and how often each occurs; NaN are distinct."""
    parts = _unique_all(as_array(x))
    return UniqueCountsResult(parts.values, parts.counts)


def unique_inverse(x, /):
    """Return distinct elements, and for each element the index of its equal; NaN are distinct."""
    parts = _unique_all(as_array(x))
    return UniqueInverseResult(parts.values, parts.inverse_indices)


def unique_values(x, /):
    """Return distinct elements in ascending order; NaN are distinct."""
    x = as_array(x)
    return c.unique(x) if is_integral(x) else _unique_all(x).values


def _unique_all(x):
    """Return the parts of unique_all.  The library counts NaN as one; here each is its own."""
    parts = c.unique_all(x)
    values, indices, inverse, counts = parts.values, parts.index, parts.inverse, parts.counts
    if not is_integral(x) and values.size and bool(c.is_nan(values[-1])) and int(counts[-1]) > 1:
        places = c.flat_nonzero(c.is_nan(c.ravel(x)))
        n, extra = values.size - 1, places.size
        values = c.concat([values[:n], c.take(c.ravel(x), places, 0)], 0)
        indices = c.concat([indices[:n], places], 0)
        counts = c.concat([counts[:n], c.ones(int64, (extra,))], 0)
        numbers = c.add(c.iota(int64, (extra,), 0), n)
        inverse = c.reshape(c.put(c.ravel(inverse), places, numbers), x.shape)
    return UniqueAllResult(values, indices, inverse, counts)


def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
           equal_nan=True, sorted=True):
    """Return distinct elements in ascending order, or distinct slices; all NaN count as one.

    equal_nan=False: each NaN counts.  sorted is NumPy's; results are always sorted.
    """
    if axis is not None:
        if return_index or return_inverse or return_counts:
            raise NotImplementedError("unique: indices and counts of slices along an axis")
        return c.unique_slices(x, axis)
    if not equal_nan:
        parts = _unique_all(as_array(x))
    elif return_index or return_inverse or return_counts:
        parts = UniqueAllResult(*c.unique_all(x))
    else:
        return c.unique(x)
    wanted = ((parts.indices, return_index), (parts.inverse_indices, return_inverse),
              (parts.counts, return_counts))
    if not (return_index or return_inverse or return_counts):
        return parts.values
    return (parts.values,) + tuple(part for part, asked in wanted if asked)


def isin(x1, x2, /, assume_unique=False, invert=False):
    """Return True for each element of x1 that is in x2, or with invert that is not.

    assume_unique is NumPy's, here and below; results are the same.
    """
    result = c.isin(x1, x2)
    return c.logical_not(result) if invert else result


def union1d(x1, x2):
    """Return the sorted distinct elements of either array."""
    return c.union1d(x1, x2)


def intersect1d(x1, x2, assume_unique=False, return_indices=False):
    """Return the sorted distinct elements of both arrays.

    return_indices=True returns (elements, their first indices in x1, those in x2).
    """
    both = c.intersect1d(x1, x2)
    if not return_indices:
        return both
    places = []
    for x in (x1, x2):
        parts = c.unique_all(x)
        places.append(c.take(parts.index, c.searchsorted(parts.values, both, False), 0))
    return both, *places


def setdiff1d(x1, x2, assume_unique=False):
    """Return the sorted distinct elements of x1 that are not in x2."""
    return c.setdiff1d(x1, x2)


def setxor1d(x1, x2, assume_unique=False):
    """Return the sorted distinct elements of exactly one array."""
    return c.setxor1d(x1, x2)


def array_equal(x1, x2, equal_nan=False):
    """Return True if two arrays have one shape and equal elements."""
    return bool(c.array_equal(x1, x2, equal_nan))


def array_equiv(x1, x2):
    """Return True if two arrays broadcast to equal elements."""
    return bool(c.array_equiv(x1, x2))


def shares_memory(x1, x2):
    """Return True if two arrays have elements in common memory."""
    return c.shares_memory(x1, x2)


may_share_memory = shares_memory


# ---- elements at indices ----

def take(x, /, indices, axis=None, out=None, mode="raise"):
    """Return the slices at indices along an axis; without one x is flattened.

    mode "wrap" counts indices outside from the other end, "clip" takes the first or last one.
    """
    if mode != "raise":
        x = as_array(x)
        n = x.size if axis is None else size_along(x, axis, "take")
        indices = _inside("take", indices, n, mode)
    return placed_into(out, c.take(x, indices, FLAT if axis is None else axis))


def _inside(name, indices, n, mode):
    """Return indices with those outside of 0 to n - 1 moved in, as mode says."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"{name}: mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    indices = as_array(indices)
    if mode == "raise" or not n:  # no index is inside of nothing
        return indices
    return c.mod(indices, n) if mode == "wrap" else c.clip(indices, 0, n - 1)


def take_along_axis(x, /, indices, axis=-1):
    """Return the elements at one index for each line along an axis."""
    return c.take_along_axis(x, indices, FLAT if axis is None else axis)


def put_along_axis(x, indices, values, axis):
    """Set the elements that take_along_axis finds, in the array itself."""
    x[...] = c.put_along_axis(x, indices, values, FLAT if axis is None else axis)


def put(x, indices, values, mode="raise"):
    """Set elements at flat indices, in the array itself, to values in turn, by a mode of take."""
    places = c.ravel(_inside("put", indices, x.size, mode))
    Flat(x)[places if places.size else []] = values


def place(x, mask, values):
    """Set elements at which a mask is true to values in turn, in the array itself."""
    x[...] = c.place_mask(x, mask, values)


def copyto(x, values, casting="same_kind", where=True):
    """Set elements, only those where a mask is true, in the array itself.

    casting is that of can_cast, for the dtype of the values; numbers of Python adopt that of x.
    """
    number = isinstance(values, (bool, int, float, complex))
    source = with_number(x.dtype, type(values)) if number else as_array(values).dtype
    if not can_cast(source, x.dtype, casting):
        raise TypeError(f"copyto: {source} does not convert to {x.dtype} by casting={casting!r}; "
                        "use astype, or casting='unsafe'")
    values = c.cast(values, x.dtype) if casting == "unsafe" else values
    x[...] = values if where is True else c.where(where, values, x)


def gather(x, indices, axis=0):
    """Return the slices at indices along an axis: take, for one axis."""
    return c.gather(x, indices, axis)


def gather_nd(x, indices, batch=0):
    """Return the slices at tuples of indices, along the last axis of indices."""
    return c.gather_nd(x, indices, batch)


def scatter(x, indices, updates, axis=0, mode="set"):
    """Return a copy with slices replaced; mode is "set", "add", "mul", "min" or "max"."""
    return c.scatter(x, indices, updates, axis, mode)


def scatter_nd(x, indices, updates, mode="set"):
    """Return a copy with slices at tuples of indices replaced, in a mode of scatter."""
    return c.scatter_nd(x, indices, updates, mode)


def compress(condition, x, axis=None, out=None):
    """Return the slices along an axis at which a condition is true."""
    return placed_into(out, c.compress(condition, x, FLAT if axis is None else axis))


def extract(condition, x):
    """Return the elements at which a condition is true, as a vector."""
    return c.extract(condition, x)


def select(condlist, choicelist, default=0):
    """Return elements of the first choice whose condition is true."""
    conditions = [as_array(one) for one in condlist]
    for one in conditions:
        if one.dtype != bool_:
            raise TypeError(f"select: a condition is {one.dtype}; expected bool")
    return c.select(conditions, list(choicelist), default)


def choose(x, choices, out=None, mode="raise"):
    """Return elements of the choices that x numbers; mode is that of take."""
    choices = list(choices)
    return placed_into(out, c.choose(_inside("choose", x, len(choices), mode), choices))


def unravel_index(indices, shape, order="C"):
    """Return the indices along each axis of flat indices; order "F" counts by columns."""
    indices, shape = as_array(indices), ints(shape)
    _check_order("unravel_index", order)
    if not indices.is_promise and bool(c.any(c.lt(indices, 0), None, False)):
        raise ValueError("unravel_index: an index is negative; flat indices count from 0")
    found = tuple(c.unravel_index(indices, shape if order == "C" else shape[::-1]))
    return found if order == "C" else found[::-1]


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Return the flat indices of indices along each axis; mode is that of take, for each axis."""
    dims, _ = ints(dims), _check_order("ravel_multi_index", order)
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    multi_index = tuple(multi_index)
    if not len(multi_index) == len(modes) == len(dims):
        raise ValueError(f"ravel_multi_index: {len(multi_index)} indices and {len(modes)} modes "
                         f"for {len(dims)} axes")
    inside = [_inside("ravel_multi_index", x, n, how)
              for x, n, how in zip(multi_index, dims, modes)]
    if order == "F":
        inside, dims = inside[::-1], dims[::-1]
    return c.ravel_multi_index(inside, dims)


def _check_order(name, order):
    """Raise a ValueError unless the order is by rows or by columns."""
    if order not in ("C", "F"):
        raise ValueError(f"{name}: order is 'C' or 'F', not {order!r}")


def ix_(*vectors):
    """Return an open mesh of vectors, which indexes a block of an array."""
    return tuple(c.ix(list(vectors)))


def putmask(x, mask, values):
    """Set elements at which a mask is true to those of values at the same place, in the array."""
    values = as_array(values)
    values = c.resize(values, x.shape) if values.shape != x.shape else values
    x[...] = c.where(mask, c.cast(values, x.dtype), x)


def piecewise(x, condlist, funclist, *args, **keywords):
    """Return values of functions, or numbers, each where its condition is true; 0 elsewhere.

    One function more than conditions is for elements at which none is true.
    """
    x = as_array(x)
    several = isinstance(condlist, (list, tuple)) and not isinstance(condlist[0], (bool, int))
    conditions = [as_array(one) for one in (condlist if several else [condlist])]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        some = conditions[0]
        for one in conditions[1:]:
            some = c.logical_or(some, one)
        conditions.append(c.logical_not(some))
    if len(functions) != len(conditions):
        raise ValueError(f"piecewise: {len(functions)} functions for {len(conditions)} conditions")
    result = c.zeros(x.dtype, x.shape)
    for condition, function in zip(conditions, functions):
        value = function(x, *args, **keywords) if callable(function) else function
        result = c.where(condition, c.cast(as_array(value), x.dtype), result)
    return result


def diag_indices(n, ndim=2):
    """Return the indices of the main diagonal of an array of ndim axes of size n."""
    return (c.iota(int64, (n,), 0),) * ndim


def fill_diagonal(x, value, wrap=False):
    """Set the main diagonal to a value, in the array itself."""
    x[...] = c.fill_diagonal(x, value, wrap)


# ---- counting ----

def bincount(x, weights=None, minlength=0):
    """Count each number from 0 on, or sum their weights."""
    return c.bincount(x, weights, minlength)
