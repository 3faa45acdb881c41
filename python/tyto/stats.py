"""Statistics: moments, distributions and tests, under SciPy's names where it has them."""

import math

from . import _families, _inference, _reduce
from ._base import as_array, attributes_of, ints
from ._core import c
from ._dtypes import dtype_of, float64
from ._inference import binomtest, bootstrap, describe, linregress


def _flat(x, axis):
    """Return x and an axis, or the vector of all elements and 0 for None."""
    x = as_array(x)
    return (c.ravel(x), 0) if axis is None else (x, axis)


# ---- moments and summaries ----

def moment(x, order=1, axis=0, *, keepdims=False):
    """Return central moments: means of (x - mean)^order."""
    return c.central_moment(x, order, axis, keepdims)


def skew(x, axis=0, bias=True, *, keepdims=False):
    """Return skewness: the third central moment relative to the deviation."""
    return c.skew(x, axis, not bias, keepdims)


def kurtosis(x, axis=0, fisher=True, bias=True, *, keepdims=False):
    """Return kurtosis, in Fisher's definition 0 for normal numbers."""
    return c.kurtosis(x, axis, not fisher, not bias, keepdims)


def sem(x, axis=0, ddof=1, *, keepdims=False):
    """Return standard errors of means."""
    return c.sem(x, axis, ddof, keepdims)


def median_abs_deviation(x, axis=0, *, scale=1.0, keepdims=False):
    """Return medians of the distances from the median, divided by scale."""
    scale = 0.6744897501960817 if scale == "normal" else scale  # upper quartile of normal numbers
    return c.mad(x, axis, scale, keepdims)


def iqr(x, axis=None, rng=(25, 75), scale=1.0, *, keepdims=False):
    """Return the distances of the quartiles, or of the percentiles rng, divided by scale.

    scale="normal" gives the deviation of normal numbers.
    """
    low, high = rng
    if not 0 <= low <= high <= 100:
        raise ValueError(f"iqr: rng is {rng}; expected two percentiles in ascending order")
    if scale == "normal":
        normal = c.ppf("normal", as_array([low / 100, high / 100]), [])
        scale = float(normal[1]) - float(normal[0])
    width = c.iqr(x, axis, keepdims) if (low, high) == (25, 75) else c.sub(
        _reduce.percentile(x, high, axis, keepdims=keepdims),
        _reduce.percentile(x, low, axis, keepdims=keepdims))
    return width if scale == 1.0 else c.div(width, scale)


def gmean(x, axis=0, *, keepdims=False):
    """Return geometric means."""
    return c.gmean(x, axis, keepdims)


def hmean(x, axis=0, *, keepdims=False):
    """Return harmonic means."""
    return c.hmean(x, axis, keepdims)


def variation(x, axis=0, ddof=0, *, keepdims=False):
    """Return standard deviations relative to means."""
    return c.variation(x, axis, ddof, keepdims)


def zscore(x, axis=0, ddof=0):
    """Return distances from the mean in standard deviations."""
    return c.zscore(x, axis, ddof)


def trim_mean(x, proportiontocut, axis=0):
    """Return means without a share of the least and the greatest elements."""
    x, axis = _flat(x, axis)
    return c.trim_mean(x, proportiontocut, axis)


def entropy(pk, qk=None, base=None, axis=0):
    """Return the entropy of probabilities, or relative to others; base None: in nats."""
    if axis is None and qk is not None:
        qk = c.ravel(as_array(qk))
    pk, axis = _flat(pk, axis)
    found = c.entropy(pk, qk, axis)
    if base is None:
        return found
    if not base > 0 or base == 1:
        raise ValueError(f"entropy: the base is {base}; expected above 0, and not 1")
    return c.div(found, math.log(base))


def mode(x, axis=0):
    """Return the most frequent elements, of equal ones the least, and how often they occur."""
    x, axis = _flat(x, axis)
    most = c.mode(x, axis)
    one = c.expand_axes(most, (axis,))
    equal = c.logical_or(c.eq(x, one), c.logical_and(c.ne(x, x), c.ne(one, one)))
    return _inference.ModeResult(most, c.sum(c.cast(equal, "int64"), axis, False))


