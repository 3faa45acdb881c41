"""Results of tests of hypotheses, and estimates with intervals, in SciPy's form."""

import functools
import math
from typing import Any, NamedTuple

from . import tree
from ._base import as_array
from ._core import Array, c
from ._dtypes import isdtype
from ._families import generator_of


class Interval(NamedTuple):
    """A confidence interval."""

    low: Any
    high: Any


class Test:
    """The result of a test: `statistic, p = result`, and degrees of freedom, NaN if it has none."""

    __slots__ = ("statistic", "p", "freedom", "freedom2", "_arrays", "_interval")

    def __init__(self, statistic, p, freedom, freedom2, arrays=(), interval=None):
        """Take the results; interval: a function of the module and further arguments, or None.

        The function gets the test, the level, the arrays, and the arguments.
        """
        self.statistic, self.p, self.freedom, self.freedom2 = statistic, p, freedom, freedom2
        self._arrays, self._interval = tuple(arrays), interval

    @property
    def pvalue(self):
        """The p-value."""
        return self.p

    @property
    def df(self):
        """The degrees of freedom."""
        return self.freedom

    dof = df

    @property
    def correlation(self):
        """The statistic of tests whose statistic is a correlation."""
        return self.statistic

    def _parts(self):
        """Return what the result unpacks to."""
        return self.statistic, self.p

    def __iter__(self):
        return iter(self._parts())

    def __len__(self):
        return len(self._parts())

    def __getitem__(self, index):
        return self._parts()[index]

    def __repr__(self):
        given = [f"statistic={self.statistic}", f"p={self.p}"]
        for name in ("freedom", "freedom2"):
            value = getattr(self, name)
            known = isinstance(value, Array) and not value.is_promise
            if not known or not bool(c.all(c.ne(value, value), None, False)):
                given.append(f"{name}={value}")
        return f"{type(self).__name__}({', '.join(given)})"

    def __reduce__(self):
        return type(self), (self.statistic, self.p, self.freedom, self.freedom2, self._arrays,
                            self._interval)

    def confidence_interval(self, confidence_level=0.95):
        """Return the interval of the mean, of the difference of means, or of the correlation."""
        if self._interval is None:
            raise ValueError("confidence_interval: this test estimates no mean and no correlation; "
                             "stats.bootstrap finds the interval of any statistic")
        _check_level("confidence_interval", confidence_level)
        function, *arguments = self._interval
        return Interval(*function(self, confidence_level, *self._arrays, *arguments))


def _check_level(name, level):
    """Raise a ValueError unless a level of confidence is between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"{name}: the level is {level}; it must be between 0 and 1")


def testing(function):
    """Let a function return a Test of the library's result."""
    @functools.wraps(function)
    def call(*args, **named):
        found = function(*args, **named)
        return found if isinstance(found, Test) else Test(*found)
    return call


def _ends(confidence, alternative, quantile):
    """Return the lower and the upper quantile of an interval; infinite ones are open ends."""
    if alternative == "two-sided":
        return -quantile((1 + confidence) / 2), quantile((1 + confidence) / 2)
    far = quantile(confidence)
    return (-math.inf, far) if alternative == "less" else (-far, math.inf)


def _of_mean(found, confidence, estimate, error, alternative):
    """Return the interval of a mean, that of Student's t."""
    low, high = _ends(confidence, alternative, lambda q: c.ppf("t", q, [as_array(found.freedom)]))
    return c.add(estimate, c.mul(low, error)), c.add(estimate, c.mul(high, error))


def with_mean(found, estimate, error, alternative):
    """Return the Test of a mean with what its interval needs."""
    return Test(*found, (estimate, error), (_of_mean, alternative))


def _of_correlation(found, confidence, n, alternative):
    """Return the interval of a correlation, Fisher's: normal after atanh."""
    low, high = _ends(confidence, alternative, lambda q: c.ppf("normal", q, []))
    error = 1 / math.sqrt(n - 3) if n > 3 else math.inf
    middle = c.atanh(found.statistic)

    def end(quantile):  # an open end is that of all correlations, also beside one of 1
        if isinstance(quantile, float):
            return as_array(math.copysign(1.0, quantile))
        return c.tanh(c.add(middle, c.mul(quantile, error)))
    return end(low), end(high)


