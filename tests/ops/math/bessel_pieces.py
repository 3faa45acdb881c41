#!/usr/bin/env python3
"""Writes src/engine/cpu/math/bessel_{j,y}.h: polynomials of the Bessel functions J and Y of orders 0 and 1.  Run from
the root of the tree; needs mpmath.

    python3 tests/ops/math/bessel_pieces.py j > src/engine/cpu/math/bessel_j.h
    python3 tests/ops/math/bessel_pieces.py y > src/engine/cpu/math/bessel_y.h

Below the first piece, the part of a function that is analytic is a polynomial in x^2.  From there to the twelfth zero
the pieces are centred at zeros and between them.  A polynomial interpolates at the Chebyshev nodes (Trefethen,
"Approximation theory and practice", 2013, chapter 4); next to a zero it is that of f(z + d) / d."""
import re
import sys

from mpmath import besselj, besseljzero, bessely, besselyzero, cos, log, mp, mpf, pi, sqrt

mp.dps = 60
TERMS, ZEROS = 16, 12


def fit(f, n, low, high):
    """Coefficients, lowest first, of the polynomial that meets f in n Chebyshev nodes of [low, high]."""
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    rows = mp.matrix(n, n)
    for i, x in enumerate(nodes):
        for j in range(n):
            rows[i, j] = x ** j
    return list(mp.lu_solve(rows, mp.matrix([f(x) for x in nodes])))


def check(f, c, low, high, name):
    for k in range(41):
        x = low + (high - low) * k / 40
        if x and f(x):
            error = abs(sum(v * x ** j for j, v in enumerate(c)) / f(x) - 1)
            assert error < mpf(2) ** -56, "%s: %s at %s" % (name, mp.nstr(error, 5), mp.nstr(x, 8))


def words(c):
    return ", ".join(float(x).hex() if x else "0" for x in c)


def wrapped(head, text, tail):
    lines, line = [], head
    for word in text.split():
        if len(line) + len(word) + 1 > 116:
            lines.append(line)
            line = "       "
        line += word if line.endswith("{") else " " + word
    print("\n".join(lines + [line + tail]))


def centres(zero, first):
    """Centres of pieces and whether they are zeros; `first` are centres before or after the first zero."""
    z = [zero(k) for k in range(1, ZEROS + 1)]
    rest = [(x, True) for x in z] + [((a + b) / 2, False) for a, b in zip(z, z[1:])] + [(mpf(c), False) for c in first]
    return sorted(rest)


def pieces(name, f, zero, first, start):
    table = centres(zero, first)
    ends = [mpf(start)] + [(a[0] + b[0]) / 2 for a, b in zip(table, table[1:])]
    ends.append(table[-1][0] + (table[-1][0] - ends[-1]))
    ends = [mpf(float(x)) for x in ends]
    print("static const struct bessel_piece %s_pieces[] = {" % name)
    for k, (c, is_zero) in enumerate(table):
        high = mpf(float(c)) if is_zero else mpf(float(mp.nint(c * 64) / 64))
        low = mpf(float(c - high)) if is_zero else mpf(0)
        part = (lambda d: f(high + low + d) / d) if is_zero else (lambda d: f(high + d))
        a, b = ends[k] - high, ends[k + 1] - high
        row = fit(part, TERMS, a, b)
        check(part, row, a, b, "%s %d" % (name, k))
        head = "    {%s, %s, %s, %s, {" % (words([ends[k]]), words([high]), words([low]), "1" if is_zero else "0")
        wrapped(head, words(row), "}}" + ("};" if k == len(table) - 1 else ","))
    print("enum { %s_COUNT = %d };" % (name.upper(), len(table)))
    return ends[-1]


def near(name, f, end):
    row = fit(lambda u: f(sqrt(u)), 12, mpf(0), mpf(end) ** 2)
    wrapped("static const double %s_near[] = {" % name, words(row), "};")


def hankel(order):
    """a(k) of DLMF 10.17.1."""
    a = [mpf(1)]
    for k in range(1, 16):
        a.append(a[-1] * (4 * order ** 2 - (2 * k - 1) ** 2) / (8 * k))
    return a


kind = sys.argv[1]
print("/* Made by tests/ops/math/bessel_pieces.py, which says what these numbers are. */")
print("#ifndef ENGINE_CPU_MATH_BESSEL_%s_H\n#define ENGINE_CPU_MATH_BESSEL_%s_H" % (kind.upper(), kind.upper()))
if kind == "j":
    print("""/* A polynomial of f(x), or of f(x) / (x - centre) next to a zero, in x - centre; centre = high + low. */
struct bessel_piece {
    double start, high, low;
    int is_zero;
    double c[%d];
};
/* clang-format off */""" % TERMS)
    near("j0", lambda x: besselj(0, x), 1.625)
    near("j1", lambda x: besselj(1, x) / x, 1.5)
    pieces("j0", lambda x: besselj(0, x), lambda k: besseljzero(0, k), [], 1.625)
    pieces("j1", lambda x: besselj(1, x), lambda k: besseljzero(1, k), [2.25], 1.5)
    for order in (0, 1):
        a = hankel(order)
        wrapped("static const double p%d_far[] = {" % order, words([(-1) ** k * a[2 * k] for k in range(1, 8)]), "};")
        wrapped("static const double q%d_far[] = {" % order, words([(-1) ** k * a[2 * k + 1] for k in range(8)]), "};")
else:
    print('#include "engine/cpu/math/bessel_j.h"\n/* clang-format off */')
    near("y0", lambda x: bessely(0, x) - 2 / pi * log(x) * besselj(0, x), 0.6875)
    near("y1", lambda x: (bessely(1, x) - 2 / pi * (log(x) * besselj(1, x) - 1 / x)) / x, 1.6875)
    pieces("y0", lambda x: bessely(0, x), lambda k: besselyzero(0, k), [1.125, 1.4375, 1.90625], 0.6875)
    pieces("y1", lambda x: bessely(1, x), lambda k: besselyzero(1, k), [1.8125, 2.625, 3.125], 1.6875)
print("/* clang-format on */\n#endif")
