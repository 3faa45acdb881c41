"""Elementwise functions under the names of the array API standard and of NumPy.

Most are the functions of the library themselves, so that calls take no frame of Python.
"""

from ._base import apart, as_array, placed_into
from ._core import Array, c

# ---- arithmetic ----
abs = absolute = fabs = c.abs
add = c.add
copysign = c.copysign
divide = true_divide = c.div
float_power = c.float_power
floor_divide = c.floor_div
fmod = c.fmod
gcd = c.gcd
hypot = c.hypot
lcm = c.lcm
multiply = c.mul
negative = c.neg
positive = c.positive
pow = power = c.pow
reciprocal = c.recip
remainder = mod = c.mod
sign = c.sign
square = c.square
subtract = c.sub

# ---- rounding and neighbours ----
ceil = c.ceil
fix = trunc = c.trunc
floor = c.floor
nextafter = c.nextafter
rint = c.round

# ---- extremes ----
fmax = c.fmax
fmin = c.fmin
maximum = c.max
minimum = c.min

# ---- exponential functions ----
cbrt = c.cbrt
exp = c.exp
exp2 = c.exp2
expm1 = c.expm1
log = c.log
log10 = c.log10
log1p = c.log1p
log2 = c.log2
logaddexp = c.logaddexp
logaddexp2 = c.logaddexp2
rsqrt = c.rsqrt
sqrt = c.sqrt

# ---- circular and hyperbolic functions ----
acos = arccos = c.acos
acosh = arccosh = c.acosh
asin = arcsin = c.asin
asinh = arcsinh = c.asinh
atan = arctan = c.atan
atan2 = arctan2 = c.atan2
atanh = arctanh = c.atanh
cos = c.cos
cosh = c.cosh
deg2rad = radians = c.deg2rad
rad2deg = degrees = c.rad2deg
sin = c.sin
sinc = c.sinc
sinh = c.sinh
tan = c.tan
tanh = c.tanh

# ---- complex numbers ----

def imag(x, /):
    """Return the imaginary part: of complex numbers a view, of others read-only zeros."""
    return as_array(x).imag


def real(x, /):
    """Return the real part: of complex numbers a view, of others the array itself as a view."""
    return as_array(x).real


# ---- comparisons and logic ----
equal = c.eq
greater = c.gt
greater_equal = c.ge
isfinite = c.is_finite
isinf = c.is_inf
isnan = c.is_nan
isneginf = c.is_neg_inf
isposinf = c.is_pos_inf
less = c.lt
less_equal = c.le
logical_and = c.logical_and
logical_not = c.logical_not
logical_or = c.logical_or
logical_xor = c.logical_xor
not_equal = c.ne
signbit = c.signbit

# ---- bits ----
bitwise_and = c.bit_and
bitwise_count = c.bit_count
bitwise_invert = bitwise_not = invert = c.bit_not
bitwise_left_shift = left_shift = c.shift_left
bitwise_or = c.bit_or
bitwise_right_shift = right_shift = c.shift_right
bitwise_xor = c.bit_xor

# ---- further functions that many programs need ----
fma = c.fma
heaviside = c.heaviside
i0 = c.i0
lerp = c.lerp
relu = c.relu
sigmoid = c.sigmoid
softplus = c.softplus


def round(x, /, decimals=0, out=None):
    """Round to the nearest number of that many decimals, ties to even.

    Both parts of complex numbers are rounded.
    """
    if getattr(x, "dtype", None) in ("complex64", "complex128"):
        parts = round(c.real(x), decimals), round(c.imag(x), decimals)
        return placed_into(out, c.from_parts(*parts))
    return placed_into(out, apart(c.round_to(x, decimals) if decimals else c.round(x), x))


around = round


def conj(x, /):
    """Return the complex conjugates."""
    return apart(c.conj(x), x)


conjugate = conj


def clip(x, /, min=None, max=None, out=None, *, a_min=None, a_max=None):
    """Limit elements to the range from min to max; None is no limit.

    a_min and a_max are other names of min and max.
    """
    min, max = a_min if min is None else min, a_max if max is None else max
    if min is None:
        return placed_into(out, c.positive(x) if max is None else c.min(x, max))
    return placed_into(out, c.max(x, min) if max is None else c.clip(x, min, max))


def ldexp(x1, x2, /):
    """Return x1 * 2^x2 for integers x2."""
    x2 = as_array(x2)
    if x2.dtype.kind not in "iu":
        raise TypeError(f"ldexp: exponents are {x2.dtype}; expected integers")
    return c.ldexp(x1, x2)


def angle(z, deg=False):
    """Return the angle of complex numbers in radians, or in degrees."""
    return c.rad2deg(c.arg(z)) if deg else c.arg(z)


def divmod(x1, x2, /):
    """Return the quotient rounded down and the remainder."""
    return c.floor_div(x1, x2), c.mod(x1, x2)


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Return where |a - b| <= atol + rtol |b|."""
    return c.is_close(a, b, rtol, atol, equal_nan)


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Return True if isclose holds for all elements."""
    return bool(c.all_close(a, b, rtol, atol, equal_nan))


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Replace NaN and infinities; None stands for the greatest or least finite number.

    copy=False changes the array itself.
    """
    above = float("inf") if posinf is None else posinf
    below = -float("inf") if neginf is None else neginf
    result = c.nan_to_num(x, nan, above, below)
    if copy or not isinstance(x, Array):
        return apart(result, x)
    x[...] = result
    return x


def iscomplex(x):
    """Return where the imaginary part is not 0."""
    return c.ne(c.imag(x), 0)


def isreal(x):
    """Return where the imaginary part is 0."""
    return c.eq(c.imag(x), 0)


def spacing(x):
    """Return the distance from each number to the next one away from 0."""
    x = as_array(x)
    return c.sub(c.nextafter(x, c.copysign(float("inf"), x)), x)
