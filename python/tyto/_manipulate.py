"""Functions that change shapes, order and places of elements."""

import itertools
import operator

from ._base import apart, as_array, fresh, ints, is_integer, placed_into, shown
from ._core import _reshaped, as_view, c
from ._dtypes import can_cast, dtype_of


# ---- axes ----

def by_columns(x, order):
    """Return True if an order of elements, "C", "F" or "A" (as they lie), is by columns."""
    if order not in ("C", "F", "A"):
        raise ValueError(f"order is 'C' (rows first), 'F' (columns first) or 'A' (as the elements "
                         f"lie), not {order!r}")
    return order == "F" or (order == "A" and x.flags.f_contiguous and not x.flags.c_contiguous)


def reshape(x, /, shape, order="C", *, copy=None):
    """Return an array of another shape; one size may be -1 and is inferred.

    copy=True always copies, False raises ValueError if no view can express the shape.
    order: "F" reads and places elements by columns.
    """
    x = as_array(x)
    if order != "C" and by_columns(x, order):
        return reshape(x.T, ints(shape)[::-1], copy=copy).T
    result = _reshaped(x, shape)
    if copy is False and x.size and not c.shares_memory(x, result):
        raise ValueError(f"reshape: copy=False, but no view of {x.shape} has shape {result.shape}")
    return fresh(result) if copy else result


def ravel(x, order="C"):
    """Return the elements as a vector, a view where possible; order "F": by columns."""
    x = as_array(x)
    x = x.T if order != "C" and by_columns(x, order) else x
    return as_view(c.ravel(x), x)


def permute_dims(x, /, axes):
    """Return a view whose axis i is axis axes[i] of x."""
    x, axes = as_array(x), ints(axes)
    return as_view(c.permute(x, axes), x, axes)


def transpose(x, axes=None):
    """Return a view with its axes in another order, by default reversed."""
    return as_array(x).T if axes is None else permute_dims(x, axes)


def matrix_transpose(x, /):
    """Return a view with its last two axes exchanged."""
    return swapaxes(x, -2, -1)


