"""SciPy's values, and mpmath's where SciPy's have 7 digits, below, at and above each size at which a test changes its way: limit_values.py > limit_values.def."""
import warnings

import mpmath as mp
import numpy as np
import scipy.stats as st

warnings.simplefilter("ignore")


def sample(n, step, scale=1.0, shift=0.0, ties=False):
    """n numbers by a formula, and the same as an expression; apart from each other unless ties."""
    x, text = np.fmod(np.arange(n) * step, 1.0), "fmod(arange(0.0, %d.0) * %r, 1.0)" % (n, step)
    if ties:
        x, text = np.floor(x * 9), "floor(%s * 9.0)" % text
    return x * scale + shift, "(%s * %r + %r)" % (text, scale, shift)


def rows(call, result, digits, parts=2):
    for part in range(parts):
        print('SCIPY("%s[%d]", %g, %.17g)' % (call.replace('"', '\\"'), part, digits, result[part]))


def kolmogorov(n, d):
    """P(D > d) of n elements by powers of a matrix (G. Marsaglia, W. Tsang and J. Wang, 2003) in 40 digits."""
    mp.mp.dps = 40
    d = mp.mpf(float(d))
    k = int(mp.ceil(n * d))
    m, h = 2 * k - 1, k - n * d
    a = [[mp.mpf(i - j + 1 >= 0) for j in range(m)] for i in range(m)]
    for i in range(m):
        a[i][0] -= h ** (i + 1)
        a[m - 1][i] -= h ** (m - i)
    a[m - 1][0] += max(2 * h - 1, 0) ** m
    a = [[a[i][j] / mp.factorial(max(i - j + 1, 0)) for j in range(m)] for i in range(m)]

    def product(x, y):
        columns = list(zip(*y))
        return [[mp.fdot(row, column) for column in columns] for row in x]
    power, left = None, n
    while left:
        if left & 1:
            power = a if power is None else product(power, a)
        left >>= 1
        if left:
            a = product(a, a)
    return 1 - power[k - 1][k - 1] * mp.factorial(n) / mp.mpf(n) ** n


FIRST, SECOND = 0.7548776662466927, 0.5698402909980532
for sizes in ((7, 20), (8, 20), (9, 20), (20, 7), (20, 8), (20, 9), (8, 8), (9, 9)):  # EXACT_MOST
    for ties in (False, True):
        (x, a), (y, b) = sample(sizes[0], FIRST, ties=ties), sample(sizes[1], SECOND, 1.25, 0.125, ties)
        for alternative in ("two-sided", "greater", "less"):
            rows('mannwhitneyu(%s, %s, alternative="%s")' % (a, b, alternative), st.mannwhitneyu(x, y, alternative=alternative), 1e-11)
for n, method in ((12, "auto"), (13, "auto"), (14, "auto"), (49, "auto"), (50, "auto"), (51, "auto"),  # ALL_SIGNS_AUTO, WILCOXON_MOST
                  (199, "exact"), (200, "exact"), (201, "exact")):  # ALL_SIGNS_MOST
    x, a = sample(n, FIRST, 1.0, -0.4375)
    for alternative in ("two-sided", "greater", "less"):
        rows('wilcoxon(%s, alternative="%s", method="%s")' % (a, alternative, method), st.wilcoxon(x, alternative=alternative, method=method), 1e-10)
for n, method in ((32, "auto"), (33, "auto"), (34, "auto"), (169, "exact"), (170, "exact")):  # KENDALL_EXACT, KENDALL_TABLE
    (x, a), (y, b) = sample(n, FIRST), sample(n, SECOND)
    for alternative in ("two-sided", "greater", "less"):
        rows('kendalltau(%s, %s, alternative="%s", method="%s")' % (a, b, alternative, method),
             st.kendalltau(x, y, alternative=alternative, method=method), 1e-10)
for n in (999, 1000, 1001):  # COUNTED_MOST
    for scale in (0.97, 0.95):
        x, a = sample(n, FIRST, scale)
        rows('kstest(%s, "uniform")' % a, (st.kstest(x, "uniform")[0], kolmogorov(n, st.kstest(x, "uniform")[0])), 1e-10 if n <= 1000 else 2e-6)
for n, m in ((499, 499), (500, 500), (501, 501), (500, 499), (9999, 5), (10000, 5), (10001, 5), (5, 10001)):  # REFLECTED_FROM, PATHS_MOST
    (x, a), (y, b) = sample(n, FIRST), sample(m, SECOND, 0.9, 0.03125)
    for alternative in ("two-sided", "greater", "less"):
        rows('ks_2samp(%s, %s, alternative="%s")' % (a, b, alternative), st.ks_2samp(x, y, alternative=alternative), 1e-9)
for n in (4999, 5000):  # MOST of shapiro.c
    x, a = sample(n, FIRST)
    rows("shapiro(%s)" % a, st.shapiro(x), 1e-6)
