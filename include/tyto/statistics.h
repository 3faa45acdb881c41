/*
 * Statistics of samples: moments, ranks, correlations, densities, tests with p-values.  Part of <tyto/tyto.h>, which
 * states the rules that hold for all functions.  docs/statistics.md has examples.
 *
 * Names and definitions are SciPy's (scipy.stats) unless stated otherwise.  A sample lies along an axis (negative:
 * from the end) or a set of axes of a real tensor; the other axes hold more samples.  Everything is computed in f64
 * and rounded once to the floating dtype of the samples, for integers and bool f64.  Promises stay promises.
 * Gradients flow where there is a derivative; ranks, counts and exact distributions have gradient 0.
 *
 * Errors of shape give poison: too few elements, sizes that do not fit.  Errors in elements give NaN in that sample
 * alone: NaN among them, a deviation of 0 as a divisor.
 */
#ifndef TYTO_STATISTICS_H
#define TYTO_STATISTICS_H
#include <tyto/distributions.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- summaries over a set of axes; NaN for no elements (mad, zscore: poison) ---- */

/* Central moment over axes (removed, or kept with size 1): the mean of (x - mean)^order, order >= 0.  NaN for no
   elements; poison if order is negative.  Floating, f64 for integers; poison for complex numbers. */
TY_API ty_tensor *ty_central_moment(ty_tensor *x, int order, ty_axes axes);
/* Skewness over axes (removed, or kept with size 1): third central moment / deviation^3.  unbiased: times sqrt(n
   (n-1)) / (n-2), for more than 2 elements (fewer: not corrected).  NaN for equal elements.  Poison if an axis is
   outside.  Floating, f64 for integers; poison for complex numbers. */
TY_API ty_tensor *ty_skew(ty_tensor *x, ty_axes axes, bool unbiased);
/* Excess kurtosis over axes (removed, or kept with size 1): fourth central moment / variance^2 - 3, with `pearson`
   without subtraction.  unbiased: from k-statistics, for more than 3 elements (fewer: not corrected).  NaN for
   equal elements.  Poison if an axis is outside.  Floating, f64 for integers; poison for complex numbers. */
TY_API ty_tensor *ty_kurtosis(ty_tensor *x, ty_axes axes, bool pearson, bool unbiased);
/* Standard error of the mean over axes (removed, or kept with size 1): deviation (divisor n - ddof) / sqrt(n).  NaN
   or infinity if n - ddof is not positive; poison if an axis is outside.  Floating, f64 for integers; poison for
   complex numbers. */
TY_API ty_tensor *ty_sem(ty_tensor *x, ty_axes axes, double ddof);
/* Median absolute deviation from the median over axes (removed, or kept with size 1), divided by `scale`: 1, or
   0.6744897501960817 to estimate a normal deviation.  Poison for no elements or an axis outside.  Floating, f64 for
   integers; poison for complex numbers. */
TY_API ty_tensor *ty_mad(ty_tensor *x, ty_axes axes, double scale);
/* Geometric mean over axes (removed, or kept with size 1): exp of the mean of logarithms; NaN if an element is
   negative or there are none.  Poison if an axis is outside.  Floating, f64 for integers; poison for complex
   numbers. */
TY_API ty_tensor *ty_gmean(ty_tensor *x, ty_axes axes);
/* Harmonic mean over axes (removed, or kept with size 1): 1 / mean(1 / x); NaN if an element is negative or there
   are none.  Poison if an axis is outside.  Floating, f64 for integers; poison for complex numbers. */
TY_API ty_tensor *ty_hmean(ty_tensor *x, ty_axes axes);
/* Coefficient of variation over axes (removed, or kept with size 1): deviation (divisor n - ddof) / mean.  NaN for
   no elements or a mean and deviation of 0; poison if an axis is outside.  Floating, f64 for integers; poison for
   complex numbers. */
TY_API ty_tensor *ty_variation(ty_tensor *x, ty_axes axes, double ddof);
/* Standard scores over axes: (x - mean) / deviation (divisor n - ddof), of x's shape; floating, f64 for integers.
   NaN for equal elements.  Poison for complex numbers, no elements or an axis outside. */
