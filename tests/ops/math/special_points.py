#!/usr/bin/env python3
"""Writes tests/ops/math/special_points.def: some 200 values or more, from mpmath, of each special function that both engines
compute by one text (src/engine/special). Run it from the root of the tree:

    python3 tests/ops/math/special_points.py > tests/ops/math/special_points.def

POINTS(row, {value, {operands}}, ...). Most operands are exact in f32; the test skips the others there. Each value is
computed with more and more digits until two results agree to 25."""
import math
import random
import sys

import mpmath as m

from special_values import FUNCTIONS, as_f32, beside, beta_ratio, gamma_ratio, log_of

LEAST, LEAST_NORMAL, MOST = 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308
draw = random.Random(45)


def exact(x):
    """The nearest f32, so that both dtypes have the operand."""
    return as_f32(x) if abs(x) < 3e38 else x


def logs(low, high, n):
    return [exact(math.exp(draw.uniform(math.log(low), math.log(high)))) for _ in range(n)]


def even(low, high, n):
    return [exact(draw.uniform(low, high)) for _ in range(n)]


def minus(points):
    return [-x for x in points]


def pairs(a, b):
    return list(zip(a, b))


def whole(low, high, n):
    return [float(draw.randint(low, high)) for _ in range(n)]


# ---- functions that mpmath lacks, or loses digits of ----


def hurwitz(s, q):
    """The sum of (k + q)^-s, by Euler and Maclaurin from a q on where Bernoulli's terms shrink."""
    total, far = m.mpf(0), max(2 * m.mp.dps, s)
    while q < far:
        term = q ** -s
        total += term
        q += 1
        if term < total * m.mpf(10) ** -m.mp.dps:
            return total
    tail, factor = q ** (1 - s) / (s - 1) + q ** -s / 2, s * q ** (-s - 1)
    for k in range(1, 200):
        term = m.bernoulli(2 * k) / m.factorial(2 * k) * factor
        tail += term
        if abs(term) < abs(tail) * m.mpf(10) ** -m.mp.dps:
            break
        factor *= (s + 2 * k - 1) * (s + 2 * k) / q ** 2
    return total + tail


def polygamma(n, x):
    n = int(n)
    if x > 0:
        return m.mpf(-1) ** (n + 1) * m.factorial(n) * hurwitz(m.mpf(n + 1), x)
    steps, total = int(m.ceil(-x)), m.mpf(0)
    for k in range(steps + 1):
        total += (x + k) ** -(n + 1)
    return m.mpf(-1) ** (n + 1) * m.factorial(n) * (total + hurwitz(m.mpf(n + 1), x + steps + 1))


def log_beta(a, b):
    return m.loggamma(a) + m.loggamma(b) - m.loggamma(a + b)


def sinc_derivative(n, x):
    """The power series of sin(t) / t, derived term by term; with the digits that its terms cancel."""
    n, t, total, k = int(n), m.pi * x, m.mpf(0), (int(n) + 1) // 2
    if abs(t) > 400:
        s = m.sin(t) / t
        for j in range(1, n + 1):
            s = (m.sin(t + j * m.pi / 2) - j * s) / t
        return s * m.pi ** n
    while True:
        power = 2 * k - n
        term = m.mpf(-1) ** k * t ** power / m.factorial(power) / (2 * k + 1)
        total += term
        k += 1
        if power > abs(t) and abs(term) < m.mpf(10) ** -m.mp.dps * abs(total):
            return total * m.pi ** n
        if t == 0:
            return (total if n % 2 == 0 else m.mpf(0)) * m.pi ** n


def inverse_erfc(q):
    """Newton's method on the logarithm, from the float."""
    if q > 1:
        return -inverse_erfc(2 - q)
    x = m.sqrt(-m.log(q)) if q < 0.3 else m.erfinv(1 - q)
    for _ in range(200):
        value = m.erfc(x)
        step = (m.log(value) - m.log(q)) * value * m.sqrt(m.pi) / 2 * m.exp(x * x)
        x += step
        if abs(step) <= abs(x) * m.mpf(10) ** (5 - m.mp.dps):
            return x
    return m.nan


