/* Distributions of an urn: hypergeometric (without putting back), categorical (one draw by weights). */
#include <tyto/control.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "statistics/words.h"

/* ---- hypergeometric: good a, bad b, drawn c ---- */

static T log_choose(T n, T k) {
    return ty_neg(plus(ty_log1p(n), ty_lbeta(plus(k, N(1)), plus(minus(n, k), N(1)))));
}

F(urn_all, plus(A, B))
F(urn_lowest, ty_max(minus(C, B), N(0)))
F(urn_highest, ty_min(A, C))
F(urn_inside, both(ty_ge(X, urn_lowest(v)), ty_le(X, urn_highest(v))))
F(urn_below, ty_lt(X, urn_lowest(v)))
F(urn_above, ty_ge(X, urn_highest(v)))
F(urn_logpdf, minus(plus(log_choose(A, X), log_choose(B, minus(C, X))), log_choose(urn_all(v), C)))
F(urn_mean, over(times(C, A), ty_max(urn_all(v), N(1))))
static T urn_variance(const struct values *v) {
    T all = ty_max(urn_all(v), N(1)), left = over(minus(all, C), ty_max(minus(all, N(1)), N(1)));
    return times(times(urn_mean(v), over(B, all)), ty_max(left, N(0)));
}

/* From number x on, down or up: how likely each is as a share of x's own, and the sum of these. */
struct walk {
    struct values v;
    T up;
};
enum { PLACE, TERM, SUM, CARRIES };
static T walk_goes(void *context, T const *carry) {
    (void)context;
    return ty_any(ty_gt(carry[TERM], times(carry[SUM], N(0x1p-60))), TY_ALL);
}
static void walk_step(void *context, T const *carry, T *next) {
    const struct walk *w = context;
    const struct values *v = &w->v;
    T k = carry[PLACE], bads = plus(minus(B, C), k); /* bad ones left */
    T up = over(times(minus(A, k), minus(C, k)), times(plus(k, N(1)), plus(bads, N(1))));
    T down = over(times(k, bads), times(plus(minus(A, k), N(1)), plus(minus(C, k), N(1))));
    T term = times(carry[TERM], ty_max(ty_where(w->up, up, down), N(0)));
    next[TERM] = ty_where(ty_gt(carry[TERM], N(0)), term, N(0));
    next[SUM] = plus(carry[SUM], next[TERM]);
    next[PLACE] = plus(k, ty_where(w->up, N(1), N(-1)));
}
/* The tail that is the smaller one is summed; a hundred thousand terms are ten deviations of populations of 1e9. */
static T urn_tail(const struct values *v, bool upper) {
    enum { MOST = 100000 };
    T zero = times(plus(plus(X, A), plus(B, C)), N(0));
    T x = ty_cast(plus(X, zero), TY_F64), up = ty_ge(x, ty_cast(urn_mean(v), TY_F64));
    T first = plus(x, ty_where(up, N(1), N(0)));
    struct walk w = {
        {first, ty_detach(ty_cast(A, TY_F64)), ty_detach(ty_cast(B, TY_F64)), ty_detach(ty_cast(C, TY_F64))},
        up};
    T there = ty_cast(urn_inside(&w.v), TY_F64), last[CARRIES];
    ty_while(walk_goes, walk_step, &w, CARRIES, (T[]){first, there, there}, MOST, last, NULL);
    T done = ty_le(last[TERM], times(last[SUM], N(0x1p-60)));
    w.v.x = ty_where(positive(there), first, urn_lowest(&w.v));
    T tail = ty_where(done, times(last[SUM], ty_exp(urn_logpdf(&w.v))), N((double)NAN));
    return ty_cast(ty_where(upper ? up : ty_logical_not(up), tail, rest(tail)), ty_dtype_of(X));
}
F(urn_cdf, urn_tail(v, false))
F(urn_sf, urn_tail(v, true))
static T whole_count(T n) { return both(both(ty_ge(n, N(0)), ty_le(n, N(0x1p52))), ty_eq(n, ty_floor(n))); }
F(urn_valid, both(both(whole_count(A), whole_count(B)), both(whole_count(C), ty_le(C, plus(A, B)))))
F(urn_entropy,
  distribution_sum_entropy(&distribution_hypergeometric, v, urn_mean(v), ty_sqrt(urn_variance(v))))
D(urn_draw, ty_hypergeometric(SHAPE, A, B, C, KEY))
const struct distribution distribution_hypergeometric = {.parameters = 3,
                                                         .usual = {0},
                                                         .whole = true,
                                                         .inside = urn_inside,
                                                         .below = urn_below,
                                                         .above = urn_above,
                                                         ALL(urn),
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
/* Running sums over the last of them, which makes the last one 1. */
static T running(const struct values *v) {
    T sums = ty_cumsum(A, -1, (ty_running){0});
    return over(sums, ty_slice(sums, -1, -1, INT64_MAX, 1));
}
static T running_rest(const struct values *v) {
    T sums = ty_cumsum(A, -1, (ty_running){.reverse = true});
    T after = ty_cumsum(A, -1, (ty_running){.reverse = true, .exclusive = true});
    return over(after, ty_slice(sums, -1, 0, 1, 1));
}
/* Element x of the last axis. */
static T pick(const struct values *v, T all) {
    T here = ty_eq(kinds(v), ty_expand(X, -1));
    return ty_sum(ty_where(here, all, N(0)), LAST);
}
static T count(T condition, const struct values *v) {
    return ty_cast(ty_sum(condition, LAST), ty_dtype_of(A));
}
#define TOP N((double)(ty_shape(A)[ty_rank(A) - 1] - 1))
F(category_inside, both(ty_ge(X, N(0)), ty_le(X, TOP)))
F(category_above, ty_ge(X, TOP))
F(category_logpdf, minus(ty_log(pick(v, A)), ty_log(weight_sum(v))))
F(category_cdf, pick(v, running(v)))
F(category_sf, pick(v, running_rest(v)))
F(category_ppf, ty_min(count(ty_lt(running(v), ty_expand(X, -1)), v), TOP))
F(category_isf, ty_min(count(ty_gt(running_rest(v), ty_expand(X, -1)), v), TOP))
F(category_valid,
  both(ty_all(both(ty_ge(A, N(0)), ty_lt(A, N((double)INFINITY))), LAST), positive(weight_sum(v))))
F(category_mean, ty_sum(times(shares(v), kinds(v)), LAST))
F(category_variance,
  ty_sum(times(shares(v), ty_square(minus(kinds(v), ty_expand(category_mean(v), -1)))), LAST))
F(category_entropy, ty_sum(ty_entr(shares(v)), LAST))
/* A search where all draws have the same weights. */
static T category_draw(const struct wanted *w, const struct values *v) {
    T u = distribution_uniform_inside(w);
    struct values at = {u, A, v->b, v->c};
    if (ty_rank(A) > 1) return category_ppf(&at);
    T place = ty_searchsorted(running(v), u, false);
    return ty_min(ty_cast(place, w->dtype), TOP);
}
const struct distribution distribution_categorical = {.parameters = 1,
                                                      .whole = true,
                                                      .vector = true,
                                                      .inside = category_inside,
                                                      .below = negative,
                                                      .above = category_above,
                                                      ALL(category),
                                                      .ppf = category_ppf,
                                                      .isf = category_isf,
                                                      .valid = category_valid,
                                                      .mean = category_mean,
                                                      .variance = category_variance,
                                                      .entropy = category_entropy,
                                                      .draw = category_draw};