TY_API ty_tensor *ty_zscore(ty_tensor *x, ty_axes axes, double ddof);
/* Mean of x along an axis, which is removed, without the given share of the least and of the greatest elements,
   rounded down.  Floating, f64 for integers; NaN if there is one.  Poison unless 0 <= share < 0.5, for no elements,
   or an axis outside (negative: from the end). */
TY_API ty_tensor *ty_trim_mean(ty_tensor *x, double share, int axis);
/* Entropy of x along an axis in nats, -sum p log p, for p = x scaled to sum 1; -infinity for a negative element.
   With `other` (NULL: none), scaled alike to q, the relative entropy, sum p log (p / q).  The axis is removed;
   floating, f64 for integers.  Poison if their sizes along it differ.  A negative axis counts from the end. */
TY_API ty_tensor *ty_entropy(ty_tensor *x, ty_tensor *other, int axis);

/* ---- ranks and functions of a sample ---- */

/* Ranks of equal elements: the mean of their ranks, the least, the greatest, consecutive ranks of distinct values,
   their order. */
typedef enum ty_ties {
    TY_TIES_AVERAGE,
    TY_TIES_MIN,
    TY_TIES_MAX,
    TY_TIES_DENSE,
    TY_TIES_ORDINAL,
    TY_TIES_RULES
} ty_ties;
/* Return the rule for ties by its name: "average", "min", "max", "dense" or "ordinal".  TY_TIES_RULES, which
   the functions refuse, if there is none. */
TY_API ty_ties ty_ties_named(const char *name);
/* Ranks of the elements of x along an axis, counted from 1: f64 of x's shape.  `ties` gives the ranks of equal
   elements.  A sample with a NaN has only NaN.  Poison for complex x or if the axis is outside.  A negative axis
   counts from the end. */
TY_API ty_tensor *ty_rankdata(ty_tensor *x, int axis, ty_ties ties);
/* Empirical distribution function: the share of the sample that is <= x, of x's shape.  sample is [n] or [..,
   n]; x has any shape, or the same leading axes.  Floating, f64 for integers.  Poison for an empty sample or
   shapes that do not fit. */
TY_API ty_tensor *ty_ecdf(ty_tensor *sample, ty_tensor *x);

/* Kernel density estimate at x [m] or [d, m], by normal kernels around the sample [n] or [d, n]; the result is [m],
   floating.  Their covariance is the sample's times bandwidth^2; 0 means Scott's n^(-1/(d+4)), -1: Silverman's (n
   (d+2) / 4)^(-1/(d+4)).  `weights` w is [n], NULL: equal; with them the covariance is weighted, and n in these rules
   is (sum w)^2 / sum w^2.  Poison for another bandwidth below 0, or fewer than two elements.  Gradients flow to all.
   (D. Scott, "Multivariate Density Estimation", 1992.) */
TY_API ty_tensor *ty_kde(ty_tensor *sample, ty_tensor *x, double bandwidth, ty_tensor *weights);
/* Autocorrelation of x along an axis at the lags 0 to `lags`, which replace the axis: autocovariance / variance.
   Floating, f64 for integers; by Fourier transforms.  NaN for equal elements; poison unless `lags` is 0 to n - 1.
   A negative axis counts from the end. */
TY_API ty_tensor *ty_autocorrelation(ty_tensor *x, int64_t lags, int axis);
/* Autocovariance of x along an axis at the lags 0 to `lags`, which replace the axis: at lag k the sum of (x[t] -
   mean) (x[t+k] - mean), divided by n.  Floating, f64 for integers; by Fourier transforms.  Poison unless `lags` is
   0 to n - 1.  A negative axis counts from the end. */
TY_API ty_tensor *ty_autocovariance(ty_tensor *x, int64_t lags, int axis);

/* ---- tests ---- */

/* Alternative hypothesis of a test. */
typedef enum ty_alternative { TY_TWO_SIDED, TY_LESS, TY_GREATER, TY_ALTERNATIVES } ty_alternative;
/* Return the alternative of a test by its name: "two-sided", "less" or "greater".  TY_ALTERNATIVES, which
   tests refuse, if there is none. */
TY_API ty_alternative ty_alternative_named(const char *name);
/* Computation of p.  TY_METHOD_AUTO is SciPy's choice, stated at each test. */
typedef enum ty_test_method {
    TY_METHOD_AUTO,
    TY_METHOD_EXACT,
    TY_METHOD_ASYMPTOTIC,
    TY_METHODS
} ty_test_method;
/* Return the method for p-values by its name: "auto", "exact" or "asymptotic".  TY_METHODS, which tests
   refuse, if there is none. */