BETTER = {
    "i0e": lambda x: m.besseli(0, x) * m.exp(-abs(x)),
    "i1e": lambda x: m.besseli(1, x) * m.exp(-abs(x)),
    "zeta": hurwitz,
    "polygamma": polygamma,
    "trigamma": lambda x: polygamma(1, x),
    "lbeta": log_beta,
    "beta": lambda a, b: m.exp(log_beta(a, b)),
    "sinc_derivative": sinc_derivative,
    "erfcinv": inverse_erfc,
    "erfinv": lambda x: m.sign(x) * inverse_erfc(1 - abs(x)) if abs(x) > 0.9 else m.erfinv(x),
    "ndtri": lambda p: -m.sqrt(2) * inverse_erfc(2 * p),
    "ndtr": lambda x: m.erfc(-x / m.sqrt(2)) / 2,
    "gammainc": lambda a, x: gamma_ratio(a, x, False),
    "gammaincc": lambda a, x: gamma_ratio(a, x, True),
    "betainc": beta_ratio,
    "betaincc": lambda a, b, x: beta_ratio(b, a, 1 - x),
}
BETTER["log_gammainc"] = lambda a, x: log_of(BETTER["gammainc"](a, x), BETTER["gammaincc"](a, x))
BETTER["log_gammaincc"] = lambda a, x: log_of(BETTER["gammaincc"](a, x), BETTER["gammainc"](a, x))
BETTER["log_betainc"] = lambda a, b, x: log_of(BETTER["betainc"](a, b, x), BETTER["betaincc"](a, b, x))
BETTER["log_betaincc"] = lambda a, b, x: log_of(BETTER["betaincc"](a, b, x), BETTER["betainc"](a, b, x))


def value(name, operands):
    """The value to 25 digits, or None if mpmath's results do not agree."""
    function, last = BETTER.get(name) or FUNCTIONS[name], None
    for digits in (40, 80, 160, 320, 640):
        m.mp.dps = digits
        try:
            found = m.re(function(*map(m.mpf, operands)))
        except (ValueError, ZeroDivisionError, OverflowError, m.libmp.NoConvergence):
            continue
        if last is not None and m.isfinite(found) and abs(found - last) <= abs(found) * m.mpf(10) ** -25:
            return found
        last = found
    return None


# ---- operands ----

near = beside(*(-float(k) for k in (1, 2, 3, 10, 77)), -0.5, -2.25)  # poles on the left, which are left out themselves
left = minus(logs(1e-37, 0.5, 20)) + even(-12, 0, 40) + even(-200, -12, 20) + [x for x in near if x != int(x)]
axis = logs(1e-37, 1e37, 70) + even(0, 20, 60) + [LEAST, 1e-310, LEAST_NORMAL, 1e-300, 1e150, 1e300]
both = [s * x for s, x in zip([1, -1] * 200, axis + even(0, 40, 80))] + [1e30, -1e30]
share = even(0, 1, 90) + logs(1e-37, 0.5, 60) + [exact(1 - 2.0 ** -k) for k in range(2, 25)] + [1 - 2.0 ** -k for k in (30, 45, 53)]
share += [LEAST, 1e-310, LEAST_NORMAL, 1e-300, 1e-100] + beside(0.25, 0.5, 0.75)
turns = even(-4, 4, 90) + logs(1e-37, 1e6, 60) + beside(0.25, 0.5, 1.0, 1.5, 2.0, 1000.0) + even(-1e5, 1e5, 30)
turns += [LEAST, 1e-310, 1e15 + 0.25, 2.0 ** 51 + 0.5]
zeros_j0, zeros_j1 = ([float(m.besseljzero(n, k)) for k in (1, 2, 5, 12, 13, 30)] for n in (0, 1))
zeros_y0, zeros_y1 = ([float(m.besselyzero(n, k)) for k in (1, 2, 5, 12, 13, 30)] for n in (0, 1))
waves = logs(1e-37, 1e7, 90) + even(0, 60, 70) + [LEAST, 1e-310, LEAST_NORMAL, 1e-300, 1e10, 1e15]
grow = even(0, 90, 60) + even(0, 10, 60) + logs(1e-37, 1, 40) + beside(1, 3, 8) + [LEAST, 1e-310, 1e-300]
orders = [float(n) for n in range(20)] + whole(0, 128, 60)
orders += [2.0, 3.0, 127.0, 128.0]


def of_orders(low, high, far):
    """Whole orders with x near 0, of their size, and far beyond."""
    x = logs(low, 1, len(orders)) + [exact(n * draw.uniform(0.2, 3) + 0.125) for n in orders] + logs(1, far, len(orders))
    return pairs(orders * 3, x)


