#!/usr/bin/env python3
"""Writes tests/ops/math/special.def: values of the special functions to twenty digits, from mpmath, at operands that
are exact in f32 and f64.  Run it from the root of the tree:

    python3 tests/ops/math/special_values.py > tests/ops/math/special.def

and special_borders.def: each border between two approximations with its neighbouring numbers, and the ends of the ranges.

    python3 tests/ops/math/special_values.py borders > tests/ops/math/special_borders.def"""
import math
import struct
import sys

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
    "log_ndtr": (lambda x: m.log(m.erfc(-x / m.sqrt(2)) / 2) if x < 5 else m.log1p(-m.erfc(x / m.sqrt(2)) / 2), [-30, -5, -1.5, -0.5, 0.5, 2, 5]),
    "ndtri": (lambda p: -m.sqrt(2) * inverse_erfc(2 * m.mpf(p)) if p <= half else m.sqrt(2) * inverse_erfc(2 - 2 * m.mpf(p)),
              [0.0009765625, 0.125, 0.375, 0.625, 0.9375]),
    "dawson": (lambda x: m.sqrt(m.pi) / 2 * m.exp(-m.mpf(x) ** 2) * m.erfi(x), [0.125, 0.875, 1.5, 3, 6, 12, 100]),
    "i0": (lambda x: m.besseli(0, x), [0.25, 1, 2.5, 7, 9, 50]),
    "i1": (lambda x: m.besseli(1, x), [0.25, 1, 2.5, 7, 9, 50]),
    "i0e": (lambda x: m.besseli(0, x) * m.exp(-m.mpf(x)), [0.25, 1, 2.5, 7, 9, 1000]),
    "i1e": (lambda x: m.besseli(1, x) * m.exp(-abs(m.mpf(x))), [0.25, 1, 2.5, 7, 9, 1000]),
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
    "betaincc": (lambda a, b, x: m.betainc(b, a, 0, 1 - m.mpf(x), True),
                 [(0.5, 0.5, 0.25), (2, 3, 0.5), (5, 1.5, 0.875), (0.25, 8, 0.0625), (0.0625, 12, 5e-18), (20, 0.5, 0.96875), (0.5, 150, 0.3125)]),
    "log_gammainc": (lambda a, x: m.log(m.gammainc(a, 0, x, True)), [(0.5, 0.25), (2, 3), (5, 40), (20, 25), (3, 1e-30), (250, 0.5), (1000, 10), (0.125, 60)]),
    "log_gammaincc": (lambda a, x: m.log(m.gammainc(a, x, m.inf, True)), [(0.125, 0.5), (2, 3), (1, 1e-30), (20, 25), (4, 1000), (300, 2000), (0.0625, 1e-10)]),
    "log_betainc": (lambda a, b, x: m.log(m.betainc(a, b, 0, x, True)),
                    [(0.5, 0.5, 0.25), (2, 3, 0.5), (5, 1.5, 0.875), (400, 0.5, 0.0078125), (300, 200, 0.03125), (0.25, 8, 0.9375)]),
    "log_betaincc": (lambda a, b, x: m.log(m.betainc(b, a, 0, 1 - m.mpf(x), True)),
                     [(0.5, 0.5, 0.25), (2, 3, 0.5), (5, 1.5, 0.875), (0.5, 400, 0.96875), (0.5, 150, 0.3125), (2, 0.25, 1e-10)]),
    "logaddexp": (lambda a, b: m.log(m.exp(a) + m.exp(b)), [(1, 2), (-5, 3), (0.5, 0.5)]),
    "xlog1py": (lambda a, b: a * m.log(1 + m.mpf(b)), [(2, 0.0009765625), (3, 5)]),
    "entr": (lambda x: -x * m.log(x), [0.25, 2, 10]),
}


def solved(f, start):
    """The zero of f near a float: for inverses, on the logarithm of x."""
    return m.exp(m.findroot(lambda t: f(m.exp(t)), m.log(m.mpf(start))))


def gamma_inverse(upper):
    import scipy.special as s

    ends = (lambda x: (x, m.inf)) if upper else (lambda x: (0, x))
    guess = s.gammainccinv if upper else s.gammaincinv
    return lambda a, p: solved(lambda x: m.log(m.gammainc(a, *ends(x), regularized=True) / p), float(guess(float(a), float(p))))


