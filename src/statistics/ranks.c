/* Ranks, and rank tests: Mann and Whitney, Wilcoxon. */
#include <tyto/control.h>
#include <tyto/index.h>
#include <tyto/sort.h>
#include "statistics/sample.h"
#include "base/options.h"

/* ---- ranks ---- */

/* Return dense ranks, i64 (1 for the least value, without gaps after ties). `sorted` are the sorted elements
   along the last axis; `below` has, for each element, the index of its first equal in them. */
static T dense_ranks(T sorted, T below) {
    T first = ty_slice(sorted, -1, 0, 1, 1);
    T differ = ty_ne(ty_slice(sorted, -1, 1, TY_END, 1), ty_slice(sorted, -1, 0, -1, 1));
    T begins = ty_concat(2, (T[]){ty_ones_like(ty_cast(first, TY_I64)), ty_cast(differ, TY_I64)}, -1);
    return ty_take_along_axis(ty_cumsum(begins, -1, (ty_running){0}), below, -1);
}

/* Return the ranks, from 1, of the elements of lines [.., n] along the last axis, with ties ranked as the
   option says; f64 for mean ranks, else i64. */
static T ranked(T lines, ty_ties ties) {
    T sorted = ty_sort(lines, -1, false);
    T below = ty_searchsorted(sorted, lines, false);
    if (ties == TY_TIES_MIN) return plus(below, ty_int(1));
    if (ties == TY_TIES_ORDINAL) return plus(ty_ordinal(lines, -1), ty_int(1));
    if (ties == TY_TIES_DENSE) return dense_ranks(sorted, below);
    T up_to = ty_searchsorted(sorted, lines, true);
    if (ties == TY_TIES_MAX) return up_to;
    return times(plus(ty_cast(plus(below, up_to), TY_F64), N(1)), N(0.5));
}

ty_tensor *ty_rankdata(ty_tensor *x, int axis, ty_ties ties) {
    if (!ty_ok(x)) return tensor_share_in("rankdata", x);
    int64_t from = axis_normal(axis, ty_rank(x)), to = ty_rank(x) - 1;
    if (from < 0 || from > to) return refuse_axis("rankdata", x, axis);
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse("rankdata", 1, &x, E_DTYPE, "complex numbers have no order");
    if ((unsigned)ties >= TY_TIES_RULES)
        return refuse("rankdata", 1, &x, E_ARGUMENT, "unknown rule %d for ties", (int)ties);
    struct composite c = composite_open_plain("rankdata", 0, 1, &x);
    if (ty_size(x) == 0) return composite_close(c, ty_cast(ty_zeros_like(x), TY_F64));
    T lines = ty_moveaxis(x, 1, &from, &to);
    T y = ty_cast(ranked(lines, ties), TY_F64);
    if (dtype_is(ty_dtype_of(x), CLASS_FLOAT))
        y = ty_where(ty_any(ty_is_nan(lines), last_kept), N((double)NAN), y);
    return composite_close(c, ty_moveaxis(y, 1, &to, &from));
}

/* Return the sums [..] of t^3 - t over groups of t equal elements; equal[.., n] has, for each element, the
   size of its group. */
static T tie_sum(T equal) { return ty_sum(minus(ty_square(equal), N(1)), last_axis); }

/* ---- Mann and Whitney ---- */

enum { EXACT_MOST = 8, TABLE_MOST = 10000000 };

/* Return the one-sided p-value of Mann and Whitney's u for sizes n1 and n2 by the normal distribution,
   corrected for ties; continuity >= 0 corrects u by 1/2, too. */
static T mann_whitney_normal(T u, T equal, double n1, double n2, int continuity) {
    double n = n1 + n2;
    T left = minus(N(n + 1), over(tie_sum(equal), N(n * (n - 1))));
    T deviation = ty_sqrt(times(left, N(n1 * n2 / 12)));
    T above = minus(u, N(n1 * n2 / 2 + (continuity < 0 ? 0 : 0.5)));
    return ty_ndtr(ty_neg(over(above, deviation)));
}

