"""Padding."""

import operator

from . import _reduce
from ._base import as_array, fresh, is_integer
from ._core import c
from ._dtypes import isdtype

__all__ = ["pad"]

_OWN = ("edge", "reflect", "symmetric", "wrap")  # modes of the library
_STATISTICS = {"maximum": _reduce.max, "mean": _reduce.mean, "median": _reduce.median,
               "minimum": _reduce.min}
_OPTIONS = {"constant": "constant_values", "linear_ramp": "end_values", "reflect": "reflect_type",
            "symmetric": "reflect_type", **dict.fromkeys(_STATISTICS, "stat_length")}


def pad(x, pad_width, mode="constant", **options):
    """Add elements around an array: pad_width before and after each axis.

    pad_width is a number, (before, after), a pair for each axis, or a dict of axes.  mode is
    "constant" (constant_values), "edge", "reflect", "symmetric" (reflect_type "even" or "odd"),
    "wrap", "linear_ramp" (end_values), "maximum", "mean", "median", "minimum" (stat_length),
    "empty", or a function of NumPy's form, which changes a vector.
    """
    x = as_array(x)
    widths = _widths(pad_width, x.ndim)
    if not widths:
        x = fresh(x)  # nothing is added, and NumPy copies
    if callable(mode):
        return _by_function(x, widths, mode, options)
    known = ("constant", "empty", "linear_ramp", *_OWN, *_STATISTICS)
    if mode not in known:
        raise ValueError(f"pad: unknown mode {mode!r}; expected one of {', '.join(known)}")
    name = _OPTIONS.get(mode)
    for option in options:
        if option != name:
            raise ValueError(f"pad: mode {mode!r} has no option {option!r}" +
                             (f"; it has {name}" if name else ""))
    option = options.get(name)
    if mode in _OWN and option in (None, "even"):
        return c.pad_around(x, [n for pair in widths for n in pair], mode) if widths else x
    make = _maker(x, mode, option)
    for axis, pair in enumerate(widths):
        blocks = [make(x, axis, side, width) if width else None for side, width in enumerate(pair)]
        x = c.concat([part for part in (blocks[0], x, blocks[1]) if part is not None], axis)
    return x


def _widths(given, rank):
    """Return a pair of amounts for each axis."""
    if isinstance(given, dict):
        widths = [(0, 0)] * rank
        for axis, amounts in given.items():
            if not -rank <= axis < rank:
                raise IndexError(f"pad: axis {axis} is out of bounds for {rank} axes")
            pair = (amounts, amounts) if is_integer(amounts) else tuple(amounts)
            widths[axis] = tuple(map(operator.index, pair))
    else:
        given = as_array(given)
        if not isdtype(given.dtype, "integral"):
            raise TypeError(f"pad: pad_width has integers, not {given.dtype}")
        widths = [tuple(pair) for pair in c.broadcast(given, (rank, 2)).tolist()]
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError("pad: pad_width must not be negative")
    return widths


def _slab(x, axis, start, stop):
    """Return the slice of x from start to stop along an axis."""
    return x[(slice(None),) * axis + (slice(start, stop),)]


def _pairs(given, rank):
    """Return an array of two values for each axis."""
    return c.broadcast(as_array(given), (rank, 2))


def _maker(x, mode, option):
    """Return a function (x, axis, side, width) that makes the elements at one side of an axis."""
    if mode in ("constant", "empty"):
        return _constant(_pairs(0 if option is None else option, x.ndim))
    if mode == "linear_ramp":
        return _ramp(_pairs(0 if option is None else option, x.ndim))
    if mode in _STATISTICS:
        return _statistic(_STATISTICS[mode], option, x.ndim)
    if option != "odd":
        raise ValueError(f"pad: reflect_type is 'even' or 'odd', not {option!r}")
    return _odd(x.shape, mode == "reflect")


def _constant(values):
    def make(x, axis, side, width):
        shape = x.shape[:axis] + (width,) + x.shape[axis + 1:]
        return c.full_of(c.cast(values[axis, side], x.dtype), shape)
    return make


def _ramp(ends):
    def make(x, axis, side, width):
        if not x.shape[axis]:
            raise ValueError(f"pad: axis {axis} is empty, so no ramp leads to it")
        wide = c.promote(c.promote(x.dtype, ends.dtype), "float64")
        edge = c.cast(_slab(x, axis, *((-1, None) if side else (0, 1))), wide)
        end = c.cast(ends[axis, side], wide)
        place = c.reshape(c.iota(wide, (width,), 0), (-1,) + (1,) * (x.ndim - 1 - axis))
        line = c.add(c.mul(place, c.div(c.sub(edge, end), width)), end)
        line = c.cast(c.floor(line) if isdtype(x.dtype, "integral") else line, x.dtype)
        return c.flip(line, axis) if side else line
    return make


def _statistic(function, lengths, rank):
    lengths = None if lengths is None else _pairs(lengths, rank)
    if lengths is not None and not bool(c.all(c.gt(lengths, 0), None, False)):
        raise ValueError("pad: stat_length must be 1 or more")
    sizes = {}  # of axes before they grow: the second side sees no elements of the first

    def make(x, axis, side, width):
        size = sizes.setdefault(axis, x.shape[axis])
        if not size:
            raise ValueError(f"pad: axis {axis} is empty, so it has no statistic")
        n = size if lengths is None else min(size, int(lengths[axis, side]))
        found = function(_slab(x, axis, *((size - n, size) if side else (0, n))), axis,
                         keepdims=True)
        if isdtype(x.dtype, "integral"):
            found = c.round(found)
        shape = x.shape[:axis] + (width,) + x.shape[axis + 1:]
        return c.broadcast(c.cast(found, x.dtype), shape)
    return make


def _odd(shape, shared):
    """Return the maker of reflections about the ends; shared: an end is its own reflection."""
    def make(x, axis, side, width):
        period = shape[axis] - shared
        if not shape[axis]:
            raise ValueError(f"pad: axis {axis} is empty, so it has nothing to reflect")
        if not period:  # one element is repeated
            return c.broadcast(x, x.shape[:axis] + (width,) + x.shape[axis + 1:])
        grown, made = c.flip(x, axis) if side else x, 0
        while made < width:
            n = min(period, width - made)
            part = c.flip(_slab(grown, axis, int(shared), int(shared) + n), axis)
            part = c.cast(c.sub(c.mul(_slab(grown, axis, 0, 1), 2), part), x.dtype)
            grown, made = c.concat([part, grown], axis), made + n
        part = _slab(grown, axis, 0, width)
        return c.flip(part, axis) if side else part
    return make


def _by_function(x, widths, function, options):
    """Return x in zeros, of which a function sets those around each line of each axis."""
    zero = _constant(_pairs(0, x.ndim))
    for axis, pair in enumerate(widths):
        x = c.concat([zero(x, axis, 0, pair[0]), x, zero(x, axis, 1, pair[1])], axis)
    for axis, pair in enumerate(widths):
        lines = c.moveaxis(x, (axis,), (-1,))
        rows = []
        for row in c.reshape(lines, (-1, lines.shape[-1])):
            row = row.copy()
            result = function(row, pair, axis, options)
            rows.append(row if result is None else as_array(result))
        if rows:
            x = c.moveaxis(c.reshape(c.stack(rows, 0), lines.shape), (-1,), (axis,))
    return x
