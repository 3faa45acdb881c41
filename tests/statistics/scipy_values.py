"""SciPy's values of distributions: scipy_values.py > scipy_values.def."""
import warnings

import mpmath as mp
import numpy as np
import scipy.stats as st

warnings.simplefilter("ignore")
mp.mp.dps = 40


class VonMises:
    """By mpmath: SciPy's integral is right to some eight digits."""

    def __init__(self, concentration, loc=0):
        self.k, self.loc = mp.mpf(concentration), mp.mpf(loc)
        self.norm = 2 * mp.pi * mp.besseli(0, self.k)

    def f(self, t):
        return mp.exp(self.k * mp.cos(t)) / self.norm

    def tail(self, t):
        scale = 1 / (self.k * mp.sin(t) + mp.sqrt(self.k + 1))
        ends = [t] + [t + s * scale for s in (1, 3, 6, 12, 25, 50, 100, 200) if t + s * scale < mp.pi] + [mp.pi]
        return mp.quad(self.f, ends)

    def sf(self, x):
        t = mp.mpf(x) - self.loc
        return 0 if t >= mp.pi else 1 if t <= -mp.pi else self.tail(t) if t > 0 else 1 - self.tail(-t)

    def cdf(self, x):
        t = mp.mpf(x) - self.loc
        return 1 if t >= mp.pi else 0 if t <= -mp.pi else self.tail(-t) if t < 0 else 1 - self.tail(t)

    def pdf(self, x):
        return self.f(mp.mpf(x) - self.loc)

    def logpdf(self, x):
        return mp.log(self.pdf(x))

    def logcdf(self, x):
        return mp.log(self.cdf(x))

    def logsf(self, x):
        return mp.log(self.sf(x))

    def isf(self, p):
        if p > 0.5:
            return 2 * self.loc - self.isf(mp.mpf(1) - mp.mpf(p))
        low, high = mp.mpf(0), mp.pi
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (middle, high) if self.tail(middle) > p else (low, middle)
        return self.loc + low

    def ppf(self, p):
        return 2 * self.loc - self.isf(p)

    def stats(self, _):
        return float(self.loc), float(2 * mp.quad(lambda t: t * t * self.f(t), [0] + [s / mp.sqrt(self.k + 1) for s in (1, 3, 6, 12, 25) if s * s < self.k] + [mp.pi]))

    def entropy(self):
        return mp.log(self.norm) - self.k * mp.besseli(1, self.k) / mp.besseli(0, self.k)


def euler(x):
    return mp.digamma(x)


def sum_entropy(log_mass, low, high):
    """-sum p log p, of mpmath's numbers."""
    total = mp.mpf(0)
    for k in range(low, high + 1):
        l = log_mass(k)
        total -= mp.exp(l) * l
    return total


def log_choose(n, k):
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def entropy(name, p):
    """By formulas and sums with 40 digits."""
    p = [mp.mpf(x) for x in p]
    if name == "gamma":
        a, b = p[0], p[1] if len(p) > 1 else 1
        return a + mp.log(b) + mp.loggamma(a) + (1 - a) * euler(a)
    if name == "chi2":
        return entropy("gamma", (p[0] / 2, 2))
    if name == "beta":
        a, b = p
        return mp.log(mp.beta(a, b)) - (a - 1) * euler(a) - (b - 1) * euler(b) + (a + b - 2) * euler(a + b)
    if name == "f":
        a, b = p[0] / 2, p[1] / 2
        return mp.log(b / a) + mp.log(mp.beta(a, b)) + (1 - a) * euler(a) - (1 + b) * euler(b) + (a + b) * euler(a + b)
    if name == "t":
        a, c = p[0], p[2] if len(p) > 2 else 1
        return (a + 1) / 2 * (euler((a + 1) / 2) - euler(a / 2)) + mp.log(a) / 2 + mp.log(mp.beta(a / 2, mp.mpf(1) / 2)) + mp.log(c)
    if name == "bernoulli":
        return sum(-x * mp.log(x) for x in (p[0], 1 - p[0]) if x)
    if name == "geometric":
        return entropy("bernoulli", p) / p[0]
    if name == "von_mises":
        return VonMises(*p).entropy()
    if name == "poisson":
        r, s = p[0], mp.sqrt(p[0])
        return sum_entropy(lambda k: k * mp.log(r) - r - mp.loggamma(k + 1), max(0, int(r - 14 * s)), int(r + 14 * s) + 60)
    if name == "binomial":
        n, q = p
        if q in (0, 1):
            return mp.mpf(0)
        m, s = n * q, mp.sqrt(n * q * (1 - q))
        return sum_entropy(lambda k: log_choose(n, k) + k * mp.log(q) + (n - k) * mp.log(1 - q), max(0, int(m - 14 * s - 30)), int(min(n, m + 14 * s + 30)))
    if name == "negative_binomial":
        r, q = p
        m, s = r * (1 - q) / q, mp.sqrt(r * (1 - q)) / q
        far = int(m + 14 * s + 60 / -mp.log(1 - q))
        return sum_entropy(lambda k: mp.loggamma(k + r) - mp.loggamma(r) - mp.loggamma(k + 1) + r * mp.log(q) + k * mp.log(1 - q), 0, far)
    if name == "hypergeometric":
        g, b, n = p
        return sum_entropy(lambda k: log_choose(g, k) + log_choose(b, n - k) - log_choose(g + b, n), int(max(0, n - b)), int(min(g, n)))
    return None
