/* What statistics of samples share: operands in f64 with the axis of elements last, results in one tensor until they are
   computed. */
#ifndef STATISTICS_SAMPLE_H
#define STATISTICS_SAMPLE_H
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/statistics.h>
#include "statistics/words.h"

enum { STUDY_MOST = 8 };
struct study {
    const char *name;
    T bad; /* poison: nothing was opened */
    bool open;
    ty_scope *scope; /* around the composite */
    struct composite composite;
    ty_dtype dtype; /* of results */
    int n;
    T x[STUDY_MOST];
    int64_t size[STUDY_MOST]; /* of the axis of elements */
};

/* Operands of any shape; results are of the dtype of the first `samples`. */
struct study study_open(const char *name, int n, T const *x, int samples);
/* The first `samples` have their axis of elements, at least `least` of them, last.  paired: as many in each; the axes beside it
   broadcast. */
enum { STUDY_PAIRED = 1, STUDY_BROADCAST = 2 };
struct study study_lines(const char *name, int n, T const *x, int samples, int axis, int64_t least, int how);
/* Refuses options outside of their menus; s as it is otherwise. */
struct study study_options(struct study s, ty_test_options o);
/* Ends a study with a sentence. */
struct study study_refuse(struct study s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One result, in s.dtype; or several of one shape. */
T study_result(struct study *s, T y);
void study_results(struct study *s, int n, T *y);
/* NULL: NaN. */
ty_test study_test(struct study *s, T statistic, T p, T freedom, T freedom2);

extern const ty_axes last_axis, last_kept;
/* f64[]: where N would take the dtype of what it meets. */
static inline T number(double value) { return ty_scalar(TY_F64, value); }
/* f64 [n]: 0, 1, ... */
T counted(int64_t n);
/* The mean along the last axis, kept; x without it. */
T line_mean(T x);
T apart(T x);
/* sum (x - mean)^2 / (n - 1) */
T line_variance(T x, int64_t n);
/* NaN where a line of x has one, else y. */
T unless_nan(T x, T y);

/* p of a statistic whose distribution is normal, or t with degrees of freedom. */
T normal_p(ty_alternative alternative, T z);
T t_p(ty_alternative alternative, T t, T freedom);
T chi2_p(T x, T freedom);
T f_p(T x, T above, T below);

/* Average ranks from 1 of lines, and how many elements are equal to each. */
struct ranks {
    T rank, equal;
};
struct ranks ranks_of(T lines);

/* table[index], where an index outside is the nearest one inside. */
T looked_up(T table, T index);

/* Distributions of shapes alone, as vectors; NULL: no memory.  Cumulative ones: of Mann and Whitney's u = 0 .. m n, Wilcoxon's
   sum of ranks = 0 .. n (n + 1) / 2, Kendall's number of pairs out of order = 0 .. most, and 1 behind that. */
T exact_mann_whitney(int64_t m, int64_t n);
T exact_wilcoxon(int64_t n);
T exact_kendall(int64_t n, int64_t most);

/* Probabilities of a distance of d or more: one-sided and two-sided of one sample, of two ones. */
T smirnov_p(T d, int64_t n);
T kolmogorov_p(T d, int64_t n);
T kolmogorov_limit_p(T z);
T two_sample_p(T d, int64_t n, int64_t m, ty_alternative alternative);
#endif
