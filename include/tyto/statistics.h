/*
 * Statistics of samples: moments, ranks, correlations, densities, tests with their p-values.  Part of <tyto/tyto.h>, which says
 * what holds everywhere.  docs/statistics.md has examples.
 *
 * Names and definitions are SciPy's (scipy.stats) where nothing else is said.  A sample lies along an axis (negative: from the
 * end) or a set of axes of a real tensor; what lies beside it are more samples, which are looked at together.  Everything is
 * computed in f64 and rounded once to the floating dtype of the samples, of integers and bool f64.  Promises stay promises,
 * and gradients flow where something has a derivative: ranks, counts and exact distributions have the gradient 0.
 *
 * What shapes tell is an error: too few elements, sizes that do not fit.  What elements tell is NaN, in that sample alone: NaN
 * among them, a deviation of 0 where it divides.
 */
#ifndef TYTO_STATISTICS_H
#define TYTO_STATISTICS_H
#include <tyto/distributions.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- numbers of a sample: over a set of axes, kept with size 1 if the set says so; NaN of nothing (mad, zscore:
   an error) ---- */

/* The mean of (x - mean)^order, order 0 or more. */
TY_API ty_tensor *ty_central_moment(ty_tensor *x, int order, ty_axes axes);
/* The third moment of x / deviation; unbiased: times sqrt(n (n-1)) / (n-2), of more than 2 elements.  NaN of equal ones. */
TY_API ty_tensor *ty_skew(ty_tensor *x, ty_axes axes, bool unbiased);
/* The fourth one, less the 3 of a normal distribution, or with `pearson` as it is; unbiased (of more than 3 elements): k
   statistics. */
TY_API ty_tensor *ty_kurtosis(ty_tensor *x, ty_axes axes, bool pearson, bool unbiased);
/* The error of the mean: the deviation (over n - ddof) by the root of n. */
TY_API ty_tensor *ty_sem(ty_tensor *x, ty_axes axes, double ddof);
/* The median distance from the median, by `scale`: 1, or 0.6744897501960817, which estimates a normal deviation. */
TY_API ty_tensor *ty_mad(ty_tensor *x, ty_axes axes, double scale);
TY_API ty_tensor *ty_gmean(ty_tensor *x, ty_axes axes); /* exp of the mean of logarithms */
TY_API ty_tensor *ty_hmean(ty_tensor *x,
                           ty_axes axes); /* 1 by the mean of 1 / x; NaN where an element is negative */
TY_API ty_tensor *ty_variation(ty_tensor *x, ty_axes axes, double ddof); /* deviation by mean */
/* (x - mean) / deviation: of x's shape. */
TY_API ty_tensor *ty_zscore(ty_tensor *x, ty_axes axes, double ddof);
/* The mean without the share (0 .. less than 0.5) of elements that are least, and that of those that are greatest. */
TY_API ty_tensor *ty_trim_mean(ty_tensor *x, double share, int axis);
/* -sum x log x of what is scaled to sum 1; with another (NULL: none) sum x log (x / other). */
TY_API ty_tensor *ty_entropy(ty_tensor *x, ty_tensor *other, int axis);

/* ---- ranks and functions of a sample ---- */

/* What ranks equal elements get: the mean of theirs, the least, the greatest, those of distinct values, in their order. */
typedef enum ty_ties {
    TY_TIES_AVERAGE,
    TY_TIES_MIN,
    TY_TIES_MAX,
    TY_TIES_DENSE,
    TY_TIES_ORDINAL,
    TY_TIES_RULES
} ty_ties;
/* "average", "min", "max", "dense", "ordinal"; TY_TIES_RULES for anything else, which is refused. */
TY_API ty_ties ty_ties_named(const char *name);
/* f64 of x's shape: ranks from 1 along the axis.  A sample with a NaN has only NaN. */
TY_API ty_tensor *ty_rankdata(ty_tensor *x, int axis, ty_ties ties);
/* The share of the sample that is at most x: sample [n] or [.., n], x of any shape or with the same leading axes. */
TY_API ty_tensor *ty_ecdf(ty_tensor *sample, ty_tensor *x);

/* The density at x [m] or [d, m] of normal kernels around the sample [n] or [d, n]: their covariance is the sample's times
   `bandwidth` squared; 0: Scott's n^(-1/(d+4)), -1: Silverman's (n (d+2) / 4)^(-1/(d+4)).  weights: [n], NULL: equal.  Gradients
   flow to all.  (D. Scott, "Multivariate Density Estimation", 1992.) */