TY_API ty_test_method ty_test_method_named(const char *name);
/* Treatment of differences of 0 in Wilcoxon's test. */
typedef enum ty_zero_method {
    TY_ZEROS_DROPPED,
    TY_ZEROS_PRATT,
    TY_ZEROS_SPLIT,
    TY_ZERO_METHODS
} ty_zero_method;
/* Return the treatment of zeros by its name: "wilcox", "pratt" or "zsplit".  TY_ZERO_METHODS, which tests
   refuse, if there is none. */
TY_API ty_zero_method ty_zero_method_named(const char *name);

/* Options of tests; zeros are SciPy's defaults. */
typedef struct ty_test_options {
    ty_alternative
        alternative;       /* about the quantity tested: the mean, the first sample's, the correlation, ... */
    ty_test_method method; /* kolmogorov, ks_2samp, mannwhitneyu, wilcoxon, kendalltau */
    bool welch;            /* ttest_ind: variances may differ */
    int continuity;        /* 1: correct for continuity, -1: do not, 0: as the test says */
    ty_zero_method zeros;  /* wilcoxon */
    double ddof;           /* chisquare: number of parameters that were estimated */
} ty_test_options;

/* Result of a test: the shape of x without the axis, broadcast with other operands.  NaN stands for a field that
   the test lacks.  On failure all fields are poisoned. */
typedef struct ty_test {
    ty_tensor *statistic, *p;
    ty_tensor *freedom, *freedom2; /* degrees of freedom; for F: of numerator and denominator */
} ty_test;

TY_API ty_test ty_ztest_sized(ty_tensor *x, ty_tensor *mean, ty_tensor *deviation, int axis,
                              const ty_test_options *o, size_t size);
/* z-test that the mean of x along an axis is `mean`, for a known deviation; both broadcast to the result.  The
   statistic is z; freedom is NaN.  All fields are poisoned if there is no element.  Fields have x's shape without
   the axis (negative: from the end). */
TY_INLINE ty_test ty_ztest(ty_tensor *x, ty_tensor *mean, ty_tensor *deviation, int axis, ty_test_options o) {
    return ty_ztest_sized(x, mean, deviation, axis, &o, sizeof o);
}
TY_API ty_test ty_ztest_ind_sized(ty_tensor *x, ty_tensor *y, ty_tensor *difference, ty_tensor *deviation_x,
                                  ty_tensor *deviation_y, int axis, const ty_test_options *o, size_t size);
/* z-test that the means of x and y along an axis differ by `difference`, for known deviations; all three broadcast
   to the result.  The statistic is z; freedom is NaN.  All fields are poisoned if a sample is empty.  Fields have
   x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_ztest_ind(ty_tensor *x, ty_tensor *y, ty_tensor *difference, ty_tensor *deviation_x,
                               ty_tensor *deviation_y, int axis, ty_test_options o) {
    return ty_ztest_ind_sized(x, y, difference, deviation_x, deviation_y, axis, &o, sizeof o);
}
TY_API ty_test ty_ttest_1samp_sized(ty_tensor *x, ty_tensor *mean, int axis, const ty_test_options *o,
                                    size_t size);
/* Student's t-test that the mean of x along an axis, 2 elements or more, is `mean`, which broadcasts to the result.
   The statistic is t, freedom n - 1.  All fields are poisoned for fewer elements.  Equal ones give an infinite t,
   or NaN if they are `mean`.  Fields have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_ttest_1samp(ty_tensor *x, ty_tensor *mean, int axis, ty_test_options o) {
    return ty_ttest_1samp_sized(x, mean, axis, &o, sizeof o);
}
TY_API ty_test ty_ttest_ind_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o,
                                  size_t size);
/* Student's t-test that two independent samples x and y along an axis have equal means, with a common variance or
   (o.welch) two.  The statistic is t, freedom n + m - 2 or Welch's.  All fields are poisoned for an empty sample
   (o.welch: one below 2 elements), fewer than 3 elements together, or shapes that do not fit.  Without spread t is
   infinite, or NaN if the means are equal.  Fields have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_ttest_ind(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_ttest_ind_sized(x, y, axis, &o, sizeof o);
}
TY_API ty_test ty_ttest_rel_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o,
                                  size_t size);
/* Student's t-test that the mean difference of the pairs (x, y) along an axis is 0; 2 pairs or more.  The statistic
   is t, freedom n - 1.  All fields are poisoned for fewer, or if numbers of elements differ.  Equal
   differences give an infinite t, or NaN if they are 0.  Fields have x's shape without the axis (negative: from the
   end). */