def with_correlation(found, n, alternative):
    """Return the Test of a correlation of n pairs with what its interval needs."""
    return Test(*found, (), (_of_correlation, n, alternative))


def deviation_of_mean(x, axis):
    """Return the variance of the mean of a sample, and the number of its elements."""
    n = x.shape[axis]
    return c.div(c.variance_ddof(x, axis, 1, False), n), n


class Contingency(Test):
    """The result of chi2_contingency: `statistic, p, freedom, expected = result`, as in SciPy."""

    __slots__ = ()

    @property
    def expected_freq(self):
        """The counts that are expected if rows and columns are independent."""
        return self._arrays[0]

    def _parts(self):
        return self.statistic, self.p, self.freedom, self.expected_freq


def _registered(kind):
    """Let functions of trees, such as jit and vmap, take results of a kind apart."""
    tree.register_node(
        kind, lambda r: ((r.statistic, r.p, r.freedom, r.freedom2, *r._arrays), r._interval),
        lambda interval, children: kind(*children[:4], children[4:], interval))


_registered(Test)
_registered(Contingency)


class BootstrapResult(NamedTuple):
    """An interval, the deviation of the statistic, and its values for the resamples."""

    confidence_interval: Interval
    standard_error: Any
    bootstrap_distribution: Any


def bootstrap(data, statistic, *, n_resamples=9999, confidence_level=0.95, method="bca",
              alternative="two-sided", paired=False, random_state=None):
    """Estimate the confidence interval of a statistic by resampling along the first axis.

    data: a sample, or a tuple of samples; statistic: a function of as many arrays of tyto, such as
    tyto.median, which is called once, on promises; method: "bca", "basic" or "percentile";
    random_state: a seed, a generator or a key; None: the system's.
    """
    several = isinstance(data, (tuple, list)) and any(hasattr(x, "__iter__") for x in data) \
        and not all(getattr(x, "ndim", 1) == 0 for x in data)
    samples = [as_array(x) for x in data] if several else [as_array(data)]
    if n_resamples < 1:  # 0 is the default in C
        raise ValueError(f"bootstrap: n_resamples is {n_resamples}; expected 1 or more")
    _check_level("bootstrap", confidence_level)
    samples = [x if isdtype(x.dtype, "real floating") else c.cast(x, "float64") for x in samples]
    key = generator_of(random_state).key()
    found = c.bootstrap(statistic, samples, key, resamples=n_resamples, paired=paired,
                        confidence=confidence_level, method=method.lower(),
                        alternative=alternative)
    return BootstrapResult(Interval(found.low, found.high), found.error, found.distribution)


