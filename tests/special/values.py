#!/usr/bin/env python3
"""Writes tests/special/values.def from mpmath.  Run from the root of the tree:

    python3 tests/special/values.py > tests/special/values.def"""
import mpmath as m

m.mp.dps = 30
GAUSS = [(0.5, 1.5, 2.0, 0.25), (1.0, 1.0, 2.0, -8.0), (0.5, 0.5, 1.0, 0.875), (3.0, 2.5, 4.25, -0.75), (-3.0, 2.0, 1.5, 7.0),
         (-4.0, 1.5, 0.5, -20.0), (2.0, 0.25, 0.75, 0.0), (10.0, 0.5, 12.0, 0.5), (0.125, -0.5, 3.0, 0.5),
         (2.5, -7.0, 0.75, 3.0), (-30.0, 1.5, 2.5, -0.25), (1.25, 3.5, 0.75, -2.0)]
# terms of either sign, which cancel more or less: right to 1e-10, or NaN
CANCEL = [(12.737, 17.788, 0.5624, -5.79), (-0.6888614278425053, 35.8, -18.09957949393878, -0.5976640682374459),
          (-37.39371937426815, -1.471768978543912, -6.121645699128915, 0.504719014908475),
          (45.47482640911155, -19.27479475909386, -0.15, 0.6326103093489239), (-25.95, 0.19903801046617697, 10.0948785222822, -0.94345),
          (-27.4, -1.1137662849142376, 0.062127005951754966, -0.94281), (1.192910556494332, 11.05347608937301, -3.1, -0.89196),
          (-7.141272444363888, 12.120986080764306, 0.6985858357410258, 0.8508205086834408), (-60.5, 20.25, 3.5, 0.5)]
JACOBI = [(0, 0.5, 1.5, 0.25), (1, 0.5, 1.5, 0.375), (2, 0.5, -0.5, 0.6875), (7, 1.25, 2.0, -0.4375), (30, 0.25, 0.0, 0.625), (12, -0.5, 3.0, 1.25)]


def lines(name, function, places):
    for place in places:
        value = m.nstr(function(*[m.mpf(p) for p in place]), 20, min_fixed=0, max_fixed=0)
        print("%s(%s, %s)" % (name, value, ", ".join(repr(p) for p in place)))


print("/* Made by tests/special/values.py: HYP2F1(value, a, b, c, x), CANCEL, JACOBI(value, n, alpha, beta, x). */")
lines("HYP2F1", m.hyp2f1, GAUSS)
lines("CANCEL", m.hyp2f1, CANCEL)
lines("JACOBI", lambda n, a, b, x: m.jacobi(int(n), a, b, x), JACOBI)
print("#undef HYP2F1")
print("#undef CANCEL")
print("#undef JACOBI")