TY_INLINE ty_test ty_ttest_rel(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_ttest_rel_sized(x, y, axis, &o, sizeof o);
}
/* F-test that n samples x[i] along an axis have equal means: one-way analysis of variance.  The statistic is F,
   with both degrees of freedom.  All fields are poisoned for fewer than 2 samples, an empty one, or shapes that do
   not fit.  Fields have the samples' shape without the axis (negative: from the end). */
TY_API ty_test ty_f_oneway(int n, ty_tensor *const *x, int axis);
TY_API ty_test ty_variance_test_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o,
                                      size_t size);
/* F-test that two samples x and y along an axis have equal variances, as R's var.test.  The statistic is the ratio
   F of x's variance to y's, with both degrees of freedom.  All fields are poisoned if a sample has fewer than 2
   elements.  Fields have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_variance_test(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_variance_test_sized(x, y, axis, &o, sizeof o);
}
/* Bartlett's test that n normal samples x[i] along an axis have equal variances.  p is that of chi-squared with n -
   1 degrees of freedom.  All fields are poisoned if n or a sample's size is below 2.  Fields have the samples'
   shape without the axis (negative: from the end). */
TY_API ty_test ty_bartlett_test(int n, ty_tensor *const *x, int axis);
/* Levene's test that n samples x[i] along an axis have equal variances: the F-test of distances from each median.
   All fields are poisoned if n is below 2 or a sample is empty.  Fields have the samples' shape without the axis
   (negative: from the end). */
TY_API ty_test ty_levene(int n, ty_tensor *const *x, int axis);

TY_API ty_test ty_kstest_sized(ty_tensor *x, ty_distribution d, int n, ty_tensor *const *parameters, int axis,
                               const ty_test_options *o, size_t size);
/*
 * Kolmogorov-Smirnov test that x along an axis is distributed as d, whose n parameters broadcast to the result.  The
 * statistic is the greatest distance of the cdfs; o.alternative `greater`: the sample's cdf lies above d's.  All
 * fields are poisoned if x is empty or a parameter is outside its domain.
 *
 * Exact, also by AUTO.  One-sided by Smirnov's sum.  Two-sided by counting paths up to n = 1000 (J. Pomeranz,
 * "Algorithm 487", 1974, as a Poisson process), by twice Smirnov's sum in the tail.  Larger samples use Pelz and
 * Good's expansion (R. Simard and P. L'Ecuyer, "Computing the two-sided Kolmogorov-Smirnov distribution", 2011).
 * Fields have x's shape without the axis (negative: from the end).
 */
TY_INLINE ty_test ty_kstest(ty_tensor *x, ty_distribution d, int n, ty_tensor *const *parameters, int axis,
                            ty_test_options o) {
    return ty_kstest_sized(x, d, n, parameters, axis, &o, sizeof o);
}
TY_API ty_test ty_ks_2samp_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o, size_t size);
/*
 * Kolmogorov-Smirnov test that two samples x and y along an axis have one distribution.  The statistic is the
 * greatest distance of their cdfs; o.alternative `greater`: x's cdf lies above y's.  All fields are poisoned if a
 * sample is empty or shapes do not fit.
 *
 * Exact, by AUTO up to 10,000 elements of each sample: counting paths (J. Hodges, "The significance probability of the
 * Smirnov two-sample test", 1957; for equal sizes from 500 on by reflection).  Ties are ignored.  Asymptotic: two-sided
 * as one sample of n m / (n + m) elements, one-sided by Hodges' 5.3.  Fields have x's shape without the axis
 * (negative: from the end).
 */
TY_INLINE ty_test ty_ks_2samp(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_ks_2samp_sized(x, y, axis, &o, sizeof o);
}
/* Anderson-Darling test that x along an axis is normal, with mean and deviation estimated.  p is good to some
   percent (M. Stephens in R. D'Agostino, "Goodness-of-fit techniques", 1986, table 4.9).  All fields are poisoned
   for fewer than 2 elements.  Fields have x's shape without the axis (negative: from the end). */
