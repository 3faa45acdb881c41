#!/usr/bin/env python3
"""Writes tests/base/scalar_values.def: values of the functions of base/math/scalar.h to 53 bits, by mpmath.  Run from
the root of the tree:

    python3 tests/base/scalar_values.py > tests/base/scalar_values.def

REAL(name, a, b, value) and COMPLEX(name, x, y, real, imaginary); b is 0 for functions of one operand.  Operands are
random numbers of a range or of any exponent, and numbers next to ends and zeros.  C's branches and signs: the first
quadrant by definition, others by symmetry."""
import math
import random
import sys

import mpmath as m
from mpmath import mp, mpc, mpf

mp.prec = 2600
random.seed(48)
EACH = 24


def any_size(low, high, sign=True):
    return lambda: (random.choice([-1, 1]) if sign else 1) * math.ldexp(random.uniform(1, 2), random.randint(low, high))


def within(low, high):
    return lambda: random.uniform(low, high)


WORST_ANGLES = [6381956970095103 * 2.0 ** 797, 1e22, sys.float_info.max, 2.0 ** 17, 1e5, 0.7853981633974483]
REAL = {
    "exp": (m.exp, within(-745, 709), any_size(-60, 6)),
    "exp2": (lambda x: mpf(2) ** x, within(-1074, 1023), any_size(-60, 6)),
    "expm1": (m.expm1, within(-40, 709), any_size(-60, 2)),
    "log": (m.log, any_size(-1074, 1023, False), within(0.5, 2)),
    "log2": (lambda x: m.log(x) / m.log(2), any_size(-1074, 1023, False), within(0.5, 2)),
    "log10": (lambda x: m.log(x) / m.log(10), any_size(-1074, 1023, False), within(0.5, 2)),
    "log1p": (m.log1p, any_size(-60, 1000, False), within(-0.999, 1)),
    "cbrt": (lambda x: m.sign(x) * m.cbrt(abs(x)), any_size(-1074, 1023), within(-3, 3)),
    "sin": (m.sin, any_size(17, 1023), within(-40, 40)),
    "cos": (m.cos, any_size(17, 1023), within(-40, 40)),
    "tan": (m.tan, any_size(17, 1023), within(-40, 40)),
    "asin": (m.asin, within(-1, 1), any_size(-60, -1)),
    "acos": (m.acos, within(-1, 1), any_size(-60, -1)),
    "atan": (m.atan, any_size(-60, 60), within(-3, 3)),
    "sinh": (m.sinh, within(-710, 710), any_size(-60, 4)),
    "cosh": (m.cosh, within(-710, 710), any_size(-60, 4)),
    "tanh": (m.tanh, within(-20, 20), any_size(-60, 4)),
    "asinh": (m.asinh, any_size(-60, 1023), within(-3, 3)),
    "acosh": (m.acosh, any_size(0, 1023, False), within(1, 2)),
    "atanh": (m.atanh, within(-1, 1), any_size(-60, -1)),
    "erf": (m.erf, within(-6, 6), any_size(-60, 2)),
    "erfc": (m.erfc, within(-6, 26), any_size(-60, 2)),
    "tgamma": (m.gamma, within(-170, 171), any_size(-60, 3)),
    "lgamma": (lambda x: m.log(abs(m.gamma(x))), within(-40, 171), within(-17, 0)),
    "j0": (lambda x: m.besselj(0, x), within(0, 60), any_size(-60, 30)),
    "j1": (lambda x: m.besselj(1, x), within(0, 60), any_size(-60, 30)),
    "y0": (lambda x: m.bessely(0, x), within(0, 60), any_size(-60, 30, False)),
    "y1": (lambda x: m.bessely(1, x), within(0, 60), any_size(-60, 30, False)),
}
# both sides of the operands at which math_single.h changes its method
SEAMS = {
    "exp": (707, -707), "exp2": (1020, -1020), "log": (2.0**-1022, 1 + 2.0**-8, 1 - 2.0**-9, 1.41015625),
    "log1p": (2.0**-9, -(2.0**-9), 2.0**1000), "tgamma": (2.0**-60, 3, 170), "erfc": (0.375, 26, -26),
}
POWERS = (2.0**-1022, 0.5), (2.0**-510, 2), (2.0**-510, 1), (math.exp(7), 101), (math.exp(7), -101), (3, 5), (10, 22)
PAIRS = {
    "pow": (lambda a, b: a ** b, any_size(-30, 30, False), within(-20, 20)),
    "atan2": (m.atan2, any_size(-1074, 1023), any_size(-1074, 1023)),
    "hypot": (lambda a, b: m.sqrt(a * a + b * b), any_size(-3, 3), any_size(-3, 3)),
}


def signed(value, by):
    return math.copysign(1, by) * value