def rankdata(x, method="average", axis=None):
    """Return ranks from 1; method is "average", "min", "max", "dense" or "ordinal"."""
    return c.rankdata(c.ravel(x), 0, method) if axis is None else c.rankdata(x, axis, method)


def ecdf(sample, x):
    """Return the shares of a sample up to x."""
    return c.ecdf(sample, x)


def gaussian_kde(sample, x, bandwidth=0.0, weights=None):
    """Return a density estimated from a sample, at x; bandwidth 0 chooses one."""
    return c.kde(sample, x, bandwidth, weights)


def autocorrelation(x, lags, axis=-1):
    """Return correlations of a series with itself, shifted by 0 to lags."""
    return c.autocorrelation(x, lags, axis)


def autocovariance(x, lags, axis=-1):
    """Return covariances of a series with itself, shifted by 0 to lags."""
    return c.autocovariance(x, lags, axis)


# ---- distributions ----

class Distribution:
    """A distribution by its name in the library, such as "normal", and its parameters.

    stats.norm, stats.t, ... are the same distributions under SciPy's names.
    """

    def __init__(self, name, *parameters):
        self.name, self.parameters = name, [as_array(p) for p in parameters]

    def __repr__(self):
        inner = ", ".join([repr(self.name)] + [str(p) for p in self.parameters])
        return f"Distribution({inner})"

    def pdf(self, x):
        """Return the density, or the probability of whole numbers, at x."""
        return c.pdf(self.name, x, self.parameters)

    pmf = pdf

    def logpdf(self, x):
        """Return the logarithm of the density at x."""
        return c.logpdf(self.name, x, self.parameters)

    logpmf = logpdf

    def cdf(self, x):
        """Return the probability of at most x."""
        return c.cdf(self.name, x, self.parameters)

    def logcdf(self, x):
        """Return the logarithm of the probability of at most x."""
        return c.logcdf(self.name, x, self.parameters)

    def sf(self, x):
        """Return the probability of more than x."""
        return c.sf(self.name, x, self.parameters)

    def logsf(self, x):
        """Return the logarithm of the probability of more than x."""
        return c.logsf(self.name, x, self.parameters)

    def ppf(self, q):
        """Return the quantiles q."""
        return c.ppf(self.name, q, self.parameters)

    def isf(self, q):
        """Return the values that are exceeded with probability q."""
        return c.isf(self.name, q, self.parameters)

    def mean(self):
        """Return the mean."""
        return c.distribution_mean(self.name, self.parameters)

    def var(self):
        """Return the variance."""
        return c.distribution_variance(self.name, self.parameters)

    def std(self):
        """Return the standard deviation."""
        return c.sqrt(self.var())

    def entropy(self):
        """Return the entropy in nats."""
        return c.distribution_entropy(self.name, self.parameters)

    def rvs(self, key, shape=(), dtype=float64):
        """Draw random numbers from a key (tyto.random.key)."""
        return c.draw(self.name, dtype_of(dtype), ints(shape), self.parameters, key)


# ---- tests: results are statistic and p, and have degrees of freedom ----

@_inference.testing
def ttest_1samp(x, popmean, axis=0, alternative="two-sided"):
    """Test if a sample has a mean, by Student's t."""
    x = as_array(x)
    variance, _ = _inference.deviation_of_mean(x, axis)
    return _inference.with_mean(c.ttest_1samp(x, popmean, axis, alternative=alternative),
                                c.mean(x, axis, False), c.sqrt(variance), alternative)


@_inference.testing
def ttest_ind(x, y, axis=0, equal_var=True, alternative="two-sided"):
    """Test if two independent samples have one mean; equal_var=False is Welch's test."""
    x, y = as_array(x), as_array(y)
    found = c.ttest_ind(x, y, axis, alternative=alternative, welch=not equal_var)
    (a, n), (b, m) = _inference.deviation_of_mean(x, axis), _inference.deviation_of_mean(y, axis)
    if equal_var:  # of the pooled variance, weighted by degrees of freedom
        pooled = c.div(c.add(c.mul(a, n * (n - 1)), c.mul(b, m * (m - 1))), n + m - 2)
        a, b = c.div(pooled, n), c.div(pooled, m)
    difference = c.sub(c.mean(x, axis, False), c.mean(y, axis, False))
    return _inference.with_mean(found, difference, c.sqrt(c.add(a, b)), alternative)


