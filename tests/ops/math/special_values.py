#!/usr/bin/env python3
"""Writes tests/ops/math/special.def: values of the special functions to twenty digits, from mpmath, at operands that f32
and f64 have exactly.  Run from the root of the tree:

    python3 tests/ops/math/special_values.py > tests/ops/math/special.def"""
import struct

import mpmath as m

m.mp.dps = 50


def inverse_erfc(q):
    return m.erfinv(1 - q) if q > 0.01 else m.findroot(lambda x: m.log(m.erfc(x)) - m.log(q), m.sqrt(-m.log(q)))


def log_beta(a, b):
    return m.loggamma(a) + m.loggamma(b) - m.loggamma(a + b)


def polygamma(n, x):
    """Large orders term by term, where mpmath's zeta function loses its digits."""
    if n < 100:
        return m.polygamma(int(n), x)
    total, k, term = m.mpf(0), 0, m.mpf(1)
    while term > total * m.mpf(10) ** -30:
        term = m.mpf(x + k) ** -(n + 1)
        total += term
        k += 1
    return m.mpf(-1) ** (n + 1) * m.factorial(n) * total


half = m.mpf(1) / 2
VALUES = {
    "gamma": (m.gamma, [0.5, 1.5, 5, 10.25, -0.5, -2.5, -33.5, -38.00259780883789, -37.99886703491211, -150.5, -170.25,
                        1e-30, -1e-38, 1e-10, -1e-10, 0.001, 2.99999976158, 3, 3.00000023842, 34.9, 171.5, -0.99999994, -1.00000012,
                        -41.0001, -100.000008, -182.5, -183.00002, 1.4616321325]),
    # both sides of the zeros 1 and 2, of the intervals' ends, of Stirling's formula; the zeros left of 0
    "lgamma": (m.loggamma, [0.5, 3.5, 10.25, 100, 1e10, 1e-30, 1e-10, -1e-10, 0.001, 0.6249, 0.6251, 0.99999994, 1.00000012, 0.9375,
                            1.0625, 1.9999999, 2.0000002, 2.0625, 1.25, 4.6249, 4.6251, 1e6, 1e20, 1e36, 3e38, -0.3, -0.999, -1.5,
                            -2.25, -2.4570247, -2.457, -2.44, -2.7476827, -2.75, -3.1435809, -3.9552943, -4.0393617, -9.0000029,
                            -15.5, -16.0001, -100.5, -123456.5]),
    "exp10": (lambda x: m.mpf(10) ** m.mpf(x), [0.25, -0.25, 1.5, 1e-8, -1e-8, 0.30103, 38.5, -37.9, -44.5, 300.25, -307.5, -323.25]),
    "sinpi": (m.sinpi, [0.25, -0.25, 0.03125, 0.4375, 0.75, 1.0001, -1.9999, 2.5, 1e-20, -1e-38, 1234.25, 4194303.25]),
    "cospi": (m.cospi, [0.25, -0.25, 0.03125, 0.4375, 0.4999, 0.50001, 1.4999, -1.0001, 2.5, 1e-20, 1234.25, 4194303.25]),
    "digamma": (m.digamma, [0.125, 0.5, 1, 1.5, 3.5, 11.5, 12.5, 100, 1e10, -0.75, -2.25, -0.501882714, -2.61474138, -5.73234543]),
    "trigamma": (lambda x: m.polygamma(1, x), [0.125, 0.5, 1, 3.5, 12.5, 100, 1e10, -0.75, -2.25, 9692951749999999.0]),
    "erfinv": (m.erfinv, [0.0625, 0.5, 0.75, -0.875, 0.9990234375]),
    "erfcinv": (inverse_erfc, [0.0009765625, 0.25, 0.75, 1.25, 1.875]),
    "erfcx": (lambda x: m.exp(m.mpf(x) ** 2) * m.erfc(x), [-3, -0.5, 0.25, 1, 2.5, 6, 20, 1000]),
    "ndtr": (lambda x: m.erfc(-x / m.sqrt(2)) / 2, [-12, -5, -1.5, -0.5, 0.5, 2, 5]),
    "log_ndtr": (lambda x: m.log(m.erfc(-x / m.sqrt(2)) / 2), [-30, -5, -1.5, -0.5, 0.5, 2, 5]),
    "ndtri": (lambda p: -m.sqrt(2) * inverse_erfc(2 * m.mpf(p)) if p <= half else m.sqrt(2) * inverse_erfc(2 - 2 * m.mpf(p)),
              [0.0009765625, 0.125, 0.375, 0.625, 0.9375]),
    "dawson": (lambda x: m.sqrt(m.pi) / 2 * m.exp(-m.mpf(x) ** 2) * m.erfi(x), [0.125, 0.875, 1.5, 3, 6, 12, 100]),
    "i0": (lambda x: m.besseli(0, x), [0.25, 1, 2.5, 7, 9, 50]),
    "i1": (lambda x: m.besseli(1, x), [0.25, 1, 2.5, 7, 9, 50]),
    "i0e": (lambda x: m.besseli(0, x) * m.exp(-m.mpf(x)), [0.25, 1, 2.5, 7, 9, 1000]),
    "i1e": (lambda x: m.besseli(1, x) * m.exp(-m.mpf(x)), [0.25, 1, 2.5, 7, 9, 1000]),
    "j0": (lambda x: m.besselj(0, x), [0.25, 1, 2, 3, 7.5, 50, 1000, 8.65526119, 2.41064159, 40.06]),
    "j1": (lambda x: m.besselj(1, x), [0.25, 1, 2, 3, 7.5, 50, 1000, 3.83130793, 44.76]),
    "y0": (lambda x: m.bessely(0, x), [0.25, 1.5, 2, 3, 7.5, 50, 1000, 0.894, 38.41]),
    "y1": (lambda x: m.bessely(1, x), [0.25, 1, 3, 4, 7.5, 50, 1000, 2.19773102, 36.9]),
    "k0": (lambda x: m.besselk(0, x), [0.125, 0.75, 1.5, 3, 10, 50, 0.98183162, 677.01035]),
    "k1": (lambda x: m.besselk(1, x), [0.125, 0.75, 1.5, 3, 10, 50, 677.01035]),
    "expint_e1": (lambda x: m.expint(1, x), [0.125, 0.75, 1.5, 3, 10, 50]),
    "expint_ei": (m.ei, [0.125, 0.5, 2, 4.5, 8, 16, 50, -0.5, -4]),
    "sinc": (m.sincpi, [0.25, 0.5, 1.25, 2.5]),
    "logit": (lambda x: m.log(x / (1 - m.mpf(x))), [0.0625, 0.375, 0.53125, 0.96875]),
    "log_sigmoid": (lambda x: -m.log(1 + m.exp(-m.mpf(x))), [-50, -1, 0.5, 8]),
    "zeta": (m.zeta, [(2, 1), (3, 1), (1.5, 1), (4, 0.25), (2.5, 7.5), (20, 1)]),
    "polygamma": (polygamma, [(2, 1), (3, 0.5), (5, 4.25), (2, 20), (4000, 1620), (1182, 400), (169, 1000), (2, -0.5), (2, -2.25), (3, -3.5), (5, -0.75), (4, -1000.25)]),
    "jn": (lambda n, x: m.besselj(int(n), x), [(2, 1e-30), (2, 0.5), (3, -2.5), (5, 3.5), (7, 20), (40, 30), (2, 1000)]),
    "in": (lambda n, x: m.besseli(int(n), x), [(2, 1e-30), (2, 0.5), (3, -2.5), (5, 29), (7, 40), (40, 30), (2, 80)]),
    "ine": (lambda n, x: m.besseli(int(n), x) * m.exp(-abs(m.mpf(x))), [(2, 1e-30), (2, 0.5), (3, -2.5), (5, 29), (7, 40), (40, 100), (2, 1000)]),
    "sinc_derivative": (lambda n, x: m.diff(m.sincpi, m.mpf(x), int(n)), [(1, 1e-9), (1, 0.25), (2, 0), (2, 1.25), (3, -0.75), (4, 2.25), (6, 0.5)]),
    "lbeta": (log_beta, [(1.5, 2.5), (20, 3), (0.25, 1000), (100, 200)]),
    "beta": (m.beta, [(0.5, 0.5), (1.5, 2.5), (4, 6), (20, 30), (6358.45891, 130.96918), (134.435957, 5.23424432), (15.5, 1e20), (1e-5, 3e-9)]),
    "gammainc": (lambda a, x: m.gammainc(a, 0, x, True), [(0.5, 0.25), (2, 3), (5, 4), (20, 25), (200, 190), (1142, 317), (275319, 268337)]),
    "gammaincc": (lambda a, x: m.gammainc(a, x, m.inf, True), [(0.125, 0.5), (0.5, 0.25), (2, 3), (5, 4), (20, 25)]),
    "betainc": (lambda a, b, x: m.betainc(a, b, 0, x, True),
                [(0.5, 0.5, 0.25), (2, 3, 0.5), (5, 1.5, 0.875), (20, 30, 0.375), (0.25, 8, 0.0625), (1e-9, 1e-25, 0.625), (5, 1e-12, 0.9375), (1e5, 1e-3, 0.99999), (0.5, 0.0625, 0.75)]),
    "logaddexp": (lambda a, b: m.log(m.exp(a) + m.exp(b)), [(1, 2), (-5, 3), (0.5, 0.5)]),
    "xlog1py": (lambda a, b: a * m.log(1 + m.mpf(b)), [(2, 0.0009765625), (3, 5)]),
    "entr": (lambda x: -x * m.log(x), [0.25, 2, 10]),
}


def as_f32(x):
    """The nearest number that f32 has."""
    return type(x)(struct.unpack("f", struct.pack("f", x))[0])


print("/* Made by tests/ops/math/special_values.py: SPECIAL(row, value, operands). */")
for name, (function, places) in VALUES.items():
    for place in places:
        operands = tuple(as_f32(o) for o in (place if isinstance(place, tuple) else (place,)))
        value = m.nstr(m.re(function(*operands)), 20, min_fixed=0, max_fixed=0)
        print("SPECIAL(%s, %s, %s)" % (name, value, ", ".join(repr(o) for o in operands)))
print("#undef SPECIAL")
