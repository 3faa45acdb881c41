#!/usr/bin/env python3
"""mpmath's values of special functions at the last orders and degrees that they have.  Run from the root of the tree:

    python3 tests/ops/math/special_limits.py > tests/ops/math/special_limits.def"""
import mpmath as mp

mp.mp.dps = 40
X = mp.mpf(0.375)


def row(name, order, x, value):
    print("LIMIT(%s, %r, %r, %s)" % (name, float(order), float(x), mp.nstr(value, 20)))


print("/* Made by tests/ops/math/special_limits.py: LIMIT(row, order, x, value). */")
for nu in (1023, 1024, -1023, -1024):
    row("jv", nu, 1100, mp.besselj(nu, 1100))
    row("yv", nu, 1100, mp.bessely(nu, 1100))
    row("iv", nu, 600, mp.besseli(nu, 600))
    row("ive", nu, 1300, mp.besseli(nu, 1300) * mp.exp(-1300))
    row("kv", nu, 600, mp.besselk(nu, 600))
    row("kve", nu, 1300, mp.besselk(nu, 1300) * mp.exp(1300))
for nu in (-8, -7.5, 31.5, 32):
    row("struve", nu, 7, mp.struveh(nu, 7))
    row("modstruve", nu, 7, mp.struvel(nu, 7))
for n in (999, 1000):
    row("eval_legendre", n, X, mp.legendre(n, X))
    row("eval_chebyt", n, X, mp.chebyt(n, X))
    row("eval_chebyu", n, X, mp.chebyu(n, X))
    row("eval_laguerre", n, X, mp.laguerre(n, 0, X))