gammas = pairs(logs(1e-3, 900, 60), logs(1e-3, 900, 60))
gammas += [(a, exact(a * draw.uniform(0.5, 1.6))) for a in logs(0.01, 2e4, 60) + logs(9e4, 2e5, 8)]
gammas += pairs(logs(1e-30, 1, 40), logs(1e-30, 30, 40)) + [(a, exact(a * draw.uniform(0.99, 1.01))) for a in logs(9e4, 1e6, 12)] + [(a, exact(draw.uniform(0, 2))) for a in even(0, 2, 40)]
gammas += [(a, a) for a in (0.5, 1.0, 10.0, 100.0, 1e4)] + [(1e-300, 1e-5), (LEAST, 1.0), (0.5, LEAST), (0.5, 1e-300), (3.0, 740.0)]
deep = pairs(logs(0.1, 100, 40), logs(1e-37, 1e-3, 40)) + pairs(logs(0.1, 300, 40), logs(300, 5000, 40))
betas = [(a, b, x) for a, b, x in zip(logs(0.05, 300, 80), logs(0.05, 300, 80), even(0, 1, 80))]
betas += [(a, b, exact(a / (a + b) * draw.uniform(0.5, 1))) for a, b in pairs(logs(0.1, 5e3, 50), logs(0.1, 5e3, 50))]
betas += [(a, b, x) for a, b, x in zip(logs(1e-6, 1, 30), logs(1e-6, 1, 30), even(0, 1, 30))]
betas += [(a, b, x) for a, b, x in zip(logs(1e-3, 30, 40), logs(1e-3, 30, 40), logs(1e-37, 1e-3, 40))]
betas += [(a, b, exact(1 - 2.0 ** -k)) for a, b, k in zip(logs(0.1, 30, 23), logs(0.1, 30, 23), range(2, 25))]
betas += [(0.5, 0.5, LEAST), (2.0, 0.5, 1e-150), (0.5, 2.0, 1 - 2.0 ** -53)]


def where_beta_is_1(b):
    """The a > 1 with B(a, b) = 1, b < 1, by bisection of its logarithm."""
    low, high = 0.0, 700.0
    for _ in range(60):
        middle = (low + high) / 2
        a = math.exp(middle)
        rest = math.lgamma(a) - math.lgamma(a + b) if a < 1e6 else -b * middle
        low, high = (middle, high) if rest + math.lgamma(b) > 0 else (low, middle)
    return exact(math.exp(low))




def zeros_of_sinc(n):
    """Zeros of derivative n of sinc near 1, 3, 8 and 30, in both dtypes."""
    m.mp.dps = 40
    roots = [float(m.findroot(lambda x: sinc_derivative(n, x), m.mpf(s), verify=False)) for s in (0.8, 3.2, 8.3, 30.3)]
    return [(float(n), x) for z in roots if abs(z) > 0.1 for x in (z, exact(z))]


