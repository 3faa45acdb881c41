"""Distributions far into both tails, by mpmath: sweep_values.py > sweep_values.def.

Every distribution with parameters from small to large, at the quantiles from 1e-300 to 1 - 1e-300, rounded to doubles.
SWEEP("name", n, (parameters), x, logpdf, cdf, sf, logcdf, logsf), and QUANTILE("name", n, (parameters), p, ppf, isf)."""
import math

import mpmath as m

m.mp.dps = 40
half = m.mpf(1) / 2


def gammas(a, x):
    """P(a, x), Q(a, x): each from the side where nothing cancels, by series and fraction."""
    a, x = m.mpf(a), m.mpf(x)
    if x == 0:
        return m.mpf(0), m.mpf(1)
    front = m.exp(a * m.log(x) - x - m.loggamma(a + 1))
    if x < a + 5:
        term = total = m.mpf(1)
        n = 1
        while term > total * m.eps:
            term *= x / (a + n)
            total += term
            n += 1
        return front * total, 1 - front * total
    tail = m.mpf(0)  # Q by its fraction from the far end
    for k in range(int(300 + 6000 / (x - a)), 0, -1):
        tail = k * (a - k) / (x + 2 * k + 1 - a + tail)
    q = front * a / (x + 1 - a + tail)
    return 1 - q, q


def betas(a, b, x, y):
    """I_x(a, b) and its rest, y = 1 - x, by the function whose series is positive (DLMF 8.17.8), below the mean."""
    a, b, x, y = m.mpf(a), m.mpf(b), m.mpf(x), m.mpf(y)
    if x <= 0 or y <= 0:
        return (m.mpf(0), m.mpf(1)) if x <= 0 else (m.mpf(1), m.mpf(0))

    def low(a, b, x, y):
        front = a * m.log(x) + b * m.log(y) + m.loggamma(a + b) - m.loggamma(a + 1) - m.loggamma(b)
        return m.exp(front) * m.hyp2f1(a + b, 1, a + 1, x)

    if x * (a + b) <= a:
        with m.extradps(int(max(0, -m.log10(min(a, b)))) + 10):
            p = low(a, b, x, y)
            return p, 1 - p
    p, q = betas(b, a, y, x)
    return q, p


class Continuous:
    def logs(self, x):
        p, q = self.both(x)
        return [m.log(t) if t < half else m.log1p(-other) for t, other in ((p, q), (q, p))]


class Formula(Continuous):
    def __init__(self, both, logpdf, lowest=-m.inf, highest=m.inf, logs=None):
        self.both, self.logpdf, self.lowest, self.highest = both, logpdf, lowest, highest
        if logs:
            self.logs = logs


def exps(lp, lq):
    """cdf and sf from logarithms, either of which may be given as None."""
    p = m.exp(lp) if lp is not None else -m.expm1(lq)
    q = m.exp(lq) if lq is not None else -m.expm1(lp)
    return p, q


def normal(z):
    if abs(z) > 1e4:  # the first term alone, which no row below reaches
        tail = m.exp(-z * z / 2) / abs(z) / m.sqrt(2 * m.pi)
        return (1 - tail, tail) if z > 0 else (tail, 1 - tail)
    return m.erfc(-z / m.sqrt(2)) / 2, m.erfc(z / m.sqrt(2)) / 2


def t_both(a, z):
    tail = betas(a / 2, half, a / (a + z * z), z * z / (a + z * z))[0] / 2
    return (1 - tail, tail) if z > 0 else (tail, 1 - tail)


def angle(z):
    return m.atan2(1, -z) / m.pi, m.atan2(1, z) / m.pi


def mises(k):
    norm = 2 * m.pi * m.besseli(0, k)

    def tail(t):
        width = 1 / (k * m.sin(t) + m.sqrt(k + 1))
        ends = [t] + [t + s * width for s in (1, 3, 6, 12, 25, 50, 100, 200) if t + s * width < m.pi] + [m.pi]
        with m.workdps(30):
            return m.quad(lambda u: m.exp(k * m.cos(u)), ends) / norm

    def both(t):
        p = tail(abs(t))
        return (1 - p, p) if t > 0 else (p, 1 - p)

    return both, lambda t: k * m.cos(t) - m.log(norm)


def triangular(low, mode, high, x):
    w = high - low
    with m.workdps(600):  # what 1 less a share of nearly 1 leaves
        if x < mode:
            p = (x - low) ** 2 / (w * (mode - low))
            both = p, 1 - p
        else:
            q = (high - x) ** 2 / (w * (high - mode))
            both = 1 - q, q
    density = 2 / w if x == mode else 2 * (x - low) / (w * (mode - low)) if x < mode else 2 * (high - x) / (w * (high - mode))
    return both, density


