#!/usr/bin/env python3
"""Writes src/engine/special/tables.kernel.h: Chebyshev series of the special functions on the pieces that
src/engine/special/*.kernel.c divide them into.  Run from the root of the tree; needs mpmath.

    python3 tests/ops/math/special_tables.py > src/engine/special/tables.kernel.h

f(v) on [low, high] is the sum of c[k] T_k(t), t = (2 v - low - high) / (high - low); the coefficients come from
the values at the Chebyshev nodes (Trefethen, "Approximation theory and practice", 2013, chapter 3) and end where
they are negligible in double precision.  LONGER(...) has those that long doubles need besides."""

from mpmath import (bernoulli, besseli, besselk, cos, digamma, ei, erf, erfc, erfi, erfinv, euler, exp, expint, factorial, findroot,
                    log, loggamma, mp, mpf, nstr, pi, sqrt)

mp.dps = 50
NODES = 72


def series(f, low, high, bits=(57, 70)):
    """Coefficients down to 2^-bits of the largest, for doubles and for long doubles; and how many the former need."""
    low, high = mpf(low), mpf(high)
    angles = [pi * (k + mpf(1) / 2) / NODES for k in range(NODES)]
    values = [f((low + high) / 2 + (high - low) / 2 * cos(a)) for a in angles]
    c = [2 / mpf(NODES) * sum(v * cos(j * a) for v, a in zip(values, angles)) for j in range(NODES)]
    c[0] /= 2
    most = max(abs(x) for x in c)
    short, long = (max(i for i, x in enumerate(c) if abs(x) >= most * mpf(2) ** -k) + 1 for k in bits)
    assert long < NODES - 8, "the series is too slow"
    return c[:long], short


def words(c):
    return ["R(%s)" % nstr(x, 24, min_fixed=-4) for x in c]


def table(name, f, low, high, **options):
    numbers(name, *series(f, low, high, **options))


def numbers(name, c, short):
    """Print an array, of which doubles need the first `short`."""
    parts = [word + "," for word in words(c[:short])] + ["};"]
    if len(c) > short:
        rest = [word + "," for word in words(c[short:])]
        parts[-1:] = ["LONGER(" + rest[0]] + rest[1:]
        parts[-1] = parts[-1][:-1] + ")};"
    line = "static const REAL %s[] = {" % name
    for part in parts:
        if len(line) + len(part) + 1 > 110:
            print(line)
            line = "   "
        line += part if line.endswith("{") else " " + part
    print(line)


def inverse_erfc(q):
    """erfc^-1(q), by Newton in the logarithm from the leading term of the asymptotic series."""
    if q > mpf("0.01"):
        return erfinv(1 - q)
    x = sqrt(max(-log(q * sqrt(pi) * sqrt(-log(q))), mpf(1) / 10))
    for _ in range(60):
        value = erfc(x)
        step = (log(value) - log(q)) * value / (-2 / sqrt(pi) * exp(-x * x))
        x -= step
        if abs(step) < mpf(10) ** -45:
            break
    return x


def dawson(x):
    return sqrt(pi) / 2 * exp(-x * x) * erfi(x)


def scaled_erfc(t):
    """erfcx(x) (1 + 2 x) as a function of t = (x - 3) / (x + 3) < 1."""
    if t > 1 - mpf(10) ** -30:
        return 2 / sqrt(pi)
    x = 3 * (1 + t) / (1 - t)
    if x > 40:
        term, total, k = mpf(1), mpf(1), 0
        while abs(term) > mpf(10) ** -48 and k < 60:
            k += 1
            term *= -(2 * k - 1) / (2 * x * x)
            total += term
        return total / (x * sqrt(pi)) * (1 + 2 * x)
    return exp(x * x) * erfc(x) * (1 + 2 * x)


def end(f, at):
    """f of 1/u, with its limit `at` at u = 0."""
    return lambda u: at if abs(u) < mpf(10) ** -30 else f(1 / u)


print("/* Made by tests/ops/math/special_tables.py, which says what these numbers are. */")
print("\n/* clang-format off */")
even = range(2, 30, 2)
print("/* Asymptotic series, with Bernoulli's numbers B(2k): B(2k) / (2k (2k - 1)), B(2k) / 2k, B(2k), B(2k) / (2k)! */")
numbers("stirling_far", [bernoulli(k) / (k * (k - 1)) for k in even][:12], 8)
numbers("digamma_far", [bernoulli(k) / k for k in even][:11], 7)
numbers("bernoulli", [bernoulli(k) for k in even][:12], 9)
numbers("bernoulli_by_factorial", [bernoulli(k) / factorial(k) for k in even], 9)
numbers("pi_powers", [pi ** k for k in range(129)], 129)
root = findroot(digamma, mpf("1.4616"))
table("digamma_1_2", lambda x: digamma(x) / (x - root), 1, 2)
table("erfinv_0_half", lambda u: erfinv(sqrt(u)) / sqrt(u) if u > mpf(10) ** -40 else sqrt(pi) / 2, 0, 0.25)
bounds = [mpf("0.83"), 2, 4, 9, 28]
for k in range(4):
    table("erfcinv_%d" % k, lambda r: inverse_erfc(exp(-r * r)) / r, bounds[k], bounds[k + 1])