def arc(x, y):
    """sqrt((a + x) (a - x)) and log(a + sqrt(a^2 - 1)) for x, y >= 0."""
    a = (m.sqrt((x + 1) ** 2 + y * y) + m.sqrt((x - 1) ** 2 + y * y)) / 2
    return m.sqrt(max(mpf(0), (a + x) * (a - x))), m.log(a + m.sqrt(max(mpf(0), a * a - 1)))


def asinh(x, y):
    root, log = arc(abs(y), abs(x))
    return signed(log, x), signed(m.atan2(abs(y), root), y)


def acos(x, y):
    root, log = arc(abs(x), abs(y))
    return m.atan2(root, x), -signed(log, y)


def acosh(x, y):
    real, imaginary = acos(x, y)
    return abs(imaginary), signed(real, y)


def atanh(x, y):
    a, b = abs(x), abs(y)
    return signed(m.log1p(4 * a / ((1 - a) ** 2 + b * b)) / 4, x), signed(m.atan2(2 * b, 1 - a * a - b * b) / 2, y)


def turned(f):
    return lambda x, y: f(y, x)[::-1]


def analytic(f):
    return lambda x, y: (lambda w: (w.real, w.imag))(f(mpc(x, y)))


COMPLEX = {
    "csqrt": analytic(m.sqrt), "cexp": analytic(m.exp), "cexpm1": analytic(lambda z: m.exp(z) - 1),
    "clog": analytic(m.log), "clog1p": analytic(lambda z: m.log(1 + z)),
    "csin": analytic(m.sin), "ccos": analytic(m.cos), "ctan": analytic(m.tan),
    "csinh": analytic(m.sinh), "ccosh": analytic(m.cosh), "ctanh": analytic(m.tanh),
    "casin": turned(asinh), "cacos": acos, "catan": turned(atanh),
    "casinh": asinh, "cacosh": acosh, "catanh": atanh,
}
GROWING = {"cexp": 0, "cexpm1": 0, "csinh": 0, "ccosh": 0, "ctanh": 0, "csin": 1, "ccos": 1, "ctan": 1}


def operand(name):
    kind = random.randrange(5)
    if kind == 0:
        x = [any_size(-1000, 1000)(), any_size(-1000, 1000)()]
    elif kind == 1:
        x = [random.uniform(-3, 3), random.uniform(-3, 3)]
    elif kind == 2:
        angle, size = random.uniform(0, 6.3), 1 + random.choice([0, any_size(-50, -1)()])
        x = [size * math.cos(angle), size * math.sin(angle)]
    elif kind == 3:
        gap = random.choice([0, 1, -1]) * 2.0 ** random.randint(-52, -1)
        x = [random.choice([-1, 1]) * (1 + gap), any_size(-500, 3)()]
    else:
        x = [any_size(-40, 5)(), any_size(-40, 5)()]
    if name in GROWING:
        part = GROWING[name]
        if abs(x[part]) > 1400:
            x[part] = random.uniform(-745, 1450)
    return x


def literal(x):
    x = float(x)
    if math.isinf(x):
        return "-INFINITY" if x < 0 else "INFINITY"
    return re_zero(x.hex())


def re_zero(text):
    head, tail = text.split("p")
    return (head.rstrip("0").rstrip(".") if "." in head else head) + "p" + tail


def main():
    print("/* Made by tests/base/scalar_values.py, which says what these numbers are. */")
    for name, (f, *sources) in REAL.items():
        points = [s() for s in sources for _ in range(EACH // 2)]
        if name in ("sin", "cos", "tan"):
            points += WORST_ANGLES
        if name in ("j0", "j1", "y0", "y1"):
            zero = (m.besseljzero if name[0] == "j" else m.besselyzero)
            mp.prec = 200
            points += [float(zero(int(name[1]), k)) for k in (1, 2, 7, 12, 13, 30)]
        points += [y for x in SEAMS.get(name, ()) for y in (math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf))]
        for x in points:
            mp.prec = 2600 if name in ("sin", "cos", "tan") else 400
            print("REAL(%s, %s, 0, %s)" % (name, literal(x), literal(f(mpf(x)))))
    for name, (f, a, b) in PAIRS.items():
        for x, y in [(a(), b()) for _ in range(EACH)] + list(POWERS if name == "pow" else ()):
            mp.prec = 400
            print("REAL(%s, %s, %s, %s)" % (name, literal(x), literal(y), literal(f(mpf(x), mpf(y)))))
    for name, f in COMPLEX.items():
        for _ in range(EACH):
            x, y = operand(name)
            mp.prec = 4600
            w = f(mpf(x), mpf(y))
            print("COMPLEX(%s, %s, %s, %s, %s)" % (name, literal(x), literal(y), literal(w[0]), literal(w[1])))
    print("#undef REAL\n#undef COMPLEX")


main()
