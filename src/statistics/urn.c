/* Urn distributions: hypergeometric (without replacement), categorical (one draw by weights). */
#include <tyto/control.h>
#include <tyto/derivative.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "statistics/words.h"

/* ---- hypergeometric: a good, b bad, c drawn ---- */

static T log_choose(T n, T k) {
    return ty_neg(plus(ty_log1p(n), ty_lbeta(plus(k, N(1)), plus(minus(n, k), N(1)))));
}

F(urn_all, plus(A, B))
F(urn_lowest, ty_max(minus(C, B), N(0)))
F(urn_highest, ty_min(A, C))
F(urn_inside, both(ty_ge(X, urn_lowest(v)), ty_le(X, urn_highest(v))))
F(urn_logpdf, minus(plus(log_choose(A, X), log_choose(B, minus(C, X))), log_choose(urn_all(v), C)))
F(urn_mean, over(times(C, A), ty_max(urn_all(v), N(1))))
static T urn_variance(const struct values *v) {
    T all = ty_max(urn_all(v), N(1)), left = over(minus(all, C), ty_max(minus(all, N(1)), N(1)));
    return times(times(urn_mean(v), over(B, all)), ty_max(left, N(0)));
}

/* Context of a loop that sums the probabilities from x downwards or upwards, relative to that of x. */
struct urn_walk {
    struct values v;
    T up;
};
enum { PLACE, TERM, SUM, CARRIES, BLOCK = 64 };
static T walk_goes(void *context, T const *carry) {
    (void)context;
    return ty_any(ty_gt(carry[TERM], times(carry[SUM], N(0x1p-60))), TY_ALL);
}
/* Loop body: add the next BLOCK terms of the tail to the sum. carry[] and next[] hold the first count of the
   block, its term, and the sum; terms are relative to the first one of all. */
static void walk_step(void *context, T const *carry, T *next) {
    const struct urn_walk *w = context;
    T forward = ty_iota(TY_F64, TY_SHAPE(BLOCK), 0), up = ty_expand(w->up, -1), live = positive(carry[TERM]);
    T k = plus(ty_expand(carry[PLACE], -1), ty_where(up, forward, ty_neg(forward)));
    T good = ty_expand(w->v.a, -1), drawn = ty_expand(w->v.c, -1);
    T bads = plus(minus(ty_expand(w->v.b, -1), drawn), k); /* bad ones left in the urn */
    T more = over(times(minus(good, k), minus(drawn, k)), times(plus(k, N(1)), plus(bads, N(1))));
    T less = over(times(k, bads), times(plus(minus(good, k), N(1)), plus(minus(drawn, k), N(1))));
    T shares = ty_cumprod(ty_max(ty_where(up, more, less), N(0)), -1, (ty_running){0});
    T last = ty_squeeze(ty_slice(shares, -1, BLOCK - 1, BLOCK, 1), -1), sum = ty_sum(shares, ty_axis(-1));
    next[TERM] = ty_where(live, times(carry[TERM], last), N(0));
    next[SUM] = plus(carry[SUM], ty_where(live, times(carry[TERM], sum), N(0)));
    next[PLACE] = plus(carry[PLACE], ty_where(w->up, N(BLOCK), N(-BLOCK)));
}
static T urn_itself(void *context, T const *x) {
    (void)context;
    return ty_contiguous(x[0]);
}
/* Set the gradients of the hypergeometric parameters x[1..n) to poison that explains that there are none:
   a vjp rule. */
static void urn_lacks(void *context, int n, T const *x, T y, T g, T *gradients) {
    (void)context, (void)y, (void)g;
    for (int i = 1; i < n; i++)
        gradients[i] = refuse("hypergeometric", 1, &x[i], E_UNSUPPORTED,
                              "its integrals have no gradient by its parameters; ty_detach them to "
                              "differentiate by others only");
}
/* Return cdf (upper: sf) of the hypergeometric distribution at v->x, or with `log` its logarithm, by summing
   the smaller tail; NaN for deviations above 10,000. x gets no gradient; gradients by parameters are refused. */
static T urn_tail(const struct values *v, bool upper, bool log) {
    const double most = 1e4;
    struct values wide = {ty_detach(ty_cast(X, TY_F64)), ty_detach(ty_cast(A, TY_F64)),
                          ty_detach(ty_cast(B, TY_F64)), ty_detach(ty_cast(C, TY_F64)), false};
    T zero_of_all = times(plus(plus(wide.x, wide.a), plus(wide.b, wide.c)), N(0));
    T x = plus(wide.x, zero_of_all), up = ty_ge(x, urn_mean(&wide)),
      first = plus(x, ty_where(up, N(1), N(0)));
    struct urn_walk w = {{first, wide.a, wide.b, wide.c, false}, up};
    T small = ty_le(urn_variance(&wide), N(most * most)), inside = urn_inside(&w.v);
    T there = ty_cast(both(small, inside), TY_F64), last[CARRIES];
    ty_while(walk_goes, walk_step, &w, CARRIES, (T[]){first, there, there}, 0, last, NULL);
    w.v.x = ty_where(inside, first, urn_lowest(&w.v));
    T logs = plus(ty_log(last[SUM]), urn_logpdf(&w.v)), tail = ty_exp(logs);
    T own = upper ? up : ty_logical_not(up);
    T y = log ? ty_where(own, logs, ty_log1p(ty_neg(tail))) : ty_where(own, tail, rest(tail));
    y = ty_cast(ty_where(small, y, N((double)NAN)), ty_dtype_of(X));
    T operands[] = {y, A, B, C};
    if (all_plain(4, operands)) return y;
    return ty_apply((ty_custom){urn_itself, urn_lacks, NULL, NULL, NULL}, 4, operands);
}
F(urn_cdf, urn_tail(v, false, false))
F(urn_sf, urn_tail(v, true, false))
F(urn_logcdf, urn_tail(v, false, true))
F(urn_logsf, urn_tail(v, true, true))
static T whole_count(T n) { return both(both(ty_ge(n, N(0)), ty_le(n, N(0x1p52))), ty_eq(n, ty_floor(n))); }
F(urn_valid, both(both(whole_count(A), whole_count(B)), both(whole_count(C), ty_le(C, plus(A, B)))))
F(urn_entropy,
  distribution_sum_entropy(&distribution_hypergeometric, v, urn_mean(v), ty_sqrt(urn_variance(v))))