def beta_inverse(a, b, p):
    import scipy.special as s

    return solved(lambda x: m.log(m.betainc(a, b, 0, x, True) / p), float(s.betaincinv(float(a), float(b), float(p))))


def spherical(f):
    return lambda n, x: m.sqrt(m.pi / 2 / m.mpf(x)) * f(n + half, x)


def besselk(a, b):
    """Up from an order of at most a half; mpmath takes a difference, which leaves none of fifty digits at large orders."""
    a = abs(m.mpf(a))
    mu = a - m.floor(a + half)
    here, above = m.besselk(mu, b), m.besselk(mu + 1, b)
    for k in range(int(a - mu)):
        here, above = above, 2 * (mu + k + 1) / m.mpf(b) * above + here
    return here


# parts, exp(x) K or exp(-x), leave the range of doubles while the function does not
FAR = [(-516.625, 93.125), (366.75, 42.25), (877.5, 293.5), (960.0, 425.5), (-1000.5, 620.0), (1024.0, 600.0), (-300.25, 700.5), (150.5, 0.5),
       (-130.25, 690.0), (1023.0, 1000.0)]
ORDERS = [(0.0, 0.25), (0.5, 1.5), (-0.5, 2.0), (1.0, 5.5), (2.25, 12.0), (-2.75, 3.5), (7.0, 31.5), (40.5, 25.0), (12.0, 60.0), (-3.5, 45.0), (100.25, 130.0), (300.0, 250.0), (0.25, 1e-30), (2.5, 1000.0)]
WHOLE = [(0.0, 0.25), (1.0, 1e-10), (2.0, 2.5), (5.0, 9.5), (20.0, 12.0), (9.0, 100.0)]
DEGREES = [(0.0, 0.5), (1.0, -0.75), (2.0, 0.375), (5.0, 1.25), (12.0, -0.8125), (30.0, 0.984375), (61.0, 0.5), (7.0, 3.5)]
AIRY = [0.0, 0.75, 1.0, -1.0, 1.25, -2.5, 6.5, 25.0, -12.5, -13.75, -300.0, -123456.0, 60.0]
FAMILIES = {
    "jv": (m.besselj, ORDERS + [(3.0, -2.5), (-200.000015258789, 90.0), (900.5, 500.25)]),
    "yv": (m.bessely, ORDERS + [(-200.49998, 90.0), (-300.5, 120.0)]),
    "iv": (m.besseli, [p for p in ORDERS + FAR if p[1] < 710] + [(3.0, -2.5), (-895.5, 405.75)]),
    "ive": (lambda a, b: m.besseli(a, b) * m.exp(-abs(m.mpf(b))), ORDERS + FAR),
    "kv": (besselk, [p for p in ORDERS + FAR if p[1] < 700]),
    "kve": (lambda a, b: besselk(a, b) * m.exp(m.mpf(b)), ORDERS + FAR),
    "spherical_jn": (spherical(m.besselj), WHOLE),
    "spherical_yn": (spherical(m.bessely), WHOLE),
    "spherical_in": (spherical(m.besseli), WHOLE + [(3.0, 714.0), (800.0, 300.0)]),
    "spherical_kn": (spherical(besselk), WHOLE + [(900.0, 640.0), (147.0, 1.75)]),
    "airy_ai": (m.airyai, AIRY),
    "airy_bi": (m.airybi, AIRY),
    "airy_ai_derivative": (lambda x: m.airyai(x, derivative=1), AIRY),
    "airy_bi_derivative": (lambda x: m.airybi(x, derivative=1), AIRY),
    "gammaincinv": (gamma_inverse(False), [(0.5, 0.25), (0.03125, 0.5), (2.0, 0.999755859375), (8.0, 1e-10), (50.0, 0.5), (1000.0, 0.75)]),
    "gammainccinv": (gamma_inverse(True), [(0.5, 0.25), (0.03125, 0.5), (2.0, 0.999755859375), (8.0, 1e-10), (50.0, 0.5), (2.5, 1e-35)]),
    "betaincinv": (beta_inverse, [(0.5, 2.0, 0.25), (3.0, 1.5, 0.5), (0.125, 4.0, 0.75), (40.0, 50.0, 0.0625), (5.0, 0.5, 0.25)]),
    "factorial": (m.factorial, [0.0, 5.0, 170.0, 0.5, -0.5, -2.25, 100.25]),
    "binom": (m.binomial, [(5.0, 2.0), (100.0, 50.0), (10.5, 3.0), (-2.5, 4.0), (7.5, 2.25), (1e9, 2.0), (-0.5, 0.75)]),
    "stirling1": (lambda n, k: abs(m.stirling1(int(n), int(k))), [(0.0, 0.0), (5.0, 2.0), (10.0, 10.0), (20.0, 3.0), (30.0, 12.0)]),
    "stirling2": (lambda n, k: m.stirling2(int(n), int(k)), [(0.0, 0.0), (5.0, 2.0), (10.0, 10.0), (20.0, 3.0), (30.0, 12.0)]),
    "lambertw": (m.lambertw, [0.5, -0.25, -0.3671875, -0.36787939, 1e-20, 2.75, 50.0, 1e30]),
    "lambertwm1": (lambda x: m.lambertw(x, -1), [-0.25, -0.3671875, -0.36787939, -0.0078125, -1e-30]),
    "polylog": (lambda s, x: m.polylog(int(s), x), [(2.0, 0.25), (2.0, -0.75), (3.0, 0.875), (2.0, 0.998046875), (5.0, -20.0), (1.0, 0.5), (0.0, -3.0), (-2.0, 0.25), (-5.0, -4.0), (12.0, 1.0)]),
    "spence": (lambda x: m.polylog(2, 1 - m.mpf(x)), [0.0, 0.125, 0.75, 1.5, 1.75, 20.0, 1e10]),
    "expn": (lambda n, x: m.expint(int(n), x), [(0.0, 0.5), (1.0, 2.0), (2.0, 0.25), (3.0, 1.5), (10.0, 0.875), (7.0, 40.0), (-2.0, 1.5)]),
    "ellipk": (m.ellipk, [0.0, 0.5, -2.0, 0.9990234375, -1e6, 0.99999994]),
    "ellipe": (m.ellipe, [0.0, 0.5, -2.0, 0.9990234375, -1e6, 1.0]),
    "ellippi": (m.ellippi, [(0.5, 0.25), (-2.0, 0.75), (0.984375, -1.5)]),
    "ellipkinc": (m.ellipf, [(0.5, 0.25), (-1.25, 0.984375), (1.0, -3.0), (7.5, 0.5), (0.25, 5.0), (1e-10, 0.5)]),
    "ellipeinc": (lambda p, x: m.ellipe(p, x), [(0.5, 0.25), (-1.25, 0.984375), (1.0, -3.0), (7.5, 0.5), (0.25, 5.0), (1e-10, 0.5), (1.5, 1.0)]),
    "ellippiinc": (m.ellippi, [(0.5, 0.5, 0.25), (-2.0, -1.25, 0.75), (0.25, 4.0, -1.5)]),
    "elliprf": (m.elliprf, [(1.0, 2.0, 3.0), (0.0, 1.0, 0.125), (1e-10, 5.0, 1e10), (0.5, 0.5, 0.5)]),
    "elliprd": (m.elliprd, [(1.0, 2.0, 3.0), (0.0, 1.0, 0.125), (1e-5, 5.0, 1e5), (0.5, 0.5, 0.5)]),
    "elliprg": (m.elliprg, [(1.0, 2.0, 3.0), (0.0, 1.0, 0.125), (1e-5, 5.0, 1e5), (0.0, 0.0, 4.0)]),
    "elliprc": (m.elliprc, [(1.0, 2.0), (2.0, 1.0), (0.0, 0.25), (1.0, 1.0078125), (3.0, -2.0), (1e-8, 50.0)]),
    "ellipk_derivative": (lambda n, x: m.diff(m.ellipk, x, int(n)), [(1.0, 0.25), (2.0, -1.5), (3.0, 0.9375)]),
    "ellipe_derivative": (lambda n, x: m.diff(m.ellipe, x, int(n)), [(1.0, 0.25), (2.0, -1.5), (3.0, 0.9375)]),
    "jacobi_sn": (lambda u, x: m.ellipfun("sn", u, m=x), [(0.5, 0.25), (-2.0, 0.984375), (20.0, 0.5), (1.5, 0.0), (1.5, 1.0)]),
    "jacobi_cn": (lambda u, x: m.ellipfun("cn", u, m=x), [(0.5, 0.25), (-2.0, 0.984375), (20.0, 0.5), (1.5, 0.0), (1.5, 1.0)]),
    "jacobi_dn": (lambda u, x: m.ellipfun("dn", u, m=x), [(0.5, 0.25), (-2.0, 0.984375), (20.0, 0.5), (1.5, 0.0), (1.5, 1.0)]),
    "jacobi_am": (lambda u, x: m.asin(m.ellipfun("sn", u, m=x)), [(0.5, 0.25), (-1.25, 0.984375), (1.5, 0.0), (1.5, 1.0)]),
    "fresnel_s": (m.fresnels, [1e-10, 0.75, 1.5, -1.5625, 4.0, 30.25, 1e6]),
    "fresnel_c": (m.fresnelc, [1e-10, 0.75, 1.5, -1.5625, 4.0, 30.25, 1e6]),
    "sine_integral": (m.si, [1e-10, 0.75, -4.0, 4.5, 30.25, 1e6]),
    "cosine_integral": (m.ci, [1e-10, 0.75, 4.0, 4.5, 30.25, 1e6]),
    "sinh_integral": (m.shi, [1e-10, 0.75, -4.0, 30.25, 50.5, 600.0]),
    "cosh_integral": (m.chi, [1e-10, 0.75, 4.0, 30.25, 50.5, 600.0]),
    "struve": (m.struveh, [(0.0, 0.5), (1.0, -2.0), (2.25, 8.0), (0.5, 35.5), (0.0, 37.5), (-2.75, 6.0), (10.0, 100.0)]),
    "modstruve": (m.struvel, [(0.0, 0.5), (1.0, -2.0), (2.25, 8.0), (0.5, 35.5), (-2.75, 6.0), (10.0, 100.0)]),
    "eval_legendre": (lambda n, x: m.legendre(int(n), x), DEGREES),
    "eval_chebyt": (lambda n, x: m.chebyt(int(n), x), DEGREES),
    "eval_chebyu": (lambda n, x: m.chebyu(int(n), x), DEGREES),
    "eval_hermite": (lambda n, x: m.hermite(int(n), x), DEGREES[:6]),
    "eval_hermitenorm": (lambda n, x: m.mpf(2) ** (-m.mpf(n) / 2) * m.hermite(int(n), x / m.sqrt(2)), DEGREES[:6]),
    "eval_laguerre": (lambda n, x: m.laguerre(int(n), 0, x), DEGREES),
    "eval_genlaguerre": (lambda n, a, x: m.laguerre(int(n), a, x), [(3.0, 0.5, 1.25), (10.0, -0.5, 4.0), (25.0, 3.25, 12.0)]),
    "eval_gegenbauer": (lambda n, a, x: m.gegenbauer(int(n), a, x), [(3.0, 0.5, 0.75), (10.0, -0.25, 0.375), (25.0, 3.25, -0.9375)]),
    "lpmv": (lambda mu, l, x: m.legenp(int(l), int(mu), x), [(0.0, 3.0, 0.25), (1.0, 2.0, -0.5), (5.0, 9.0, 0.75), (3.0, 2.0, 0.5)]),
    "hyp1f1": (m.hyp1f1, [(0.5, 1.5, 0.75), (-2.5, 3.0, 12.0), (4.0, 1.25, -30.0), (2.0, 2.0, 1.5), (1.5, 4.0, 300.0), (-3.0, 0.5, 20.0)]),
}
VALUES.update(FAMILIES)