def choose(n, k):
    return m.loggamma(n + 1) - m.loggamma(k + 1) - m.loggamma(n - k + 1)


def urn(good, bad, drawn):
    low, high = max(0, drawn - bad), min(good, drawn)
    weight = {k: m.binomial(good, k) * m.binomial(bad, drawn - k) for k in range(int(low), int(high) + 1)}
    total = m.binomial(good + bad, drawn)

    def both(k):
        return sum(w for i, w in weight.items() if i <= k) / total, sum(w for i, w in weight.items() if i > k) / total

    return Formula(both, lambda k: m.log(weight[int(k)] / total), low, high)


def make(name, p):
    """Functions of x for exact parameters."""
    p = [m.mpf(v) for v in p]
    a, b, c = (p + [m.mpf(0)] * 3)[:3]
    if name == "uniform":
        return Formula(lambda x: ((x - a) / (b - a), (b - x) / (b - a)), lambda x: -m.log(b - a), a, b)
    if name == "normal":
        return Formula(lambda x: normal((x - a) / b), lambda x: -((x - a) / b) ** 2 / 2 - m.log(b * m.sqrt(2 * m.pi)))
    if name == "lognormal":
        return Formula(lambda x: normal((m.log(x) - a) / b), lambda x: -((m.log(x) - a) / b) ** 2 / 2 - m.log(x * b * m.sqrt(2 * m.pi)), m.mpf(0))
    if name == "exponential":
        return Formula(lambda x: exps(None, -x / a), lambda x: -x / a - m.log(a), m.mpf(0))
    if name == "gamma":
        return Formula(lambda x: gammas(a, x / b), lambda x: (a - 1) * m.log(x / b) - x / b - m.loggamma(a) - m.log(b), m.mpf(0))
    if name == "chi2":
        return make("gamma", (a / 2, 2))
    if name == "beta":
        return Formula(lambda x: betas(a, b, x, 1 - x),
                       lambda x: (a - 1) * m.log(x) + (b - 1) * m.log1p(-x) - m.loggamma(a) - m.loggamma(b) + m.loggamma(a + b), m.mpf(0), m.mpf(1))
    if name == "f":
        return Formula(lambda x: betas(a / 2, b / 2, a * x / (a * x + b), b / (a * x + b)),
                       lambda x: a / 2 * m.log(a / b) + (a / 2 - 1) * m.log(x) - (a + b) / 2 * m.log1p(a * x / b)
                       - m.loggamma(a / 2) - m.loggamma(b / 2) + m.loggamma((a + b) / 2), m.mpf(0))
    if name == "t":
        return Formula(lambda x: t_both(a, (x - b) / c),
                       lambda x: -(a + 1) / 2 * m.log1p(((x - b) / c) ** 2 / a) - m.log(c) - m.log(a) / 2
                       - m.loggamma(a / 2) - m.loggamma(half) + m.loggamma((a + 1) / 2))
    if name == "cauchy":
        return Formula(lambda x: angle((x - a) / b), lambda x: -m.log1p(((x - a) / b) ** 2) - m.log(m.pi * b))
    if name in ("lomax", "pareto"):
        ratio = (lambda x: m.log1p(x / b)) if name == "lomax" else (lambda x: m.log(x / b))
        return Formula(lambda x: exps(None, -a * ratio(x)), lambda x: m.log(a / b) - (a + 1) * ratio(x), b if name == "pareto" else m.mpf(0))
    if name == "weibull":
        return Formula(lambda x: exps(None, -(x / b) ** a), lambda x: m.log(a / b) + (a - 1) * m.log(x / b) - (x / b) ** a, m.mpf(0))
    if name == "gumbel2":
        return Formula(lambda x: exps(-(x / b) ** -a, None), lambda x: m.log(a / b) - (a + 1) * m.log(x / b) - (x / b) ** -a, m.mpf(0))
    if name == "gumbel1":
        rise = lambda x: m.exp(min((a - x) / b, 1e5))  # beyond it only solve() looks
        return Formula(lambda x: exps(-rise(x), None), lambda x: -(x - a) / b - rise(x) - m.log(b))
    if name == "laplace":
        tail = lambda z: m.exp(-z) / 2 if z > 0 else 1 - m.exp(z) / 2
        return Formula(lambda x: (tail((a - x) / b), tail((x - a) / b)), lambda x: -abs(x - a) / b - m.log(2 * b))
    if name == "logistic":
        share = lambda z: 1 / (1 + m.exp(min(z, 1e5)))
        return Formula(lambda x: (share((a - x) / b), share((x - a) / b)),
                       lambda x: (a - x) / b - 2 * m.log1p(m.exp((a - x) / b)) - m.log(b))
    if name == "rayleigh":
        return Formula(lambda x: exps(None, -(x / a) ** 2 / 2), lambda x: m.log(x) - (x / a) ** 2 / 2 - 2 * m.log(a), m.mpf(0))
    if name == "triangular":
        return Formula(lambda x: triangular(a, b, c, x)[0], lambda x: m.log(triangular(a, b, c, x)[1]), a, c)
    if name == "von_mises":
        both, logpdf = mises(a)
        return Formula(lambda x: both(x - b), lambda x: logpdf(x - b), b - m.pi, b + m.pi)
    if name == "bernoulli":
        return Formula(lambda x: (1 - a, a) if x < 1 else (m.mpf(1), m.mpf(0)), lambda x: m.log(a) if x == 1 else m.log1p(-a), 0, 1)
    if name == "binomial":
        return Formula(lambda k: betas(a - k, k + 1, 1 - b, b), lambda k: choose(a, k) + k * m.log(b) + (a - k) * m.log1p(-b), 0, a)
    if name == "negative_binomial":
        return Formula(lambda k: betas(a, k + 1, b, 1 - b),
                       lambda k: m.loggamma(a + k) - m.loggamma(a) - m.loggamma(k + 1) + a * m.log(b) + k * m.log1p(-b), 0)
    if name == "geometric":
        return Formula(lambda k: exps(None, k * m.log1p(-a)), lambda k: m.log(a) + (k - 1) * m.log1p(-a), 1)
    if name == "poisson":
        return Formula(lambda k: gammas(k + 1, a)[::-1], lambda k: k * m.log(a) - a - m.loggamma(k + 1), 0)
    return urn(*(int(v) for v in p))