D(urn_draw, ty_hypergeometric(SHAPE, A, B, C, KEY))
const struct distribution distribution_hypergeometric = {.parameters = 3,
                                                         .usual = {0},
                                                         .whole = true,
                                                         .inside = urn_inside,
                                                         .lowest = urn_lowest,
                                                         .highest = urn_highest,
                                                         .centre = urn_lowest,
                                                         ALL(urn),
                                                         LOGS(urn),
                                                         .valid = urn_valid,
                                                         .mean = urn_mean,
                                                         .variance = urn_variance,
                                                         .entropy = urn_entropy,
                                                         .draw = urn_draw};

/* ---- categorical: weights a along the last axis ---- */

#define LAST ty_axis(-1)
static T kinds(const struct values *v) {
    return ty_iota(ty_dtype_of(A), TY_SHAPE(ty_shape(A)[ty_rank(A) - 1]), 0);
}
F(weight_sum, ty_sum(A, LAST))
F(shares, over(A, ty_expand(weight_sum(v), -1)))
/* Return the running sums of the weights v->a along the last axis, divided by the last, so that the last is
   exactly 1. */
static T running(const struct values *v) {
    T sums = ty_cumsum(A, -1, (ty_running){0});
    return over(sums, ty_slice(sums, -1, -1, INT64_MAX, 1));
}
static T running_rest(const struct values *v) {
    T sums = ty_cumsum(A, -1, (ty_running){.reverse = true});
    T after = ty_cumsum(A, -1, (ty_running){.reverse = true, .exclusive = true});
    return over(after, ty_slice(sums, -1, 0, 1, 1));
}
/* Return the element of `all` [.., k] at index x of its last axis; 0 if x is no index. */
static T pick(const struct values *v, T all) {
    T here = ty_eq(kinds(v), ty_expand(X, -1));
    return ty_sum(ty_where(here, all, N(0)), LAST);
}
static T count(T condition, const struct values *v) {
    return ty_cast(ty_sum(condition, LAST), ty_dtype_of(A));
}
#define TOP N((double)(ty_shape(A)[ty_rank(A) - 1] - 1))
F(category_inside, both(ty_ge(X, N(0)), ty_le(X, TOP)))
/* Index of the last category of positive weight. */
F(category_highest, count(positive(running_rest(v)), v))
F(category_logpdf, minus(ty_log(pick(v, A)), ty_log(weight_sum(v))))
F(category_cdf, pick(v, running(v)))
F(category_sf, pick(v, running_rest(v)))
/* Return the categorical quantile of x (upper: of 1 - x), an index from 0, counted in the running sums from
   the side where p is small. */
static T category_quantile(const struct values *v, bool upper) {
    T less = ty_expand(upper ? rest(X) : X, -1), more = ty_expand(upper ? X : rest(X), -1);
    T by_less = count(ty_lt(running(v), less), v), by_more = count(ty_gt(running_rest(v), more), v);
    T low = ty_le(X, N(0.5));
    return ty_min(upper ? ty_where(low, by_more, by_less) : ty_where(low, by_less, by_more), TOP);
}
F(category_ppf, category_quantile(v, false))
F(category_isf, category_quantile(v, true))
F(category_valid,
  both(ty_all(both(ty_ge(A, N(0)), ty_lt(A, N((double)INFINITY))), LAST), positive(weight_sum(v))))
F(category_mean, ty_sum(times(shares(v), kinds(v)), LAST))
F(category_variance,
  ty_sum(times(shares(v), ty_square(minus(kinds(v), ty_expand(category_mean(v), -1)))), LAST))
F(category_entropy, ty_sum(ty_entr(shares(v)), LAST))
/* Return draws of categories, indices from 0 of the weights v->a [.., k], with w's shape and key, by
   inversion. One binary search serves all draws with the same weights. */
static T category_draw(const struct wanted *w, const struct values *v) {
    T u = distribution_uniform_inside(w);
    struct values at = {u, A, v->b, v->c, false};
    if (ty_rank(A) > 1) return category_ppf(&at);
    T place = ty_searchsorted(running(v), u, false);
    return ty_min(ty_cast(place, w->dtype), TOP);
}
const struct distribution distribution_categorical = {.parameters = 1,
                                                      .whole = true,
                                                      .vector = true,
                                                      .inside = category_inside,
                                                      .lowest = at_zero,
                                                      .highest = category_highest,
                                                      .centre = at_zero,
                                                      ALL(category),
                                                      .ppf = category_ppf,
                                                      .isf = category_isf,
                                                      .valid = category_valid,
                                                      .mean = category_mean,
                                                      .variance = category_variance,
                                                      .entropy = category_entropy,
                                                      .draw = category_draw};
