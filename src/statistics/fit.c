/* Goodness of fit and randomness: Kolmogorov and Smirnov, Anderson and Darling, Jarque and Bera, Wald and
   Wolfowitz. */
#include <tyto/sort.h>
#include "statistics/sample.h"
#include "base/options.h"

/* ---- against a known distribution ---- */

/* Open a study of x along `axis` and parameters[n] of distribution d, which get a trailing axis to broadcast
   with the elements. On failure its `bad` is poison, in the name of function `name`. */
static struct study known_open(const char *name, T x, ty_distribution d, int n, T const *parameters,
                               int axis) {
    T all[4] = {x};
    struct study s = {.name = name, .bad = refuse_missing(name, n, parameters, "parameters")};
    if (!s.bad && (n < 0 || n > 3))
        s.bad = refuse(name, 0, NULL, E_ARGUMENT, "%d parameters: no distribution has so many", n);
    if (!s.bad && (unsigned)d >= TY_DISTRIBUTIONS)
        s.bad = refuse(name, 0, NULL, E_ARGUMENT, "unknown distribution %d", (int)d);
    if (s.bad) return s;
    for (int i = 0; i < n; i++) all[i + 1] = parameters[i];
    s = study_lines(name, n + 1, all, 1, axis, 1, 0);
    for (int i = 1; i <= n && !s.bad; i++) s.x[i] = ty_expand(s.x[i], -1);
    return s;
}