unit_betas = [(where_beta_is_1(b), b) for b in even(0.3, 1, 20) + even(0.03, 0.3, 20) + [0.0078125, 0.5]]
POINTS = {
    "erfinv": share + minus(share[:60]),
    "erfcinv": share + [exact(1 + x) for x in share[:60]],
    "erfcx": axis[:130] + even(-26, 0, 40) + even(0, 30, 60) + logs(1e-37, 1e37, 40) + beside(5, 9, 21) + [LEAST, 1e300],
    "ndtr": even(-37, 8, 100) + even(-3, 3, 80) + logs(1e-37, 1, 30) + minus(logs(1e-37, 1, 20)) + [-38.0, LEAST],
    "log_ndtr": even(-40, 8, 80) + even(-3, 3, 80) + logs(1e-37, 1, 30) + minus(logs(1, 1e18, 30)) + even(8, 37, 20) + [-1e150],
    "ndtri": share + even(0.4, 0.6, 50) + beside(0.5),
    "dawson": both,
    "sinpi": turns, "cospi": turns,
    "digamma": axis + left + beside(1.4616321449683622, -0.504083008264455409, -1.5734984731623904, -12.3, 1, 2, 12),
    "trigamma": axis[:-2] + left + beside(1, 12),
    "polygamma": pairs(whole(2, 30, 90), even(0, 30, 90)) + pairs(whole(2, 120, 40), even(1, 60, 40))
    + pairs(whole(2, 9, 40), even(-30, 0, 40)) + pairs(whole(2, 5, 40), logs(1e-6, 1e6, 40)) + pairs(whole(150, 400, 20), even(50, 150, 20)),
    "zeta": pairs(even(1, 12, 80), even(0, 12, 80)) + pairs(even(1, 60, 50), logs(1e-3, 1e3, 50)) + pairs([exact(1 + x) for x in logs(1e-6, 1, 40)], even(0.1, 20, 40))
    + pairs(even(1.1, 3, 40), logs(1e-9, 1e9, 40)) + [(2.0, 1e300), (1.5, LEAST), (1 + 2.0 ** -52, 3.0), (300.0, 1.5), (1000.0, 1.0)],
    "lbeta": pairs(logs(1e-3, 1e3, 80), logs(1e-3, 1e3, 80)) + pairs(even(0, 15, 60), even(0, 15, 60)) + pairs(logs(1e-37, 1, 40), logs(1e-37, 1e9, 40))
    + pairs(logs(1, 1e37, 40), logs(1, 1e37, 40)) + [(LEAST, 1.0), (1e300, 1e300), (1e-310, 1e-310), (1.0, 1.0000001192092896), (1.0, 0.75)]
    + unit_betas + [(b, exact(1.01 * a)) for a, b in unit_betas],
    "beta": pairs(logs(1e-3, 1e3, 80), logs(1e-3, 100, 80)) + pairs(even(0, 15, 80), even(0, 15, 80)) + pairs(logs(1e-18, 1, 40), logs(1e-18, 1e9, 40))
    + pairs(logs(1, 10, 20), logs(1, 1e3, 20)) + [(1e-300, 2.0), (500.0, 500.0)],
    "gammainc": gammas, "gammaincc": gammas,
    "log_gammainc": gammas[:180] + deep, "log_gammaincc": gammas[:180] + deep,
    "betainc": betas, "betaincc": betas, "log_betainc": betas, "log_betaincc": betas,
    "i0": grow + minus(grow[:30]) + even(90, 700, 20) + [705.0, 713.0],
    "i1": grow + minus(grow[:30]) + even(90, 700, 20) + [705.0, 713.0],
    "i0e": grow + logs(10, 1e8, 50) + minus(grow[:20]), "i1e": grow + logs(10, 1e8, 50) + minus(grow[:20]),
    "k0": grow + logs(10, 700, 50) + beside(2, 0.25), "k1": grow + logs(10, 700, 50) + beside(2, 0.25),
    "expint_e1": grow + logs(10, 700, 50) + beside(2, 4),
    "expint_ei": grow + logs(10, 700, 30) + minus(logs(1e-37, 700, 50)) + even(0.3, 0.45, 20) + beside(0.37250741078136662, 6, 12, 24) + [712.0],
    "j0": waves + minus(waves[:20]) + beside(*zeros_j0), "j1": waves + minus(waves[:20]) + beside(*zeros_j1),
    "y0": waves + even(0, 3, 20) + beside(*zeros_y0), "y1": waves[:-6] + even(0, 3, 20) + beside(*zeros_y1) + [1e-300, 1e10, 1e15],
    "jn": of_orders(1e-30, 1.0, 1e5), "in": of_orders(1e-30, 1.0, 80), "ine": of_orders(1e-30, 1.0, 1e6),
    "sinc_derivative": pairs((orders * 3)[:210], even(-3, 3, 70) + even(-40, 40, 70) + logs(1e-20, 1e3, 70))
    + [place for n in (1, 2, 3, 4, 7, 12, 30, 61) for place in zeros_of_sinc(n)],
}


def main():
    names = sys.argv[1:] or list(POINTS)
    print("/* Made by tests/ops/math/special_points.py: POINTS(row, {value, {operands}}, ...). */")
    for name in names:
        line, count = "POINTS(%s" % name, 0
        for place in dict.fromkeys(POINTS[name]):
            operands = place if isinstance(place, tuple) else (place,)
            y = value(name, operands)
            if y is None or y == 0 or not 1e-300 < abs(y) < 1e300:
                if y is None:
                    print("no value: %s%r" % (name, operands), file=sys.stderr)
                continue  # the ends of the range are in special_borders.def and limits of test_special.c
            part = "{%sL, {%s}}" % (m.nstr(y, 21, min_fixed=-3, max_fixed=3), ", ".join(repr(o) for o in operands))
            count += 1
            if len(line) + len(part) + 3 > 116:
                print(line + ",")
                line = "    " + part
            else:
                line += ", " + part
        print(line + ")", flush=True)
        print("%s: %d" % (name, count), file=sys.stderr)
    print("#undef POINTS")


if __name__ == "__main__":
    main()
