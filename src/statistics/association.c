/* Correlations of pairs. */
#include <tyto/graph.h>
#include "statistics/sample.h"

static struct study pairs_open(const char *name, T x, T y, int axis, ty_test_options o) {
    return study_options(study_lines(name, 2, (T[]){x, y}, 2, axis, 2, STUDY_PAIRED | STUDY_BROADCAST), o);
}

/* Each divided by its own length first, so that nothing overflows; equal elements have no correlation. */
static T correlation(T x, T y) {
    T from_x = apart(x), from_y = apart(y);
    T unit_x = over(from_x, ty_norm(from_x, 2, last_kept)),
      unit_y = over(from_y, ty_norm(from_y, 2, last_kept));
    T r = ty_clip(ty_sum(times(unit_x, unit_y), last_axis), N(-1), N(1));
    T equal = ty_logical_or(ty_eq(ty_ptp(x, last_axis), N(0)), ty_eq(ty_ptp(y, last_axis), N(0)));
    return ty_where(equal, N((double)NAN), r);
}

/* r + 1 by 2 is a beta variable of n/2 - 1 twice; the tails are each other's mirror image. */
static T pearson_p(ty_alternative alternative, T r, int64_t n) {
    if (n == 2) return plus(times(r, N(0)), N(1));
    T far = alternative == TY_TWO_SIDED ? ty_abs(r) : alternative == TY_LESS ? ty_neg(r) : r;
    T half = number((double)n / 2 - 1);
    T tail = ty_betainc(half, half, times(minus(N(1), far), N(0.5)));
    return alternative == TY_TWO_SIDED ? times(tail, N(2)) : tail;
}

ty_test ty_pearsonr(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    struct study s = pairs_open("pearsonr", x, y, axis, o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T r = correlation(s.x[0], s.x[1]);
    if (s.size[0] == 2) r = ty_round(r);
    return study_test(&s, r, pearson_p(o.alternative, r, s.size[0]), number((double)(s.size[0] - 2)), NULL);
}

ty_test ty_spearmanr(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    struct study s = pairs_open("spearmanr", x, y, axis, o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T r = correlation(ranks_of(s.x[0]).rank, ranks_of(s.x[1]).rank),
      freedom = number((double)(s.size[0] - 2));
    T left = times(plus(r, N(1)), minus(N(1), r));
    T t = times(r, ty_sqrt(over(freedom, left)));
    return study_test(&s, r, t_p(o.alternative, t, freedom), freedom, NULL);
}

/* ---- Kendall ---- */

enum { KENDALL_EXACT = 33, KENDALL_TABLE = 170 };

/* How many more pairs are in order than out of order: signs of all differences, without room for them. */
static T pairs_in_order(void *context, T const *x) {
    (void)context;
    T by_x = ty_sign(minus(ty_expand(x[0], -1), ty_expand(x[0], -2)));
    T by_y = ty_sign(minus(ty_expand(x[1], -1), ty_expand(x[1], -2)));
    return times(ty_sum(times(by_x, by_y), ty_axes_of(2, (int[]){-1, -2}, false)), N(0.5));
}

/* Of groups of t equal elements: sums of t (t-1) / 2, t (t-1) (t-2), t (t-1) (2t+5). */
struct tie_sums {
    T pairs, triples, weighed;
};
static struct tie_sums tie_sums(T equal) {
    T less = minus(equal, N(1));
    return (struct tie_sums){times(ty_sum(less, last_axis), N(0.5)),
                             ty_sum(times(less, minus(equal, N(2))), last_axis),
                             ty_sum(times(less, plus(times(equal, N(2)), N(5))), last_axis)};
}

static T kendall_normal(T ordered, double n, struct tie_sums x, struct tie_sums y,
                        ty_alternative alternative) {
    double m = n * (n - 1);
    T variance = over(minus(N(m * (2 * n + 5)), plus(x.weighed, y.weighed)), N(18));
    variance = plus(variance, times(times(x.pairs, y.pairs), N(2 / m)));
    if (n > 2) variance = plus(variance, over(times(x.triples, y.triples), N(9 * m * (n - 2))));
    return normal_p(alternative, over(ordered, ty_sqrt(variance)));
}

/* Without ties, where the table reaches; else `normal`. */
static T kendall_exact(T ordered, int64_t n, ty_test_options o, T untied, T normal) {
    double all = (double)n * (double)(n - 1) / 2;
    bool whole = n <= (o.method == TY_METHOD_EXACT ? KENDALL_TABLE : KENDALL_EXACT);
    T table = exact_kendall(n, whole ? (int64_t)all : 1);
    T out = times(minus(N(all), ordered), N(0.5)), in = minus(N(all), out), fewer = ty_min(in, out);
    T p = o.alternative == TY_TWO_SIDED ? ty_min(times(looked_up(table, fewer), N(2)), N(1))
                                        : looked_up(table, o.alternative == TY_GREATER ? out : in);
    if (!whole) untied = both(untied, ty_le(fewer, N(1)));
    return ty_where(untied, p, normal);
}

ty_test ty_kendalltau(ty_tensor *x, ty_tensor *y, int axis, ty_test_options o) {
    struct study s = pairs_open("kendalltau", x, y, axis, o);
    int64_t n = s.size[0];
    if (o.method == TY_METHOD_EXACT && n > KENDALL_TABLE)
        s = study_refuse(s, "exact for %lld pairs, more than %d; use TY_METHOD_ASYMPTOTIC", (long long)n,
                         KENDALL_TABLE);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T ordered = ty_fuse(pairs_in_order, NULL, 2, s.x);
    struct tie_sums ties_x = tie_sums(ranks_of(s.x[0]).equal), ties_y = tie_sums(ranks_of(s.x[1]).equal);
    T all = number((double)n * (double)(n - 1) / 2);
    T tau = over(over(ordered, ty_sqrt(minus(all, ties_x.pairs))), ty_sqrt(minus(all, ties_y.pairs)));
    T untied = both(ty_eq(ties_x.pairs, N(0)), ty_eq(ties_y.pairs, N(0)));
    T p = kendall_normal(ordered, (double)n, ties_x, ties_y, o.alternative);
    if (o.method != TY_METHOD_ASYMPTOTIC)
        p = kendall_exact(ordered, n, o, untied, o.method == TY_METHOD_EXACT ? N((double)NAN) : p);
    tau = ty_clip(tau, N(-1), N(1));
    tau = unless_nan(s.x[0], unless_nan(s.x[1], tau));
    return study_test(&s, tau, ty_where(ty_is_nan(tau), N((double)NAN), p), NULL, NULL);
}