ty_test ty_kstest_sized(ty_tensor *x, ty_distribution d, int n, ty_tensor *const *parameters, int axis,
                        const ty_test_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = study_options(known_open("kstest", x, d, n, parameters, axis), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    int64_t size = s.size[0];
    T cdf = ty_cdf(d, ty_sort(s.x[0], -1, false), n, s.x + 1), step = N((double)size);
    T above = ty_amax(minus(over(plus(counted(size), N(1)), step), cdf), last_axis);
    T below = ty_amax(minus(cdf, over(counted(size), step)), last_axis);
    T far = o.alternative == TY_GREATER ? above : o.alternative == TY_LESS ? below : ty_max(above, below);
    T p = o.alternative != TY_TWO_SIDED      ? smirnov_p(far, size)
          : o.method == TY_METHOD_ASYMPTOTIC ? kolmogorov_limit_p(times(far, N(sqrt((double)size))))
                                             : kolmogorov_p(far, size);
    return study_test(&s, far, ty_where(ty_is_nan(far), far, p), NULL, NULL);
}

/* ---- two samples ---- */

enum { PATHS_MOST = 10000 };

static T share_up_to(T sample, T at, int64_t n) {
    return over(ty_cast(ty_searchsorted(sample, at, true), TY_F64), N((double)n));
}

/* Return the one-sided asymptotic p-value of distance d for sample sizes m and n, the larger: Hodges'
   approximation 5.3. */
static T one_sided_limit(T d, double m, double n) {
    T z = times(d, N(sqrt(m * n / (m + n))));
    T more = times(z, N(2.0 / 3 * (n + 2 * m) / sqrt(m * n * (m + n))));
    return ty_exp(ty_neg(plus(times(ty_square(z), N(2)), more)));
}

ty_test ty_ks_2samp_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                          size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = study_options(study_lines("ks_2samp", 2, (T[]){x, y}, 2, axis, 1, STUDY_BROADCAST), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    int64_t n = s.size[0], m = s.size[1], greater = n > m ? n : m, less = n > m ? m : n;
    T a = ty_sort(s.x[0], -1, false), b = ty_sort(s.x[1], -1, false), all = ty_concat(2, (T[]){a, b}, -1);
    T differ = minus(share_up_to(a, all, n), share_up_to(b, all, m));
    T above = ty_amax(differ, last_axis), below = ty_clip(ty_neg(ty_amin(differ, last_axis)), N(0), N(1));
    T d = o.alternative == TY_GREATER ? above : o.alternative == TY_LESS ? below : ty_max(above, below);
    bool exact = o.method == TY_METHOD_EXACT || (o.method == TY_METHOD_AUTO && greater <= PATHS_MOST);
    double both_sizes = (double)n * (double)m / (double)(n + m);
    T p = exact                           ? two_sample_p(d, n, m, o.alternative)
          : o.alternative == TY_TWO_SIDED ? kolmogorov_p(d, (int64_t)nearbyint(both_sizes))
                                          : one_sided_limit(d, (double)less, (double)greater);
    return study_test(&s, unless_nan(all, d), unless_nan(all, p), NULL, NULL);
}

/* ---- Anderson and Darling ---- */

static T horner(T x, int n, const double *coefficients) {
    T y = N(coefficients[0]);
    for (int i = 1; i < n; i++) y = plus(times(y, x), N(coefficients[i]));
    return y;
}
#define HORNER(x, ...)                                                                                       \
    horner(x, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

/* Return the Anderson-Darling statistic -n - mean of (2i - 1) (log F(x[i]) + log (1 - F(x[n+1-i]))), i =
   1..n. log_below is log F of the sorted sample, log_above log (1 - F). */
static T anderson(T log_below, T log_above, int64_t n) {
    T weight = plus(times(counted(n), N(2)), N(1));
    T sum = ty_sum(times(weight, plus(log_below, ty_flip(log_above, -1))), last_axis);
    return minus(over(ty_neg(sum), N((double)n)), N((double)n));
}

/* Return Stephens' piecewise p-value of statistic a for a normal distribution with estimated parameters,
   corrected for `size` elements. */
static T anderson_normal_p(T a, int64_t size) {
    double n = (double)size;
    a = times(a, N(1 + 0.75 / n + 2.25 / (n * n)));
    T least = minus(N(1), ty_exp(HORNER(a, -223.73, 101.14, -13.436)));
    T less = minus(N(1), ty_exp(HORNER(a, -59.938, 42.796, -8.318)));
    T more = ty_exp(HORNER(a, -1.38, -4.279, 0.9177)), most = ty_exp(HORNER(a, 0.0186, -5.709, 1.2937));
    T p = ty_where(ty_lt(a, N(0.2)), least,
                   ty_where(ty_lt(a, N(0.34)), less, ty_where(ty_lt(a, N(0.6)), more, most)));
    return ty_where(ty_lt(a, N(10)), p, ty_where(ty_is_nan(a), a, N(3.7e-24)));
}

ty_test ty_anderson(ty_tensor *x, int axis) {
    struct study s = study_lines("anderson", 1, &x, 1, axis, 2, 0);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T deviation = ty_expand(ty_sqrt(line_variance(s.x[0], s.size[0])), -1);
    T z = over(apart(ty_sort(s.x[0], -1, false)), deviation);
    T a = anderson(ty_log_ndtr(z), ty_log_ndtr(ty_neg(z)), s.size[0]);
    return study_test(&s, a, anderson_normal_p(a, s.size[0]), NULL, NULL);
}

/* Return the cdf of the Anderson-Darling statistic at a for large samples, by Marsaglia's approximation. */
static T anderson_limit(T a) {
    T low = ty_where(ty_gt(a, N(0.01)), a, N(0.01));
    T near = HORNER(a, 0.00168691, -0.0116720, 0.0347962, -0.0649821, 0.247105, 2.00012);
    near = times(over(ty_exp(over(N(-1.2337141), low)), ty_sqrt(low)), near);
    T far = HORNER(a, -0.0003146, 0.008056, -0.082433, 0.43424, -2.30695, 1.0776);
    return ty_where(ty_lt(a, N(2)), near, ty_exp(ty_neg(ty_exp(far))));
}
/* Return Marsaglia's correction of the Anderson-Darling cdf for `size` elements, to be added to v, the limit
   for large samples. */
static T anderson_correction(T v, int64_t size) {
    double n = (double)size, c = 0.01265 + 0.1757 / n;
    T far = over(HORNER(v, 255.7844, -1116.360, 1950.646, -1705.091, 745.2337, -130.2137), N(n));
    T t = ty_clip(over(v, N(c)), N(0), N(1));
    T near = times(times(ty_sqrt(t), minus(N(1), t)), minus(times(t, N(49)), N(102)));
    near = times(near, N((0.0037 / (n * n) + 0.00078 / n + 0.00006) / n));
    T u = over(minus(v, N(c)), N(0.8 - c));
    T middle = HORNER(u, -1.91864, 8.259, -14.458, 14.6538, -6.54034, 0.00022633);
    middle = times(middle, N(-(0.04213 + 0.01365 / n) / n));
    return ty_where(ty_gt(v, N(0.8)), far, ty_where(ty_lt(v, N(c)), near, middle));
}

ty_test ty_anderson_of(ty_tensor *x, ty_distribution d, int n, ty_tensor *const *parameters, int axis) {
    struct study s = known_open("anderson_of", x, d, n, parameters, axis);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T sorted = ty_sort(s.x[0], -1, false);
    T a = anderson(ty_logcdf(d, sorted, n, s.x + 1), ty_logsf(d, sorted, n, s.x + 1), s.size[0]);
    T below = anderson_limit(a);
    below = plus(below, anderson_correction(below, s.size[0]));
    return study_test(&s, a, ty_clip(minus(N(1), below), N(0), N(1)), NULL, NULL);
}

/* ---- moments ---- */

ty_test ty_jarque_bera(ty_tensor *x, int axis) {
    struct study s = study_lines("jarque_bera", 1, &x, 1, axis, 1, 0);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T third = ty_skew(s.x[0], last_axis, false), fourth = ty_kurtosis(s.x[0], last_axis, false, false);
    T sum = plus(ty_square(third), times(ty_square(fourth), N(0.25)));
    T statistic = times(sum, N((double)s.size[0] / 6));
    return study_test(&s, statistic, ty_exp(times(statistic, N(-0.5))), number(2), NULL);
}

/* ---- runs ---- */

ty_test ty_runs_test_sized(ty_tensor *x, ty_tensor *cutoff, int axis, const ty_test_options *given,
                           size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s =
        study_options(study_lines("runs_test", cutoff ? 2 : 1, (T[]){x, cutoff}, 1, axis, 2, 0), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    double n = (double)s.size[0];
    T from = cutoff ? ty_expand(s.x[1], -1) : ty_median(s.x[0], last_kept);
    T above = ty_cast(ty_ge(s.x[0], from), TY_F64), count = ty_sum(above, last_axis),
      other = minus(N(n), count);
    T change = ty_ne(ty_slice(above, -1, 1, TY_END, 1), ty_slice(above, -1, 0, -1, 1));
    T runs = plus(ty_sum(ty_cast(change, TY_F64), last_axis), N(1));
    T twice = times(times(count, other), N(2)), mean = plus(over(twice, N(n)), N(1));
    T variance = over(times(twice, minus(twice, N(n))), N(n * n * (n - 1)));
    T away = minus(runs, mean);
    if (o.continuity > 0) {
        T less = ty_max(minus(ty_abs(away), N(0.5)), N(0));
        away = times(ty_sign(away), less);
    }
    T z = over(away, ty_sqrt(variance));
    return study_test(&s, unless_nan(s.x[0], z), unless_nan(s.x[0], normal_p(o.alternative, z)), NULL, NULL);
}