def gamma_ratio(a, x, upper):
    """Regularised, of orders that are too large for mpmath's own: series below the mean, Lentz's fraction above it."""
    a, x = m.mpf(a), m.mpf(x)
    if a < 1000 and x < 1000:
        return m.gammainc(a, x, m.inf, True) if upper else m.gammainc(a, 0, x, True)
    factor = m.exp(a * m.log(x) - x - m.loggamma(a + 1))
    if x < a + 1:
        term = total = m.mpf(1)
        n = 1
        while term > total * m.mpf(10) ** -40:
            term *= x / (a + n)
            total += term
            n += 1
        return 1 - factor * total if upper else factor * total
    above = factor * a * fraction(lambda n: (x + 2 * n + 1 - a, n * (a - n)))
    return above if upper else 1 - above


def fraction(part):
    """1 / (b0 + a1 / (b1 + a2 / (b2 + ...))) of part(n) = (b_n, a_n), by Lentz's method."""
    c, d = m.mpf(10) ** 300, 1 / m.mpf(part(0)[0])
    h, step, n = d, m.mpf(0), 1
    while abs(step - 1) > m.mpf(10) ** -40:
        b, a = part(n)
        d = 1 / (b + a * d)
        c = b + a / c
        step = c * d
        h *= step
        n += 1
    return h


