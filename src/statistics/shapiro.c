/* Shapiro and Wilk's test by Royston's polynomials; p-values of multiple tests. */
#include <tyto/index.h>
#include <tyto/sort.h>
#include "base/alloc.h"
#include "base/math/scalar.h"
#include "statistics/sample.h"

/* ---- Shapiro and Wilk ---- */

static double polynomial(double x, int n, const double *c) {
    double y = 0;
    while (n--) y = y * x + c[n];
    return y;
}

/* Replace m[0..n), the expected normal order statistics in ascending order, by the weights of ordered
   elements; the outer one or two pairs are corrected by polynomials. */
static void weights_of(int64_t n, double *m) {
    static const double outer[] = {0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056};
    static const double next[] = {0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633};
    double squares = 0, u = 1 / sqrt((double)n);
    for (int64_t i = 0; i < n; i++) squares += m[i] * m[i];
    double first = m[n - 1] / sqrt(squares) + polynomial(u, 6, outer),
           left = squares - 2 * m[n - 1] * m[n - 1];
    double second = m[n - 2] / sqrt(squares) + polynomial(u, 6, next), share = 1 - 2 * first * first;
    int64_t put_right = n > 5 ? 2 : 1;
    if (n == 3) first = sqrt(0.5);
    if (put_right == 2) left -= 2 * m[n - 2] * m[n - 2], share -= 2 * second * second;
    for (int64_t i = put_right; i < n - put_right; i++) m[i] = n == 3 ? 0 : m[i] / sqrt(left / share);
    m[n - 1] = first, m[0] = -first;
    if (put_right == 2) m[n - 2] = second, m[1] = -second;
}

/* Return the weights [n] of Shapiro and Wilk's statistic for sorted elements, f64; poison without memory. */
static T weights(int64_t n) {
    double *m = mem_array((size_t)n, sizeof *m);
    T middle = ty_ndtri(over(plus(counted(n), N(0.625)), N((double)n + 0.25)));
    bool there = m && ty_read(middle, TY_F64, m);
    if (there) weights_of(n, m);
    T y = there ? ty_from(TY_F64, 1, &n, m) : m ? middle : tensor_out_of_memory();
    mem_free(m);
    return y;
}

/* Return Shapiro and Wilk's p-value of the statistic w for `size` elements, given rest_of_w = 1 - w, which
   keeps digits near w = 1. */
static T shapiro_p(T rest_of_w, int64_t size) {
    static const double few_mean[] = {0.5440, -0.39978, 0.025054, -0.0006714};
    static const double few_deviation[] = {1.3822, -0.77857, 0.062767, -0.0020322};
    static const double many_mean[] = {-1.5861, -0.31082, -0.083751, 0.0038915};
    static const double many_deviation[] = {-0.4803, -0.082676, 0.0030302};
    double n = (double)size, logs = math_log(n), least = -2.273 + 0.459 * n;
    if (size == 3) {
        T angle = ty_asin(ty_sqrt(ty_max(minus(N(1), rest_of_w), N(0.75))));
        return ty_clip(times(minus(angle, N(PI / 3)), N(6 / PI)), N(0), N(1));
    }
    T w = ty_log(rest_of_w);
    if (size > 11)
        return ty_ndtr(times(minus(N(polynomial(logs, 4, many_mean)), w),
                             N(math_exp(-polynomial(logs, 3, many_deviation)))));
    T inside = ty_lt(w, N(least)), turned = ty_neg(ty_log(ty_where(inside, minus(N(least), w), N(1))));
    T z = times(minus(N(polynomial(n, 4, few_mean)), turned), N(math_exp(-polynomial(n, 4, few_deviation))));
    return ty_where(ty_logical_or(inside, ty_is_nan(w)), plus(ty_ndtr(z), times(w, N(0))), N(1e-99));
}

ty_test ty_shapiro(ty_tensor *x, int axis) {
    enum { MOST = 5000 };
    struct study s = study_lines("shapiro", 1, &x, 1, axis, 3, 0);
    if (!s.bad && s.size[0] > MOST)
        s = study_refuse(s, E_LIMIT, "%lld elements; expected at most %d", (long long)s.size[0], MOST);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T scale = ty_ptp(s.x[0], last_kept); /* prevents overflow of squares */
    T z = apart(over(ty_sort(s.x[0], -1, false), scale)), squares = ty_sum(ty_square(z), last_axis);
    T line = ty_sum(times(z, weights(s.size[0])), last_axis);
    T w = ty_min(over(ty_square(line), squares), N(1));
    return study_test(&s, w, shapiro_p(minus(N(1), w), s.size[0]), NULL, NULL);
}

/* ---- multiple tests ---- */

ty_adjustment ty_adjustment_named(const char *name) {
    static const char *const names[] = {"holm", "bonferroni", "bh", "by"};
    for (int i = 0; name && i < TY_ADJUSTMENTS; i++)
        if (!strcmp(name, names[i])) return (ty_adjustment)i;
    return TY_ADJUSTMENTS;
}

/* Return the p-values p, ascending along the last axis of n elements, adjusted for n tests by `how` and made
   monotonic. They may exceed 1. */
static T adjusted(T p, int64_t n, ty_adjustment how) {
    double size = (double)n, harmonic = 0;
    for (int64_t i = n; i > 0 && how == TY_ADJUST_BY; i--) harmonic += 1 / (double)i;
    if (how == TY_ADJUST_HOLM) return ty_cummax(times(p, minus(N(size), counted(n))), -1, (ty_running){0});
    T share = over(N(how == TY_ADJUST_BY ? size * harmonic : size), plus(counted(n), N(1)));
    return ty_cummin(times(p, share), -1, (ty_running){.reverse = true});
}

ty_tensor *ty_adjust_p(ty_tensor *p, int axis, ty_adjustment how) {
    struct study s = study_lines("adjust_p", 1, &p, 1, axis, 1, 0);
    if ((unsigned)how >= TY_ADJUSTMENTS) s = study_refuse(s, E_ARGUMENT, "unknown adjustment %d", (int)how);
    if (s.bad) return study_result(&s, NULL);
    int64_t n = s.size[0], from = -1, to = axis;
    T y = times(s.x[0], N((double)n));
    if (how != TY_ADJUST_BONFERRONI) {
        T order = ty_argsort(s.x[0], -1, false), sorted = ty_take_along_axis(s.x[0], order, -1);
        y = ty_take_along_axis(adjusted(sorted, n, how), ty_argsort(order, -1, false), -1);
    }
    y = ty_where(ty_any(ty_is_nan(s.x[0]), last_kept), N((double)NAN), ty_min(y, N(1)));
    return study_result(&s, ty_moveaxis(y, 1, &from, &to));
}