rows = []
continuous = [
    ("uniform", (-1.0, 3.0), st.uniform(-1, 4), [-2, -1, 0.5, 3, 4]),
    ("normal", (), st.norm(), [-40, -9, -1, 0, 0.3, 8, 37]),
    ("normal", (1.5, 2.0), st.norm(1.5, 2), [-20, 0, 1, 30]),
    ("exponential", (), st.expon(), [-1, 1e-12, 0.5, 20, 600]),
    ("exponential", (2.5,), st.expon(0, 2.5), [0.1, 3]),
    ("gamma", (0.3,), st.gamma(0.3), [-1, 1e-9, 0.2, 3, 60]),
    ("gamma", (7.5, 2.0), st.gamma(7.5, 0, 2), [0.1, 10, 14, 90]),
    ("beta", (2.0, 3.5), st.beta(2, 3.5), [-0.5, 0.001, 0.4, 0.999, 1.5]),
    ("beta", (0.5, 0.7), st.beta(0.5, 0.7), [0.2, 0.9]),
    ("chi2", (3.0,), st.chi2(3), [-1, 0.01, 2, 80]),
    ("f", (3.0, 7.0), st.f(3, 7), [-1, 0.01, 1, 50]),
    ("t", (4.0,), st.t(4), [-60, -1.5, -0.01, 0, 0.7, 90]),
    ("t", (2.5, 1.0, 3.0), st.t(2.5, 1, 3), [-5, 1, 9]),
    ("cauchy", (), st.cauchy(), [-1e6, -1, 0, 2, 1e8]),
    ("cauchy", (1.0, 3.0), st.cauchy(1, 3), [-2, 5]),
    ("lomax", (2.5, 2.0), st.lomax(2.5, 0, 2), [-1, 0.001, 3, 1e4]),
    ("pareto", (3.5, 2.0), st.pareto(3.5, 0, 2), [1, 2.001, 3, 1e4]),
    ("weibull", (1.7, 3.0), st.weibull_min(1.7, 0, 3), [-1, 0.01, 2, 25]),
    ("laplace", (0.5, 2.0), st.laplace(0.5, 2), [-80, 0, 0.5, 3, 90]),
    ("gumbel1", (0.5, 2.0), st.gumbel_r(0.5, 2), [-5, 0, 3, 70]),
    ("gumbel2", (2.3, 1.5), st.invweibull(2.3, 0, 1.5), [-1, 0.3, 1, 50]),
    ("logistic", (0.5, 2.0), st.logistic(0.5, 2), [-80, 0, 3, 90]),
    ("lognormal", (0.5, 0.8), st.lognorm(0.8, 0, np.exp(0.5)), [-1, 0.001, 1, 60]),
    ("rayleigh", (1.5,), st.rayleigh(0, 1.5), [-1, 0.01, 2, 15]),
    ("triangular", (-1.0, 0.5, 3.0), st.triang(1.5 / 4, -1, 4), [-2, -0.9, 0.5, 2.9, 4]),
    ("von_mises", (0.7,), VonMises(0.7), [-3.1, -1, 0, 0.4, 3]),
    ("von_mises", (30.0, 0.5), VonMises(30, 0.5), [-1.2, 0.1, 0.5, 2, 3.5]),
    ("von_mises", (4000.0,), VonMises(4000), [-0.3, -0.01, 0.02, 0.2]),
]
whole = [
    ("bernoulli", (0.3,), st.bernoulli(0.3), [-1, 0, 0.5, 1, 2]),
    ("binomial", (20.0, 0.3), st.binom(20, 0.3), [-1, 0, 4, 6.5, 15, 20, 21]),
    ("negative_binomial", (3.5, 0.4), st.nbinom(3.5, 0.4), [-1, 0, 3, 40]),
    ("geometric", (0.2,), st.geom(0.2), [0, 1, 3, 60]),
    ("poisson", (4.2,), st.poisson(4.2), [-1, 0, 3, 4.5, 30]),
    ("hypergeometric", (7.0, 13.0, 9.0), st.hypergeom(20, 7, 9), [-1, 0, 2, 6, 7, 8]),
    ("hypergeometric", (500.0, 1500.0, 300.0), st.hypergeom(2000, 500, 300), [20, 70, 75, 76, 110]),
    ("hypergeometric", (5.0, 2.0, 6.0), st.hypergeom(7, 5, 6), [3, 4, 5]),
]
# entropies where sums and terms are large or small
far = [
    ("gamma", (1e-3, 2.0)), ("gamma", (150.0,)), ("gamma", (250.0,)), ("gamma", (1e7,)), ("beta", (300.0, 1e5)), ("beta", (0.01, 4.0)),
    ("t", (1e6,)), ("t", (0.3,)), ("f", (1e4, 300.0)), ("chi2", (1e5,)), ("bernoulli", (1e-12,)), ("geometric", (1e-6,)),
    ("poisson", (1e-3,)), ("poisson", (100.0,)), ("poisson", (160.0,)), ("poisson", (12345.0,)),
    ("binomial", (1.0, 0.25)), ("binomial", (30.0, 0.999)), ("binomial", (700.0, 0.4)), ("binomial", (1e5, 0.3)), ("binomial", (5.0, 0.0)),
    ("negative_binomial", (0.1, 0.02)), ("negative_binomial", (1.0, 0.25)), ("negative_binomial", (0.5, 0.5)),
    ("negative_binomial", (140.0, 0.001)), ("negative_binomial", (400.0, 0.1)), ("negative_binomial", (1e4, 0.999)),
    ("hypergeometric", (3000.0, 7000.0, 4000.0)), ("hypergeometric", (1.0, 1.0, 1.0)), ("von_mises", (0.0,)), ("von_mises", (1e4, 1.0)),
]


