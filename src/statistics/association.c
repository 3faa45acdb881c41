/* Correlations of pairs: Pearson, Spearman, Kendall. */
#include <tyto/index.h>
#include <tyto/sort.h>
#include "statistics/sample.h"
#include "base/options.h"

static struct study pairs_open(const char *name, T x, T y, int axis, int64_t least, ty_test_options o) {
    return study_options(study_lines(name, 2, (T[]){x, y}, 2, axis, least, STUDY_PAIRED | STUDY_BROADCAST),
                         o);
}

/* Return Pearson's correlation [..] of x and y [.., n] along the last axis. Each vector is normalised first,
   so that nothing overflows. NaN if all elements of one vector are equal. */
static T correlation(T x, T y) {
    T from_x = apart(x), from_y = apart(y);
    T unit_x = over(from_x, ty_norm(from_x, 2, last_kept)),
      unit_y = over(from_y, ty_norm(from_y, 2, last_kept));
    T r = ty_clip(ty_sum(times(unit_x, unit_y), last_axis), N(-1), N(1));
    T equal = ty_logical_or(ty_eq(ty_ptp(x, last_axis), N(0)), ty_eq(ty_ptp(y, last_axis), N(0)));
    return ty_where(equal, N((double)NAN), r);
}

/* Return the correlation [..] of the ranks x and y [.., n] along the last axis. Their sums of products are
   exact, so equal ranks give exactly 1 or -1. NaN if all ranks of one vector are equal. */
static T rank_correlation(T x, T y) {
    T from_x = apart(x), from_y = apart(y);
    T all = times(ty_sum(ty_square(from_x), last_axis), ty_sum(ty_square(from_y), last_axis));
    T r = over(ty_sum(times(from_x, from_y), last_axis), ty_sqrt(all));
    return ty_where(ty_eq(all, N(0)), N((double)NAN), ty_clip(r, N(-1), N(1)));
}

/* Return the p-value of correlation r of n pairs: (r + 1) / 2 has a beta distribution with both shapes n/2
   - 1, whose tails are mirror images. For n = 2 it is 1. */
static T pearson_p(ty_alternative alternative, T r, int64_t n) {
    if (n == 2) return plus(times(r, N(0)), N(1));
    T far = alternative == TY_TWO_SIDED ? ty_abs(r) : alternative == TY_LESS ? ty_neg(r) : r;
    T half = number((double)n / 2 - 1);
    T tail = ty_betainc(half, half, times(minus(N(1), far), N(0.5)));
    return alternative == TY_TWO_SIDED ? times(tail, N(2)) : tail;
}

ty_test ty_pearsonr_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                          size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = pairs_open("pearsonr", x, y, axis, 2, o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T r = correlation(s.x[0], s.x[1]);
    if (s.size[0] == 2) r = ty_round(r);
    return study_test(&s, r, pearson_p(o.alternative, r, s.size[0]), number((double)(s.size[0] - 2)), NULL);
}

ty_test ty_spearmanr_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                           size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = pairs_open("spearmanr", x, y, axis, 3, o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T r = rank_correlation(ranks_of(s.x[0]).rank, ranks_of(s.x[1]).rank),
      freedom = number((double)(s.size[0] - 2));
    T left = times(plus(r, N(1)), minus(N(1), r));
    T t = times(r, ty_sqrt(over(freedom, left)));
    return study_test(&s, r, t_p(o.alternative, t, freedom), freedom, NULL);
}

/* ---- Kendall ---- */

enum { KENDALL_EXACT = 33, KENDALL_TABLE = 170 };

/* Return the number, in f64, of pairs i < j with y[i] > y[j] along the last axis, of n elements. Bottom-up
   merging: for two sorted halves, each element of the second counts the greater ones of the first. */
