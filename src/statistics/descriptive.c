/* Descriptive statistics of samples. */
#include <tyto/sort.h>
#include "base/machine/floating.h"
#include "statistics/sample.h"

/* An operand and the axes of the statistic. */
struct summary {
    struct study s;
    ty_axes axes, kept;
    double n;
    T x, mean, apart; /* mean and x - mean, with the axes kept */
};

/* Check x and axes and return the summary with mean and deviations over these axes. s.bad is set to poison,
   in the name of function `name`, on failure. */
static struct summary summary_open(const char *name, T x, ty_axes axes) {
    struct summary m = {.axes = axes, .kept = axes};
    T bad = refuse_axes(name, x, axes);
    if (bad) {
        m.s = (struct study){.name = name, .bad = bad};
        return m;
    }
    m.s = study_open(name, 1, &x, 1);
    m.kept.keep = true;
    if (m.s.bad) return m;
    uint64_t bits = axes_bits(axes, ty_rank(x));
    m.n = 1;
    for (int i = 0; i < ty_rank(x); i++)
        if (bits >> i & 1) m.n *= (double)ty_shape(x)[i];
    m.x = m.s.x[0];
    m.mean = ty_mean(m.x, m.kept);
    m.apart = minus(m.x, m.mean);
    return m;
}

/* Return x^order, elementwise, by repeated squaring; order >= 0. */
static T power(T x, int order) {
    T y = order & 1 ? x : NULL;
    for (T square = x; order > 1;) {
        square = ty_square(square);
        order /= 2;
        if (order & 1) y = y ? times(y, square) : square;
    }
    return y ? y : ty_ones_like(x);
}

/* Return the mean of (x - mean)^order over the statistic's axes. */
static T moment(const struct summary *m, int order) { return ty_mean(power(m->apart, order), m->axes); }

/* Return y, but NaN where `second`, the variance, is so small compared with the squared mean that it is only
   rounding. */
static T unless_equal(const struct summary *m, T second, T y) {
    T mean = ty_mean(m->x, m->axes);
    T equal = ty_le(second, ty_square(times(mean, N(0x1p-52))));
    return ty_where(equal, N((double)NAN), y);
}

ty_tensor *ty_central_moment(ty_tensor *x, int order, ty_axes axes) {
    struct summary m = summary_open("central_moment", x, axes);
    if (order < 0) m.s = study_refuse(m.s, E_ARGUMENT, "order %d is negative", order);
    return study_result(&m.s, m.s.bad ? NULL : moment(&m, order));
}

ty_tensor *ty_skew(ty_tensor *x, ty_axes axes, bool unbiased) {
    struct summary m = summary_open("skew", x, axes);
    if (m.s.bad) return study_result(&m.s, NULL);
    T second = moment(&m, 2), y = over(moment(&m, 3), times(second, ty_sqrt(second)));
    if (unbiased && m.n > 2) y = times(y, N(sqrt(m.n * (m.n - 1)) / (m.n - 2)));
    return study_result(&m.s, unless_equal(&m, second, y));
}

ty_tensor *ty_kurtosis(ty_tensor *x, ty_axes axes, bool pearson, bool unbiased) {
    struct summary m = summary_open("kurtosis", x, axes);
    if (m.s.bad) return study_result(&m.s, NULL);
    double n = m.n;
    T second = moment(&m, 2), y = over(moment(&m, 4), ty_square(second));
    if (unbiased && n > 3)
        y = plus(over(minus(times(y, N(n * n - 1)), N(3 * (n - 1) * (n - 1))), N((n - 2) * (n - 3))), N(3));
    return study_result(&m.s, unless_equal(&m, second, pearson ? y : minus(y, N(3))));
}

ty_tensor *ty_sem(ty_tensor *x, ty_axes axes, double ddof) {
    struct summary m = summary_open("sem", x, axes);
    return study_result(&m.s, m.s.bad ? NULL : over(ty_std(m.x, axes, ddof), N(sqrt(m.n))));
}

ty_tensor *ty_mad(ty_tensor *x, ty_axes axes, double scale) {
    struct summary m = summary_open("mad", x, axes);
    if (!(scale > 0))
        m.s = study_refuse(m.s, E_ARGUMENT, "the scale is %g; expected a number above 0", scale);
    if (m.s.bad) return study_result(&m.s, NULL);
    T distance = ty_abs(minus(m.x, ty_median(m.x, m.kept)));
    return study_result(&m.s, over(ty_median(distance, axes), N(scale)));
}

ty_tensor *ty_gmean(ty_tensor *x, ty_axes axes) {
    struct summary m = summary_open("gmean", x, axes);
    return study_result(&m.s, m.s.bad ? NULL : ty_exp(ty_mean(ty_log(m.x), axes)));
}

ty_tensor *ty_hmean(ty_tensor *x, ty_axes axes) {
    struct summary m = summary_open("hmean", x, axes);
    if (m.s.bad) return study_result(&m.s, NULL);
    T each = ty_where(ty_lt(m.x, N(0)), N((double)NAN), over(N(1), m.x));
    return study_result(&m.s, over(N(1), ty_mean(each, axes)));
}

ty_tensor *ty_variation(ty_tensor *x, ty_axes axes, double ddof) {
    struct summary m = summary_open("variation", x, axes);
    return study_result(&m.s, m.s.bad ? NULL : over(ty_std(m.x, axes, ddof), ty_mean(m.x, axes)));
}

ty_tensor *ty_zscore(ty_tensor *x, ty_axes axes, double ddof) {
    struct summary m = summary_open("zscore", x, axes);
    if (m.s.bad) return study_result(&m.s, NULL);
    T equal = ty_eq(ty_ptp(m.x, m.kept), N(0));
    T deviation = ty_where(equal, N((double)NAN), ty_std(m.x, m.kept, ddof));
    return study_result(&m.s, over(m.apart, deviation));
}

ty_tensor *ty_trim_mean(ty_tensor *x, double share, int axis) {
    FLOATING_DEFAULT;
    struct study s = study_lines("trim_mean", 1, &x, 1, axis, 1, 0);
    if (!(share >= 0 && share < 0.5))
        s = study_refuse(s, E_ARGUMENT, "the share is %g; expected 0 to below 0.5", share);
    if (s.bad) return study_result(&s, NULL);
    int64_t cut = (int64_t)(share * (double)s.size[0]);
    T middle = ty_slice(ty_sort(s.x[0], -1, false), -1, cut, s.size[0] - cut, 1);
    return study_result(&s, unless_nan(s.x[0], ty_mean(middle, last_axis)));
}

ty_tensor *ty_entropy(ty_tensor *x, ty_tensor *other, int axis) {
    int n = other ? 2 : 1;
    struct study s = study_lines("entropy", n, (T[]){x, other}, n, axis, 1, STUDY_PAIRED);
    if (s.bad) return study_result(&s, NULL);
    T share = over(s.x[0], ty_sum(s.x[0], last_kept)), each = ty_xlogy(share, share);
    if (other)
        each = minus(each, ty_xlogy(share, over(s.x[1], ty_sum(s.x[1], last_kept))));
    else
        each = ty_neg(each);
    each = ty_where(ty_lt(share, N(0)), N(-(double)INFINITY), each);
    return study_result(&s, ty_sum(each, last_axis));
}