ty_test ty_mannwhitneyu_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                              size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s =
        study_options(study_lines("mannwhitneyu", 2, (T[]){x, y}, 2, axis, 1, STUDY_BROADCAST), o);
    double n1 = (double)s.size[0], n2 = (double)s.size[1];
    bool few = s.size[0] <= EXACT_MOST || s.size[1] <= EXACT_MOST, fits = n1 * n2 <= TABLE_MOST;
    bool exact = o.method == TY_METHOD_EXACT || (o.method == TY_METHOD_AUTO && few && fits);
    if (exact && !fits)
        s = study_refuse(
            s, E_LIMIT,
            "samples of %g and %g elements are too large for an exact p; use TY_METHOD_ASYMPTOTIC", n1, n2);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T all = ty_concat(2, s.x, -1);
    struct ranks r = ranks_of(all);
    T u1 = minus(ty_sum(ty_slice(r.rank, -1, 0, s.size[0], 1), last_axis), N(n1 * (n1 + 1) / 2));
    T u2 = minus(N(n1 * n2), u1);
    T u = o.alternative == TY_GREATER ? u1 : o.alternative == TY_LESS ? u2 : ty_max(u1, u2);
    T p = mann_whitney_normal(u, r.equal, n1, n2, o.continuity);
    if (exact) {
        T table = exact_mann_whitney(s.size[0], s.size[1]);
        T q = looked_up(table, minus(N(n1 * n2), ty_floor(u)));
        T tied = ty_any(ty_gt(r.equal, N(1)), last_axis);
        p = o.method == TY_METHOD_EXACT ? q : ty_where(tied, p, q);
    }
    if (o.alternative == TY_TWO_SIDED) p = times(p, N(2));
    return study_test(&s, u1, unless_nan(all, ty_clip(p, N(0), N(1))), NULL, NULL);
}

/* ---- Wilcoxon ---- */

enum { ALL_SIGNS_AUTO = 13, ALL_SIGNS_MOST = 200, WILCOXON_MOST = 50, WILCOXON_TABLE = 2000 };

/* Signed ranks of differences, and the moments of their sum. */
struct signed_ranks {
    T difference, rank, plus, minus; /* ranks of zeros: 0 if dropped */
    T mean, deviation;
    T plain; /* bool: neither ties nor zeros */
};

/* Return the ranks of |d| along the last axis, n elements, with the sums of the ranks of positive and
   negative d, and mean and deviation of the sum; `how` says how zeros count. */
static struct signed_ranks sign_ranks(T d, int64_t n, ty_zero_method how) {
    struct signed_ranks r = {.difference = d};
    T zero = ty_eq(d, N(0)), zeros = ty_sum(ty_cast(zero, TY_F64), last_kept);
    struct ranks all = ranks_of(ty_abs(d)); /* zeros come first */
    T dropped = ty_squeeze(zeros, -1), count = N((double)n);
    if (how == TY_ZEROS_DROPPED) count = minus(count, dropped);
    r.rank = how == TY_ZEROS_DROPPED ? ty_where(zero, N(0), minus(all.rank, zeros)) : all.rank;
    T split =
        how == TY_ZEROS_SPLIT ? times(ty_sum(times(ty_cast(zero, TY_F64), r.rank), last_axis), N(0.5)) : N(0);
    r.plus = plus(ty_sum(times(ty_cast(ty_gt(d, N(0)), TY_F64), r.rank), last_axis), split);
    r.minus = plus(ty_sum(times(ty_cast(ty_lt(d, N(0)), TY_F64), r.rank), last_axis), split);
    T mean = times(times(count, plus(count, N(1))), N(0.25));
    T square = times(times(count, plus(count, N(1))), plus(times(count, N(2)), N(1)));
    if (how == TY_ZEROS_PRATT) {
        mean = minus(mean, times(times(dropped, plus(dropped, N(1))), N(0.25)));
        square = minus(square, times(times(dropped, plus(dropped, N(1))), plus(times(dropped, N(2)), N(1))));
    }
    T equal = how == TY_ZEROS_SPLIT ? all.equal : ty_where(zero, N(1), all.equal);
    r.mean = mean;
    r.deviation = ty_sqrt(over(minus(square, times(tie_sum(equal), N(0.5))), N(24)));
    r.plain = ty_logical_not(ty_any(ty_logical_or(ty_gt(all.equal, N(1)), zero), last_axis));
    return r;
}

/* Return the p-value for the alternative: `less` and `more` are the probabilities of at most and at least the
   observed sum. */
static T wilcoxon_sides(ty_alternative alternative, T less, T more) {
    if (alternative != TY_TWO_SIDED) return alternative == TY_LESS ? less : more;
    return ty_min(times(N(2), ty_min(less, more)), N(1));
}

/* Scan body: convolve the distribution of twice the rank sum, carry[0] [.., width], with a random sign of the
   next rank, x[0]; *context is the int64_t width. */