def moveaxis(x, /, source, destination):
    """Return a view with some axes moved, the others in their order."""
    x, source, destination = as_array(x), ints(source), ints(destination)
    result, n = c.moveaxis(x, source, destination), x.ndim
    source, destination = [a % n for a in source], [a % n for a in destination]
    order = [axis for axis in range(n) if axis not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return as_view(result, x, order)


def swapaxes(x, axis1, axis2):
    """Return a view with two axes exchanged."""
    x = as_array(x)
    result, order = c.swap(x, axis1, axis2), list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return as_view(result, x, order)


def rollaxis(x, axis, start=0):
    """Return a view with one axis moved in front of another."""
    x = as_array(x)
    result, n = c.rollaxis(x, axis, start), x.ndim
    axis, start = axis % n, start + n * (start < 0)
    order = [i for i in range(n) if i != axis]
    order.insert(start - (axis < start), axis)
    return as_view(result, x, order)


def expand_dims(x, /, axis=0):
    """Return a view with axes of size 1 inserted."""
    x = as_array(x)
    return as_view(c.expand_axes(x, ints(axis)), x)


def squeeze(x, /, axis=None):
    """Return a view without axes of size 1, by default without all of them."""
    x, axes = as_array(x), () if axis is None else ints(axis)
    return x if not axes and axis is not None else as_view(c.squeeze_axes(x, axes), x)


def flip(x, /, axis=None):
    """Return a view with the order along axes reversed, by default along all."""
    x = as_array(x)
    axes = range(x.ndim) if axis is None else ints(axis)
    if not axes:
        return x
    c.flip_axes(x, axes)  # checks the axes
    places = {a % x.ndim for a in axes}
    return x[tuple(slice(None, None, -1 if i in places else None) for i in range(x.ndim))]


def flipud(x):
    """Return a view with its rows in reverse order."""
    return flip(x, 0)


def fliplr(x):
    """Return a view with its columns in reverse order."""
    return flip(x, 1)


def rot90(x, k=1, axes=(0, 1)):
    """Rotate by k quarters in the plane of two axes."""
    first, second = axes
    return shown(x, lambda x: c.rotate(x, k, first, second))


def atleast_1d(*arrays):
    """Return arrays with at least one axis."""
    return _each(arrays, 1)


def atleast_2d(*arrays):
    """Return arrays with at least two axes."""
    return _each(arrays, 2)


def atleast_3d(*arrays):
    """Return arrays with at least three axes."""
    return _each(arrays, 3)


def _each(arrays, rank):
    """Return one array of at least that rank, or a tuple of several."""
    results = tuple(shown(x, lambda x: c.atleast(x, rank)) for x in arrays)
    return results[0] if len(results) == 1 else results


def broadcast_to(x, /, shape):
    """Return a read-only view of a greater shape, whose elements are repeated."""
    shape = ints(shape)
    return shown(x, lambda x: c.broadcast(x, shape), fixed=True)


def broadcast_arrays(*arrays):
    """Return read-only views of one common shape."""
    shape = c.broadcast_together(list(arrays))[0].shape if arrays else ()
    return tuple(broadcast_to(x, shape) for x in arrays)


def broadcast_shapes(*shapes):
    """Return the shape to which shapes broadcast."""
    shapes = [ints(shape) for shape in shapes]
    for shape in shapes:
        if any(size < 0 for size in shape):
            raise ValueError(f"broadcast_shapes: {shape} has a negative size")
    result = [1] * max((len(shape) for shape in shapes), default=0)
    for shape in shapes:
        for i, size in enumerate(shape, len(result) - len(shape)):
            if result[i] == 1:
                result[i] = size
            elif size not in (1, result[i]):
                raise ValueError(f"broadcast_shapes: sizes {result[i]} and {size} do not broadcast "
                                 f"in {', '.join(map(str, shapes))}")
    return tuple(result)


def diagonal(x, offset=0, axis1=0, axis2=1):
    """Return a read-only view of a diagonal of two axes, as the last axis."""
    return shown(x, lambda x: c.diagonal_at(x, offset, axis1, axis2), fixed=True)


def sliding_window_view(x, window_shape, axis=None):
    """Return a read-only view of all windows of a shape; positions within are new last axes."""
    sizes, axes = ints(window_shape), None if axis is None else ints(axis)
    return shown(x, lambda x: c.slide(x, sizes, axes), fixed=True)


# ---- joining and splitting ----

def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays along an axis; axis=None flattens them.

    dtype: that of the result, to which casting of can_cast must lead.
    """
    arrays = _of_dtype("concat", arrays, dtype, casting)
    if axis is None:
        return placed_into(out, c.concat([c.ravel(x) for x in arrays], 0))
    return placed_into(out, c.concat(arrays, axis))


def _of_dtype(name, arrays, dtype, casting):
    """Return a list of arrays, converted to a dtype if it is given."""
    if dtype is None:
        return list(arrays)
    arrays, dtype = [as_array(x) for x in arrays], dtype_of(dtype)
    for x in arrays:
        if not can_cast(x.dtype, dtype, casting):
            raise TypeError(f"{name}: {x.dtype} does not convert to {dtype} by "
                            f"casting={casting!r}")
    return [c.cast(x, dtype) for x in arrays]


concatenate = concat


def stack(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays of one shape along a new axis; dtype and casting are those of concat."""
    return placed_into(out, c.stack(_of_dtype("stack", arrays, dtype, casting), axis))


def unstack(x, /, axis=0):
    """Return the slices along an axis, without it."""
    x = as_array(x)
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"unstack: axis {axis} is out of bounds for {x.ndim} axes")
    head = (slice(None),) * (axis % x.ndim)
    return tuple(x[head + (i,)] for i in range(x.shape[axis]))


def hstack(arrays, *, dtype=None, casting="same_kind"):
    """Join arrays along their second axis, vectors along their only one."""
    return c.hstack(_of_dtype("hstack", arrays, dtype, casting))


def vstack(arrays, *, dtype=None, casting="same_kind"):
    """Join arrays as rows, along the first axis."""
    return c.vstack(_of_dtype("vstack", arrays, dtype, casting))


row_stack = vstack


def dstack(arrays):
    """Join arrays along their third axis."""
    return c.dstack(list(arrays))


def column_stack(arrays):
    """Join vectors as columns of a matrix."""
    return c.column_stack(list(arrays))


def block(arrays):
    """Join nested lists of arrays: the innermost along the last axis, and so outwards."""
    depth, rank = _depth(arrays)
    result, first = _block(arrays, depth, max(depth, rank)), arrays
    while isinstance(first, list):
        first = first[0]
    return apart(result, first)  # of one array, it is a view


def _depth(nested):
    """Return how deep lists are nested, and the greatest rank of the arrays in them."""
    if not isinstance(nested, list):
        return 0, as_array(nested).ndim
    if not nested:
        raise ValueError("block: a list is empty")
    inner = [_depth(one) for one in nested]
    if len({depth for depth, _ in inner}) > 1:
        raise ValueError("block: lists are nested to different depths")
    return inner[0][0] + 1, max(rank for _, rank in inner)


def _block(nested, depth, rank):
    """Return the array of nested lists; all operands get that rank."""
    if not isinstance(nested, list):
        x = as_array(nested)
        return c.reshape(x, (1,) * (rank - x.ndim) + x.shape)
    return c.concat([_block(one, depth - 1, rank) for one in nested], -depth)