TY_API ty_test ty_anderson(ty_tensor *x, int axis);
/* Anderson-Darling test that x along an axis is distributed as d, whose n known parameters broadcast to the result.
   p is good to 1e-5 (G. and J. Marsaglia, "Evaluating the Anderson-Darling distribution", 2004).  All fields are
   poisoned if x is empty or a parameter outside its domain.  Fields have x's shape without the axis (negative: from
   the end). */
TY_API ty_test ty_anderson_of(ty_tensor *x, ty_distribution d, int n, ty_tensor *const *parameters, int axis);
/* Jarque-Bera test that skew and kurtosis of x along an axis are those of a normal distribution.  p is that of
   chi-squared with 2 degrees of freedom, for many elements.  NaN for equal elements; all fields are poisoned if
   there are none.  Fields have x's shape without the axis (negative: from the end). */
TY_API ty_test ty_jarque_bera(ty_tensor *x, int axis);
/* Shapiro-Wilk test that x along an axis, 3 to 5000 elements, is normal.  The statistic is W.  (J. Royston, "Remark
   AS R94", 1995.)  All fields are poisoned for another number of elements.  Fields have x's shape without the axis
   (negative: from the end). */
TY_API ty_test ty_shapiro(ty_tensor *x, int axis);
TY_API ty_test ty_runs_test_sized(ty_tensor *x, ty_tensor *cutoff, int axis, const ty_test_options *o,
                                  size_t size);
/* Wald-Wolfowitz test that elements of x along an axis that are >= cutoff (NULL: the median) and others come in
   random order.  The statistic is the z of the number of runs; without correction, o.continuity 1 corrects by 1/2.
   NaN if all elements are on one side.  Fields have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_runs_test(ty_tensor *x, ty_tensor *cutoff, int axis, ty_test_options o) {
    return ty_runs_test_sized(x, cutoff, axis, &o, sizeof o);
}

TY_API ty_test ty_chisquare_sized(ty_tensor *observed, ty_tensor *expected, int axis,
                                  const ty_test_options *o, size_t size);
/* Pearson's chi-squared test of observed counts along an axis against expected ones (NULL: equal).  Freedom is n -
   1 - o.ddof, which must be above 0; else all fields are poisoned.  Fields have the counts' shape without the axis
   (negative: from the end). */
TY_INLINE ty_test ty_chisquare(ty_tensor *observed, ty_tensor *expected, int axis, ty_test_options o) {
    return ty_chisquare_sized(observed, expected, axis, &o, sizeof o);
}
TY_API ty_test ty_chi2_contingency_sized(ty_tensor *table, const ty_test_options *o, size_t size);
/* Chi-squared test that rows and columns of counts [.., r, c] are independent, with Yates' correction for one
   degree of freedom.  The statistic is chi-squared, freedom (r - 1) (c - 1).  NaN if a row or column sums to 0; all
   fields are poisoned for fewer than two axes.  Fields are [..]. */
TY_INLINE ty_test ty_chi2_contingency(ty_tensor *table, ty_test_options o) {
    return ty_chi2_contingency_sized(table, &o, sizeof o);
}
TY_API ty_test ty_fisher_exact_sized(ty_tensor *table, const ty_test_options *o, size_t size);
/* Fisher's exact test of counts [.., 2, 2]; the statistic is the odds ratio a d / (b c).  Sums hypergeometric
   probabilities; two-sided: those at most the observed one (within 1e-7 of it, as R).  p has 10 digits up to 1e5
   counts.  NaN for counts that are negative or not whole; all fields are poisoned for another shape.  Fields are
   [..]. */
TY_INLINE ty_test ty_fisher_exact(ty_tensor *table, ty_test_options o) {
    return ty_fisher_exact_sized(table, &o, sizeof o);
}

TY_API ty_test ty_mannwhitneyu_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o,
                                     size_t size);