static T falling_pairs(T y, int64_t n) {
    int64_t whole = 1;
    while (whole < n) whole *= 2;
    int rank = ty_ok(y) ? ty_rank(y) : 0;
    if (rank == 0) return y;
    ty_padding padding[TY_MAX_RANK] = {{0}};
    padding[rank - 1].high = whole - n;
    int64_t shape[TY_MAX_RANK + 2];
    memcpy(shape, ty_shape(y), sizeof *shape * (size_t)rank);
    T lines = ty_pad(y, padding, number((double)INFINITY)), sum = number(0);
    for (int64_t half = 1; half < whole; half *= 2) {
        shape[rank - 1] = whole / (2 * half), shape[rank] = 2, shape[rank + 1] = half;
        T halves = ty_reshape(lines, rank + 2, shape);
        T first = ty_sort(ty_get(halves, TY_ITEMS(TY_DOTS, TY_AT(0), TY_WHOLE)), -1, false);
        T greater =
            minus(ty_int(half),
                  ty_searchsorted(first, ty_get(halves, TY_ITEMS(TY_DOTS, TY_AT(1), TY_WHOLE)), true));
        sum = plus(sum, ty_cast(ty_sum(greater, ty_axes_of(2, (int[]){-1, -2}, false)), TY_F64));
    }
    return sum;
}

/* Return the number of concordant minus discordant pairs among n elements along the last axis; pairs tied
   in x or y count as neither. rank_x and rank_y are the ranks of x and y. */
static T pairs_in_order(T x, T y, int64_t n, struct ranks rank_x, struct ranks rank_y) {
    T order = ty_lexsort(2, (T[]){y, x}, -1); /* pairs of equal x are then concordant or tied */
    T out = falling_pairs(ty_take_along_axis(y, order, -1), n);
    T both_equal = ranks_of(plus(times(rank_x.rank, N(2 * (double)n)), rank_y.rank)).equal;
    T tied = minus(plus(rank_x.equal, rank_y.equal), plus(both_equal, N(1)));
    T all = N((double)n * (double)(n - 1) / 2);
    return minus(minus(all, times(ty_sum(tied, last_axis), N(0.5))), times(out, N(2)));
}

/* Sums over groups of t equal elements: t (t-1) / 2, t (t-1) (t-2), t (t-1) (2t+5). */
struct tie_sums {
    T pairs, triples, weighed;
};
/* Return the sums over groups of equal elements that Kendall's variance needs; equal[.., n] has, for each
   element, the size of its group. */
static struct tie_sums tie_sums(T equal) {
    T less = minus(equal, N(1));
    return (struct tie_sums){times(ty_sum(less, last_axis), N(0.5)),
                             ty_sum(times(less, minus(equal, N(2))), last_axis),
                             ty_sum(times(less, plus(times(equal, N(2)), N(5))), last_axis)};
}

/* Return the p-value of Kendall's correlation of n pairs by the normal distribution, with the variance
   corrected for the ties x and y. `ordered` is the number of concordant minus discordant pairs. */
static T kendall_normal(T ordered, double n, struct tie_sums x, struct tie_sums y,
                        ty_alternative alternative) {
    double m = n * (n - 1);
    T variance = over(minus(N(m * (2 * n + 5)), plus(x.weighed, y.weighed)), N(18));
    variance = plus(variance, times(times(x.pairs, y.pairs), N(2 / m)));
    if (n > 2) variance = plus(variance, over(times(x.triples, y.triples), N(9 * m * (n - 2))));
    return normal_p(alternative, over(ordered, ty_sqrt(variance)));
}

/* Return Kendall's exact p-value where `untied` is true and n lies within the table's reach, else `normal`.
   `ordered` is the number of concordant minus discordant pairs. */
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

ty_test ty_kendalltau_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                            size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = pairs_open("kendalltau", x, y, axis, 2, o);
    int64_t n = s.size[0];
    if (o.method == TY_METHOD_EXACT && n > KENDALL_TABLE)
        s = study_refuse(s, E_LIMIT,
                         "%lld pairs are too many for an exact p, more than %d; use TY_METHOD_ASYMPTOTIC",
                         (long long)n, KENDALL_TABLE);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    struct ranks rank_x = ranks_of(s.x[0]), rank_y = ranks_of(s.x[1]);
    T ordered = pairs_in_order(s.x[0], s.x[1], n, rank_x, rank_y);
    struct tie_sums ties_x = tie_sums(rank_x.equal), ties_y = tie_sums(rank_y.equal);
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
