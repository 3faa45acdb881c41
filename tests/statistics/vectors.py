"""SciPy's values of distributions of vectors: vectors.py > vectors.def."""
import mpmath as mp
import numpy as np
import scipy.stats as st

mp.mp.dps = 40
rows = []


def text(x):
    if np.ndim(x):
        return "[%s]" % ", ".join(text(y) for y in x)
    return repr(float(x))


def row(f, name, value, *parts):
    """A number, or each of many."""
    call = "%s(\\\"%s\\\"%s)" % (f, name, "".join(", " + text(p) for p in parts))
    for i, v in np.ndenumerate(np.asarray(value, dtype=float)):
        at = "[%s]" % ", ".join(map(str, i)) if i else ""
        number = "%.17g" % v if np.isfinite(v) else "-(double)INFINITY"
        rows.append('SCIPY("%s%s", %s)' % (call, at, number))


def all_of(name, d, points, *parameters):
    whole = name == "multinomial"
    for x in points:
        row("pdf", name, (d.pmf if whole else d.pdf)(x), x, *parameters)
        row("logpdf", name, (d.logpmf if whole else d.logpdf)(x), x, *parameters)


def dirichlet_entropy(a):
    a = [mp.mpf(float(x)) for x in a]
    s = sum(a)
    return sum(mp.loggamma(x) for x in a) - mp.loggamma(s) + (s - len(a)) * mp.digamma(s) - sum((x - 1) * mp.digamma(x) for x in a)


def multinomial_entropy(n, p):
    """By the binomial distribution of each category."""
    p = [mp.mpf(float(x)) for x in p]
    p = [x / sum(p) for x in p]
    total = -mp.loggamma(n + 1) - n * sum(x * mp.log(x) for x in p if x)
    for x in p:
        if x in (0, 1):
            total += mp.loggamma(n + 1) if x else 0
            continue
        mean, far = n * x, 14 * mp.sqrt(n * x * (1 - x)) + 30
        for k in range(max(0, int(mean - far)), min(n, int(mean + far)) + 1):
            mass = mp.exp(mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1) + k * mp.log(x) + (n - k) * mp.log(1 - x))
            total += mass * mp.loggamma(k + 1)
    return total


for a, points in (([0.5, 2, 3.5], [[0.2, 0.3, 0.5], [1e-8, 0.5 - 1e-8, 0.5]]), ([1, 1], [[0.25, 0.75]]), ([40, 3, 900, 7], [[0.04, 0.003, 0.95, 0.007]])):
    d = st.dirichlet(a)
    for x in points:
        row("logpdf", "dirichlet", d.logpdf(np.array(x)), x, a)
        row("pdf", "dirichlet", d.pdf(np.array(x)), x, a)
    row("distribution_mean", "dirichlet", d.mean(), a)
    row("distribution_variance", "dirichlet", d.var(), a)
    row("distribution_covariance", "dirichlet", d.cov(), a)
    row("distribution_entropy", "dirichlet", float(dirichlet_entropy(a)), a)
for a in ([1e-3, 0.5], [1e5, 2e5, 3e5]):
    row("distribution_entropy", "dirichlet", float(dirichlet_entropy(a)), a)
for n, p, points in ((7, [0.2, 0.3, 0.5], [[1, 2, 4], [0, 0, 7], [1, 1, 1], [1.5, 1.5, 4]]), (40, [0.5, 0.125, 0.375], [[40, 0, 0], [20, 5, 15]])):
    d = st.multinomial(n, p)
    for x in points:
        whole = np.array(x) == np.floor(x)
        row("pdf", "multinomial", d.pmf(np.array(x)) if whole.all() else 0, x, n, p)
        row("logpdf", "multinomial", d.logpmf(np.array(x)) if whole.all() else -np.inf, x, n, p)
    row("distribution_mean", "multinomial", n * np.array(p), n, p)
    row("distribution_covariance", "multinomial", d.cov(), n, p)
    row("distribution_variance", "multinomial", np.diag(d.cov()), n, p)
    row("distribution_entropy", "multinomial", d.entropy(), n, p)
for n, p in ((0, [0.5, 0.5]), (1, [0.25, 0.75]), (300, [0.2, 0.05, 0.75]), (20000, [0.3, 0.7]), (5, [1.0, 0.0]), (9, [1.0, 2.0, 5.0])):
    row("distribution_entropy", "multinomial", float(multinomial_entropy(n, p)), n, p)
mean, cov = [1.0, -2.0, 0.5], np.array([[4.0, 1.0, 0.5], [1.0, 2.0, -0.25], [0.5, -0.25, 1.0]])
factor = np.linalg.cholesky(cov)
d = st.multivariate_normal(mean, cov)
for name, matrix in (("multivariate_normal", cov), ("multivariate_normal_factor", factor)):
    for x in ([1, -2, 0.5], [0, 0, 0], [20, -30, 25]):
        row("pdf", name, d.pdf(x), x, mean, matrix)
        row("logpdf", name, d.logpdf(x), x, mean, matrix)
    row("distribution_mean", name, mean, mean, matrix)
    row("distribution_variance", name, np.diag(cov), mean, matrix)
    row("distribution_covariance", name, cov, mean, matrix)
    row("distribution_entropy", name, d.entropy(), mean, matrix)
print("/* Made by vectors.py with SciPy: SCIPY(\"expression\", number). */")
print("\n".join(rows))
print("#undef SCIPY")
