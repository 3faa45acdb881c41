#!/usr/bin/env python3
"""Writes src/engine/cpu/math/math_constants_{f32,f64}.h: tables and polynomials of the vector mathematics, and
math_constants_single.h: those of single doubles.

A polynomial is the Chebyshev interpolant (within a factor of two of the minimax one) of the remainder after the
terms that the code evaluates explicitly, at 80 digits, rounded to the type.  Tables have 16 entries, which fit one
(f32) or two (f64) AVX-512 registers; those of single doubles have 128.  Needs mpmath:  python3 bench/support/fit.py
"""
import struct
import sys
from mpmath import mp, mpf, exp, log, sin, cos, tan, atan, asin, sqrt, pi, floor, chebyt, erf, erfc, log1p, expm1, polyroots, loggamma, psi

mp.dps = 80
TYPES = {"f32": 24, "f64": 53}


def to(bits, x):
    """x rounded to `bits` significant bits (ties to even)."""
    x = mpf(x)
    if x == 0:
        return mpf(0)
    e = mp.floor(mp.log(abs(x), 2)) + 1 - bits
    return mp.nint(x / mpf(2) ** e) * mpf(2) ** e


def literal(kind, x):
    x = float(x)
    if kind == "f32":
        x = struct.unpack("f", struct.pack("f", x))[0]
    text = x.hex()
    head, tail = text.split("p") if "p" in text else (text, "0")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return head + "p" + tail + ("f" if kind == "f32" else "")


def fit(f, degree, a, b):
    """Coefficients, lowest first, of the interpolant of f in the Chebyshev nodes of [a, b]."""
    n = degree + 1
    a, b = mpf(a), mpf(b)
    nodes = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    nodes = [x if abs(x) > mpf(10) ** -12 else mpf(10) ** -12 for x in nodes]  # tails are not defined at 0
    values = [f(x) for x in nodes]
    # Newton's divided differences, then expanded
    d = values[:]
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            d[i] = (d[i] - d[i - 1]) / (nodes[i] - nodes[i - j])
    poly = [mpf(0)] * n
    poly[0] = d[n - 1]
    size = 1
    for k in range(n - 2, -1, -1):
        new = [mpf(0)] * n
        for i in range(size):
            new[i + 1] += poly[i]
            new[i] -= nodes[k] * poly[i]
        new[0] += d[k]
        poly = new
        size += 1
    return poly


def emit(kind, name, values):
    out = "#define %s_%s" % (name, kind)
    line = " \\\n    "
    text = ""
    for v in values:
        word = literal(kind, v) + ", "
        if len(line) + len(word) > 108:
            text += line.rstrip()
            line = " \\\n    "
        line += word
    text += line.rstrip().rstrip(",")
    print(out + text)


def parts(x, widths):
    """x as a sum of numbers of so many bits, each rounded to nearest."""
    result = []
    for w in widths:
        p = to(w, x)
        result.append(p)
        x -= p
    return result


def pair(kind, values):
    bits = TYPES[kind]
    high = [to(bits, v) for v in values]
    return high, [v - h for v, h in zip(values, high)]


def table(kind, name, values):
    high, low = pair(kind, values)
    emit(kind, name + "_HIGH", high)
    emit(kind, name + "_LOW", low)


LIMITS = {  # name: f32, f64, what it is
    "DIGITS": ("24", "53", "of the significand"),
    "BIAS": ("127", "1023", "of the exponent"),
    "SMALLEST": ("0x1p-126f", "0x1p-1022", "normal number"),
    "TO_NORMAL": ("0x1p24f", "0x1p54", "makes subnormal numbers normal"),
    "NORMAL_BITS": ("24", "54", "its exponent"),
    "EXP_FAR": ("110", "760", "exp is 0 or infinite from here on"),
    "EXPM1_FAR": ("22", "44", "expm1 is -1 to the left of minus this, and tanh 1 to the right of half of it"),
    "SINH_FAR": ("0x1.65a9f8p6f", "0x1.633ce8fb9f87dp9", "sinh is finite up to here"),
    "NEAR_ASINH": ("0x1p-12f", "0x1p-27", "asinh x rounds to x - x^3/6"),
    "FAR_ASINH": ("0x1p32f", "0x1p64", "asinh x rounds to log 2x"),
    "MOST": ("0x1.fffffep127f", "0x1.fffffffffffffp1023", "finite number"),
    "ATAN2_FAR": ("0x1p100f", "0x1p900", "no product of atan2 leaves the normal numbers below"),
    "POW_FAR": ("0x1p40f", "0x1p70", "exponents from here on are as good as infinite"),
    "ERF_FAR": ("0x1.ffff8p1f", "0x1.7ffffp2", "erf is 1; a little less than the end of the last interval"),
    "ERF_PIECES": ("4", "(16.0 / 6)", "on the unit of length"),
    "ERFC_FAR": ("11", "28", "erfc is 0"),
    "EXP10_FAR": ("50", "340", "exp10 is 0 or infinite from here on"),
    "GAMMA_FAR": ("50", "200", "gamma is 0 or infinite from here on"),
    "GAMMA_TINY": ("0x1p-30f", "0x1p-60", "gamma x rounds to 1/x, and lgamma to -log |x|"),
    "TRIG_FAR": ("0x1p18f", "0x1p17", "angles that the reduction can take, with FMA"),
    "TRIG_FAR_SHORT": ("0x1p9f", "0x1p17", "and without"),
}