def beta_ratio(a, b, x):
    """Regularised incomplete beta function by DLMF 8.17.22, with the sides changed above the mean."""
    a, b, x = m.mpf(a), m.mpf(b), m.mpf(x)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_ratio(b, a, 1 - x)

    def part(n):
        k = n // 2
        if n == 0:
            return 1, 0
        if n % 2 == 0:
            return 1, k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        return 1, -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))

    return m.exp(a * m.log(x) + b * m.log(1 - x) - log_beta(a, b)) / a * fraction(part)


def beside(*numbers):
    """Each number as an f64 with its two neighbours, then as an f32 with its two."""
    out = []
    for x in numbers:
        out += [math.nextafter(x, -math.inf), float(x), math.nextafter(x, math.inf)]
        bits = struct.unpack("i", struct.pack("f", x))[0]
        out += [struct.unpack("f", struct.pack("i", bits + k))[0] for k in (-1, 0, 1)]
    return out


def around(place, k):
    """Operand k of the place and its neighbours."""
    return [place[:k] + (x,) + place[k + 1:] for x in beside(place[k])]


FUNCTIONS = {name: function for name, (function, _) in VALUES.items()}
def far(name, term):
    """Beyond 1e9, where mpmath forms exp(x^2), the first terms of the expansion in 1/x."""
    near = FUNCTIONS[name]
    FUNCTIONS[name] = lambda x: near(x) if abs(x) < 1e9 else term(m.mpf(x))


