#!/usr/bin/env python3
"""Writes tests/grad/derivatives.def: the first three derivatives of every differentiable elementwise entry by each
operand, at points where derivative rules fail (zeros, ties, ends of domains, tiny and large numbers), from mpmath.
Run it from the root of the tree:

    python3 tests/grad/derivatives.py > tests/grad/derivatives.def

A derivative is computed from both sides.  If they agree, or only one side exists, it is the value.  NAN stands for
infinity and values out of the range of doubles, and for derivatives from the first kink on, unless POLICY defines
them (include/tyto/graph.h)."""
import math
import sys

import mpmath as m

m.mp.dps = 50
DIGITS = (50, 70)
HALF = m.mpf(1) / 2


def sign(x):
    return m.mpf((x > 0) - (x < 0))


def floor_div(a, b):
    return m.floor(m.mpf(a) / b)


def sinc_derivative(n, x):
    """The power series of sin(t) / t, term by term; |t| of hundreds cancels as many digits."""
    with m.extradps(80):
        t, k, total = m.pi * x, n + n % 2, m.mpf(0)
        term = (-1) ** (k // 2) * m.mpf(1) / (k + 1) * (t if n % 2 else 1)
        while abs(term) > m.eps * abs(total) or k < n + 4:
            total += term
            term *= -t * t * (k + 1) / (k + 3) / (k + 1 - n) / (k + 2 - n)
            k += 2
            if term == 0:
                break
        return m.pi ** n * total


def whole_order(function, odd):
    """A Bessel function of order n and -n; mpmath takes minutes for the latter."""

    def run(n, x):
        n = int(n)
        return (odd if n < 0 and n % 2 else 1) * function(abs(n), x)

    return run


def xlogy(a, b):
    return m.mpf(0) if a == 0 else a * m.log(b)


def log_ndtr(x):
    return m.log(m.erfc(-x / m.sqrt(2)) / 2)


def power(a, b):
    if a == 0:
        return m.mpf(1) if b == 0 else m.mpf(0) if b > 0 else m.inf
    return m.power(a, b)


def erfcinv(q):
    return m.erfinv(1 - q)


def bessel_k(n, x):
    """The series by K's definition (DLMF 10.31): mpmath's besselk takes minutes for tiny x at hundreds of digits."""
    if x > 50:
        return m.besselk(n, x)
    if x <= 0:
        return m.inf if x == 0 else m.mpc(0, 1)
    with m.extradps(60):
        z, term, total, k, psi = x * x / 4, m.mpf(1), m.mpf(0), 0, n - 2 * m.euler
        while abs(term) > m.eps * m.eps * max(abs(total), 1) or k < 5:
            total += term * psi  # psi(k + 1) + psi(k + n + 1)
            k += 1
            psi += m.mpf(1) / k + m.mpf(1) / (k + n)
            term *= z / k / (k + n)
        log = m.log(x / 2)
        return total / 2 - log * m.besseli(0, x) if n == 0 else 1 / x + log * m.besseli(1, x) - x / 4 * total


def positive(function):
    """Not defined below 0, where mpmath continues it."""
    return lambda a, b: function(a, b) if a >= 0 and b >= 0 else m.nan


UNARY = {
    "neg": lambda x: -x,
    "abs": abs,
    "sign": sign,
    "square": lambda x: x * x,
    "recip": lambda x: 1 / x,
    "sqrt": m.sqrt,
    "rsqrt": lambda x: 1 / m.sqrt(x),
    "cbrt": lambda x: sign(x) * m.cbrt(abs(x)),
    "positive": lambda x: x,
    "frac": lambda x: x - sign(x) * m.floor(abs(x)),
    "deg2rad": lambda x: x * m.pi / 180,
    "rad2deg": lambda x: x * 180 / m.pi,
    "exp": m.exp,
    "exp2": lambda x: m.power(2, x),
    "expm1": m.expm1,
    "log": m.log,
    "log2": lambda x: m.log(x) / m.log(2),
    "log10": m.log10,
    "log1p": lambda x: m.log(1 + x),
    "exp10": lambda x: m.power(10, x),
    "logit": lambda x: m.log(x / (1 - x)),
    "entr": lambda x: -xlogy(x, x),
    "sin": m.sin,
    "cos": m.cos,
    "tan": m.tan,
    "asin": m.asin,
    "acos": m.acos,
    "atan": m.atan,
    "sinh": m.sinh,
    "cosh": m.cosh,
    "tanh": m.tanh,
    "asinh": m.asinh,
    "acosh": m.acosh,
    "atanh": m.atanh,
    "sinpi": m.sinpi,
    "cospi": m.cospi,
    "sinc": m.sincpi,
    "erf": m.erf,
    "erfc": m.erfc,
    "lgamma": lambda x: m.re(m.loggamma(x)),
    "gamma": m.gamma,
    "digamma": m.digamma,
    "trigamma": lambda x: m.polygamma(1, x),
    "erfinv": m.erfinv,
    "erfcinv": erfcinv,
    "erfcx": lambda x: m.exp(x * x) * m.erfc(x),
    "ndtr": lambda x: m.erfc(-x / m.sqrt(2)) / 2,
    "log_ndtr": log_ndtr,
    "ndtri": lambda p: -m.sqrt(2) * erfcinv(2 * p),
    "dawson": lambda x: m.sqrt(m.pi) / 2 * m.exp(-x * x) * m.erfi(x),
    "i0": lambda x: m.besseli(0, x),
    "i1": lambda x: m.besseli(1, x),
    "i0e": lambda x: m.besseli(0, x) * m.exp(-abs(x)),
    "i1e": lambda x: m.besseli(1, x) * m.exp(-abs(x)),
    "j0": lambda x: m.besselj(0, x),
    "j1": lambda x: m.besselj(1, x),
    "y0": lambda x: m.bessely(0, x),
    "y1": lambda x: m.bessely(1, x),
    "k0": lambda x: bessel_k(0, x),
    "k1": lambda x: bessel_k(1, x),
    "expint_e1": m.e1,
    "expint_ei": m.ei,
    "sigmoid": lambda x: 1 / (1 + m.exp(-x)),
    "softplus": lambda x: m.log(1 + m.exp(x)),
    "log_sigmoid": lambda x: -m.log(1 + m.exp(-x)),
    "relu": lambda x: max(x, m.mpf(0)),
    "squareplus": lambda x: (x + m.sqrt(x * x + 4)) / 2,
}
PLACES = [0.0, -0.0, 1e-30, -1e-30, 1e-9, -1e-9, 0.25, 1.0, -1.0, -2.75, 6.5, 40.0, -40.0, 1e4, -1e4]

# by which operands, the function, pairs beside those of all rows
BINARY = {
    "add": ("ab", lambda a, b: a + b, []),
    "sub": ("ab", lambda a, b: a - b, []),
    "mul": ("ab", lambda a, b: a * b, []),
    "div": ("ab", lambda a, b: a / b, []),
    "mod": ("ab", lambda a, b: a - b * floor_div(a, b), [(7.5, 2), (-7.5, 2)]),
    "fmod": ("ab", lambda a, b: a - b * sign(a / b) * m.floor(abs(a / b)), [(7.5, 2), (-7.5, 2), (1, 0.1)]),
    "pow": ("ab", power, [(0, 2), (0, 3), (0, 0.5), (0, 4), (2, 0), (-2, 3), (0, 2.5)]),
    "max": ("ab", max, []),
    "min": ("ab", min, []),
    "fmax": ("ab", max, []),
    "fmin": ("ab", min, []),
    "atan2": ("ab", m.atan2, [(1e-200, 2e-200), (1e200, 3e200)]),
    "hypot": ("ab", m.hypot, [(1e-200, 2e-200), (1e200, 3e200)]),
    "copysign": ("a", lambda a, b: abs(a) * m.mpf(math.copysign(1, b)), [(2, -0.0), (-2, 0.0)]),
    "fdim": ("ab", lambda a, b: max(a - b, m.mpf(0)), []),
    "squared_difference": ("ab", lambda a, b: (a - b) ** 2, []),
    "heaviside": ("b", lambda a, b: b if a == 0 else m.mpf(a > 0), []),
    "ldexp": ("a", lambda a, b: a * m.power(2, int(b)), [(1.5, 3)]),
    "nextafter": ("a", lambda a, b: a, [(1.5, 3)]),
    "logaddexp": ("ab", lambda a, b: m.log(m.exp(a) + m.exp(b)), [(1e4, 1e4), (-1e4, 3)]),
    "logaddexp2": ("ab", lambda a, b: m.log(m.power(2, a) + m.power(2, b)) / m.log(2), [(1e4, 1e4), (-1e4, 3)]),
    "xlogy": ("ab", xlogy, []),
    "xlog1py": ("ab", lambda a, b: m.mpf(0) if a == 0 else a * m.log(1 + m.mpf(b)), []),
    "polygamma": ("b", lambda a, b: m.polygamma(int(a), b), [(1, -0.5), (1, -2.25), (2, -0.75), (3, -3.5), (4, 0.25)]),
    "jn": ("b", whole_order(m.besselj, -1), [(2, 1e-30), (2, 0), (3, 0), (-1, 1.5), (5, 1e4), (7, 6.5), (-3, 0)]),
    "in": ("b", whole_order(m.besseli, 1), [(2, 1e-30), (2, 0), (3, 0), (-1, 1.5), (5, 40), (7, 6.5), (-3, 0)]),
    "ine": ("b", lambda a, b: whole_order(m.besseli, 1)(a, b) * m.exp(-abs(b)), [(2, 1.5), (3, 6.5), (-1, 1.5), (5, 1e4), (7, -6.5)]),
    "sinc_derivative": ("b", lambda a, b: sinc_derivative(int(a), b), [(0, 0), (1, 0), (2, 0), (3, 1e-9), (2, 6.5), (5, 1.25)]),
    "zeta": ("b", lambda a, b: m.zeta(a, b) if a > 1 and b > 0 else m.nan, [(2, 1), (3, 0.25), (1.5, 6.5), (2.5, 1e4)]),
    "lbeta": ("ab", positive(lambda a, b: m.loggamma(a) + m.loggamma(b) - m.loggamma(a + b)), [(1.5, 2.5), (1e4, 2)]),
    "beta": ("ab", positive(lambda a, b: m.gamma(a) * m.gamma(b) / m.gamma(a + b)), [(1.5, 2.5), (40, 2)]),
    "gammainc": ("ab", positive(lambda a, b: m.gammainc(a, 0, b, True)), [(2, 0), (3, 0), (4, 0), (0.5, 2), (200, 190)]),
    "gammaincc": ("ab", positive(lambda a, b: 1 - m.gammainc(a, 0, b, True)), [(2, 0), (3, 0), (4, 0), (0.5, 2), (200, 190)]),
}
PAIRS = [(a, b) for a in (0.0, 1.0, -1.0, 1e-9, 1e-30, 2.5, 40.0) for b in (0.0, 1.0, -1.0, 1e-9, 1e-30, 2.5, 40.0)]
PAIRS += [(0.0, -0.0), (-0.0, 0.0), (-0.0, 1.0), (1.0, -0.0), (-2.5, -2.5)]
ORDERED = ("polygamma", "jn", "in", "ine", "sinc_derivative", "ldexp")  # a whole number first

TERNARY = {
    "fma": ("abc", lambda a, b, c: a * b + c, [(1, 2, 3), (0, 0, 0), (1e-30, 40, -1)]),
    "clip": ("abc", lambda a, b, c: min(max(a, b), c), [(1, 0, 6), (-1, 0, 6), (7, 0, 6), (0, 0, 6), (6, 0, 6), (3, 4, 2), (2, 2, 2)]),
    "betainc": ("abc", lambda a, b, c: m.betainc(a, b, 0, c, True) if 0 <= c <= 1 else m.nan,
                [(2, 3, 0.5), (2, 3, 0), (3, 2, 0), (1, 1, 0), (1, 2, 0), (2, 3, 1), (2, 1, 1), (4, 4, 1e-9), (4, 4, 0), (0.5, 0.5, 0.25), (200, 300, 0.375)]),
    "where": ("bc", lambda a, b, c: b if a else c, [(1, 2, 3), (0, 2, 3)]),
}

# What holds at kinks: (row, operand) -> test of the operands, the three derivatives.
ZEROS = (0, 0, 0)
HALVES = (HALF, 0, 0)
POLICY = {
    ("abs", 0): (lambda x: x == 0, ZEROS),
    ("sign", 0): (lambda x: x == 0, ZEROS),
    ("relu", 0): (lambda x: x == 0, ZEROS),
    ("frac", 0): (lambda x: x == int(x), (1, 0, 0)),
    ("copysign", 0): (lambda a, b: a == 0, ZEROS),
    ("fdim", 0): (lambda a, b: a == b, ZEROS),
    ("fdim", 1): (lambda a, b: a == b, ZEROS),
    ("atan2", 0): (lambda a, b: a == 0 and b == 0, (0, m.nan, m.nan)),
    ("atan2", 1): (lambda a, b: a == 0 and b == 0, (0, m.nan, m.nan)),
    ("hypot", 0): (lambda a, b: a == 0 and b == 0, (0, m.nan, m.nan)),
    ("hypot", 1): (lambda a, b: a == 0 and b == 0, (0, m.nan, m.nan)),
    ("i0e", 0): (lambda x: x == 0, (0, m.nan, m.nan)),
    ("pow", 1): (lambda a, b: a == 0 and b == 0, ZEROS),
    ("xlogy", 0): (lambda a, b: a == 0 and b <= 0, (0, 0, 0)),
    ("xlog1py", 0): (lambda a, b: a == 0 and b <= -1, (0, 0, 0)),
    ("clip", 0): (lambda a, b, c: a in (b, c), ZEROS),
    ("clip", 1): (lambda a, b, c: a == b and a < c, (1, 0, 0)),
    ("clip", 2): (lambda a, b, c: a == c or b == c, (1, 0, 0)),
}
for extreme in ("max", "min", "fmax", "fmin"):
    POLICY[extreme, 0] = POLICY[extreme, 1] = (lambda a, b: a == b, HALVES)
for modulo in ("mod", "fmod"):  # at a multiple: the side on which the quotient stays what it is
    POLICY[modulo, 0] = (lambda a, b: b != 0 and a / b == int(a / b), (1, 0, 0))
    POLICY[modulo, 1] = (lambda a, b: b != 0 and a / b == int(a / b), None)


def real(y):
    """A finite real number, or None."""
    if isinstance(y, m.mpc):
        if y.imag != 0:
            return None
        y = y.real
    return y if m.isfinite(y) else None


def one_side(f, x, order, direction):
    """The derivative, or None where f is not defined; m.inf where it is infinite."""
    found = []
    for digits in DIGITS:
        with m.workdps(digits):
            h = m.mpf(10) ** -(digits // 2 + 20) * max(abs(m.mpf(x)), m.mpf(10) ** -30)
            with m.workdps(digits * (order + 2) + 60):
                values = []
                for k in range(order + 3):
                    try:
                        y = real(f(m.mpf(x) + direction * k * h))
                    except (ValueError, ZeroDivisionError, OverflowError, NotImplementedError, m.mp.NoConvergence):
                        y = None
                    if y is None:
                        return None
                    values.append(y)
                # a difference of an order more takes the leading error away
                total = m.mpf(0)
                for extra in range(3):
                    n = order + extra
                    difference = sum((-1) ** (n - k) * m.binomial(n, k) * values[k] for k in range(n + 1))
                    total += STIRLING[order][extra] * difference
                found.append(direction ** order * total / h ** order)
    if abs(found[0] - found[1]) > m.mpf(10) ** -15 * abs(found[1]) + m.mpf(10) ** -40:
        return m.inf
    return found[1]


# (log(1 + d))^n = sum of these times d^(n + extra): derivatives from forward differences
STIRLING = {1: (m.mpf(1), -HALF, m.mpf(1) / 3), 2: (m.mpf(1), m.mpf(-1), m.mpf(11) / 12), 3: (m.mpf(1), m.mpf(-3) / 2, m.mpf(7) / 4)}


def derivatives(f, x):
    results = []
    smooth = True
    for order in (1, 2, 3):
        sides = [one_side(f, x, order, way) for way in (1, -1)] if smooth else [m.inf]
        known = [s for s in sides if s is not None]
        value = known[0] if known else m.nan
        if not known or any(not m.isfinite(s) for s in known):
            value, smooth = m.nan, smooth and not known
        elif len(known) == 2 and abs(known[0] - known[1]) > m.mpf(10) ** -12 * abs(known[0]) + m.mpf(10) ** -30:
            value, smooth = m.nan, False
        if m.isfinite(value) and abs(value) > 1e305:
            value = m.nan
        results.append(value)
    return results


def text(value):
    if not m.isfinite(value):
        return "NAN"
    return m.nstr(value if abs(value) > 1e-100 else m.mpf(0), 20, min_fixed=0, max_fixed=0)


# Third derivatives that are sums of far larger terms in any arithmetic of 53 bits: of hypot near the origin those are
# as large as 1 / x^2.
CANCELS = {"hypot": lambda a, b: 0 < max(abs(a), abs(b)) < 1e-6}


def line(row, operand, f, place):
    rest = [m.mpf(p) for p in place]

    def along(x):
        operands = list(rest)
        operands[operand] = x
        if row == "copysign":
            operands[1] = place[1]
        return f(*operands)

    if real_at(along, place[operand]) is None:
        return
    values = derivatives(along, place[operand])
    test, policy = POLICY.get((row, operand), (None, None))
    if test and test(*place):
        values = policy or [m.nan] * 3
    if row in CANCELS and CANCELS[row](*place):
        values = list(values[:2]) + [m.nan]
    if any(m.isfinite(v) for v in values):
        numbers = ", ".join(text(m.mpf(v)) for v in values)
        print("DERIVATIVE(%s, %d, %s, %s)" % (row, operand, numbers, ", ".join(repr(float(p)) for p in place)))


def real_at(f, x):
    try:
        return real(f(m.mpf(x)))
    except (ValueError, ZeroDivisionError, OverflowError, NotImplementedError, m.mp.NoConvergence):
        return None

def airy_slope(f):
    return lambda x: f(x, derivative=1)


def gamma_inverse(a, p, upper):
    """Newton's method on the logarithm of x, from a start that floats give."""
    import scipy.special as s

    start = m.mpf(float((s.gammainccinv if upper else s.gammaincinv)(float(a), float(p))))
    ends = (lambda x: (x, m.inf)) if upper else (lambda x: (0, x))
    return newton(lambda x: m.gammainc(a, *ends(x), regularized=True) - p, lambda x: x ** (a - 1) * m.exp(-x) / m.gamma(a) * (-1 if upper else 1), start)


def beta_inverse(a, b, p):
    import scipy.special as s

    start = m.mpf(float(s.betaincinv(float(a), float(b), float(p))))
    return newton(lambda x: m.betainc(a, b, 0, x, True) - p, lambda x: x ** (a - 1) * (1 - x) ** (b - 1) / m.beta(a, b), start)


def newton(f, slope, x):
    for _ in range(12):
        x -= f(x) / slope(x)
    return x


def polylog(s, x):
    """Of whole order; the power series where mpmath would take an integral."""
    if abs(x) < 0.75 and s > 0:
        total, power, k = m.mpf(0), x, 1
        while abs(power) > m.eps * m.mpf(10) ** -40 or k < 10:
            total += power / m.mpf(k) ** int(s)
            power *= x
            k += 1
            if power == 0:
                break
        return total
    return m.polylog(int(s), x)


def quarter(f):
    """Derivatives of complete integrals by their hypergeometric functions."""
    a, b = f
    return lambda n, x: m.pi / 2 * m.rf(a, n) * m.rf(b, n) / m.factorial(n) * m.hyp2f1(a + n, b + n, 1 + n, x)


def smooth_line(row, operand, f, place):
    """Of a function that is smooth around the place and dear to compute: mpmath's differences at once."""
    with m.workdps(25):
        rest = [m.mpf(p) for p in place]
        values = list(m.diffs(lambda x: m.re(f(*rest[:operand], x, *rest[operand + 1:])), rest[operand], 3))[1:]
    print("DERIVATIVE(%s, %d, %s, %s)" % (row, operand, ", ".join(text(v) for v in values), ", ".join(repr(float(p)) for p in place)))


# functions by families: by which operands, the function, places
SPECIAL_PLACES = [(0.5, 0.25), (1.0, 1.5), (2.5, 3.0), (0.0, 6.5), (-0.5, 2.0), (3.0, 40.0), (12.25, 8.0)]
WHOLE_PLACES = [(0.0, 0.75), (1.0, 0.25), (2.0, 1.5), (5.0, 3.0), (8.0, 20.0)]
DEGREE_PLACES = [(0.0, 0.75), (1.0, 0.0), (2.0, 0.25), (3.0, 1.0), (5.0, -1.0), (7.0, -0.625), (12.0, 1.5)]
ANGLE_PLACES = [(0.25, 0.5), (1.25, 0.875), (-1.0, 0.25), (4.0, 0.75)]
BETA_PLACES = [(0.5, 2.5, 0.0009765625), (2.0, 3.0, 0.5), (0.25, 8.0, 0.0625), (30.0, 12.0, 0.75), (4.0, 0.5, 0.9375)]


def beta_beyond(a, b, x):
    return m.betainc(b, a, 0, 1 - m.mpf(x), True)


FAMILIES = {
    "jv": ("b", m.besselj, SPECIAL_PLACES + [(3.0, -2.5), (0.0, 0.0)]),
    "yv": ("b", m.bessely, SPECIAL_PLACES),
    "iv": ("b", m.besseli, SPECIAL_PLACES + [(3.0, -2.5)]),
    "kv": ("b", m.besselk, SPECIAL_PLACES),
    "ive": ("b", lambda a, b: m.besseli(a, b) * m.exp(-abs(b)), SPECIAL_PLACES),
    "kve": ("b", lambda a, b: m.besselk(a, b) * m.exp(b), SPECIAL_PLACES),
    "spherical_jn": ("b", lambda n, x: m.sqrt(m.pi / 2 / x) * m.besselj(n + HALF, x), WHOLE_PLACES),
    "spherical_yn": ("b", lambda n, x: m.sqrt(m.pi / 2 / x) * m.bessely(n + HALF, x), WHOLE_PLACES),
    "spherical_in": ("b", lambda n, x: m.sqrt(m.pi / 2 / x) * m.besseli(n + HALF, x), WHOLE_PLACES),
    "spherical_kn": ("b", lambda n, x: m.sqrt(m.pi / 2 / x) * m.besselk(n + HALF, x), WHOLE_PLACES),
    "airy_ai": ("a", m.airyai, [(0.0,), (1.5,), (-2.0,), (6.0,), (-9.5,)]),
    "airy_bi": ("a", m.airybi, [(0.0,), (1.5,), (-2.0,), (6.0,), (-9.5,)]),
    "airy_ai_derivative": ("a", airy_slope(m.airyai), [(0.0,), (1.5,), (-2.0,), (-9.5,)]),
    "airy_bi_derivative": ("a", airy_slope(m.airybi), [(0.0,), (1.5,), (-2.0,), (-9.5,)]),
    "log_gammainc": ("ab", lambda a, x: m.log(m.gammainc(a, 0, x, True)), [(0.5, 0.25), (2.5, 1.0), (8.0, 12.0), (0.75, 40.0), (90.0, 40.0), (40.0, 45.0)]),
    "log_gammaincc": ("ab", lambda a, x: m.log(m.gammainc(a, x, m.inf, True)), [(0.5, 0.25), (2.5, 1.0), (8.0, 12.0), (0.75, 0.001), (3.0, 900.0), (40.0, 45.0)]),
    "betaincc": ("abc", beta_beyond, BETA_PLACES),
    "log_betainc": ("abc", lambda a, b, x: m.log(m.betainc(a, b, 0, x, True)), BETA_PLACES),
    "log_betaincc": ("abc", lambda a, b, x: m.log(beta_beyond(a, b, x)), BETA_PLACES),
    "gammaincinv": ("ab", lambda a, p: gamma_inverse(a, p, False), [(0.5, 0.25), (2.0, 0.75), (8.0, 0.5)]),
    "gammainccinv": ("ab", lambda a, p: gamma_inverse(a, p, True), [(0.5, 0.25), (2.0, 0.75), (8.0, 0.5)]),
    "betaincinv": ("abc", beta_inverse, [(0.5, 2.0, 0.25), (3.0, 1.5, 0.5), (4.0, 5.0, 0.75)]),
    "factorial": ("a", m.factorial, [(0.0,), (1.0,), (3.5,), (-0.5,), (-2.25,), (20.0,)]),
    "binom": ("ab", m.binomial, [(5.0, 2.0), (5.5, 2.25), (0.5, 0.25), (-1.5, 3.0), (30.0, 12.0)]),
    "lambertw": ("a", m.lambertw, [(0.0,), (0.5,), (-0.25,), (2.5,), (100.0,)]),
    "lambertwm1": ("a", lambda x: m.lambertw(x, -1), [(-0.25,), (-0.125,), (-0.0078125,)]),
    "polylog": ("b", polylog, [(1.0, 0.25), (2.0, 0.5), (2.0, 0.0), (3.0, -0.625), (0.0, 0.5), (-2.0, 0.25), (4.0, 0.0)]),
    "spence": ("a", lambda x: polylog(2, 1 - x), [(0.5,), (1.0,), (1.5,), (0.375,)]),
    "expn": ("b", lambda n, x: m.expint(int(n), x), [(0.0, 0.5), (1.0, 0.25), (2.0, 1.5), (5.0, 8.0)]),
    "ellipk": ("a", lambda x: quarter((HALF, HALF))(0, x), [(0.0,), (0.5,), (0.96875,), (-2.0,)]),
    "ellipe": ("a", lambda x: quarter((-HALF, HALF))(0, x), [(0.0,), (0.5,), (0.96875,), (-2.0,)]),
    "ellipk_derivative": ("b", lambda n, x: quarter((HALF, HALF))(int(n), x), [(1.0, 0.0), (2.0, 0.5), (1.0, -2.0)]),
    "ellipe_derivative": ("b", lambda n, x: quarter((-HALF, HALF))(int(n), x), [(1.0, 0.0), (2.0, 0.5), (1.0, -2.0)]),
    "ellipkinc": ("a", m.ellipf, ANGLE_PLACES + [(0.5, -2.0)]),
    "ellipeinc": ("a", lambda p, x: m.ellipe(p, x), ANGLE_PLACES + [(0.5, -2.0)]),
    "ellippiinc": ("b", m.ellippi, [(0.25, 0.5, 0.75), (-1.0, 1.0, 0.5), (0.5, -0.75, 0.25)]),
    "jacobi_sn": ("a", lambda u, x: m.ellipfun("sn", u, m=x), ANGLE_PLACES),
    "jacobi_cn": ("a", lambda u, x: m.ellipfun("cn", u, m=x), ANGLE_PLACES),
    "jacobi_dn": ("a", lambda u, x: m.ellipfun("dn", u, m=x), ANGLE_PLACES),
    "jacobi_am": ("a", lambda u, x: m.asin(m.ellipfun("sn", u, m=x)), [(0.25, 0.5), (1.0, 0.25), (-0.75, 0.875)]),
    "fresnel_s": ("a", m.fresnels, [(0.0,), (0.5,), (-1.25,), (3.0,)]),
    "fresnel_c": ("a", m.fresnelc, [(0.0,), (0.5,), (-1.25,), (3.0,)]),
    "sine_integral": ("a", m.si, [(0.0,), (0.5,), (-2.0,), (10.0,)]),
    "cosine_integral": ("a", m.ci, [(0.5,), (2.0,), (10.0,)]),
    "sinh_integral": ("a", m.shi, [(0.0,), (0.5,), (-2.0,), (10.0,)]),
    "cosh_integral": ("a", m.chi, [(0.5,), (2.0,), (10.0,)]),
    "struve": ("b", m.struveh, [(0.0, 0.5), (1.0, 2.0), (0.5, 3.0), (2.25, 8.0)]),
    "modstruve": ("b", m.struvel, [(0.0, 0.5), (1.0, 2.0), (0.5, 3.0), (2.25, 8.0)]),
    "eval_legendre": ("b", lambda n, x: m.legendre(int(n), x), DEGREE_PLACES),
    "eval_chebyt": ("b", lambda n, x: m.chebyt(int(n), x), DEGREE_PLACES),
    "eval_chebyu": ("b", lambda n, x: m.chebyu(int(n), x), DEGREE_PLACES),
    "eval_hermite": ("b", lambda n, x: m.hermite(int(n), x), DEGREE_PLACES),
    "eval_hermitenorm": ("b", lambda n, x: m.mpf(2) ** (-n / 2) * m.hermite(int(n), x / m.sqrt(2)), DEGREE_PLACES),
    "eval_laguerre": ("b", lambda n, x: m.laguerre(int(n), 0, x), DEGREE_PLACES),
    "eval_genlaguerre": ("c", lambda n, a, x: m.laguerre(int(n), a, x), [(0.0, 0.5, 1.0), (3.0, 0.5, 0.0), (5.0, 1.5, 2.25)]),
    "eval_gegenbauer": ("c", lambda n, a, x: m.gegenbauer(int(n), a, x), [(0.0, 0.5, 0.75), (3.0, 0.25, 0.125), (5.0, 1.5, 0.625)]),
    "lpmv": ("c", lambda mu, l, x: m.legenp(int(l), int(mu), x), [(0.0, 3.0, 0.25), (1.0, 2.0, -0.5), (2.0, 5.0, 0.75), (3.0, 3.0, 0.125)]),
    "hyp1f1": ("c", m.hyp1f1, [(0.5, 1.5, 0.75), (-2.5, 3.0, 2.0), (4.0, 1.25, -3.0), (2.0, 2.0, 0.0)]),
}

# names after the program's are the only rows that are written, without the frame
only = sys.argv[1:]
if not only:
    print("/* Made by tests/grad/derivatives.py: DERIVATIVE(row, operand, first, second and third derivative, operands). */")
for name, function in UNARY.items():
    for p in PLACES if name in only or not only else []:
        line(name, 0, function, (p,))
for name, (operands, function, more) in BINARY.items():
    pairs = [p for p in PAIRS if name not in ORDERED or p[0] in (0.0, 1.0)]
    for operand in operands if name in only or not only else []:
        for p in pairs + more:
            line(name, "ab".index(operand), function, p)
for name, (operands, function, places) in TERNARY.items():
    for operand in operands if name in only or not only else []:
        for p in places:
            line(name, "abc".index(operand), function, p)
for name, (operands, function, places) in FAMILIES.items():
    for operand in operands if name in only or not only else []:
        for p in places:
            smooth_line(name, "abc".index(operand), function, p)
if not only:
    print("#undef DERIVATIVE")