ROWS = {
    "uniform": [(-1.0, 3.0)],
    "normal": [(0.0, 1.0), (2.5, 0.001)],
    "exponential": [(1.0,), (1e-5,)],
    "gamma": [(0.001, 1.0), (0.3, 1.0), (1.0, 2.0), (7.5, 2.0), (400.0, 0.5), (3000.0, 1.0)],
    "beta": [(0.01, 0.02), (0.0418, 12.1), (0.5, 0.5), (2.0, 3.5), (12.0, 0.3), (300.0, 40.0), (1.5, 1000.0)],
    "chi2": [(0.1,), (1.0,), (3.0,), (500.0,)],
    "f": [(0.1, 0.3), (1.0, 1.0), (3.0, 7.0), (2.0, 300.0), (250.0, 4.0)],
    "t": [(0.2, 0.0, 1.0), (1.0, 0.0, 1.0), (2.5, 1.0, 3.0), (30.0, 0.0, 1.0), (413.0, 0.0, 1.0), (5000.0, 0.0, 1.0)],
    "cauchy": [(0.0, 1.0), (1.0, 3.0)],
    "lomax": [(0.05, 1.0), (2.5, 2.0), (200.0, 1.0)],
    "pareto": [(0.05, 1.0), (3.5, 2.0), (200.0, 1.0)],
    "weibull": [(0.05, 1.0), (1.7, 3.0), (60.0, 1.0)],
    "laplace": [(0.0, 1.0), (0.5, 2.0)],
    "gumbel1": [(0.0, 1.0), (0.5, 2.0)],
    "gumbel2": [(0.1, 1.0), (2.3, 1.5), (40.0, 1.0)],
    "logistic": [(0.0, 1.0), (0.5, 2.0)],
    "lognormal": [(0.0, 1.0), (0.5, 0.01), (0.0, 30.0)],
    "rayleigh": [(1.0,), (1.5,)],
    "triangular": [(-1.0, 0.5, 3.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)],
    "von_mises": [(0.1, 0.0), (2.0, 0.5), (400.0, 0.0)],
    "bernoulli": [(1e-20,), (0.3,), (0.9999999,)],
    "binomial": [(20.0, 0.3), (410.0, 0.8215), (1000.0, 1e-6)],
    "negative_binomial": [(0.2, 0.01), (3.5, 0.4), (200.0, 0.9)],
    "geometric": [(0.2,), (1e-7,), (0.999,)],
    "poisson": [(1e-5,), (4.2,), (900.0,)],
    "hypergeometric": [(7.0, 13.0, 9.0), (100.0, 150.0, 60.0)],
}
WHOLE = ("bernoulli", "binomial", "negative_binomial", "geometric", "poisson", "hypergeometric")
LOGS = [-1.0, -30.0, -650.0, -1500.0]  # logarithms of the smaller tail


