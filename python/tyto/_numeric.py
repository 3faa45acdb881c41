"""Interpolation, polynomials and integrals of samples."""

from ._base import as_array
from ._core import c
from ._dtypes import dtype_of, float64


def interp(x, xp, fp, left=None, right=None, period=None, *, kind="linear", axis=0):
    """Return the values at x of a curve through points (xp, fp).

    kind is "linear", "nearest", "previous", "next", "cubic", "pchip", "akima" or "makima".
    """
    if period is not None:
        return _periodic(as_array(x), as_array(xp), as_array(fp), period, kind)
    result = c.interp(x, xp, fp, kind=kind, axis=axis)
    if left is not None:
        result = c.where(c.lt(x, as_array(xp)[0]), left, result)
    if right is not None:
        result = c.where(c.gt(x, as_array(xp)[-1]), right, result)
    return result


def _periodic(x, xp, fp, period, kind):
    """Return interp of a curve that repeats."""
    xp = c.mod(xp, float(period))
    order = c.argsort(xp, 0, False)
    xp, fp = c.take(xp, order, 0), c.take(fp, order, 0)
    xp = c.concat([c.sub(xp[-1:], period), xp, c.add(xp[:1], period)], 0)
    return c.interp(c.mod(x, float(period)), xp, c.concat([fp[-1:], fp, fp[:1]], 0), kind=kind)


def interpn(points, values, xi, *, kind="linear"):
    """Return the values at points xi of a function on a grid."""
    return c.interpn(xi, list(points), values, kind=kind)


def polyval(p, x):
    """Return a polynomial's values at x; the highest power is first."""
    return c.polyval(p, x)


def polyfit(x, y, deg, *, w=None):
    """Return the polynomial of a degree that fits points best."""
    return c.polyfit(x, y, deg, w)


def polyadd(a1, a2):
    """Return the sum of two polynomials."""
    return c.polyadd(a1, a2)


def polysub(a1, a2):
    """Return the difference of two polynomials."""
    return c.polysub(a1, a2)


def polymul(a1, a2):
    """Return the product of two polynomials."""
    return c.polymul(a1, a2)


def polydiv(u, v):
    """Return quotient and remainder of two polynomials."""
    return tuple(c.polydiv(u, v))


def polyder(p, m=1):
    """Return the m-th derivative of a polynomial."""
    return c.polyder(p, m)


def polyint(p, m=1, k=None):
    """Return the m-th integral of a polynomial; k: the constants of the integrals in order."""
    constants = c.ravel(as_array(0.0 if k is None else k))
    if constants.size not in (1, m):
        raise ValueError(f"polyint: {constants.size} constants for {m} integrals")
    if k is None:
        return c.polyint(p, m)
    constants = c.broadcast(constants, (m,))
    for i in range(m):
        p = c.polyint(p, 1)
        p = c.concat([p[:-1], constants[i:i + 1]], 0)
    return as_array(p)


def poly(roots):
    """Return the polynomial with these roots."""
    return c.poly(roots)


def roots(p):
    """Return the complex roots of a polynomial."""
    return c.roots(p)


def simpson(y, x=None, dx=1.0, axis=-1):
    """Integrate samples along an axis by Simpson's rule."""
    return c.simpson(y, x, dx, axis)


def romberg(y, dx=1.0, axis=-1):
    """Integrate 2^k + 1 samples along an axis by Romberg's method."""
    return c.romberg(y, dx, axis)


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1):
    """Return running integrals by the trapezoidal rule."""
    return c.cumulative_trapezoid(y, x, dx, axis)


def vectorize(function, otypes=None):
    """Return a function that calls another one for each element, in a loop of Python.

    otypes: the dtype of the results, or a list with that of each result.
    """
    if not callable(function):
        raise TypeError(f"vectorize: expected a function, not {type(function).__name__}")

    def call(*arrays):
        """Call the function for each element of arrays that broadcast."""
        shaped = c.broadcast_together([as_array(x) for x in arrays])
        rows = zip(*(c.ravel(x) for x in shaped))
        results = [function(*row) for row in rows]
        if results and isinstance(results[0], tuple):
            types = (None,) * len(results[0]) if otypes is None else otypes
            return tuple(made(part, of, shaped[0].shape) for part, of in zip(zip(*results), types))
        types = otypes if isinstance(otypes, (list, tuple)) else [otypes]
        return made(results, types[0], shaped[0].shape)

    def made(results, of, shape):
        x = c.reshape(as_array(list(results)), shape)
        return x if of is None else c.cast(x, dtype_of(of))
    return call


def apply_along_axis(function, axis, x):
    """Return function(line) of each line along an axis, in a loop of Python.

    The axes of its results take the place of the axis.
    """
    lines = c.moveaxis(x, (axis,), (-1,))
    rows = c.reshape(lines, (-1, lines.shape[-1]))
    results = c.stack([as_array(function(row)) for row in rows], 0)
    result = c.reshape(results, lines.shape[:-1] + results.shape[1:])
    first, rank = axis % lines.ndim, results.ndim - 1
    return c.moveaxis(result, range(lines.ndim - 1, result.ndim), range(first, first + rank))


# ---- convolution ----

def convolve(a, v, mode="full"):
    """Return the convolution of vectors; "same" has the size of the longer one."""
    a, v = as_array(a), as_array(v)
    return c.convolve(v, a, mode) if v.size > a.size else c.convolve(a, v, mode)


def correlate(a, v, mode="valid"):
    """Return the correlation of vectors; "same" has the size of the longer one."""
    a, v = as_array(a), as_array(v)
    if v.size <= a.size or mode == "full":
        return c.correlate(a, v, mode)
    first = a.size - 1 if mode == "valid" else a.size // 2
    size = v.size - a.size + 1 if mode == "valid" else v.size
    return c.correlate(a, v, "full")[first:first + size]


# ---- windows ----

def hanning(M):
    """Return Hann's window, which ends at 0."""
    return c.hann(float64, M, False)


def hamming(M):
    """Return Hamming's window."""
    return c.hamming(float64, M, False)


def blackman(M):
    """Return Blackman's window."""
    return c.blackman(float64, M, False)


def bartlett(M):
    """Return Bartlett's triangular window, which ends at 0."""
    return c.bartlett(float64, M, False)


def kaiser(M, beta):
    """Return Kaiser's window of a shape beta."""
    return c.kaiser(float64, M, beta, False)
