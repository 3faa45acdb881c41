/* Common parts of statistics of samples: operands in f64 with the axis of elements last, and results
   gathered in one tensor. */
#ifndef STATISTICS_SAMPLE_H
#define STATISTICS_SAMPLE_H
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/statistics.h>
#include "statistics/words.h"

enum { STUDY_MOST = 8 };
/* One call of a statistic: its operands, and the composite that records it. */
struct study {
    const char *name;
    T bad; /* poison: nothing was opened */
    bool open;
    ty_scope *scope; /* outside the composite */
    struct composite composite;
    ty_dtype dtype; /* dtype of results */
    int n;
    T x[STUDY_MOST];
    int64_t size[STUDY_MOST]; /* length of the axis of elements */
};

/* Open a study of n operands x of any shape, cast to f64; results have the common floating dtype of the
   first `samples`, else f64. Failures set s.bad. */
struct study study_open(const char *name, int n, T const *x, int samples);
/* Flags: all samples have equally many elements; the other axes of samples broadcast. */
enum { STUDY_PAIRED = 1, STUDY_BROADCAST = 2 };
/* Open a study whose first `samples` operands have at least `least` elements along `axis` (may be
   negative), which becomes the last. `how` is a set of STUDY_PAIRED and STUDY_BROADCAST. Failures set
   s.bad. */
struct study study_lines(const char *name, int n, T const *x, int samples, int axis, int64_t least, int how);
/* Return s, failed if an option is out of range. */
struct study study_options(struct study s, ty_test_options o);
/* Return s, failed with the formatted message unless it had failed before. */
struct study study_refuse(struct study s, ty_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Close a study and return its result, cast to s.dtype; poison if it failed. */
T study_result(struct study *s, T y);
/* Close a study with the parts of a test; NULL parts become NaN. */
ty_test study_test(struct study *s, T statistic, T p, T freedom, T freedom2);

extern const ty_axes last_axis, last_kept;
/* Return a scalar f64 [], which unlike N(value) is not weakly typed. */
static inline T number(double value) { return ty_scalar(TY_F64, value); }
/* Return f64 [n]: 0, 1, ... */
T counted(int64_t n);
/* Return the mean along the last axis, kept as size 1. */
T line_mean(T x);
/* Return x minus its mean along the last axis. */
T apart(T x);
/* Return sum (x - mean)^2 / (n - 1) along the last axis of n elements. */
T line_variance(T x, int64_t n);
/* Return y, or NaN where x has a NaN along its last axis. */
T unless_nan(T x, T y);

/* Return the p-value of a standard normal statistic z for the alternative. */
T normal_p(ty_alternative alternative, T z);
/* Return the p-value of Student's t with `freedom` degrees of freedom, for the alternative. */
T t_p(ty_alternative alternative, T t, T freedom);
/* Return the upper tail at x of the chi-squared distribution with `freedom` degrees of freedom. */
T chi2_p(T x, T freedom);
/* Return the upper tail at x of the F distribution; above, below: degrees of freedom of numerator and
   denominator. */
T f_p(T x, T above, T below);

/* Average ranks from 1 along the last axis, and the number of elements equal to each. */
struct ranks {
    T rank, equal;
};
/* Compute the ranks of `lines` along the last axis, with ties averaged; NaN ranks if the last axis has a
   NaN. */
struct ranks ranks_of(T lines);

/* Return table[index] for a vector `table`, with the index rounded and clamped to the table. */
T looked_up(T table, T index);

/* Return the cumulative distribution of Mann and Whitney's u = 0 .. m n for sample sizes m and n, as an f64
   vector; poison without memory. */
T exact_mann_whitney(int64_t m, int64_t n);
/* Return the cumulative distribution of Wilcoxon's rank sum 0 .. n (n + 1) / 2 of n elements, as an f64
   vector; poison without memory. */
T exact_wilcoxon(int64_t n);
/* Return the cumulative distribution of Kendall's discordant pairs 0 .. most of n elements, followed by 1,
   as an f64 vector; poison without memory. */
T exact_kendall(int64_t n, int64_t most);

/* Return P(D+ >= d), one-sided, for one sample of n elements. */
T smirnov_p(T d, int64_t n);
/* Return P(D >= d), two-sided, for one sample of n elements. */
T kolmogorov_p(T d, int64_t n);
/* Return the limit of P(sqrt(n) D >= z) for large samples. */
T kolmogorov_limit_p(T z);
/* Return P(D >= d) for two samples of n and m elements, by counting paths. `alternative` selects the side;
   not above 0 gives 1. */
T two_sample_p(T d, int64_t n, int64_t m, ty_alternative alternative);
#endif