def solve(d, target, upper):
    with m.workdps(20):
        return solve_roughly(d, target, upper)


def solve_roughly(d, target, upper):
    """x whose tail has the logarithm `target`, to a few digits, by halving doubles."""
    log = lambda x: d.logs(m.mpf(x))[upper]
    low = float(d.lowest) if m.isfinite(d.lowest) else -1e300
    high = float(d.highest) if m.isfinite(d.highest) else 1e300
    least = 300 * math.log(10)
    order = lambda x: math.copysign(max(math.log(abs(x) or 1e-300) + least, 0), x)
    back = lambda t: math.copysign(math.exp(abs(t) - least), t)
    if m.isfinite(d.lowest) and low != 0:
        shift = low
    elif m.isfinite(d.highest) and high != 0 and not m.isfinite(d.lowest):
        shift = high
    else:
        shift = 0.0
    s, e = order(low - shift), order(high - shift)
    for _ in range(32):
        middle = (s + e) / 2
        x = back(middle) + shift
        if not (d.lowest < x < d.highest):
            above = x >= d.highest
        else:
            above = (log(x) > target) if not upper else (log(x) < target)
        s, e = (s, middle) if above else (middle, e)
    x = back((s + e) / 2) + shift
    return x if d.lowest < x < d.highest else None


def number(v):
    v = float(v)
    return "(double)NAN" if math.isnan(v) else ("-" if v < 0 else "") + "(double)INFINITY" if math.isinf(v) else "%.17g" % v


def places(name, p, d):
    if name not in WHOLE:
        found = [solve(d, t, upper) for t in LOGS for upper in (0, 1)]
        # the ends of von Mises' circle are doubles here, which pi is not
        near_end = lambda x: name == "von_mises" and m.pi - abs(x - p[1]) < 1e-3
        return sorted({x for x in found if x is not None and 1e-300 < abs(x) < 1e300 and not near_end(x)})
    mean = {"bernoulli": lambda: 0, "binomial": lambda: p[0] * p[1], "negative_binomial": lambda: p[0] * (1 - p[1]) / p[1],
            "geometric": lambda: 1 / p[0], "poisson": lambda: p[0], "hypergeometric": lambda: p[2] * p[0] / (p[0] + p[1])}[name]()
    tries = {0, 1, 2, int(mean), int(mean * 0.5), int(mean * 0.8), int(mean * 1.3) + 1, int(mean * 2) + 3, int(mean * 6) + 20}
    return sorted(float(k) for k in tries if d.lowest <= k < d.highest)


def invert(d, p, upper):
    """The quantile to 40 digits, of continuous ones: Newton's method on the logarithm of the smaller tail."""
    p = m.mpf(p)
    side = upper if p <= half else 1 - upper
    want = m.log(p if p <= half else 1 - p)
    x = solve(d, float(want), side)
    if x is None:
        return None
    x = m.mpf(x)
    for _ in range(40):
        l = d.logs(x)[side]
        step = (l - want) * m.exp(l - d.logpdf(x)) * (1 if side else -1)
        while not d.lowest < x + step < d.highest:
            step /= 2
            if abs(step) < abs(x) * m.eps:
                return None
        x += step
        if abs(step) < abs(x) * m.mpf(10) ** -30:
            return x
    return None


if __name__ == "__main__":
    print("/* Made by sweep_values.py with mpmath: SWEEP(name, n, (parameters), x, logpdf, cdf, sf, logcdf, logsf), */")
    print("/* QUANTILE(name, n, (parameters), p, ppf, isf). */")
    for name, rows in ROWS.items():
        for p in rows:
            d = make(name, p)
            head = '"%s", %d, (%s)' % (name, len(p), ", ".join(map(repr, p)))
            for x in places(name, p, d):
                at = m.mpf(x)
                print("SWEEP(%s, %r, %s)" % (head, x, ", ".join(number(v) for v in [d.logpdf(at), *d.both(at), *d.logs(at)])))
            if name in WHOLE or name == "von_mises":
                continue
            for q in (1e-250, 1e-30, 0.3, 0.9999, 1 - 2.0**-52):
                y = [invert(d, q, upper) for upper in (0, 1)]
                if None not in y and all(1e-300 < abs(v) < 1e300 for v in y):
                    print("QUANTILE(%s, %r, %s)" % (head, q, ", ".join(number(v) for v in y)))
    print("#undef SWEEP\n#undef QUANTILE")