/* Mann-Whitney test that two samples x and y along an axis have one distribution; the statistic is U of x.  AUTO:
   exact if a sample has at most 8 elements and none are equal, else normal, corrected for continuity and ties.  (H.
   Mann and D. Whitney, 1947.)  All fields are poisoned if a sample is empty, or for EXACT above 1e7 pairs.  Fields
   have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_mannwhitneyu(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_mannwhitneyu_sized(x, y, axis, &o, sizeof o);
}
TY_API ty_test ty_wilcoxon_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o, size_t size);
/* Wilcoxon signed-rank test that x along an axis, or with y (NULL: none) x - y, is symmetric about 0.  The
   statistic is the lesser sum of ranks if two-sided, else that of positive ones.  AUTO: exact up to 13 elements,
   and up to 50 without ties and zeros; else normal, not corrected.  EXACT gives NaN above 200 elements with ties or
   zeros, poison above 2000.  All fields are poisoned if there is no element or shapes differ.  Fields have x's
   shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_wilcoxon(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_wilcoxon_sized(x, y, axis, &o, sizeof o);
}
/* Kruskal-Wallis test that n samples x[i] along an axis, of one element or more, have one distribution, by ranks.
   The statistic is H, p that of chi-squared with n - 1 degrees of freedom.  All fields are poisoned if n is below 2
   or a sample is empty.  Fields have the samples' shape without the axis (negative: from the end). */
TY_API ty_test ty_kruskal(int n, ty_tensor *const *x, int axis);
/* Friedman's test that n samples x[i] (3 or more) along an axis, whose elements are matched, have one distribution,
   by ranks.  p is that of chi-squared with n - 1 degrees of freedom.  All fields are poisoned for fewer samples or
   different shapes.  Fields have the samples' shape without the axis (negative: from the end). */
TY_API ty_test ty_friedman(int n, ty_tensor *const *x, int axis);

/* ---- correlations, and tests that they are 0 ---- */

TY_API ty_test ty_pearsonr_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o, size_t size);
/* Pearson's correlation of 2 pairs (x, y) or more along an axis; p as for normal samples.  The statistic is the
   correlation, freedom n - 2.  The gradient flows through statistic and p.  NaN for equal elements; all fields are
   poisoned for fewer pairs or sizes that differ.  Fields have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_pearsonr(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_pearsonr_sized(x, y, axis, &o, sizeof o);
}
TY_API ty_test ty_spearmanr_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o,
                                  size_t size);
/* Spearman's rank correlation of 3 pairs (x, y) or more along an axis; p by Student's t with n - 2 degrees of
   freedom.  The statistic is the correlation.  NaN for equal elements; all fields are poisoned for fewer pairs or
   sizes that differ.  Fields have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_spearmanr(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_spearmanr_sized(x, y, axis, &o, sizeof o);
}
TY_API ty_test ty_kendalltau_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *o,
                                   size_t size);
/* Kendall's rank correlation tau-b of pairs (x, y) along an axis, which is the statistic.  AUTO: p is exact without
   ties for up to 33 pairs, or at most one pair in (or out of) order, else normal. EXACT: NaN with ties, poison
   above 170 pairs.  (M. Kendall, "Rank correlation methods", 1970.)  All fields are poisoned for fewer than 2
   pairs.  Fields have x's shape without the axis (negative: from the end). */
TY_INLINE ty_test ty_kendalltau(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    return ty_kendalltau_sized(x, y, axis, &o, sizeof o);
}

/* ---- adjustment of p-values for multiple tests along an axis ---- */

/* Meaning of an adjusted p. */
typedef enum ty_adjustment {
    TY_ADJUST_HOLM,       /* probability of one false rejection, for any tests */
    TY_ADJUST_BONFERRONI, /* as HOLM, simpler and weaker */
    /* false discovery rate: the share of false rejections (Y. Benjamini and Y. Hochberg, 1995) */
    TY_ADJUST_BH,
    /* as BH, also for dependent tests (Y. Benjamini and D. Yekutieli, 2001) */
    TY_ADJUST_BY,
    TY_ADJUSTMENTS
} ty_adjustment;
/* Return the adjustment of p-values by its name: "holm", "bonferroni", "bh" or "by".  TY_ADJUSTMENTS, which
   ty_adjust_p refuses, if there is none. */
TY_API ty_adjustment ty_adjustment_named(const char *name);
/* Adjust the p-values p along an axis for multiple tests by the given method, as R's p.adjust; of p's shape,
   floating.  A NaN makes its whole line NaN; poison if the axis is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_adjust_p(ty_tensor *p, int axis, ty_adjustment adjustment);

#ifdef __cplusplus
}
#endif
#endif