@_inference.testing
def ttest_rel(x, y, axis=0, alternative="two-sided"):
    """Test if two paired samples have one mean."""
    x, y = as_array(x), as_array(y)
    found = c.ttest_rel(x, y, axis, alternative=alternative)
    differences = c.sub(_families.floating(x), _families.floating(y))
    variance, _ = _inference.deviation_of_mean(differences, axis)
    return _inference.with_mean(found, c.mean(differences, axis, False), c.sqrt(variance),
                                alternative)


@_inference.testing
def ztest(x, mean, deviation, axis=0, alternative="two-sided"):
    """Test if a sample of known deviation has a mean."""
    return c.ztest(x, mean, deviation, axis, alternative=alternative)


@_inference.testing
def f_oneway(*samples, axis=0):
    """Test if several samples have one mean: analysis of variance."""
    return c.f_oneway(list(samples), axis)


@_inference.testing
def bartlett(*samples, axis=0):
    """Test if several normal samples have one variance, by Bartlett."""
    return c.bartlett_test(list(samples), axis)


@_inference.testing
def levene(*samples, axis=0):
    """Test if several samples have one variance, by Levene."""
    return c.levene(list(samples), axis)


@_inference.testing
def kruskal(*samples, axis=0):
    """Test if several samples have one median, by ranks."""
    return c.kruskal(list(samples), axis)


@_inference.testing
def friedmanchisquare(*samples, axis=0):
    """Test if repeated measures differ, by ranks."""
    return c.friedman(list(samples), axis)


@_inference.testing
def kstest(x, distribution, args=(), *, axis=0, alternative="two-sided", method="auto"):
    """Test if a sample is from a distribution, by the greatest distance of their cdf.

    distribution: a name with its parameters args, such as "norm", (1, 2); a distribution, such as
    stats.norm(1, 2); or another sample, as in ks_2samp.
    """
    if _families.is_sample(distribution):
        return ks_2samp(x, distribution, alternative, method, axis)
    x, kind, parameters = _families.standard(x, distribution, args)
    return c.kstest(x, kind, parameters, axis, alternative=alternative, method=method)


@_inference.testing
def ks_2samp(x, y, alternative="two-sided", method="auto", axis=0):
    """Test if two samples are from one distribution."""
    return c.ks_2samp(x, y, axis, alternative=alternative, method=method)


@_inference.testing
def shapiro(x, *, axis=None):
    """Test if a sample is normal, by Shapiro and Wilk; axis None: all elements."""
    x, axis = _flat(x, axis)
    return c.shapiro(x, axis)


@_inference.testing
def jarque_bera(x, *, axis=None):
    """Test if a sample has the skewness and kurtosis of normal numbers; axis None: all elements."""
    x, axis = _flat(x, axis)
    return c.jarque_bera(x, axis)


@_inference.testing
def anderson(x, dist="norm", *, axis=0):
    """Test if a sample is normal, by Anderson and Darling."""
    if dist != "norm":
        raise ValueError(f"anderson: dist is {dist!r}; expected 'norm'; write anderson_of(x, "
                         "distribution) for one whose parameters are known")
    return c.anderson(x, axis)


@_inference.testing
def chisquare(f_obs, f_exp=None, ddof=0, axis=0):
    """Test if counts are those expected, by default equal; their sums must agree."""
    f_obs, f_exp = as_array(f_obs), None if f_exp is None else as_array(f_exp)
    if f_exp is not None and not f_obs.is_promise and not f_exp.is_promise:
        seen, wanted = c.broadcast_together([c.cast(f_obs, "float64"), c.cast(f_exp, "float64")])
        seen, wanted = c.sum(seen, axis, False), c.sum(wanted, axis, False)
        # 1.5e-8 is the root of the spacing of f64 at 1: half of its digits, as in SciPy
        far = c.gt(c.abs(c.sub(seen, wanted)), c.mul(c.abs(wanted), 1.5e-8))
        if bool(c.any(far, None, False)):
            raise ValueError(f"chisquare: the sums of counts are {seen}, and of those expected "
                             f"{wanted}; expected equal sums, so multiply proportions by the "
                             "number of observations")
    return c.chisquare(f_obs, f_exp, axis, ddof=ddof)