far("erfcx", lambda x: (1 - 1 / (2 * x * x)) / (m.sqrt(m.pi) * x))
far("dawson", lambda x: (1 + 1 / (2 * x * x)) / (2 * x))
far("log_ndtr", lambda x: -x * x / 2 - m.log(-x * m.sqrt(2 * m.pi)) - 1 / (x * x))
far("i0e", lambda x: (1 + 1 / (8 * x)) / m.sqrt(2 * m.pi * x))
far("i1e", lambda x: (1 - 3 / (8 * x)) / m.sqrt(2 * m.pi * x))
FUNCTIONS.update(gammainc=lambda a, x: gamma_ratio(a, x, False), gammaincc=lambda a, x: gamma_ratio(a, x, True),
                 betainc=beta_ratio)


def log_of(part, rest):
    """The logarithm of a part of 1, from the rest where that is smaller."""
    return m.log(part) if part < half else m.log1p(-rest)


def log_gamma_ratio(a, x, upper):
    return log_of(gamma_ratio(a, x, upper), gamma_ratio(a, x, not upper))


def log_beta_ratio(a, b, x, y):
    return log_of(beta_ratio(a, b, x), beta_ratio(b, a, y))


FUNCTIONS.update(log_gammainc=lambda a, x: log_gamma_ratio(a, x, False), log_gammaincc=lambda a, x: log_gamma_ratio(a, x, True),
                 betaincc=lambda a, b, x: beta_ratio(b, a, 1 - m.mpf(x)),
                 log_betainc=lambda a, b, x: log_beta_ratio(a, b, m.mpf(x), 1 - m.mpf(x)),
                 log_betaincc=lambda a, b, x: log_beta_ratio(b, a, 1 - m.mpf(x), m.mpf(x)))
