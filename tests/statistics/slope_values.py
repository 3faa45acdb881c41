"""Derivatives of distributions to second order, by mpmath: slope_values.py > slope_values.def.

SLOPE("function", "name", n, (x, parameters), value, (first by x and each parameter), (second, row by row of the triangle))."""
import mpmath as m

import sweep_values as sweep

m.mp.dps = 50
PLACES = [  # name, parameters, x, p of quantiles
    ("uniform", (-1.0, 3.0), 0.5, 0.3), ("normal", (0.5, 2.0), -1.25, 0.3), ("exponential", (2.5,), 0.75, 0.3),
    ("gamma", (2.5, 2.0), 3.0, 0.3), ("gamma", (0.75, 1.0), 0.125, 0.875), ("gamma", (12.0, 1.0), 40.0, 1e-12),
    ("beta", (2.0, 3.5), 0.25, 0.3), ("beta", (0.75, 1.5), 0.875, 0.75), ("chi2", (3.0,), 2.0, 0.3), ("chi2", (9.0,), 40.0, 1e-9),
    ("f", (3.0, 7.0), 1.5, 0.3), ("f", (4.0, 5.0), 0.25, 0.9375), ("t", (4.0, 0.5, 2.0), 3.0, 0.3), ("t", (2.5, 0.0, 1.0), 0.0, 0.5),
    ("t", (30.0, 0.0, 1.0), -9.0, 1e-12), ("cauchy", (0.5, 2.0), 3.0, 0.75), ("lomax", (2.5, 2.0), 1.5, 0.3), ("pareto", (2.5, 2.0), 3.0, 0.3),
    ("weibull", (1.75, 3.0), 2.0, 0.3), ("laplace", (0.5, 2.0), 3.0, 0.3), ("laplace", (0.5, 2.0), -3.0, 0.75), ("gumbel1", (0.5, 2.0), 3.0, 0.3),
    ("gumbel2", (2.25, 1.5), 2.0, 0.3), ("logistic", (0.5, 2.0), 3.0, 0.3), ("logistic", (0.0, 1.0), 0.0, 0.5), ("lognormal", (0.5, 0.75), 2.0, 0.3),
    ("rayleigh", (1.5,), 2.0, 0.3), ("triangular", (-1.0, 0.5, 3.0), 0.0, 0.75), ("von_mises", (2.0, 0.5), 1.0, 0.3), ("von_mises", (0.75, 0.0), 0.0, 0.5),
    ("bernoulli", (0.25,), 0.0, None), ("negative_binomial", (3.5, 0.375), 4.0, None), ("geometric", (0.25,), 3.0, None), ("poisson", (4.25,), 3.0, None),
    ("binomial", (20.0, 0.25), 4.0, None),
    # the other sides of what is made of pieces
    ("logistic", (0.5, 2.0), -6.0, 0.0625), ("logistic", (0.5, 2.0), 9.0, 0.9375), ("triangular", (-1.0, 0.5, 3.0), 2.0, 0.25),
    ("cauchy", (0.5, 2.0), -9.0, 0.0625), ("uniform", (-1.0, 3.0), 2.75, 0.9375), ("normal", (0.5, 2.0), 6.0, 0.9375),
]


def invert(name, p, q, upper, start):
    """Newton's method on the tail itself."""
    d, x = sweep.make(name, p), m.mpf(start)
    for _ in range(12):
        step = (d.both(x)[upper] - q) / m.exp(d.logpdf(x)) * (1 if upper else -1)
        x += step
        if abs(step) < m.mpf(10) ** -45 * (1 + abs(x)):
            break
    return x


def function(name, which, start):
    def f(x, *p):
        if which in ("ppf", "isf"):
            return invert(name, p, x, int(which == "isf"), start)
        d = sweep.make(name, p)
        if which == "logpdf":
            return d.logpdf(x)
        value = d.both(x)[int(which[-2:] == "sf")]
        return m.log(value) if which[:3] == "log" else value

    return f


def start_of(name, p, q, upper):
    d = sweep.make(name, p)
    with m.workdps(20):
        if name == "von_mises":
            low, high = d.lowest, d.highest
            for _ in range(30):
                middle = (low + high) / 2
                low, high = (middle, high) if (d.both(middle)[0] < (1 - q if upper else q)) else (low, middle)
            return low
        small = q <= 0.5
        return sweep.solve(d, float(m.log(q if small else 1 - q)), upper if small else 1 - upper)


def mises(k):
    """With more nodes than values take."""
    norm = 2 * m.pi * m.besseli(0, k)

    def both(t):
        p = half - m.quad(lambda u: m.exp(k * m.cos(u)), [0, abs(t) / 2, abs(t)]) / norm
        return (1 - p, p) if t > 0 else (p, 1 - p)

    return both, lambda t: k * m.cos(t) - m.log(norm)


half = m.mpf(1) / 2
sweep.mises = mises


def main():
    print("/* Made by slope_values.py with mpmath: SLOPE(function, name, n, (x, parameters), value, (first), (second)). */")
    for name, p, x, q in PLACES:
        for which in ("logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"):
            inverse = which in ("ppf", "isf")
            if inverse and (q is None or (name == "von_mises" and q == 0.5)):  # the latter is 0: no measure of errors
                continue
            at = (q if inverse else x,) + p
            start = start_of(name, p, q, int(which == "isf")) if inverse else None
            f = function(name, which, start)
            fixed = 1 if q is None else 0  # whole numbers: no derivative by x
            fixed += name == "binomial"
            n = len(at)
            exact = [m.mpf(v) for v in at]
            one = lambda *k: [sum(i == j for j in k) for i in range(n)]
            first = [m.diff(f, tuple(exact), tuple(one(i))) for i in range(fixed, n)]
            second = [m.diff(f, tuple(exact), tuple(one(i, j))) for i in range(fixed, n) for j in range(fixed, i + 1)]
            number = lambda v: "%.17g" % (float(v) if abs(v) > 1e-40 else 0)  # zeros of differences
            text = lambda values: "(%s)" % ", ".join(map(number, values))
            print('SLOPE("%s", "%s", %d, %d, %s, %s, %s, %s)' % (which, name, n - 1, fixed, text(at), number(f(*exact)), text(first), text(second)), flush=True)
    print("#undef SLOPE")


if __name__ == "__main__":
    main()