def limits(kind):
    for name, (f32, f64, what) in LIMITS.items():
        print("#define %s_%s %s /* %s */" % (name, kind, f32 if kind == "f32" else f64, what))


def exponential(kind):
    f32 = kind == "f32"
    table(kind, "EXP2_16", [mpf(2) ** (mpf(j) / 16) for j in range(16)])
    emit(kind, "LN2", parts(log(2), [12, 24] if f32 else [38, 53]))
    emit(kind, "LG2", parts(mp.log10(2), [12, 24] if f32 else [38, 53]))
    a = log(2) / 32 * mpf("1.01")
    emit(kind, "EXP_TAIL", fit(lambda r: (exp(r) - 1 - r) / r**2, 2 if f32 else 5, -a, a))
    if not f32:  # for quarters in the place of sixteenths
        table(kind, "EXP2_4", [mpf(2) ** (mpf(j) / 4) for j in range(4)])
        emit(kind, "EXP_4_TAIL", fit(lambda r: (exp(r) - 1 - r) / r**2, 7, -4 * a, 4 * a))
    emit(kind, "SINH_TAIL", fit(lambda z: (mp.sinh(sqrt(z)) / sqrt(z) - 1) / z, 0 if f32 else 3, 0, a**2))
    emit(kind, "COSH_TAIL", fit(lambda z: (mp.cosh(sqrt(z)) - 1) / z, 1 if f32 else 3, 0, a**2))


def reciprocals():
    """1/c[k], c[k] near the middle of [1 + k/16, 1 + (k+1)/16), of 5 bits, so that m / c - 1 is exact; its range."""
    inverse = []
    for k in range(16):
        middle = 1 + (mpf(k) + mpf(1) / 2) / 16
        inverse.append(mpf(1) if k == 0 else mpf(1) / 2 if k == 15 else mp.nint(32 / middle) / 32)
    ranges = [(1 + mpf(k + s) / 16) * inverse[k] - 1 for k in range(16) for s in (0, 1)]
    low, high = min(ranges), max(ranges)
    return inverse, low, high


def logarithm(kind):
    f32 = kind == "f32"
    inverse, low, high = reciprocals()
    emit(kind, "LOG_INVERSE", inverse)
    # so few bits that e * LN2 + LOG is exact: one unit for all
    unit = mpf(2) ** (-14 if f32 else -42)
    for name, scale in (("LOG", 1), ("LOG2", 1 / log(2)), ("LOG10", 1 / log(10))):
        if name == "LOG2":
            head = [mp.nint(-log(v) * scale / unit) * unit for v in inverse]
            ln2 = mpf(1)
        else:
            head = [mp.nint(-log(v) * scale / unit) * unit for v in inverse]
            ln2 = mp.nint(log(2) * scale / unit) * unit
        emit(kind, name + "_TABLE_HIGH", head)
        emit(kind, name + "_TABLE_LOW", [-log(v) * scale - h for v, h in zip(inverse, head)])
        emit(kind, name + "_TWO", [ln2, log(2) * scale - ln2])
        bits = TYPES[kind]
        one = to(bits, scale)
        emit(kind, name + "_SCALE", [one, scale - one])
    emit(kind, "LOG_TAIL", fit(lambda r: (log1p(r) - r) / r**2 if r else -mpf(1) / 2, 5 if f32 else 11, low, high))
    print("/* m / c - 1 lies in [%s, %s] */" % (mp.nstr(low, 5), mp.nstr(high, 5)))


