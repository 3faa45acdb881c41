"""Histograms."""

import builtins
import math

from ._base import as_array, is_integer
from ._core import c
from ._dtypes import isdtype

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def histogram(x, bins=10, range=None, density=False, weights=None):
    """Count elements in intervals: returns (counts, edges).

    bins is a number, the edges, or the name of an estimator (histogram_bin_edges).
    """
    bins, (low, high) = _bins(x, bins, range, weights)
    if not is_integer(bins):
        return c.histogram_edges(x, bins, weights, density), bins
    return (c.histogram(x, bins, low, high, weights, density),
            c.histogram_bin_edges(x, bins, low, high))


def histogram_bin_edges(x, bins=10, range=None, weights=None):
    """Return the edges of the intervals in which histogram counts.

    bins is a number, the edges, or an estimator: "auto", "doane", "fd" (Freedman and Diaconis),
    "rice", "scott", "sqrt", "stone" or "sturges".
    """
    bins, limits = _bins(x, bins, range, weights)
    return c.histogram_bin_edges(x, bins, *limits) if is_integer(bins) else bins


def _bins(x, bins, range, weights=None):
    """Return the number of bins or their edges, and the limits for the library."""
    limits = _limits(range)
    if isinstance(bins, str):
        if weights is not None:
            raise TypeError(f"histogram: bins={bins!r} is estimated without weights; "
                            "pass their number or edges")
        return _estimated(as_array(x), bins, range), limits
    return (bins if is_integer(bins) else as_array(bins)), limits


def _limits(range):
    """Return the limits of a range; equal ones are those of the elements, for the library."""
    if range is None:
        return 0.0, 0.0
    low, high = range
    return (low, high) if low != high else (low - 0.5, high + 0.5)


# ---- the number of bins ----

def _estimated(x, name, range):
    """Return the number of bins that an estimator of their width gives."""
    if name not in _WIDTHS:
        raise ValueError(f"histogram: unknown bins {name!r}; expected a number, edges, or one of "
                         f"{', '.join(_WIDTHS)}")
    whole = isdtype(x.dtype, ("bool", "integral"))
    x = c.cast(c.ravel(x), "float64")
    if range is not None:
        range = _limits(range)
        x = c.extract(c.logical_and(c.ge(x, range[0]), c.le(x, range[1])), x)
    if not x.size:
        return 1
    low, high = range or (float(c.amin(x, None)), float(c.amax(x, None)))
    if not math.isfinite(low + high):
        raise ValueError(f"histogram: the range {low} to {high} is not finite; pass a range")
    low, high = _limits((low, high))
    width = _WIDTHS[name](x, (low, high))
    width = max(width, 1.0) if whole and width else width
    return math.ceil((high - low) / width) if width else 1


def _spread(x):
    """Return the distance of the least and the greatest element."""
    return float(c.ptp(x, None, False))


def _deviation(x):
    """Return the standard deviation."""
    return float(c.std(x, None, 0.0, False))


def _doane(x, range):
    n, deviation = x.size, _deviation(x)
    if n < 3 or not deviation:
        return 0.0
    scores = c.div(c.sub(x, c.mean(x, None, False)), deviation)
    skew = float(c.mean(c.pow(scores, 3.0), None, False))
    error = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return _spread(x) / (1.0 + math.log2(n) + math.log2(1.0 + abs(skew) / error))


def _freedman(x, range):
    high, low = c.percentile(x, as_array([75.0, 25.0]), None, False, "linear").tolist()
    return 2.0 * (high - low) / x.size ** (1.0 / 3.0)


def _stone(x, range):
    """Minimise the estimated loss of leaving one element out, over the number of bins."""
    n, spread = x.size, _spread(x)
    if n <= 1 or not spread:
        return 0.0

    def loss(bins):
        share = c.div(c.histogram(x, bins, *range, None, False), float(n))
        return (2 - (n + 1) * float(c.sum(c.mul(share, share), None, False))) * bins / spread

    most = max(100, int(math.sqrt(n)))
    return spread / min(builtins.range(1, most + 1), key=loss)


def _auto(x, range):
    """Return the lesser width of two estimators; the first not below half of "sqrt"'s."""
    return min(max(_freedman(x, range), _WIDTHS["sqrt"](x, range) / 2),
               _WIDTHS["sturges"](x, range))


_WIDTHS = {
    "auto": _auto, "doane": _doane, "fd": _freedman,
    "rice": lambda x, range: _spread(x) / (2.0 * x.size ** (1.0 / 3)),
    "scott": lambda x, range: (24.0 * math.pi ** 0.5 / x.size) ** (1.0 / 3.0) * _deviation(x),
    "sqrt": lambda x, range: _spread(x) / math.sqrt(x.size),
    "stone": _stone,
    "sturges": lambda x, range: _spread(x) / (math.log2(x.size) + 1.0),
}


# ---- several variables ----

def histogram2d(x, y, bins=10, range=None, density=False, weights=None):
    """Count pairs in rectangles: returns (counts, edges of x, edges of y)."""
    per_axis = tuple(bins) if not is_integer(bins) and len(bins) == 2 else (bins, bins)
    ranges = (None, None) if range is None else range
    edges = [histogram_bin_edges(v, b, r) for v, b, r in zip((x, y), per_axis, ranges)]
    counts = c.histogram2d(x, y, edges[0], edges[1], weights, density)
    return (c.cast(counts, c.promote(counts.dtype, "float64")), *edges)


def histogramdd(sample, bins=10, range=None, density=False, weights=None):
    """Count points in boxes: returns (counts, list of the edges of each axis).

    sample has a point in each row, or is a sequence of the coordinates of all points.
    """
    points = c.stack(list(sample), 1) if isinstance(sample, (tuple, list)) else as_array(sample)
    points = points if points.ndim > 1 else c.reshape(points, (-1, 1))
    n = points.shape[1]
    bins = (bins,) * n if is_integer(bins) else tuple(bins)
    ranges = (None,) * n if range is None else tuple(range)
    if len(bins) != n or len(ranges) != n:
        raise ValueError(f"histogramdd: {len(bins)} bins and {len(ranges)} ranges for {n} axes")
    edges = [histogram_bin_edges(points[:, i], b, r) for i, (b, r) in enumerate(zip(bins, ranges))]
    place, inside = 0, True
    for i, e in enumerate(edges):
        x = points[:, i]
        at = c.sub(c.searchsorted(e, x, True), c.eq(x, e[-1]))  # the last interval has its end
        inside = c.logical_and(inside, c.logical_and(c.ge(at, 1), c.lt(at, e.size)))
        place = c.add(c.mul(place, e.size - 1), c.sub(at, 1))
    shape = [e.size - 1 for e in edges]
    if weights is not None:
        weights = c.extract(inside, weights)
    counts = c.bincount(c.extract(inside, place), weights, math.prod(shape))
    counts = c.reshape(c.cast(counts, "float64"), shape)
    if density:
        counts = c.div(counts, c.sum(counts, None, False))
        for i, e in enumerate(edges):
            counts = c.div(counts, c.reshape(c.diff(e, 1, 0, None, None),
                                             [-1 if j == i else 1 for j in builtins.range(n)]))
    return counts, edges