class _Line(NamedTuple):
    """The parts to which a result of linregress unpacks."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


class LinregressResult(_Line):
    """A line through points: slope and intercept, their errors, the correlation and its p-value.

    As in SciPy, slope, intercept, r, p, error = result; intercept_stderr is an attribute alone.
    """

    def __new__(cls, *fields, intercept_stderr):
        made = super().__new__(cls, *fields)
        made.intercept_stderr = intercept_stderr
        return made

    def __getnewargs_ex__(self):
        return tuple(self), {"intercept_stderr": self.intercept_stderr}

    def __repr__(self):
        return f"{super().__repr__()[:-1]}, intercept_stderr={self.intercept_stderr!r})"


def linregress(x, y):
    """Fit the line y = intercept + slope x by least squares.

    tyto.table.Table({"x": x, "y": y}).fit("y ~ x") has all statistics of the model.
    """
    x, y = (c.cast(as_array(v), "float64") for v in (x, y))
    fit = c.regress(c.stack([c.ones_like(x), x], 1), y)
    parts = [fit.part(which) for which in ("coefficients", "errors", "p")]
    r = c.pearsonr(x, y, 0).statistic
    # The regression leaves out rows with NaN, and the correlation does not; the result is NaN.
    gone = c.any(c.logical_or(c.ne(x, x), c.ne(y, y)), None, False)
    b, errors, p = (c.where(gone, math.nan, part) for part in parts)
    return LinregressResult(b[1], b[0], r, p[1], errors[1], intercept_stderr=errors[0])


class BinomTestResult:
    """The result of binomtest."""

    def __init__(self, k, n, alternative, pvalue):
        self.k, self.n, self.alternative = k, n, alternative
        self.p = self.pvalue = pvalue
        self.statistic = self.proportion_estimate = k / n

    def __repr__(self):
        return f"BinomTestResult(k={self.k}, n={self.n}, alternative={self.alternative!r}, " \
               f"statistic={self.statistic}, pvalue={self.pvalue})"

    def proportion_ci(self, confidence_level=0.95):
        """Return the exact interval of the proportion, by Clopper and Pearson."""
        _check_level("proportion_ci", confidence_level)
        k, n = self.k, self.n
        outside = 1 - confidence_level
        outside = outside / 2 if self.alternative == "two-sided" else outside
        low, high = 0.0, 1.0
        if self.alternative != "less" and k > 0:
            low = float(c.ppf("beta", outside, [float(k), float(n - k + 1)]))
        if self.alternative != "greater" and k < n:
            high = float(c.isf("beta", outside, [float(k + 1), float(n - k)]))
        return Interval(low, high)


def binomtest(k, n, p=0.5, alternative="two-sided"):
    """Test if k successes in n trials agree with a probability p, exactly."""
    if int(k) != k or int(n) != n or not 0 <= k <= n or n < 1:
        raise ValueError(f"binomtest: {k} successes in {n} trials; expected whole numbers, "
                         "0 <= k <= n and n > 0")
    if not 0 <= p <= 1:
        raise ValueError(f"binomtest: the probability is {p}; it must be in 0..1")
    k, n, parameters = int(k), int(n), [float(n), float(p)]
    if alternative == "less":
        value = float(c.cdf("binomial", k, parameters))
    elif alternative == "greater":
        value = float(c.sf("binomial", k - 1, parameters))
    elif alternative == "two-sided":
        value = _as_rare(k, n, p, parameters)
    else:
        raise ValueError(f"alternative is {alternative!r}; expected two-sided, less or greater")
    return BinomTestResult(k, n, alternative, min(value, 1.0))


def _as_rare(k, n, p, parameters):
    """Return the probability of all numbers that are at most as probable as k.

    Equal probabilities differ by rounding: those above by a factor of 1 + 1e-7 count, as in R.
    """
    if k == n * p:
        return 1.0
    most = float(c.pdf("binomial", k, parameters)) * (1 + 1e-7)
    low, high = (0, math.floor(n * p)) if k > n * p else (math.ceil(n * p), n)
    while low < high:  # the last one that counts below the mode, or the first above it
        middle = (low + high + 1) // 2 if k > n * p else (low + high) // 2
        counts = float(c.pdf("binomial", middle, parameters)) <= most
        if k > n * p:
            low, high = (middle, high) if counts else (low, middle - 1)
        else:
            low, high = (low, middle) if counts else (middle + 1, high)
    counts = float(c.pdf("binomial", low, parameters)) <= most
    if k > n * p:
        other = float(c.cdf("binomial", low, parameters)) if counts else 0.0
        return float(c.sf("binomial", k - 1, parameters)) + other
    other = float(c.sf("binomial", low - 1, parameters)) if counts else 0.0
    return float(c.cdf("binomial", k, parameters)) + other


class ModeResult(NamedTuple):
    """The most frequent elements, and how often they occur."""

    mode: Any
    count: Any


class DescribeResult(NamedTuple):
    """Moments of a sample."""

    nobs: int
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


def describe(x, axis=0, ddof=1, bias=True):
    """Return the number of elements, the least and the greatest one, and moments."""
    x = as_array(x)
    x, axis = (c.ravel(x), 0) if axis is None else (x, axis)
    ends = c.amin(x, axis, False), c.amax(x, axis, False)
    return DescribeResult(x.shape[axis], ends, c.mean(x, axis, False),
                          c.variance_ddof(x, axis, ddof, False),
                          c.skew(x, axis, not bias, False),
                          c.kurtosis(x, axis, False, not bias, False))