TY_API ty_tensor *ty_kde(ty_tensor *sample, ty_tensor *x, double bandwidth, ty_tensor *weights);
/* Of lags 0 .. lags along the axis: sum of (x[t] - mean) (x[t+k] - mean) by the same for k = 0.  By Fourier transforms. */
TY_API ty_tensor *ty_autocorrelation(ty_tensor *x, int64_t lags, int axis);
/* The same times the variance: sums by n. */
TY_API ty_tensor *ty_autocovariance(ty_tensor *x, int64_t lags, int axis);

/* ---- tests ---- */

typedef enum ty_alternative { TY_TWO_SIDED, TY_LESS, TY_GREATER, TY_ALTERNATIVES } ty_alternative;
/* "two-sided", "less", "greater"; TY_ALTERNATIVES for anything else, which tests refuse. */
TY_API ty_alternative ty_alternative_named(const char *name);
/* How p is found; what TY_METHOD_AUTO chooses is SciPy's choice, said at each test. */
typedef enum ty_test_method {
    TY_METHOD_AUTO,
    TY_METHOD_EXACT,
    TY_METHOD_ASYMPTOTIC,
    TY_METHODS
} ty_test_method;
TY_API ty_test_method ty_test_method_named(const char *name); /* "auto", "exact", "asymptotic" */
/* What Wilcoxon's test does with differences of 0. */
typedef enum ty_zero_method {
    TY_ZEROS_DROPPED,
    TY_ZEROS_PRATT,
    TY_ZEROS_SPLIT,
    TY_ZERO_METHODS
} ty_zero_method;
TY_API ty_zero_method ty_zero_method_named(const char *name); /* "wilcox", "pratt", "zsplit" */

/* Zeros are SciPy's defaults. */
typedef struct ty_test_options {
    ty_alternative alternative; /* of what is tested: the mean, the first sample's, the correlation, ... */
    ty_test_method method;      /* kolmogorov, ks_2samp, mannwhitneyu, wilcoxon, kendalltau */
    bool welch;                 /* ttest_ind: variances may differ */
    int continuity;             /* 1: correct for continuity, -1: do not, 0: as the test says */
    ty_zero_method zeros;       /* wilcoxon */
    double ddof;                /* chisquare: parameters that were estimated */
} ty_test_options;

/* All of the shape of x without the axis (broadcast with what else there is); NaN: the test has no such number. */
typedef struct ty_test {
    ty_tensor *statistic, *p;
    ty_tensor *freedom, *freedom2; /* degrees of freedom; of F: above and below */
} ty_test;

/* The mean of x is `mean`; deviation: known, both broadcast to the result.  Two samples: means differ by `difference`. */
TY_API ty_test ty_ztest(ty_tensor *x, ty_tensor *mean, ty_tensor *deviation, int axis, ty_test_options o);
TY_API ty_test ty_ztest_ind(ty_tensor *x, ty_tensor *y, ty_tensor *difference, ty_tensor *deviation_x,
                            ty_tensor *deviation_y, int axis, ty_test_options o);
/* Student's t: of one sample (2 elements or more) whose mean is `mean`; of two independent ones, of one variance or (welch) of
   two; of pairs. */
