/* Tests of means and variances: z, t, F, Bartlett, Levene; and of mean ranks: Kruskal and Wallis,
   Friedman. */
#include <tyto/sort.h>
#include "statistics/sample.h"
#include "base/options.h"

/* ---- z ---- */

ty_test ty_ztest_sized(ty_tensor *x, ty_tensor *mean, ty_tensor *deviation, int axis,
                       const ty_test_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = study_options(study_lines("ztest", 3, (T[]){x, mean, deviation}, 1, axis, 1, 0), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T deviates = over(s.x[2], N(sqrt((double)s.size[0])));
    T z = over(minus(ty_mean(s.x[0], last_axis), s.x[1]), deviates);
    z = ty_where(positive(s.x[2]), z, N((double)NAN));
    return study_test(&s, z, normal_p(o.alternative, z), NULL, NULL);
}

ty_test ty_ztest_ind_sized(ty_tensor *x, ty_tensor *y, ty_tensor *difference, ty_tensor *deviation_x,
                           ty_tensor *deviation_y, int axis, const ty_test_options *given,
                           size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    T all[] = {x, y, difference, deviation_x, deviation_y};
    struct study s = study_options(study_lines("ztest_ind", 5, all, 2, axis, 1, 0), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T variance =
        plus(over(ty_square(s.x[3]), N((double)s.size[0])), over(ty_square(s.x[4]), N((double)s.size[1])));
    T apart_by = minus(minus(ty_mean(s.x[0], last_axis), ty_mean(s.x[1], last_axis)), s.x[2]);
    T z = over(apart_by, ty_sqrt(variance)), known = both(positive(s.x[3]), positive(s.x[4]));
    z = ty_where(known, z, N((double)NAN));
    return study_test(&s, z, normal_p(o.alternative, z), NULL, NULL);
}

/* ---- t ---- */

/* Return the result of a t test: apart_by is the difference between a mean and its hypothetical value,
   `variance` the variance of that difference, `freedom` the degrees of freedom. Closes s. */
static ty_test t_test(struct study *s, T apart_by, T variance, T freedom, ty_test_options o) {
    T t = over(apart_by, ty_sqrt(variance));
    return study_test(s, t, t_p(o.alternative, t, freedom), freedom, NULL);
}

ty_test ty_ttest_1samp_sized(ty_tensor *x, ty_tensor *mean, int axis, const ty_test_options *given,
                             size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = study_options(study_lines("ttest_1samp", 2, (T[]){x, mean}, 1, axis, 2, 0), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    double n = (double)s.size[0];
    T variance = over(line_variance(s.x[0], s.size[0]), N(n));
    return t_test(&s, minus(ty_mean(s.x[0], last_axis), s.x[1]), variance, number(n - 1), o);
}

ty_test ty_ttest_rel_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                           size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = study_options(study_lines("ttest_rel", 2, (T[]){x, y}, 2, axis, 2, STUDY_PAIRED), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    double n = (double)s.size[0];
    T d = minus(s.x[0], s.x[1]);
    return t_test(&s, ty_mean(d, last_axis), over(line_variance(d, s.size[0]), N(n)), number(n - 1), o);
}

ty_test ty_ttest_ind_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                           size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = study_options(study_lines("ttest_ind", 2, (T[]){x, y}, 2, axis, o.welch ? 2 : 1, 0), o);
    double n1 = (double)s.size[0], n2 = (double)s.size[1];
    if (!s.bad && n1 + n2 < 3)
        s = study_refuse(s, E_SHAPE, "two samples of one element each; expected at least 3 elements");
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T apart_by = minus(ty_mean(s.x[0], last_axis), ty_mean(s.x[1], last_axis));
    T squares1 = ty_sum(ty_square(apart(s.x[0])), last_axis),
      squares2 = ty_sum(ty_square(apart(s.x[1])), last_axis);
    if (!o.welch) {
        T pooled = over(plus(squares1, squares2), N(n1 + n2 - 2));
        return t_test(&s, apart_by, times(pooled, N(1 / n1 + 1 / n2)), number(n1 + n2 - 2), o);
    }
    T v1 = over(squares1, N(n1 * (n1 - 1))), v2 = over(squares2, N(n2 * (n2 - 1))), v = plus(v1, v2);
    T below = plus(over(ty_square(v1), N(n1 - 1)), over(ty_square(v2), N(n2 - 1)));
    T freedom =
        ty_where(ty_eq(below, N(0)), N(1), over(ty_square(v), below)); /* without spread t is infinite */
    return t_test(&s, apart_by, v, freedom, o);
}

/* ---- F ---- */

/* Return the p-value of the ratio f of variances with degrees of freedom `above` and `below`; two-sided:
   twice that of the nearer tail, at most 1. */
static T f_sides(T f, T above, T below, ty_alternative alternative) {
    T more = f_p(f, above, below), less = f_p(over(N(1), f), below, above);
    if (alternative != TY_TWO_SIDED) return alternative == TY_LESS ? less : more;
    return ty_min(times(N(2), ty_min(less, more)), N(1));
}

ty_test ty_variance_test_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                               size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = study_options(study_lines("variance_test", 2, (T[]){x, y}, 2, axis, 2, 0), o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T f = over(line_variance(s.x[0], s.size[0]), line_variance(s.x[1], s.size[1]));
    T above = number((double)(s.size[0] - 1)), below = number((double)(s.size[1] - 1));
    return study_test(&s, f, f_sides(f, above, below, o.alternative), above, below);
}

/* n samples, concatenated along the last axis of s.x[0]. */
struct groups {
    struct study s;
    int n;
    int axis;
    T const *x; /* operands, whose sizes along the axis delimit the samples */
    double count;
};

/* Open a study of n samples x[] along `axis`: each has at least `least` elements, together they have at least
   n + more. Its s.x[0] is their concatenation. s.bad is set to poison, in the name of function `name`, on
   failure. */
static struct groups groups_open(const char *name, int n, T const *x, int axis, int64_t least, int more) {
    struct groups g = {.s = {.name = name}, .n = n, .x = x};
    T bad = first_poison_in(name, n, x);
    if (!bad && n < 2) bad = refuse(name, n, x, E_ARGUMENT, "%d samples; expected at least two", n);
    for (int i = 0; i < n && !bad; i++)
        if (ty_rank(x[i]) != ty_rank(x[0]) || ty_rank(x[0]) == 0)
            bad = ty_rank(x[0])
                      ? refuse(name, n, x, E_SHAPE, "samples of %d and %d axes; the numbers must match",
                               ty_rank(x[0]), ty_rank(x[i]))
                      : refuse_axis(name, x[0], axis);
    g.axis = bad ? 0 : axis_normal(axis, ty_rank(x[0]));
    if (!bad && (g.axis < 0 || g.axis >= ty_rank(x[0]))) bad = refuse_axis(name, x[0], axis);
    for (int i = 0; i < n && !bad; i++)
        if (ty_shape(x[i])[g.axis] < least)
            bad = refuse(name, n, x, E_SHAPE, "%lld elements in sample %d; expected at least %lld",
                         (long long)ty_shape(x[i])[g.axis], i + 1, (long long)least);
    g.s.bad = bad;
    if (bad) return g;
    ty_scope *scope = ty_open();
    T all = leave(scope, ty_concat(n, x, g.axis));
    g.s = study_lines(name, 1, &all, 1, g.axis, 1, 0);
    g.count = (double)g.s.size[0];
    if (!g.s.bad && g.count < n + more)
        g.s = study_refuse(g.s, E_SHAPE, "%g elements in %d samples; expected more", g.count, n);
    return g;
}

static double group_size(const struct groups *g, int i) { return (double)ty_shape(g->x[i])[g->axis]; }
/* Return sample i, from 0, of `all`, a tensor laid out like the concatenated samples, such as their ranks. */
static T group_of(const struct groups *g, T all, int i) {
    int64_t start = 0;
    for (int k = 0; k < i; k++) start += ty_shape(g->x[k])[g->axis];
    return ty_slice(all, -1, start, start + ty_shape(g->x[i])[g->axis], 1);
}

/* Compute the sums of squares *between means and *within samples of `all`, laid out like the concatenated
   samples. Centring on first elements keeps large offsets from cancelling digits. */
static void squares_of_groups(const struct groups *g, T all, T *between, T *within) {
    T start = ty_slice(all, -1, 0, 1, 1), means = NULL, sum = N(0);
    *between = *within = N(0);
    for (int i = 0; i < g->n; i++) {
        T x = group_of(g, all, i), first = ty_slice(x, -1, 0, 1, 1), from = minus(x, first);
        T own = line_mean(from), place = plus(minus(first, start), own);
        means = means ? ty_concat(2, (T[]){means, place}, -1) : place;
        sum = plus(sum, times(place, N(group_size(g, i))));
        *within = plus(*within, ty_sum(ty_square(minus(from, own)), last_axis));
    }
    T mean = over(sum, N(g->count));
    for (int i = 0; i < g->n; i++) {
        T apart_by = ty_squeeze(minus(ty_slice(means, -1, i, i + 1, 1), mean), -1);
        *between = plus(*between, times(ty_square(apart_by), N(group_size(g, i))));
    }
}

/* Return the result of the one-way analysis of variance of `all`, laid out like the concatenated samples.
   Closes the study. */
static ty_test variance_analysis(struct groups *g, T all) {
    T between, within;
    squares_of_groups(g, all, &between, &within);
    double k = g->n - 1, rest_of = g->count - g->n;
    T f = over(over(between, N(k)), over(within, N(rest_of)));
    T above = number(k), below = number(rest_of);
    return study_test(&g->s, f, f_p(f, above, below), above, below);
}

ty_test ty_f_oneway(int n, ty_tensor *const *x, int axis) {
    struct groups g = groups_open("f_oneway", n, x, axis, 1, 1);
    if (g.s.bad) return study_test(&g.s, NULL, NULL, NULL, NULL);
    return variance_analysis(&g, g.s.x[0]);
}

ty_test ty_levene(int n, ty_tensor *const *x, int axis) {
    struct groups g = groups_open("levene", n, x, axis, 1, 1);
    if (g.s.bad) return study_test(&g.s, NULL, NULL, NULL, NULL);
    ty_scope *scope = ty_open();
    T all = NULL;
    for (int i = 0; i < n; i++) {
        T one = group_of(&g, g.s.x[0], i), far = ty_abs(minus(one, ty_median(one, last_kept)));
        all = all ? ty_concat(2, (T[]){all, far}, -1) : far;
    }
    return variance_analysis(&g, leave(scope, all));
}

ty_test ty_bartlett_test(int n, ty_tensor *const *x, int axis) {
    struct groups g = groups_open("bartlett_test", n, x, axis, 2, 1);
    if (g.s.bad) return study_test(&g.s, NULL, NULL, NULL, NULL);
    T pooled = N(0), logs = N(0);
    double parts = 0, all = g.count - n;
    for (int i = 0; i < n; i++) {
        double freedom = group_size(&g, i) - 1;
        T variance = line_variance(group_of(&g, g.s.x[0], i), (int64_t)group_size(&g, i));
        pooled = plus(pooled, times(variance, N(freedom / all)));
        logs = plus(logs, times(ty_log(variance), N(freedom)));
        parts += 1 / freedom;
    }
    T statistic = over(minus(times(ty_log(pooled), N(all)), logs), N(1 + (parts - 1 / all) / (3 * (n - 1))));
    T freedom = number(n - 1);
    return study_test(&g.s, statistic, chi2_p(statistic, freedom), freedom, NULL);
}

ty_test ty_kruskal(int n, ty_tensor *const *x, int axis) {
    struct groups g = groups_open("kruskal", n, x, axis, 1, 0);
    if (g.s.bad) return study_test(&g.s, NULL, NULL, NULL, NULL);
    struct ranks r = ranks_of(g.s.x[0]);
    double count = g.count;
    T between, within;
    squares_of_groups(&g, r.rank, &between, &within);
    T statistic = over(times(between, N(count - 1)), plus(between, within));
    T freedom = number(n - 1);
    return study_test(&g.s, statistic, chi2_p(statistic, freedom), freedom, NULL);
}

ty_test ty_friedman(int n, ty_tensor *const *x, int axis) {
    struct study s = {.name = "friedman", .bad = first_poison_in("friedman", n, x)};
    if (!s.bad && n < 3)
        s.bad = refuse("friedman", n, x, E_ARGUMENT, "%d samples; expected at least three", n);
    for (int i = 1; i < n && !s.bad; i++)
        if (!shape_equal(ty_rank(x[i]), ty_shape(x[i]), ty_rank(x[0]), ty_shape(x[0])))
            s.bad = refuse("friedman", n, x, E_SHAPE, "samples must have the same shape");
    if (!s.bad && (axis_normal(axis, ty_rank(x[0])) < 0 || axis_normal(axis, ty_rank(x[0])) >= ty_rank(x[0])))
        s.bad = refuse_axis("friedman", x[0], axis);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    ty_scope *scope = ty_open();
    int place = axis_normal(axis, ty_rank(x[0]));
    T all = leave(scope, ty_stack(n, x, ty_rank(x[0])));
    s = study_lines("friedman", 1, &all, 1, place, 1, 0); /* [.., samples, elements] */
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    double k = n, size = (double)s.size[0];
    struct ranks r = ranks_of(ty_transpose(s.x[0])); /* rank of each element among its samples */
    T sums = ty_sum(r.rank, ty_axis(-2)), squares = ty_sum(ty_square(sums), last_axis);
    T ties = ty_sum(minus(ty_square(r.equal), N(1)), ty_axes_of(2, (int[]){-1, -2}, false));
    T right = minus(N(1), over(ties, N(k * (k * k - 1) * size)));
    T statistic = over(minus(times(squares, N(12 / (k * size * (k + 1)))), N(3 * size * (k + 1))), right);
    return study_test(&s, statistic, chi2_p(statistic, number(k - 1)), number(k - 1), NULL);
}