tail = [math.exp(-4), math.exp(-16), math.exp(-81)]
BORDERS = {
    "erfinv": beside(0.5, -0.5, 1 - tail[0], 1 - tail[1]) + [1 - 2.0 ** -53, 1e-300],
    "erfcinv": beside(0.5, 1.5, 1.0, *tail, 2 - tail[0]) + [2 - 2.0 ** -52, 5e-324, 1e-300],
    "erfcx": beside(3 / 7, 1, 1.8, 3, 5, 9, 21, 1e10, -26) + [1e300, -26.6, 1e-300],
    "ndtr": beside(-1, -8) + [-37.5, 8.25, 1e-300],
    "log_ndtr": beside(-1, 1) + [-1e10, 8, 38],
    "ndtri": beside(0.25, 0.75, *[t / 2 for t in tail]) + [1e-300, 1 - 2.0 ** -53],
    "dawson": beside(1, 2, 4, 7, -7, 7.9, 8) + [1e300, 1e-300],
    "sinpi": beside(0.25, 0.75, -0.25),
    "cospi": beside(0.25, 0.75, -0.75),
    "i0": beside(1, 3, 8, 700) + [713.9],
    "i1": beside(1, -3, 8, 700) + [713.9, 1e-300],
    "i0e": beside(1, 3, 8) + [1e300],
    "i1e": beside(1, 3, -8) + [1e300, 1e-300],
    "j0": [1e-300, 1e15, 2.0 ** 25, 2.0 ** 25 + 1],
    "j1": [1e-300, 1e15],
    "y0": [1e-300, 1e15],
    "y1": [1e-300, 1e15],
    "k0": beside(1, 2, 0.25) + [700, 1e-300, 5e-324],
    "k1": beside(1, 2, 0.25) + [700, 1e-300],
    "expint_e1": beside(1, 2, 4) + [700, 1e-300],
    "expint_ei": beside(0.1, 0.3725074107813666, 0.5725074107813666, 0.17250741078136661, 3, 6, 12, 24, 700, -1, -2, -4)
    + [716.25, -700, 1e-300],
    "digamma": beside(1, 2, 12, 1.4616321449683622, -1e-5, -0.5, -0.504083008264455409) + [1e-300, 1e300, -1e-300, -1e6 - 0.25],
    "trigamma": beside(1, 12, -0.5) + [1e150, 1e-150],
    "lbeta": around((9.5, 10.0), 1) + around((10.0, 20.0), 0) + around((0.2, 0.3), 1) + [(1e-301, 1.0), (1e-301, 1e9), (1e-301, 1e11), (1e9, 2e9)],
    "beta": around((9.5, 10.0), 1) + around((10.0, 20.0), 0) + around((170.0, 1e15), 0) + around((10.0, 1e11), 1) + [(1e-300, 1.0), (500.0, 520.0)],
    "polygamma": around((2.0, 10.0), 1) + [(n, 100.5) for n in (2.0, 99.0, 168.0, 169.0, 170.0, 171.0)] + [(2.0, 1e100), (5.0, -0.5), (4.0, -0.5), (3.0, 1e-50), (8.0, -1e-20)],
    "zeta": around((2.0, 1.0), 0) + around((1.5, 10.0), 1) + [(1 + 2.0 ** -52, 1.0), (60.0, 1.0), (50.0, 3.0), (1.5, 1e300), (3.0, 1e-100)],
    "gammainc": around((10.0, 8.0), 0) + around((10.0, 10.0), 1) + around((1.0, 1.0), 1) + around((0.5, 1.0), 1) + around((1e5, 1e5), 0)
    + around((9.5, 700.0), 1) + around((200.0, 100.0), 1) + around((200.0, 300.0), 1) + [(99999.0, 99000.0), (100001.0, 99000.0), (1e5, 1.5e5), (1e6, 998000.0), (1e-10, 1e-10), (1e9, 1e9 - 1e5)],
    "gammaincc": around((10.0, 12.0), 0) + around((10.0, 10.0), 1) + around((1.0, 1.0), 1) + around((0.5, 1.0), 1) + around((0.5, 0.25), 0)
    + around((1e5, 1e5), 0) + around((9.5, 700.0), 1) + [(99999.0, 101000.0), (100001.0, 101000.0), (1e6, 1002000.0), (1e-10, 1e-10), (1e9, 1e9 + 1e5)],
    "betainc": around((10.0, 12.0, 0.375), 0) + around((12.0, 10.0, 0.375), 1) + around((60.0, 90.0, 0.375), 0) + around((9.5, 140.5, 0.0625), 1)
    + around((5.0, 5.0, 0.5), 2) + around((5.0, 0.5, 0.9921875), 1) + around((100.0, 0.25, 0.984375), 0) + around((128.0, 0.25, 0.984375), 2)
    + around((1e9, 2e9, 0.3333251953125), 0) + around((3e8, 1e9, 0.23076171875), 1)
    + [(1e9, 1e9, 0.49999), (2e9, 2e9, 0.49999), (2e9, 2e9, 0.5), (2e9, 2e9, 0.50001), (2e9, 1e9, 0.66665), (1e6, 3e9, 3.33e-4), (3e9, 1e6, 0.999667),
       (1e5, 1.0000001e9, 9.99e-5), (1e8, 1e8, 0.49999), (1e6, 1e6, 0.499), (1e7, 30.5, 0.9999965), (2e9, 2e9, 0.4999), (1e12, 1e12, 0.4999999), (1e10, 3e10, 0.2499995)],
    "log_gammainc": around((2.0, 1.678346990016661), 1) + around((40.0, 9e-7), 1) + around((10.0, 1e-30), 0)
    + [(99999.0, 92000.0), (200000.0, 183000.0), (200000.0, 176001.0), (200000.0, 175999.0), (200000.0, 200000.0), (200000.0, 203000.0)],
    "log_gammaincc": around((2.0, 1.678346990016661), 1) + around((4.0, 685.5), 1) + around((10.0, 800.0), 0)
    + [(99999.0, 109000.0), (200000.0, 217500.0), (200000.0, 223999.0), (200000.0, 224001.0), (200000.0, 198000.0)],
    "betaincc": around((2.0, 3.0, 0.5), 2) + around((0.25, 100.0, 0.015625), 1) + [(0.0418, 12.1, 5.25e-18), (0.5, 150.0, 1e-20), (2e9, 2e9, 0.50001), (1e6, 3e9, 3.34e-4)],
    "log_betainc": around((2.0, 3.0, 0.5), 2) + around((10.0, 12.0, 1e-31), 0) + around((300.0, 40.0, 0.1171875), 2)
    + [(2e9, 2e9, 0.4996), (1e6, 1e6, 0.48), (1e8, 12.5, 0.9999), (9.5, 1e6, 1e-40)],
    "log_betaincc": around((2.0, 3.0, 0.5), 2) + around((40.0, 300.0, 0.8828125), 2) + [(2e9, 2e9, 0.5004), (0.5, 1e6, 0.001), (12.5, 1e8, 1e-4)],
}