TY_API ty_test ty_ttest_1samp(ty_tensor *x, ty_tensor *mean, int axis, ty_test_options o);
TY_API ty_test ty_ttest_ind(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
TY_API ty_test ty_ttest_rel(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
/* F: whether the means of n samples are one (analysis of variance); whether two variances are (R's var.test). */
TY_API ty_test ty_f_oneway(int n, ty_tensor *const *x, int axis);
TY_API ty_test ty_variance_test(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
/* Whether n samples are of one variance: Bartlett's of normal ones, Levene's by distances from the median. */
TY_API ty_test ty_bartlett_test(int n, ty_tensor *const *x, int axis);
TY_API ty_test ty_levene(int n, ty_tensor *const *x, int axis);

/* Kolmogorov and Smirnov's greatest distance of the sample's distribution from d, whose parameters broadcast to the result.
   Exact, by AUTO: one-sided Smirnov's sum; two-sided up to n = 1000 by counting paths (J. Pomeranz, "Algorithm 487", 1974, as a
   Poisson process), in the tail by twice Smirnov's sum, beyond by Pelz and Good's expansion (R. Simard and P. L'Ecuyer,
   "Computing the two-sided Kolmogorov-Smirnov distribution", 2011).  greater: the sample's distribution lies above d. */
TY_API ty_test ty_kstest(ty_tensor *x, ty_distribution d, int n, ty_tensor *const *parameters, int axis,
                         ty_test_options o);
/* Of two samples.  Exact, by AUTO up to 10,000 elements: paths (J. Hodges, "The significance probability of the Smirnov
   two-sample test", 1957; of equal sizes from 500 on by reflection); ties are not looked at.  Asymptotic:
   that of one sample of n m / (n + m) elements; one-sided Hodges' 5.3. */
TY_API ty_test ty_ks_2samp(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
/* Anderson and Darling's: whether x is normal, mean and deviation estimated (p by M. Stephens in R. D'Agostino, "Goodness-of-fit
   techniques", 1986, table 4.9, good to some percent); and whether it is of d, known (p by G. and J. Marsaglia, "Evaluating the
   Anderson-Darling distribution", 2004, good to 1e-5). */
TY_API ty_test ty_anderson(ty_tensor *x, int axis);
TY_API ty_test ty_anderson_of(ty_tensor *x, ty_distribution d, int n, ty_tensor *const *parameters, int axis);
/* Jarque and Bera's: skew and kurtosis of a normal distribution; chi-squared of 2, for many elements. */
TY_API ty_test ty_jarque_bera(ty_tensor *x, int axis);
/* Shapiro and Wilk's: whether x, 3 to 5000 elements, is normal.  (J. Royston, "Remark AS R94", 1995.) */
TY_API ty_test ty_shapiro(ty_tensor *x, int axis);
/* Wald and Wolfowitz's: whether elements that are at least `cutoff` (NULL: the median) and others come in random order: z of
   the number of runs, without correction (continuity: with 1/2). */
TY_API ty_test ty_runs_test(ty_tensor *x, ty_tensor *cutoff, int axis, ty_test_options o);

/* Pearson's: observed counts against expected ones (NULL: equal), n - 1 - ddof degrees of freedom, which must be above 0. */
TY_API ty_test ty_chisquare(ty_tensor *observed, ty_tensor *expected, int axis, ty_test_options o);
/* Whether rows and columns of counts [.., r, c] are independent; Yates' correction where there is one degree of freedom. */
TY_API ty_test ty_chi2_contingency(ty_tensor *table, ty_test_options o);
/* Fisher's, of counts [.., 2, 2]: sums of hypergeometric probabilities; two-sided: of those that are at most the observed one
   (within 1e-7 of it, as R).  The statistic is the odds ratio a d / (b c).  p has 10 digits up to 1e5 counts. */
TY_API ty_test ty_fisher_exact(ty_tensor *table, ty_test_options o);

/* Mann and Whitney's U of x.  AUTO: exact where a sample has at most 8 elements and none are equal, else normal, corrected for
   continuity and ties.  (H. Mann and D. Whitney, 1947.) */
TY_API ty_test ty_mannwhitneyu(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
/* Wilcoxon's signed ranks of x, or with y (NULL: none) of x - y: two-sided the lesser sum of ranks, else that of positive ones.
   AUTO: all signs are tried for up to 13 elements; up to 50 without ties and zeros exact, else normal, not corrected.  EXACT
   of more than 200 with ties or zeros is NaN. */
TY_API ty_test ty_wilcoxon(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
/* Kruskal and Wallis': whether n samples, of one element or more, are of one distribution, by ranks; Friedman's, where elements
   of the n samples (3 or more) belong together. */
TY_API ty_test ty_kruskal(int n, ty_tensor *const *x, int axis);
TY_API ty_test ty_friedman(int n, ty_tensor *const *x, int axis);

/* ---- correlations, and whether they are 0 ---- */

/* Pearson's r; p as of normal samples; 2 pairs or more.  The gradient flows through r and p. */
TY_API ty_test ty_pearsonr(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
/* Spearman's: Pearson's of ranks; p by t of n - 2; 3 pairs or more. */
TY_API ty_test ty_spearmanr(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);
/* Kendall's tau-b.  AUTO: exact without ties for up to 33 pairs or at most one pair in (or out of) order, else normal.
   (M. Kendall, "Rank correlation methods", 1970.) */
TY_API ty_test ty_kendalltau(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o);

/* ---- p of many tests along an axis, so that all of them together are right ---- */

typedef enum ty_adjustment {
    TY_ADJUST_HOLM,       /* one false rejection has the probability p; of any tests */
    TY_ADJUST_BONFERRONI, /* the same, simpler and weaker */
    TY_ADJUST_BH, /* p is the share of false ones among rejections (Y. Benjamini and Y. Hochberg, 1995) */
    TY_ADJUST_BY, /* the same for tests that depend on each other (and D. Yekutieli, 2001) */
    TY_ADJUSTMENTS
} ty_adjustment;
/* "holm", "bonferroni", "bh", "by"; TY_ADJUSTMENTS for anything else, which is refused. */
TY_API ty_adjustment ty_adjustment_named(const char *name);
/* As R's p.adjust. */
TY_API ty_tensor *ty_adjust_p(ty_tensor *p, int axis, ty_adjustment adjustment);

#ifdef __cplusplus
}
#endif
#endif
