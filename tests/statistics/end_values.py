"""First derivatives at ends of the support, at p = 0 and 1, and at parameters on the border of their domain: limits from
inside, by mpmath.  end_values.py > end_values.def

END("function", "name", n, fixed, (x, parameters), (first by x and each parameter)): `fixed` of these are not compared."""
import sys

import mpmath as m

import sweep_values as sweep

m.mp.dps = 400
INF = float("inf")
STEPS = [m.mpf(10) ** -k for k in (30, 60, 120)]
PLACES = [
    ("uniform", (-1.0, 3.0)), ("exponential", (2.5,)), ("gamma", (2.5, 2.0)), ("gamma", (2.0, 2.0)), ("gamma", (1.0, 2.0)), ("gamma", (0.5, 2.0)),
    ("beta", (2.5, 3.5)), ("beta", (2.0, 1.0)), ("beta", (1.0, 1.5)), ("beta", (0.5, 0.75)), ("chi2", (3.0,)), ("chi2", (2.0,)), ("chi2", (1.0,)),
    ("f", (3.0, 7.0)), ("f", (2.0, 7.0)), ("f", (1.0, 3.0)), ("lomax", (2.5, 2.0)), ("pareto", (2.5, 2.0)), ("weibull", (1.75, 3.0)), ("weibull", (1.0, 3.0)),
    ("weibull", (0.5, 3.0)), ("gumbel2", (2.25, 1.5)), ("lognormal", (0.5, 0.75)), ("rayleigh", (1.5,)), ("triangular", (-1.0, 0.5, 3.0)),
    ("normal", (0.5, 2.0)), ("cauchy", (0.5, 2.0)), ("laplace", (0.5, 2.0)), ("gumbel1", (0.5, 2.0)), ("logistic", (0.5, 2.0)),
]
BORDERS = [  # name, parameters, which of them is on its border
    ("bernoulli", (0.0,), 0), ("bernoulli", (1.0,), 0), ("binomial", (20.0, 0.0), 1), ("binomial", (20.0, 1.0), 1), ("negative_binomial", (3.5, 1.0), 1),
    ("geometric", (1.0,), 0), ("poisson", (0.0,), 0)]
FLAT = ("gumbel2", "lognormal")  # no density at their lower end
SHAPES = {"gamma": 1, "chi2": 1, "f": 2}  # NaN where the quantile is infinite


def limit(values, what):
    a, b, c = values
    if abs(c) < 1e-15:
        return 0.0
    if abs(c) > 20 and abs(c) > 1.3 * abs(b):
        return INF if c > 0 else -INF
    if abs(c - b) < 1e-12 * abs(c):
        return float(c)
    sys.exit("no limit: %s: %s" % (what, [float(v) for v in values]))


def value(name, which, x, p):
    d = sweep.make(name, p)
    if which in ("pdf", "logpdf"):
        return d.logpdf(x) if which == "logpdf" else m.exp(d.logpdf(x))
    y = d.both(x)[int(which[-2:] == "sf")]
    return m.log(y) if which[:3] == "log" else y


def slopes(name, which, x, p):
    at = (x,) + tuple(m.mpf(v) for v in p)
    f = lambda *t: value(name, which, t[0], t[1:])
    return [m.diff(f, at, tuple(int(i == j) for j in range(len(at))), h=m.mpf(10) ** -200 * max(1, abs(at[i]))) for i in range(len(at))]


def quantile_slopes(name, which, x, p, high):
    """By the rule of implicit functions, from the tail that vanishes."""
    g = slopes(name, "sf" if high else "cdf", x, p)
    sign = 1 if (which == "isf") == bool(high) else -1
    return [sign / g[0]] + [-v / g[0] for v in g[1:]]


def text(values):
    return "(%s)" % ", ".join(sweep.number(v) if m.isinf(v) or m.isnan(v) else "%.17g" % v for v in values)


def show(which, name, p, fixed, x, first):
    print('END("%s", "%s", %d, %d, %s, %s)' % (which, name, len(p), fixed, text((x,) + p), text(first)), flush=True)


def ends():
    for name, p in PLACES:
        d = sweep.make(name, p)
        for high in (0, 1):
            end = d.highest if high else d.lowest
            finite = m.isfinite(end)
            xs = [end + (-t if high else t) for t in STEPS] if finite else [(1 if high else -1) / t for t in STEPS]
            if name in FLAT and not high:
                xs = [m.mpf(10) ** -k for k in (20, 25, 30)]
            if name in ("normal", "laplace", "gumbel1", "logistic"):
                xs = [(1 if high else -1) * m.mpf(k) for k in (40, 100, 200)]
            if name == "lognormal":
                xs = [m.exp(x) for x in (60, 120, 300)] if high else [m.exp(-x) for x in (60, 120, 300)]
            for which in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
                if finite and not (name in FLAT):
                    all = [slopes(name, which, x, p) for x in xs]
                    show(which, name, p, 0, float(end), [limit(v, (name, p, which, high)) for v in zip(*all)])
            for which in ("ppf", "isf"):
                all = [quantile_slopes(name, which, x, p, high) for x in xs]
                first = [limit(v, (name, p, which, high)) for v in zip(*all)] if name not in SHAPES or finite else None
                if first is None:  # the scale is the last parameter, where there is one
                    first = [INF if which == "ppf" else -INF] + [m.nan] * SHAPES[name] + [INF] * (len(p) - SHAPES[name])
                show(which, name, p, 0, float((which == "ppf") == bool(high)), first)


def borders():
    for name, p, which_p in BORDERS:
        inside = -1 if p[which_p] else 1
        ps = [p[:which_p] + (m.mpf(p[which_p]) + inside * t,) + p[which_p + 1:] for t in STEPS]
        for x in {"bernoulli": (0, 1), "binomial": (0, 1, 2, 19, 20), "geometric": (1, 2, 5)}.get(name, (0, 1, 2, 5)):
            for which in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
                if (which in ("cdf", "sf", "logcdf", "logsf") and x >= sweep.make(name, ps[0]).highest):
                    first = 0.0
                else:
                    first = limit([slopes(name, which, m.mpf(x), q)[1 + which_p] for q in ps], (name, p, which, x))
                show(which, name, p, 1 + which_p, float(x), [0.0] * (1 + which_p) + [first])
        for x in (-1.0, 1e9 if name != "bernoulli" else 2.0, -INF, INF):
            for which in ("pdf", "cdf", "sf", "logcdf", "logsf"):
                if x != 1e9 or name in ("binomial",):
                    show(which, name, p, 1 + which_p, x, [0.0] * (2 + which_p))


if __name__ == "__main__":
    print("/* Made by end_values.py with mpmath: END(function, name, n, fixed, (x, parameters), (first)). */")
    ends()
    borders()
    print("#undef END")