def append(x, values, axis=None):
    """Join values to the end; without an axis both are flattened."""
    return c.append(x, values) if axis is None else c.concat([x, values], axis)


def split(x, indices_or_sections, axis=0):
    """Cut into equal parts, or before indices; returns a list of views."""
    return _split(x, indices_or_sections, axis, c.split)


def array_split(x, indices_or_sections, axis=0):
    """Cut into parts as split, which need not be equal."""
    return _split(x, indices_or_sections, axis, c.array_split)


def _split(x, where, axis, equally):
    """Return the parts by indexing, so that they know the array that they show."""
    x = as_array(x)
    if is_integer(where):
        parts = equally(x, operator.index(where), axis)
        cuts = [0, *itertools.accumulate(part.shape[axis] for part in parts)]
    else:
        c.split_at(x, ints(where), axis)  # checks the axis
        cuts = [None, *ints(where), None]
    head = (slice(None),) * (axis % x.ndim)
    return [x[(*head, slice(*span))] for span in zip(cuts, cuts[1:])]


def hsplit(x, indices_or_sections):
    """Cut along the second axis, vectors along their only one."""
    return split(x, indices_or_sections, 1 if as_array(x).ndim > 1 else 0)


def vsplit(x, indices_or_sections):
    """Cut along the first axis of two or more."""
    if as_array(x).ndim < 2:
        raise ValueError("vsplit: expected 2 axes or more; split cuts vectors")
    return split(x, indices_or_sections, 0)


def dsplit(x, indices_or_sections):
    """Cut along the third axis."""
    return split(x, indices_or_sections, 2)


# ---- repeating and moving elements ----

def repeat(x, /, repeats, axis=None):
    """Repeat each element; copies stay next to each other.  Without an axis x is flattened."""
    if axis is None:
        x, axis = c.ravel(x), 0
    if is_integer(repeats):
        return apart(c.repeat(x, operator.index(repeats), axis), x)
    return apart(c.repeat_each(x, repeats, axis), x)


def tile(x, /, reps):
    """Repeat an array as a whole along its last axes."""
    return apart(c.tile(x, ints(reps)), x)


def roll(x, /, shift, axis=None):
    """Rotate elements along axes; without an axis as if flattened."""
    shifts = ints(shift)
    if axis is None:
        return apart(c.roll(x, (sum(shifts),), None), x)
    axes = ints(axis)
    n = max(len(shifts), len(axes))
    if {len(shifts), len(axes)} - {1, n}:
        raise ValueError(f"roll: {len(shifts)} shifts do not fit {len(axes)} axes")
    shifts = shifts * n if len(shifts) == 1 else shifts
    axes = axes * n if len(axes) == 1 else axes
    return apart(c.roll(x, shifts, axes), x) if n else fresh(x)


def resize(x, new_shape):
    """Return an array of a shape, filled with the elements of x again and again."""
    return apart(c.resize(x, ints(new_shape)), x)


def delete(x, obj, axis=None):
    """Return x without the slices at indices; without an axis x is flattened."""
    x, axis = (c.ravel(x), 0) if axis is None else (as_array(x), axis)
    return apart(c.delete(x, _places(obj, x.shape[axis]), axis), x)


def insert(x, obj, values, axis=None):
    """Insert values before the slices at indices; without an axis x is flattened.

    The first axis of the values at one integer is their place along the axis, as in x[:, i].
    """
    x, axis = (c.ravel(x), 0) if axis is None else (as_array(x), axis)
    values, places = as_array(values), _places(obj, x.shape[axis])
    if len(places) == 1:
        values = c.reshape(values, (1,) * (x.ndim - values.ndim) + values.shape)
        values = c.moveaxis(values, (0,), (axis,)) if is_integer(obj) else values
        places *= values.shape[axis]
    return c.insert(x, places, values, axis) if places else fresh(x)


def _places(obj, size):
    """Return the indices that an integer, a slice, a mask or a sequence selects."""
    if isinstance(obj, slice):
        return tuple(range(size))[obj]
    if is_integer(obj):
        return (operator.index(obj),)
    places = as_array(obj)
    if places.dtype == dtype_of(bool):
        if places.shape != (size,):
            raise ValueError(f"a mask of shape {places.shape} for an axis of size {size}")
        places = c.flat_nonzero(places)
    return ints(c.ravel(places))


def trim_zeros(x, trim="fb"):
    """Return a vector without zeros in front ("f") and behind ("b")."""
    if not isinstance(trim, str) or set(trim.lower()) - {"f", "b"}:
        raise ValueError(f"trim_zeros: trim consists of 'f' and 'b', not {trim!r}")
    return c.trim_zeros(x, "f" in trim.lower(), "b" in trim.lower())