def power(kind):
    f32 = kind == "f32"
    inverse, low, high = reciprocals()
    emit(kind, "POW_TAIL", fit(lambda r: (log1p(r) - r + r**2 / 2 - r**3 / 3) / r**4, 3 if f32 else 9, low, high))
    emit(kind, "THIRD", parts(mpf(1) / 3, [TYPES[kind]] * 2))
    emit(kind, "CBRT_GUESS", [mp.cbrt(1 / v) for v in inverse])
    emit(kind, "CBRT_SLOPE", [mp.cbrt(v) ** 2 / 3 for v in inverse])
    table(kind, "CBRT_TWO", [mp.cbrt(mpf(2) ** (j % 3)) for j in range(16)])
    emit(kind, "CBRT_TAIL", fit(lambda r: (mp.cbrt(1 + r) - 1) / r, 3 if f32 else 7, low, high))


def pieces(kind, name, f, slope, middles, edges, degree):
    """f on each interval as first terms with low parts and a polynomial in x - middle; the last entry repeats."""
    columns = []
    for c, (a, b) in zip(middles, edges):
        top = [f(c), slope(c)] if slope else [f(c)]
        first = len(top)
        columns.append(fit(lambda d: (f(c + d) - sum(t * d**k for k, t in enumerate(top))) / d**first, degree, a - c, b - c))
    fill = lambda values: list(values) + [values[-1]] * (16 - len(values))
    table(kind, name, fill([f(c) for c in middles]))
    if slope:
        table(kind, name + "_SLOPE", fill([slope(c) for c in middles]))
    emit(kind, name + "_TAIL", [v for k in range(degree + 1) for v in fill([column[k] for column in columns])])


def error(kind):
    f32 = kind == "f32"
    far = mpf(4 if f32 else 6)
    edges = [(far * k / 16, far * (k + 1) / 16) for k in range(16)]
    slope = lambda x: 2 / sqrt(pi) * exp(-x * x)
    middles = [mpf(0)] + [(a + b) / 2 for a, b in edges[1:]]
    emit(kind, "ERF_MIDDLE", middles)
    pieces(kind, "ERF", erf, slope, middles, edges, 5 if f32 else 12)
    scaled = lambda x: erfc(x) * exp(x * x)
    ends = [mpf(0)] + [mpf(2) ** e * m for e in range(-1, 6) for m in (1, mpf("1.5"))]
    edges = list(zip(ends, ends[1:]))[: 10 if f32 else 13]
    middles = [(a + b) / 2 for a, b in edges]
    emit(kind, "ERFC_MIDDLE", middles + [middles[-1]] * (16 - len(middles)))
    pieces(kind, "ERFC", scaled, None, middles, edges, 6 if f32 else 15)


def gamma(kind):
    f32 = kind == "f32"
    # entry n % 16 serves the interval about n / 4, n = 3 ... 18, which has the zeros 1 and 2 as middles
    middles = [mpf(n if n > 2 else n + 16) / 4 for n in range(16)]
    edges = [(c - mpf(1) / 8, c + mpf(1) / 8) for c in middles]
    pieces(kind, "LGAMMA", loggamma, lambda x: psi(0, x), middles, edges, 6 if f32 else 14)
    half_log_tau = log(2 * pi) / 2
    remainder = lambda x: loggamma(x) - ((x - mpf(1) / 2) * log(x) - x + half_log_tau)
    emit(kind, "STIRLING_TAIL", fit(lambda z: remainder(1 / sqrt(z)) / sqrt(z), 3 if f32 else 11, mpf(10) ** -12, mpf(1) / 9))
    emit(kind, "HALF_LOG_TAU", parts(half_log_tau, [TYPES[kind]] * 2))
    emit(kind, "LOG_PI", parts(log(pi), [TYPES[kind]] * 2))


def circular(kind):
    f32 = kind == "f32"
    angles = [pi * (j if j < 8 else j - 16) / 16 for j in range(16)]
    table(kind, "SIN_16", [sin(x) if x else mpf(0) for x in angles])
    table(kind, "COS_16", [cos(x) if abs(x) < 1.57 else mpf(0) for x in angles])
    emit(kind, "COS_16_LESS", [cos(x) - 1 for x in angles])
    emit(kind, "PI_16", parts(pi / 16, [24, 24, 24] if f32 else [33, 33, 53]))
    emit(kind, "PI_16_SHORT", parts(pi / 16, [11, 11, 11, 24] if f32 else [33, 33, 53]))
    if not f32:  # 64 zero bits and 1280 bits of the fraction
        with mp.workdps(420):
            n = int(floor(mpf(2) ** 1280 / (2 * +pi)))
        words = ["UINT64_C(0x%016x)" % (n >> 64 * (19 - k) & 2**64 - 1) for k in range(20)]
        lines = [", ".join((["0"] + words)[k : k + 3]) for k in range(0, 21, 3)]
        print("#define OVER_TAU \\\n    " + ", \\\n    ".join(lines))
    a = pi / 32 * mpf("1.01")
    for name, f, degree in (("SIN", sin, (1, 3)), ("TAN", tan, (2, 6))):
        emit(kind, name + "_TAIL", fit(lambda z: (f(sqrt(z)) / sqrt(z) - 1) / z, degree[not f32], 0, a**2))
    emit(kind, "COS_TAIL", fit(lambda z: (cos(sqrt(z)) - 1) / z, 1 if f32 else 3, 0, a**2))