def chi2_contingency(table, correction=True):
    """Test if rows and columns of a table of counts are independent.

    statistic, p, freedom, expected = chi2_contingency(table); the result has these attributes, too:
    statistic, p, freedom and expected_freq.
    """
    table = as_array(table)
    found = c.chi2_contingency(table, continuity=1 if correction else -1)
    counts = c.cast(table, "float64")
    rows, columns = c.sum(counts, 1, True), c.sum(counts, 0, True)
    return _inference.Contingency(*found, (c.div(c.mul(rows, columns), c.sum(rows, None, False)),))


@_inference.testing
def fisher_exact(table, alternative="two-sided"):
    """Test if rows and columns of a table of 2 by 2 counts are independent, exactly."""
    return c.fisher_exact(table, alternative=alternative)


@_inference.testing
def mannwhitneyu(x, y, use_continuity=True, alternative="two-sided", axis=0, method="auto"):
    """Test if one sample tends to be greater than another, by ranks."""
    if not isinstance(use_continuity, (bool, int)):
        raise TypeError(f"mannwhitneyu: use_continuity is {use_continuity!r}; expected a bool, "
                        "behind which are alternative, axis and method, as in SciPy")
    return c.mannwhitneyu(x, y, axis, alternative=alternative, method=method,
                          continuity=1 if use_continuity else -1)


@_inference.testing
def wilcoxon(x, y=None, zero_method="wilcox", correction=False, alternative="two-sided",
             method="auto", axis=0):
    """Test if differences are symmetric about 0, by signed ranks."""
    return c.wilcoxon(x, y, axis, alternative=alternative, method=method, zeros=zero_method,
                      continuity=1 if correction else -1)


@_inference.testing
def pearsonr(x, y, *, alternative="two-sided", axis=0):
    """Return the correlation of two samples, and test if it is 0."""
    x, y = as_array(x), as_array(y)
    found = c.pearsonr(x, y, axis, alternative=alternative)
    return _inference.with_correlation(found, x.shape[axis], alternative)


@_inference.testing
def spearmanr(x, y, axis=0, alternative="two-sided"):
    """Return the correlation of ranks, and test if it is 0."""
    return c.spearmanr(x, y, axis, alternative=alternative)


@_inference.testing
def kendalltau(x, y, axis=0, alternative="two-sided", method="auto"):
    """Return Kendall's correlation of order, and test if it is 0."""
    return c.kendalltau(x, y, axis, alternative=alternative, method=method)


def false_discovery_control(ps, axis=0, method="bh"):
    """Adjust probabilities of several tests: "bh", "by", "holm" or "bonferroni"."""
    return c.adjust_p(ps, axis, method)


@_inference.testing
def ztest_ind(x, y, deviation_x, deviation_y, difference=0.0, axis=0, alternative="two-sided"):
    """Test if the means of two samples of known deviations have a difference."""
    return c.ztest_ind(x, y, difference, deviation_x, deviation_y, axis, alternative=alternative)


@_inference.testing
def variance_test(x, y, axis=0, alternative="two-sided"):
    """Test if two normal samples have one variance, by their quotient."""
    return c.variance_test(x, y, axis, alternative=alternative)


@_inference.testing
def anderson_of(x, distribution, args=(), axis=0):
    """Test if a sample is from a distribution with known parameters, by Anderson and Darling."""
    x, kind, parameters = _families.standard(x, distribution, args)
    return c.anderson_of(x, kind, parameters, axis)


@_inference.testing
def runs_test(x, cutoff=None, axis=0, alternative="two-sided", continuity=0):
    """Test if a series is random, by runs above and below a cutoff."""
    return c.runs_test(x, cutoff, axis, alternative=alternative, continuity=continuity)


def split_rhat(draws):
    """Return how well chains of draws agree; near 1 is good."""
    return c.split_rhat(draws)


def effective_size(draws):
    """Return how many independent draws chains are worth."""
    return c.effective_size(draws)


globals().update(_families.FAMILIES)
__getattr__, __dir__ = attributes_of(__name__)