for k in range(8):
    table("erfcx_%d" % k, scaled_erfc, mpf(k) / 4 - 1, mpf(k + 1) / 4 - 1)
table("dawson_0_1", lambda u: dawson(sqrt(u)) / sqrt(u) if u > mpf(10) ** -40 else mpf(1), 0, 1)
table("dawson_1_2", dawson, 1, 2)
table("dawson_2_4", dawson, 2, 4)
table("dawson_4_7", dawson, 4, 7)


def dawson_far(u):
    """2 x dawson(x) as a function of u = 1/x^2."""
    if u < mpf(10) ** -3:
        term, total, k = mpf(1), mpf(1), 0
        while abs(term) > mpf(10) ** -48 and k < 40:
            k += 1
            term *= (2 * k - 1) * u / 2
            total += term
        return total
    x = 1 / sqrt(u)
    return 2 * x * dawson(x)


table("dawson_7", dawson_far, 0, mpf(1) / 49)
for name, low, high in (("0_1", 0, 1), ("1_3", 1, 3), ("3_8", 3, 8)):
    table("i0e_" + name, lambda x: exp(-x) * besseli(0, x), low, high)
table("i0e_8", end(lambda x: exp(-x) * besseli(0, x) * sqrt(x), 1 / sqrt(2 * pi)), 0, mpf(1) / 8)
for name, low, high in (("0_1", 0, 1), ("1_3", 1, 3), ("3_8", 3, 8)):
    table("i1e_" + name, lambda x: exp(-x) * besseli(1, x) / x if x > mpf(10) ** -30 else mpf(1) / 2, low, high)
table("i1e_8", end(lambda x: exp(-x) * besseli(1, x) * sqrt(x), 1 / sqrt(2 * pi)), 0, mpf(1) / 8)
table("k0_0_1", lambda u: besselk(0, sqrt(u)) + log(sqrt(u) / 2) * besseli(0, sqrt(u))
      if u > mpf(10) ** -40 else -euler, 0, 1)
table("k1_0_1", lambda u: sqrt(u) * (besselk(1, sqrt(u)) - log(sqrt(u) / 2) * besseli(1, sqrt(u)))
      if u > mpf(10) ** -40 else mpf(1), 0, 1)
for order in (0, 1):
    scaled = end(lambda x: exp(x) * besselk(order, x) * sqrt(x), sqrt(pi / 2))
    table("k%de_2" % order, scaled, 0, 0.5)
    table("k%de_1_2" % order, scaled, 0.5, 1)
table("e1_0_1", lambda x: expint(1, x) + log(x) if x > mpf(10) ** -40 else -euler, 0, 1)
e1 = end(lambda x: x * exp(x) * expint(1, x), mpf(1))
table("e1_1_2", e1, 0.5, 1)
table("e1_2_4", e1, 0.25, 0.5)
table("e1_4", e1, 0, 0.25)
zero = findroot(ei, mpf("0.3725"))
table("ei_0_3", lambda x: (ei(x) - log(x / zero)) / (x - zero), 0, 3)
table("ei_3_6", lambda x: (ei(x) - log(x / zero)) / (x - zero), 3, 6)
far = end(lambda x: x * exp(-x) * ei(x), mpf(1))
table("ei_6_12", far, mpf(1) / 12, mpf(1) / 6)
table("ei_12_24", far, mpf(1) / 24, mpf(1) / 12)
table("ei_24", far, 0, mpf(1) / 24)
table("lgamma1p_0_half", lambda a: loggamma(1 + a) / a if abs(a) > mpf(10) ** -30 else -euler, 0, 0.5)


def ratio(eta):
    """m with m - log(1 + m) = eta^2 / 2 and the sign of eta."""
    if abs(eta) < mpf(10) ** -12:
        return eta
    return findroot(lambda m: (m - log(1 + m)) * 2 - eta * eta, (eta, eta + eta * eta / 3))


mp.dps = 120
table("gammainc_c0", lambda h: 1 / ratio(h) - 1 / h if abs(h) > mpf(10) ** -9 else -mpf(1) / 3 + h / 12, -0.15, 0.15)
table("gammainc_c1", lambda h: 1 / h ** 3 - 1 / ratio(h) ** 3 - 1 / ratio(h) ** 2 - 1 / (12 * ratio(h))
      if abs(h) > mpf(10) ** -9 else -mpf(1) / 540, -0.15, 0.15)


def third(h):
    """Divided by a^2, which exceeds 1e10, so that half of the digits are enough."""
    if abs(h) < mpf(10) ** -9:
        return mpf(25) / 6048
    r = ratio(h)
    return -3 / h ** 5 + (1 + r) / r * (3 / r ** 4 + 2 / r ** 3 + 1 / (12 * r * r)) + 1 / (288 * r)


table("gammainc_c2", third, -0.15, 0.15, bits=(25, 38))