static void add_sign(void *context, ty_step *step) {
    const int64_t *width = context;
    T p = step->carry[0], from = minus(ty_iota(TY_I64, 1, width, 0), ty_expand(step->x[0], -1));
    T moved = ty_take_along_axis(p, ty_max(from, ty_int(0)), -1);
    step->next[0] = times(plus(p, ty_where(ty_ge(from, ty_int(0)), moved, N(0))), N(0.5));
}

/* Return Wilcoxon's exact p-value [..] over all 2^n signs, also with ties. Twice a rank is an integer, so the
   distribution is computed over twice the sum. */
static T wilcoxon_all_signs(const struct signed_ranks *r, int64_t n, ty_alternative alternative,
                            ty_zero_method how) {
    int64_t width = n * (n + 1) + 1;
    T moving = ty_where(ty_eq(r->difference, N(0)), N(0), r->rank);
    T fixed = how == TY_ZEROS_SPLIT ? times(ty_sum(minus(r->rank, moving), last_axis), N(0.5)) : N(0);
    T found = ty_round(times(minus(r->plus, fixed), N(2)));
    T twice = ty_cast(ty_round(times(moving, N(2))), TY_I64), ranks = ty_reshape(twice, TY_SHAPE(-1, n));
    if (!ty_ok(ranks)) return ranks;
    T none = ty_cast(ty_eq(ty_iota(TY_I64, 2, (int64_t[]){ty_shape(ranks)[0], width}, 1), ty_int(0)), TY_F64),
      p, by_rank = ty_transpose(ranks);
    ty_scan_spec loop = {.ncarry = 1, .carry = &none, .nx = 1, .x = &by_rank};
    ty_scan(add_sign, &width, loop, &p, NULL, NULL);
    T sums = counted(width), at = ty_expand(ty_ravel(found), -1);
    T less = ty_sum(ty_where(ty_le(sums, at), p, N(0)), last_axis),
      more = ty_sum(ty_where(ty_ge(sums, at), p, N(0)), last_axis);
    T y = wilcoxon_sides(alternative, less, more);
    return ty_ok(found) ? ty_reshape(y, ty_rank(found), ty_shape(found)) : found;
}

static T wilcoxon_exact(const struct signed_ranks *r, int64_t n, ty_alternative alternative) {
    T table = exact_wilcoxon(n), most = N((double)(n * (n + 1) / 2));
    return wilcoxon_sides(alternative, looked_up(table, ty_ceil(r->plus)),
                          looked_up(table, minus(most, ty_floor(r->plus))));
}

/* Return Wilcoxon's p-value by the normal distribution, with the continuity correction if o.continuity >
   0. */
static T wilcoxon_normal(const struct signed_ranks *r, ty_test_options o) {
    T from = minus(r->plus, r->mean);
    if (o.continuity > 0) {
        T way = o.alternative == TY_TWO_SIDED ? ty_sign(from) : N(o.alternative == TY_GREATER ? 1 : -1);
        from = minus(from, times(way, N(0.5)));
    }
    return normal_p(o.alternative, over(from, r->deviation));
}

ty_test ty_wilcoxon_sized(ty_tensor *x, ty_tensor *y, int axis, const ty_test_options *given,
                          size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    int n = y ? 2 : 1;
    struct study s =
        study_options(study_lines("wilcoxon", n, (T[]){x, y}, n, axis, 1, STUDY_PAIRED | STUDY_BROADCAST), o);
    int64_t size = s.size[0];
    if (o.method == TY_METHOD_EXACT && size > WILCOXON_TABLE)
        s = study_refuse(s, E_LIMIT,
                         "%lld elements are too many for an exact p, more than %d; use TY_METHOD_ASYMPTOTIC",
                         (long long)size, WILCOXON_TABLE);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T d = y ? minus(s.x[0], s.x[1]) : s.x[0];
    struct signed_ranks r = sign_ranks(d, size, o.zeros);
    bool exact = o.method == TY_METHOD_EXACT, few = size <= (exact                        ? ALL_SIGNS_MOST
                                                             : o.method == TY_METHOD_AUTO ? ALL_SIGNS_AUTO
                                                                                          : 0);
    T p = few     ? wilcoxon_all_signs(&r, size, o.alternative, o.zeros)
          : exact ? N((double)NAN)
                  : wilcoxon_normal(&r, o);
    if (!few && (exact || (o.method == TY_METHOD_AUTO && size <= WILCOXON_MOST)))
        p = ty_where(r.plain, wilcoxon_exact(&r, size, o.alternative), p);
    T statistic = o.alternative == TY_TWO_SIDED ? ty_min(r.plus, r.minus) : r.plus;
    return study_test(&s, unless_nan(d, statistic), unless_nan(d, p), NULL, NULL);
}
