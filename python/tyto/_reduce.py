"""Reductions: sums, extremes, moments and running values along axes.

An axis is an integer, a tuple of them, or None for all axes.  The result is assigned to out, if it
is given.  overwrite_input is NumPy's; operands stay as they are.
"""

from ._base import apart, as_array, ints, placed_into
from ._core import c
from ._dtypes import KINDS, dtype_of, isdtype


def sum(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Return sums over axes; small integers are summed in 64 bits."""
    functions = c.sum, c.sum_as, c.sum_where
    return placed_into(out, _folded(x, functions, (axis, keepdims), dtype, initial, where))


def prod(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Return products over axes; small integers are multiplied in 64 bits."""
    functions = c.prod, c.prod_as, c.prod_where
    return placed_into(out, _folded(x, functions, (axis, keepdims), dtype, initial, where))


def _folded(x, functions, axes, dtype, initial, where):
    """Return the fold of three functions of the library that the arguments ask for."""
    plain, as_dtype, masked = functions
    if initial is not None or where is not None:
        x = as_array(x) if dtype is None else c.cast(x, dtype_of(dtype))
        result = masked(x, *axes, where, initial)
        return result if dtype is None else c.cast(result, dtype_of(dtype))
    return plain(x, *axes) if dtype is None else as_dtype(x, axes[0], dtype_of(dtype), axes[1])


def max(x, /, axis=None, out=None, keepdims=False, initial=None, where=None):
    """Return the greatest elements over axes; NaN if there is one."""
    if initial is None and where is None:
        return placed_into(out, c.amax(x, axis, keepdims))
    return placed_into(out, c.amax_where(x, axis, keepdims, where, initial))


def min(x, /, axis=None, out=None, keepdims=False, initial=None, where=None):
    """Return the least elements over axes; NaN if there is one."""
    if initial is None and where is None:
        return placed_into(out, c.amin(x, axis, keepdims))
    return placed_into(out, c.amin_where(x, axis, keepdims, where, initial))


amax, amin = max, min


def ptp(x, axis=None, out=None, keepdims=False):
    """Return the difference of the greatest and the least elements over axes."""
    return placed_into(out, c.ptp(x, axis, keepdims))


def all(x, /, axis=None, out=None, keepdims=False, where=None):
    """Return True where all elements over axes are true."""
    if where is None:
        return placed_into(out, c.all(x, axis, keepdims))
    return placed_into(out, c.all_where(x, axis, keepdims, where))


def any(x, /, axis=None, out=None, keepdims=False, where=None):
    """Return True where an element over axes is true."""
    if where is None:
        return placed_into(out, c.any(x, axis, keepdims))
    return placed_into(out, c.any_where(x, axis, keepdims, where))


def mean(x, /, axis=None, dtype=None, out=None, keepdims=False, where=None):
    """Return means over axes, computed in a dtype, by default that of x or a floating one."""
    if dtype is not None:
        x = c.cast(x, dtype_of(dtype))
    args = (x, axis, keepdims)
    result = c.mean(*args) if where is None else c.mean_where(*args, where)
    return placed_into(out, _typed(result, dtype))


def var(x, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None,
        where=None, mean=None):
    """Return variances over axes, divided by n - correction; ddof is its other name.

    mean, if given, is that of NumPy: it saves nothing here.
    """
    divided = ddof if correction is None else correction
    if dtype is not None:
        x = c.cast(x, dtype_of(dtype))
    if where is None:
        result = c.variance_ddof(x, axis, divided, keepdims)
    else:
        apart_ = c.sub(x, c.mean_where(x, axis, True, where))
        squares = c.real(c.mul(apart_, c.conj(apart_)))
        count = c.count_nonzero(c.broadcast(where, squares.shape), axis, keepdims)
        result = c.div(c.sum_where(squares, axis, keepdims, where, None),
                       c.max(c.sub(count, divided), 0))
    return placed_into(out, _typed(result, dtype))


def std(x, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None,
        where=None, mean=None):
    """Return standard deviations over axes, as var."""
    if dtype is None and where is None:
        divided = ddof if correction is None else correction
        return placed_into(out, c.std(x, axis, divided, keepdims))
    return placed_into(out, c.sqrt(var(x, axis, dtype, None, ddof, keepdims, correction=correction,
                                where=where)))


def average(x, axis=None, weights=None, returned=False, *, keepdims=False):
    """Return means over axes, weighted if there are weights.

    returned=True returns (means, sums of the weights).
    """
    args = (axis, keepdims)
    result = c.mean(x, *args) if weights is None else c.average(x, weights, *args)
    if not returned:
        return result
    x = as_array(x)
    weights = as_array(1.0 if weights is None else weights)
    if weights.ndim == 1 and x.ndim > 1:  # those of one axis
        weights = c.reshape(weights, (-1,) + (1,) * (x.ndim - 1 - axis % x.ndim))
    sums = c.sum(c.broadcast(weights, x.shape), *args)
    return result, c.cast(c.broadcast(sums, result.shape), result.dtype)


def logsumexp(x, /, axis=None, *, keepdims=False):
    """Return the logarithm of sums of exp(x) over axes, without overflow."""
    return c.logsumexp(x, axis, keepdims)


def argmax(x, /, axis=None, out=None, *, keepdims=False):
    """Return the index of the first greatest element along an axis, or of all."""
    return placed_into(out, c.argmax(x, axis, keepdims))


def argmin(x, /, axis=None, out=None, *, keepdims=False):
    """Return the index of the first least element along an axis, or of all."""
    return placed_into(out, c.argmin(x, axis, keepdims))


def count_nonzero(x, /, axis=None, *, keepdims=False):
    """Return the numbers of elements over axes that are not 0."""
    return c.count_nonzero(x, axis, keepdims)


# ---- without NaN ----

def _cast(x, dtype):
    """Return x in the dtype in which a function computes, unless that is None."""
    return x if dtype is None else c.cast(x, dtype_of(dtype))


def _refuse_nan(extremes, name):
    """Raise a ValueError if extremes without NaN are NaN: all elements were."""
    if extremes.dtype not in KINDS["integral"] and not extremes.is_promise:
        if bool(c.any(c.is_nan(extremes), None, False)):
            raise ValueError(f"{name}: all elements are NaN along a line")


def nansum(x, axis=None, dtype=None, out=None, keepdims=False):
    """Return sums over axes, without NaN."""
    return placed_into(out, _typed(c.nansum(_cast(x, dtype), axis, keepdims), dtype))


def nanprod(x, axis=None, dtype=None, out=None, keepdims=False):
    """Return products over axes, without NaN."""
    return placed_into(out, _typed(c.nanprod(_cast(x, dtype), axis, keepdims), dtype))


def nanmax(x, axis=None, out=None, keepdims=False):
    """Return the greatest elements over axes, without NaN."""
    return placed_into(out, c.nanmax(x, axis, keepdims))


def nanmin(x, axis=None, out=None, keepdims=False):
    """Return the least elements over axes, without NaN."""
    return placed_into(out, c.nanmin(x, axis, keepdims))


def nanargmax(x, axis=None, out=None, *, keepdims=False):
    """Return the index of the first greatest element, without NaN."""
    _refuse_nan(c.nanmax(x, axis, False), "nanargmax")
    return placed_into(out, c.nanargmax(x, axis, keepdims))


def nanargmin(x, axis=None, out=None, *, keepdims=False):
    """Return the index of the first least element, without NaN."""
    _refuse_nan(c.nanmin(x, axis, False), "nanargmin")
    return placed_into(out, c.nanargmin(x, axis, keepdims))


def nanmean(x, axis=None, dtype=None, out=None, keepdims=False):
    """Return means over axes, without NaN."""
    return placed_into(out, _typed(c.nanmean(_cast(x, dtype), axis, keepdims), dtype))


def nanvar(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """Return variances over axes, without NaN, divided by n - ddof."""
    divided = ddof if correction is None else correction
    return placed_into(out, _typed(c.nanvar(_cast(x, dtype), axis, divided, keepdims), dtype))


def nanstd(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """Return standard deviations over axes, without NaN, divided by n - ddof."""
    divided = ddof if correction is None else correction
    return placed_into(out, _typed(c.nanstd(_cast(x, dtype), axis, divided, keepdims), dtype))


# ---- order ----

def median(x, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Return medians over axes."""
    return placed_into(out, c.median(x, axis, keepdims))


def nanmedian(x, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Return medians over axes, without NaN."""
    return placed_into(out, c.nanmedian(x, axis, keepdims))


def quantile(x, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """Return quantiles q from 0 to 1 over axes; the axes of q are the first of the result."""
    return placed_into(out, c.quantile(x, q, axis, keepdims, method))


def percentile(x, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """Return percentiles q from 0 to 100 over axes, as quantile."""
    return placed_into(out, c.percentile(x, q, axis, keepdims, method))


def nanquantile(x, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """Return quantiles q from 0 to 1 over axes, without NaN."""
    return placed_into(out, c.nanquantile(x, q, axis, keepdims, method))


def nanpercentile(x, q, axis=None, out=None, overwrite_input=False, method="linear",
                  keepdims=False):
    """Return percentiles q from 0 to 100 over axes, without NaN."""
    return placed_into(out, c.nanpercentile(x, q, axis, keepdims, method))


# ---- several variables ----

def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """Return the covariance matrix of variables, which are the rows or else the columns.

    y has further variables.  Sums are divided by n - ddof: by default n - 1, with bias n.
    fweights: how often each observation counts; aweights: its weight.
    """
    ddof = (0 if bias else 1) if ddof is None else ddof
    if fweights is None and aweights is None:
        return c.cov(m, rowvar, ddof) if y is None else c.cov(_rows((m, y), rowvar), True, ddof)
    x = _rows((m,) if y is None else (m, y), rowvar)
    counts, weights = (as_array(1.0 if w is None else w) for w in (fweights, aweights))
    if not is_integral(counts) and fweights is not None:
        raise TypeError(f"cov: fweights are {counts.dtype}; expected integers")
    for w in (counts, weights):
        if not w.is_promise and bool(c.any(c.lt(w, 0), None, False)):
            raise ValueError("cov: a weight is negative")
        if w.ndim and w.shape != (x.shape[1],):
            raise ValueError(f"cov: weights of shape {w.shape} for {x.shape[1]} observations")
    both = c.broadcast(c.mul(counts, weights), (x.shape[1],))
    total = c.sum(both, None, False)
    if not total.is_promise and not bool(total):
        raise ValueError("cov: the sum of the weights is 0")
    apart_ = c.sub(x, c.expand(c.average(x, both, 1, False), 1))
    divided = c.sub(total, c.mul(c.div(c.sum(c.mul(both, weights), None, False), total), ddof))
    result = c.div(c.matmul(c.mul(apart_, both), c.transpose(c.conj(apart_))), c.max(divided, 0))
    return result[0, 0] if result.shape == (1, 1) else result


def corrcoef(x, y=None, rowvar=True):
    """Return the correlation matrix of variables of x and y, as cov."""
    return c.corrcoef(x, rowvar) if y is None else c.corrcoef(_rows((x, y), rowvar), True)


def _rows(arrays, rowvar):
    """Return the variables of arrays as rows of one; a vector is one variable."""
    arrays = [as_array(x) for x in arrays]
    return c.concat([c.atleast(x, 2) if rowvar or x.ndim < 2 else c.swap(x, 0, 1)
                     for x in arrays], 0)


# ---- running values ----

def _running(function, x, axis, reverse, exclusive):
    """Return running values along an axis; without one x is flattened."""
    if axis is None:
        x, axis = c.ravel(x), 0
    return function(x, axis, {"reverse": reverse, "exclusive": exclusive})


def cumsum(x, axis=None, dtype=None, out=None, *, reverse=False, exclusive=False):
    """Return running sums along an axis; without one x is flattened."""
    x = _summed(x, dtype)
    return placed_into(out, _typed(_running(c.cumsum, x, axis, reverse, exclusive), dtype))


def cumprod(x, axis=None, dtype=None, out=None, *, reverse=False, exclusive=False):
    """Return running products along an axis; without one x is flattened."""
    x = _summed(x, dtype)
    return placed_into(out, _typed(_running(c.cumprod, x, axis, reverse, exclusive), dtype))


def _summed(x, dtype):
    """Return x in the dtype in which sums of that result dtype are computed."""
    x = as_array(x)
    if dtype is None or (dtype_of(dtype) in KINDS["integral"] and is_integral(x)):
        return x  # 64 bits wrap to the same low bits
    return c.cast(x, dtype_of(dtype))


def _typed(x, dtype):
    """Return x in a dtype, unless that is None."""
    return x if dtype is None else c.cast(x, dtype_of(dtype))


def nancumsum(x, axis=None, dtype=None, out=None, *, reverse=False, exclusive=False):
    """Return running sums, with NaN counted as 0."""
    x = _summed(x, dtype)
    return placed_into(out, _typed(_running(c.nancumsum, x, axis, reverse, exclusive), dtype))


def nancumprod(x, axis=None, dtype=None, out=None, *, reverse=False, exclusive=False):
    """Return running products, with NaN counted as 1."""
    x = _summed(x, dtype)
    return placed_into(out, _typed(_running(c.nancumprod, x, axis, reverse, exclusive), dtype))


def cummax(x, axis=None, *, reverse=False, exclusive=False):
    """Return running maxima; NaN from the first NaN on."""
    return _running(c.cummax, x, axis, reverse, exclusive)


def cummin(x, axis=None, *, reverse=False, exclusive=False):
    """Return running minima; NaN from the first NaN on."""
    return _running(c.cummin, x, axis, reverse, exclusive)


def cumargmax(x, axis, *, reverse=False):
    """Return the indices of running maxima."""
    return _running(c.cumargmax, x, axis, reverse, False)


def cumargmin(x, axis, *, reverse=False):
    """Return the indices of running minima."""
    return _running(c.cumargmin, x, axis, reverse, False)


def logcumsumexp(x, axis=-1):
    """Return the logarithms of running sums of exp(x), without overflow."""
    return c.logcumsumexp(x, axis)


def linear_recurrence(a, b, axis=-1, reverse=False):
    """Solve y[i] = a[i] y[i - 1] + b[i] along an axis, from 0."""
    return c.linear_recurrence(a, b, axis, reverse)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Return running sums along the axis of x; include_initial puts a 0 in front."""
    return _cumulative(cumsum, 0, x, axis, dtype, include_initial, "cumulative_sum")


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Return running products along the axis of x; include_initial puts a 1 in front."""
    return _cumulative(cumprod, 1, x, axis, dtype, include_initial, "cumulative_prod")


def _cumulative(function, first, x, axis, dtype, include_initial, name):
    """Return running values by the standard's rules: only vectors need no axis."""
    x = as_array(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"{name}: an array of {x.ndim} axes needs an axis")
        axis = 0
    result = function(x, axis, dtype)
    if not include_initial:
        return result
    shape = list(result.shape)
    shape[axis] = 1
    start = c.full_of(c.cast(as_array(first), result.dtype), shape)
    return c.concat([start, result], axis)


def diff(x, /, n=1, axis=-1, prepend=None, append=None):
    """Return differences of neighbours along an axis, taken n times."""
    return c.diff(x, n, axis, prepend, append)


def ediff1d(x, to_end=None, to_begin=None):
    """Return differences of neighbours of x, flattened."""
    return c.ediff1d(x, to_begin, to_end)


def gradient(x, *spacing, axis=None, edge_order=1):
    """Return derivatives by central differences: one array for each axis, or one alone.

    spacing: one distance between neighbours for all axes, or for each axis a distance or the
    coordinates; 1 by default.  edge_order 2 fits parabolas at the ends.
    """
    x = as_array(x)
    axes = range(x.ndim) if axis is None else ints(axis)
    one = len(spacing) == 1 and as_array(spacing[0]).ndim == 0
    steps = spacing * len(axes) if one else spacing or (1.0,) * len(axes)
    if len(steps) != len(axes):
        raise TypeError(f"gradient: {len(steps)} distances for {len(axes)} axes")
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order is 1 or 2, not {edge_order!r}")
    results = [_derivative(x, as_array(h), a, edge_order) for h, a in zip(steps, axes)]
    return results[0] if len(results) == 1 else tuple(results)


def _derivative(x, h, axis, edge_order):
    """Return the derivative along an axis, for a distance or for coordinates."""
    if h.ndim == 0 and edge_order == 1:
        return c.central_difference(x, float(h), axis)
    x = c.moveaxis(x, (axis,), (-1,))
    n = x.shape[-1]
    if h.ndim == 1 and h.size != n or h.ndim > 1:
        raise ValueError(f"gradient: coordinates of shape {h.shape} for axis {axis} of size {n}")
    if n <= edge_order:
        raise ValueError(f"gradient: axis {axis} of size {n} is too short; edge_order={edge_order} "
                         f"takes {edge_order + 1} elements or more")
    x = x if not is_integral(x) else c.cast(x, "float64")
    h = c.full_of(h, (n - 1,)) if h.ndim == 0 else c.diff(h, 1, 0, None, None)
    h = c.cast(h, c.promote(h.dtype, "float32")) if not is_integral(h) else c.cast(h, "float64")
    slopes = c.div(c.diff(x, 1, -1, None, None), h)
    before, after, left, right = h[:-1], h[1:], slopes[..., :-1], slopes[..., 1:]
    middle = c.div(c.add(c.mul(left, after), c.mul(right, before)), c.add(before, after))
    first, last = slopes[..., :1], slopes[..., -1:]
    if edge_order == 2:  # the slope of the parabola through three elements
        bends = c.div(c.sub(right, left), c.add(before, after))
        first = c.sub(first, c.mul(bends[..., :1], h[:1]))
        last = c.add(last, c.mul(bends[..., -1:], h[-1:]))
    result = c.cast(c.concat([first, middle, last], -1), x.dtype)
    return c.moveaxis(result, (-1,), (axis,))


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integrate along an axis by the trapezoidal rule."""
    return c.trapezoid(y, x, dx, axis)


trapz = trapezoid


def unwrap(p, discont=None, axis=-1, *, period=None):
    """Add multiples of a period, by default 2 pi, so that neighbours are close."""
    return apart(c.unwrap(p, period, 0.0 if discont is None else discont, axis), p)


def is_integral(x):
    """Return True if the elements are integers or bool."""
    return isdtype(as_array(x).dtype, ("bool", "integral"))
