"""SciPy's values of distributions: scipy_values.py > scipy_values.def."""
import warnings

import numpy as np
import scipy.stats as st

warnings.simplefilter("ignore")
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
]
whole = [
    ("bernoulli", (0.3,), st.bernoulli(0.3), [-1, 0, 0.5, 1, 2]),
    ("binomial", (20.0, 0.3), st.binom(20, 0.3), [-1, 0, 4, 6.5, 15, 20, 21]),
    ("negative_binomial", (3.5, 0.4), st.nbinom(3.5, 0.4), [-1, 0, 3, 40]),
    ("geometric", (0.2,), st.geom(0.2), [0, 1, 3, 60]),
    ("poisson", (4.2,), st.poisson(4.2), [-1, 0, 3, 4.5, 30]),
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
    rows.append('MOMENTS("%s", %d, (%s), %s, %s)' % (
        name, len(parameters), ", ".join(map(repr, parameters)) or "0",
        *("%.17g" % m if np.isfinite(m) else "(double)INFINITY" if np.isinf(m) else "(double)NAN" for m in d.stats("mv"))))
print("/* Made by scipy_values.py with SciPy: SCIPY(\"expression\", number), MOMENTS(\"name\", n, (parameters), mean, variance). */")
print("\n".join(rows))
print("#undef SCIPY\n#undef MOMENTS")