def row(text, value):
    if not np.isnan(value) and text:
        number = "%.17g" % value if np.isfinite(value) else ("-" if value < 0 else "") + "(double)INFINITY"
        rows.append('SCIPY("%s", %s)' % (text, number))


for name, parameters, d, points in continuous + whole:
    tail = "".join(", %r" % p for p in parameters)
    discrete = (name, parameters, d, points) in whole
    for x in points:
        for f in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"):
            method = getattr(d, f.replace("pdf", "pmf") if discrete else f)
            row("%s(\\\"%s\\\", %r%s)" % (f, name, float(x), tail), float(method(x)))
    for p in (1e-9, 0.013, 0.3, 0.77, 0.999) if not discrete else (0.013, 0.31, 0.77, 0.999):
        below, above = float(d.ppf(p)), float(d.isf(p))
        for _ in range(0 if discrete else 2):  # SciPy's inverses are less exact than its integrals
            below -= (d.cdf(below) - p) / d.pdf(below)
            above += (d.sf(above) - p) / d.pdf(above)
        row("ppf(\\\"%s\\\", %r%s)" % (name, p, tail), float(below))
        row("isf(\\\"%s\\\", %r%s)" % (name, p, tail), float(above))
    known = entropy(name, parameters)
    row("distribution_entropy(\\\"%s\\\"%s)" % (name, tail), float(d.entropy() if known is None else known))
    rows.append('MOMENTS("%s", %d, (%s), %s, %s)' % (
        name, len(parameters), ", ".join(map(repr, parameters)) or "0",
        *("%.17g" % m if np.isfinite(m) else "(double)INFINITY" if np.isinf(m) else "(double)NAN" for m in d.stats("mv"))))
for name, parameters in far:
    tail = "".join(", %r" % p for p in parameters)
    row("distribution_entropy(\\\"%s\\\"%s)" % (name, tail), float(entropy(name, parameters)))
weights = np.array([0.5, 2, 0, 1.5, 1])
shares = weights / weights.sum()
values = np.arange(5)
for x in (-1, 0, 1, 2, 3.5, 4, 6):
    cdf, whole_one = shares[values <= x].sum(), x == int(x) and 0 <= x < 5
    for f, value in (("pdf", shares[int(x)] if whole_one else 0), ("cdf", cdf), ("sf", shares[values > x].sum())):
        row("%s(\\\"categorical\\\", %r, [0.5, 2, 0, 1.5, 1])" % (f, x), value)
        row("log%s(\\\"categorical\\\", %r, [0.5, 2, 0, 1.5, 1])" % (f, x), np.log(value))
for p in (0.05, 0.3, 0.5, 0.6, 0.95):
    row("ppf(\\\"categorical\\\", %r, [0.5, 2, 0, 1.5, 1])" % p, float(np.argmax(np.cumsum(shares) >= p)))
    row("isf(\\\"categorical\\\", %r, [0.5, 2, 0, 1.5, 1])" % p, float(np.argmax(1 - np.cumsum(shares) <= p)))
mean = (shares * values).sum()
row("distribution_mean(\\\"categorical\\\", [0.5, 2, 0, 1.5, 1])", mean)
row("distribution_variance(\\\"categorical\\\", [0.5, 2, 0, 1.5, 1])", (shares * (values - mean) ** 2).sum())
row("distribution_entropy(\\\"categorical\\\", [0.5, 2, 0, 1.5, 1])", st.entropy(shares))
print("/* Made by scipy_values.py with SciPy: SCIPY(\"expression\", number), MOMENTS(\"name\", n, (parameters), mean, variance). */")
print("\n".join(rows))
print("#undef SCIPY\n#undef MOMENTS")