def as_f32(x):
    """The nearest number that f32 has; NaN beyond its range."""
    if abs(x) > 3.4e38:
        return math.nan
    return type(x)(struct.unpack("f", struct.pack("f", x))[0])


def line(macro, name, operands):
    value = m.nstr(m.re(FUNCTIONS[name](*map(m.mpf, operands))), 20, min_fixed=0, max_fixed=0)
    print("%s(%s, %s, %s)" % (macro, name, value, ", ".join(repr(o) for o in operands)))


def main():
    borders = sys.argv[1:] == ["borders"]
    only = [] if borders else sys.argv[1:] # rows, without the frame
    if not only:
        print("/* Made by tests/ops/math/special_values.py: SPECIAL(row, value, operands)%s */"
              % (", SPECIAL64 where f32 lacks an operand." if borders else "."))
    for name, places in (BORDERS if borders else {name: places for name, (_, places) in VALUES.items()}).items():
        for place in dict.fromkeys(places if name in only or not only else []):
            operands = place if isinstance(place, tuple) else (place,)
            small = tuple(as_f32(o) for o in operands)
            line("SPECIAL" if small == operands or not borders else "SPECIAL64", name, operands if borders else small)
    if not only:
        print("#undef SPECIAL")
    if borders:
        print("#undef SPECIAL64")


if __name__ == "__main__":
    main()
