#!/usr/bin/env python3
"""Writes tests/special/values.def from mpmath.  Run from the root of the tree:

    python3 tests/special/values.py > tests/special/values.def"""
import mpmath as m

m.mp.dps = 30
GAUSS = [(0.5, 1.5, 2.0, 0.25), (1.0, 1.0, 2.0, -8.0), (0.5, 0.5, 1.0, 0.875), (3.0, 2.5, 4.25, -0.75), (-3.0, 2.0, 1.5, 7.0),
         (-4.0, 1.5, 0.5, -20.0), (2.0, 0.25, 0.75, 0.0), (10.0, 0.5, 12.0, 0.5), (0.125, -0.5, 3.0, 0.5)]
JACOBI = [(0, 0.5, 1.5, 0.25), (1, 0.5, 1.5, 0.375), (2, 0.5, -0.5, 0.6875), (7, 1.25, 2.0, -0.4375), (30, 0.25, 0.0, 0.625), (12, -0.5, 3.0, 1.25)]


def lines(name, function, places):
    for place in places:
        value = m.nstr(function(*[m.mpf(p) for p in place]), 20, min_fixed=0, max_fixed=0)
        print("%s(%s, %s)" % (name, value, ", ".join(repr(p) for p in place)))


print("/* Made by tests/special/values.py: HYP2F1(value, a, b, c, x), JACOBI(value, n, alpha, beta, x). */")
lines("HYP2F1", m.hyp2f1, GAUSS)
lines("JACOBI", lambda n, a, b, x: m.jacobi(int(n), a, b, x), JACOBI)
print("#undef HYP2F1")
print("#undef JACOBI")
