"""Functions of NumPy that few programs use: parts of numbers, bits, indices of matrices."""

from ._base import as_array, ints, size_along
from ._core import asarray, c
from ._create import tril_indices, triu_indices
from ._dtypes import finfo, float64, int32, int64, isdtype, uint8
from ._reduce import is_integral
from ._search import diag_indices, nonzero

__all__ = ["apply_over_axes", "asarray_chkfinite", "diag_indices_from", "frexp", "isfortran",
           "mask_indices", "matvec", "modf", "packbits", "real_if_close", "tril_indices_from",
           "triu_indices_from", "unpackbits", "vecmat"]


# ---- parts of numbers ----

def _floating(x, name):
    """Return real numbers in a floating dtype."""
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: {x.dtype} is complex; expected real numbers")
    return c.cast(x, float64) if is_integral(x) else x


def frexp(x, /):
    """Return fractions of 0.5 to before 1 and exponents e with x = fraction * 2^e."""
    x = _floating(x, "frexp")
    wide = c.cast(x, float64)
    special = c.logical_or(c.eq(wide, 0), c.logical_not(c.is_finite(wide)))
    # 2^54 lifts the least numbers into those of a full fraction (IEEE 754, binary64)
    small = c.lt(c.abs(wide), finfo(float64).smallest_normal)
    bits = c.view_as(c.contiguous(c.where(small, c.mul(wide, 2.0 ** 54), wide)), int64)
    exponent = c.bit_and(c.shift_right(bits, 52), 2047)
    half = c.bit_or(c.bit_and(bits, -(2047 << 52) - 1), 1022 << 52)  # the exponent of 0.5
    exponent = c.sub(exponent, c.where(small, 1022 + 54, 1022))
    fraction = c.where(special, wide, c.view_as(half, float64))
    return c.cast(fraction, x.dtype), c.cast(c.where(special, 0, exponent), int32)


def modf(x, /):
    """Return the fractional and the whole parts, both with the sign of x."""
    x = _floating(x, "modf")
    whole = c.trunc(x)
    return c.copysign(c.where(c.is_inf(x), 0.0, c.sub(x, whole)), x), whole


def real_if_close(x, tol=100):
    """Return the real parts, if all imaginary ones are below tol times the dtype's precision.

    A tol of up to 1 is that limit itself.
    """
    x = as_array(x)
    if x.dtype.kind != "c":
        return x
    limit = tol * finfo(x.dtype).eps if tol > 1 else tol
    return c.real(x) if bool(c.all(c.lt(c.abs(c.imag(x)), limit), None, False)) else x


# ---- bits ----

_PLACES = {"big": (7, 6, 5, 4, 3, 2, 1, 0), "little": (0, 1, 2, 3, 4, 5, 6, 7)}


def _places(name, bitorder):
    """Return the places of the bits of a byte in order."""
    if bitorder not in _PLACES:
        raise ValueError(f"{name}: bitorder is 'big' or 'little', not {bitorder!r}")
    return asarray(_PLACES[bitorder], uint8)


def packbits(x, /, axis=None, bitorder="big"):
    """Return bytes of eight elements along an axis each; without one x is flattened."""
    x, places = as_array(x), _places("packbits", bitorder)
    if not is_integral(x):
        raise TypeError(f"packbits: {x.dtype}; expected integers or bool")
    x, axis = (c.ravel(x), 0) if axis is None else (x, axis)
    n = size_along(x, axis, "packbits")
    lines = c.moveaxis(c.cast(c.ne(x, 0), uint8), (axis,), (-1,))
    more = c.zeros(uint8, (*lines.shape[:-1], -n % 8))
    lines = c.concat([lines, more], -1)
    groups = c.reshape(lines, (*lines.shape[:-1], (n + 7) // 8, 8))
    packed = c.cast(c.sum(c.shift_left(groups, places), -1, False), uint8)
    return c.moveaxis(packed, (-1,), (axis,))


def unpackbits(x, /, axis=None, count=None, bitorder="big"):
    """Return the bits of bytes along an axis; without one x is flattened.

    count: their number along the axis; a negative one leaves so many out.
    """
    x, places = as_array(x), _places("unpackbits", bitorder)
    if x.dtype != uint8:
        raise TypeError(f"unpackbits: {x.dtype}; expected uint8")
    x, axis = (c.ravel(x), 0) if axis is None else (x, axis)
    n = 8 * size_along(x, axis, "unpackbits")
    lines = c.moveaxis(x, (axis,), (-1,))
    bits = c.bit_and(c.shift_right(c.expand(lines, -1), places), 1)
    bits = c.reshape(bits, (*lines.shape[:-1], n))
    if count is not None:
        if count < -n:
            raise ValueError(f"unpackbits: count {count} leaves out more than the {n} bits")
        more = c.zeros(uint8, (*lines.shape[:-1], max(count - n, 0)))
        bits = c.concat([bits[..., :count] if count < n else bits, more], -1)
    return c.moveaxis(bits, (-1,), (axis,))


# ---- matrices ----

def _sizes_of_matrix(x, name):
    """Return the numbers of rows and columns."""
    x = as_array(x)
    if x.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, not an array of {x.ndim} axes")
    return x.shape


def tril_indices_from(x, k=0):
    """Return rows and columns of the elements on and below diagonal k of a matrix."""
    rows, columns = _sizes_of_matrix(x, "tril_indices_from")
    return tril_indices(rows, k, columns)


def triu_indices_from(x, k=0):
    """Return rows and columns of the elements on and above diagonal k of a matrix."""
    rows, columns = _sizes_of_matrix(x, "triu_indices_from")
    return triu_indices(rows, k, columns)


def diag_indices_from(x):
    """Return the indices of the main diagonal of an array of equal sizes."""
    x = as_array(x)
    if x.ndim < 2 or len(set(x.shape)) > 1:
        raise ValueError(f"diag_indices_from: expected 2 axes or more of one size, not {x.shape}")
    return diag_indices(x.shape[0], x.ndim)


def mask_indices(n, mask_func, k=0):
    """Return the indices of what mask_func(matrix, k), such as triu, leaves of n rows."""
    return nonzero(c.ne(mask_func(c.ones(int64, (n, n)), k), 0))


def matvec(x1, x2, /):
    """Return products of matrices and vectors, on the last axes."""
    x1, x2 = as_array(x1), as_array(x2)
    return c.matmul(x1, c.expand(x2, -1))[..., 0]


def vecmat(x1, x2, /):
    """Return products of conjugate vectors and matrices, on the last axes."""
    return c.matmul(c.expand(c.conj(as_array(x1)), -2), as_array(x2))[..., 0, :]


def apply_over_axes(func, x, axes):
    """Return func(x, axis) for one axis after another; results keep or lose the axis."""
    x = as_array(x)
    for axis in ints(axes):
        axis = axis % x.ndim if -x.ndim <= axis < x.ndim else axis
        result = as_array(func(x, axis))
        x = c.expand(result, axis) if result.ndim == x.ndim - 1 else result
    return x


# ---- questions ----

def asarray_chkfinite(x, dtype=None):
    """Return asarray(x), and raise a ValueError if an element is not finite."""
    x = asarray(x, dtype)
    if isdtype(x.dtype, ("real floating", "complex floating")):
        if not bool(c.all(c.is_finite(x), None, False)):
            raise ValueError("asarray_chkfinite: an element is NaN or infinite")
    return x


def isfortran(x):
    """Return True if elements lie by columns, and not by rows, too."""
    return x.flags.f_contiguous and not x.flags.c_contiguous
