"""Statistics: moments, distributions and tests, under SciPy's names where it has them."""

from . import _families, _inference
from ._base import as_array, attributes_of, ints
from ._core import c
from ._dtypes import dtype_of, float64
from ._inference import binomtest, bootstrap, describe, linregress


# ---- moments and summaries ----

def moment(x, order=2, axis=0, keepdims=False):
    """Return central moments: means of (x - mean)^order."""
    return c.central_moment(x, order, axis, keepdims)


def skew(x, axis=0, bias=True, keepdims=False):
    """Return skewness: the third central moment relative to the deviation."""
    return c.skew(x, axis, not bias, keepdims)


def kurtosis(x, axis=0, fisher=True, bias=True, keepdims=False):
    """Return kurtosis, in Fisher's definition 0 for normal numbers."""
    return c.kurtosis(x, axis, not fisher, not bias, keepdims)


def sem(x, axis=0, ddof=1, keepdims=False):
    """Return standard errors of means."""
    return c.sem(x, axis, ddof, keepdims)


def median_abs_deviation(x, axis=0, scale=1.0, keepdims=False):
    """Return medians of the distances from the median, divided by scale."""
    scale = 0.6744897501960817 if scale == "normal" else scale  # upper quartile of normal numbers
    return c.mad(x, axis, scale, keepdims)


def iqr(x, axis=None, keepdims=False):
    """Return the distances of the quartiles."""
    return c.iqr(x, axis, keepdims)


def gmean(x, axis=0, keepdims=False):
    """Return geometric means."""
    return c.gmean(x, axis, keepdims)


def hmean(x, axis=0, keepdims=False):
    """Return harmonic means."""
    return c.hmean(x, axis, keepdims)


def variation(x, axis=0, ddof=0, keepdims=False):
    """Return standard deviations relative to means."""
    return c.variation(x, axis, ddof, keepdims)


def zscore(x, axis=0, ddof=0):
    """Return distances from the mean in standard deviations."""
    return c.zscore(x, axis, ddof)


def trim_mean(x, proportiontocut, axis=0):
    """Return means without a share of the least and the greatest elements."""
    return c.trim_mean(x, proportiontocut, axis)


def entropy(pk, qk=None, axis=0):
    """Return the entropy of probabilities, or relative to others."""
    return c.entropy(pk, qk, axis)


def mode(x, axis=0):
    """Return the most frequent elements."""
    return c.mode(x, axis)


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
    differences = c.sub(x, y)
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
def kstest(x, distribution, args=(), axis=0, alternative="two-sided", method="auto"):
    """Test if a sample is from a distribution, by the greatest distance of their cdf."""
    x, kind, parameters = _families.standard(x, distribution, args)
    return c.kstest(x, kind, parameters, axis, alternative=alternative, method=method)


@_inference.testing
def ks_2samp(x, y, axis=0, alternative="two-sided", method="auto"):
    """Test if two samples are from one distribution."""
    return c.ks_2samp(x, y, axis, alternative=alternative, method=method)


@_inference.testing
def shapiro(x, axis=0):
    """Test if a sample is normal, by Shapiro and Wilk."""
    return c.shapiro(x, axis)


@_inference.testing
def jarque_bera(x, axis=0):
    """Test if a sample has the skewness and kurtosis of normal numbers."""
    return c.jarque_bera(x, axis)


@_inference.testing
def anderson(x, axis=0):
    """Test if a sample is normal, by Anderson and Darling."""
    return c.anderson(x, axis)


@_inference.testing
def chisquare(f_obs, f_exp=None, ddof=0, axis=0):
    """Test if counts are those expected, by default equal."""
    return c.chisquare(f_obs, f_exp, axis, ddof=ddof)


@_inference.testing
def chi2_contingency(table, correction=True):
    """Test if rows and columns of a table of counts are independent."""
    return c.chi2_contingency(table, continuity=1 if correction else -1)


@_inference.testing
def fisher_exact(table, alternative="two-sided"):
    """Test if rows and columns of a table of 2 by 2 counts are independent, exactly."""
    return c.fisher_exact(table, alternative=alternative)


@_inference.testing
def mannwhitneyu(x, y, alternative="two-sided", axis=0, method="auto", use_continuity=True):
    """Test if one sample tends to be greater than another, by ranks."""
    return c.mannwhitneyu(x, y, axis, alternative=alternative, method=method,
                          continuity=1 if use_continuity else -1)


@_inference.testing
def wilcoxon(x, y=None, zero_method="wilcox", correction=False, alternative="two-sided",
             method="auto", axis=0):
    """Test if differences are symmetric about 0, by signed ranks."""
    return c.wilcoxon(x, y, axis, alternative=alternative, method=method, zeros=zero_method,
                      continuity=1 if correction else -1)


@_inference.testing
def pearsonr(x, y, axis=0, alternative="two-sided"):
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