def inverse(kind):
    f32 = kind == "f32"
    # entry 0 serves all below 1/8, entry 13 all from 8 on
    near = [mpf(0)] + [mpf(2) ** e * m for e in range(-3, 3) for m in (mpf("1.25"), mpf("1.75"))]
    emit(kind, "ATAN_NEAR", near + [1] * 3)
    emit(kind, "ATAN_WEIGHT", [1] * 13 + [0] * 3)
    table(kind, "ATAN", [atan(c) for c in near] + [pi / 2] * 3)
    a = mpf(1) / 6
    emit(kind, "ATAN_TAIL", fit(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, 3 if f32 else 7, 0, a**2))
    emit(kind, "ASIN_TAIL", fit(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, 5 if f32 else 13, 0, mpf("0.25")))
    emit(kind, "PI_PARTS", parts(pi, [TYPES[kind]] * 2))


def single_exponential():
    values = [mpf(2) ** (mpf(j) / 128) for j in range(128)]
    high, low = pair("f64", values)
    emit("f64", "EXP2_128", [v for h, l, x in zip(high, low, values) for v in (h, l / x)])
    emit("f64", "LN2_128", parts(log(2) / 128, [53, 53]))
    a = log(2) / 256 * mpf("1.01")
    emit("f64", "EXP_128_TAIL", fit(lambda r: (exp(r) - 1 - r) / r**2, 3, -a, a))


# bits of the least significand of single logarithms: about sqrt(1/2), with 1 well inside an interval
SINGLE_OFFSET = 0x3FE6900000000000


def single_intervals():
    """1/c for each of 128 intervals, of so few bits that z / c - 1 is exact in doubles; the range of z / c - 1."""
    of_bits = lambda bits: mpf(struct.unpack("d", struct.pack("Q", bits))[0])
    inverse, ranges = [], []
    for j in range(128):
        a, b = (of_bits(SINGLE_OFFSET + ((j + k) << 45)) for k in (0, 1))
        unit = mpf(2) ** (-53 if a < 1 else -52)
        best = None
        for bits in range(6, 11):
            v = mpf(1) if a < 1 < b else mp.nint(2**bits * 2 / (a + b)) / 2**bits
            size = max(abs(a * v - 1), abs(b * v - 1))
            if size <= 2**53 * unit * mpf(2) ** -bits and (best is None or size < best[0]):
                best = (size, v)
        inverse.append(best[1])
        ranges += [a * best[1] - 1, b * best[1] - 1]
    return inverse, min(ranges), max(ranges)


def single_logarithm():
    inverse, low, high = single_intervals()
    print("#define LOG_128_OFFSET UINT64_C(0x%x)" % SINGLE_OFFSET)
    unit = mpf(2) ** -42  # as in logarithm()
    entries = []
    for v in inverse:
        head = mp.nint(-log(v) / unit) * unit
        entries += [v, head, -log(v) - head]
    emit("f64", "LOG_128", entries)
    emit("f64", "LOG_128_TAIL", fit(lambda r: (log1p(r) - r) / r**2, 5, low, high))
    emit("f64", "POW_128_TAIL", fit(lambda r: (log1p(r) - r + r**2 / 2) / r**3, 6, low, high))
    print("/* z / c - 1 lies in [%s, %s] */" % (mp.nstr(low, 5), mp.nstr(high, 5)))


def header(name, subject, write):
    with open("src/engine/cpu/math/math_constants_%s.h" % name, "w") as sys.stdout:
        guard = "ENGINE_CPU_MATH_MATH_CONSTANTS_%s_H" % name.upper()
        print("/* Constants of %s, printed by bench/support/fit.py (which says how they are found). */" % subject)
        print("#ifndef %s\n#define %s\n/* clang-format off */" % (guard, guard))
        write()
        print("/* clang-format on */\n#endif")


def vector(kind):
    for part in (limits, exponential, logarithm, circular, inverse, power, error, gamma):
        part(kind)


def single():
    single_exponential()
    single_logarithm()
    emit("f64", "GAMMA_CONSTANT", parts((log(2 * pi) - 1) / 2, [53, 53]))


if __name__ == "__main__":
    for kind in TYPES:
        header(kind, "the vector mathematics", lambda: vector(kind))
    header("single", "single doubles", single)
