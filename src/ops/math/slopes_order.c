/*
 * Derivatives of the incomplete gamma and beta functions by their orders.  The defining integrals, with the logarithm
 * that differentiating a power adds, are computed over the tail without a maximum, by a double exponential rule of 71
 * points (H. Takahasi and M. Mori, 1974).  They are composites, so they have derivatives.  Derivatives of the
 * functions' logarithms are divided by exp(level), where level is the logarithm, inside of the exponent to avoid
 * overflow.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "array/tensor.h"
#include "ops/core/structure.h"
#include "ops/math/slopes.h"

enum { POINTS = 71, TERMS = 16 };

/* Nodes u > 0 and weights for integrands that decay like exp(-u / scale), with any behaviour at 0: u = scale exp(s
   - exp(-s)).  The rule of scale 1 is made before a composite is opened, so that it holds values. */
struct rule {
    ty_tensor *u, *weight;
};
/* Return the nodes and weights, f64 [POINTS], of the quadrature over u > 0, u = exp(s - exp(-s)). */
static struct rule rule_of_1(void) {
    const double from = -3.8, step = 0.11;
    ty_tensor *s = ty_add(ty_mul(ty_iota(TY_F64, TY_SHAPE(POINTS), 0), ty_num(step)), ty_num(from));
    ty_tensor *away = ty_exp(ty_neg(s)), *u = ty_exp(ty_sub(s, away));
    return (struct rule){u, ty_mul(ty_mul(u, ty_num(step)), ty_add(away, ty_num(1)))};
}
static struct rule scaled(const struct rule *one, ty_tensor *scale) {
    scale = ty_expand(ty_detach(scale), -1);
    return (struct rule){ty_mul(one->u, scale), ty_mul(one->weight, scale)};
}

/* Return the sum of exp(exponent) * factor * weight over the last axis, that of the quadrature nodes. */
static ty_tensor *total(ty_tensor *exponent, ty_tensor *factor, ty_tensor *weight) {
    return ty_sum(ty_mul(ty_mul(ty_exp(exponent), factor), weight), ty_axis(-1));
}

static ty_tensor *less_by_one(ty_tensor *x) { return ty_sub(x, ty_num(1)); }
static ty_tensor *inverse(ty_tensor *x) { return ty_div(ty_num(1), x); }

/* Return the derivative of gammainc(a, x) by a, divided by exp(level), elementwise, by quadrature over a tail
   without a maximum inside. It is over t < x by t = x exp(-u) if x < a, else over t > x by t = x + u. *one is
   the rule for u of scale 1. */
static ty_tensor *gamma_sum(const struct rule *one, ty_tensor *a, ty_tensor *x, ty_tensor *level) {
    ty_tensor *above = ty_ge(x, a), *root = ty_sqrt(x);
    ty_tensor *near = inverse(ty_add(ty_sub(ty_max(a, x), x), root)), *wide = ty_div(ty_add(x, ty_num(1)), a);
    ty_tensor *beyond = inverse(ty_add(ty_div(ty_sub(ty_max(a, x), a), x), ty_rsqrt(ty_add(x, ty_num(1)))));
    ty_tensor *scale = ty_where(above, beyond, ty_where(ty_gt(near, ty_num(1)), wide, near));
    struct rule r = scaled(one, scale);
    ty_tensor *order = ty_expand(a, -1), *at = ty_expand(x, -1), *right = ty_expand(above, -1);
    ty_tensor *step = ty_where(right, ty_log1p(ty_div(r.u, at)), ty_neg(r.u)); /* log(t / x) */
    ty_tensor *left = ty_sub(ty_mul(order, step), ty_mul(at, ty_expm1(step)));
    ty_tensor *exponent = ty_where(right, ty_sub(ty_mul(less_by_one(order), step), r.u), left);
    ty_tensor *next = ty_add(order, ty_num(1)), *apart = ty_sub(ty_add(ty_log(at), step), ty_digamma(next));
    ty_tensor *factor =
        ty_fma(order, apart, ty_num(1)); /* a (log t - digamma(a)), which is accurate for small a, too */
    ty_tensor *scale_of = ty_exp(log_gamma_density(ty_add(a, ty_num(1)), x, level));
    ty_tensor *sum = ty_mul(total(exponent, factor, r.weight), scale_of);
    return ty_where(above, ty_neg(ty_div(sum, x)), sum);
}

/* Return the derivative of gammainc(a, x) by a, divided by exp(level), elementwise, for x < 1/2 and a < 1,
   where log t varies much. It is that of the series P = x^a / Gamma(a + 1) (1 + sum over n of a (-x)^n / ((a
   + n) n!)) (DLMF 8.7.1). n has the indices of the terms, along the last axis. */
static ty_tensor *gamma_series(ty_tensor *n, ty_tensor *a, ty_tensor *x, ty_tensor *level) {
    ty_tensor *order = ty_expand(a, -1);
    ty_tensor *sign = ty_cospi(n), *place = ty_expand(ty_log(x), -1);
    ty_tensor *term = ty_mul(sign, ty_exp(ty_sub(ty_mul(n, place), ty_lgamma(ty_add(n, ty_num(1))))));
    ty_tensor *below = ty_add(order, n),
              *sum = ty_add(ty_mul(a, ty_sum(ty_div(term, below), ty_axis(-1))), ty_num(1));
    ty_tensor *slope = ty_sum(ty_div(ty_mul(term, n), ty_square(below)), ty_axis(-1));
    ty_tensor *next = ty_add(a, ty_num(1)),
              *front = ty_exp(ty_sub(ty_sub(ty_mul(a, ty_log(x)), ty_lgamma(next)), level));
    return ty_mul(front, ty_add(ty_mul(sum, ty_sub(ty_log(x), ty_digamma(next))), slope));
}

/* Return 0 where the mask `end` holds, the derivative by an order at an end of the range, since the function
   is 0 or 1 there. NaN where it is false, and where the level is -infinity. */
static ty_tensor *at_end(ty_tensor *end, ty_tensor *level) {
    ty_tensor *known = ty_gt(level, ty_num(-(double)INFINITY));
    return ty_where(ty_logical_and(end, known), ty_num(0), ty_num(NAN));
}

/* Return the derivative of gammainc(order, place) by the order, elementwise, divided by exp(level). 0 at the
   ends of the range of `place`, NaN outside of the domain. Poison on failure. */
static ty_tensor *gamma_by_order(ty_tensor *order, ty_tensor *place, ty_tensor *level) {
    ty_tensor *x[] = {order, place, level}, *bad = first_poison_in("gammainc", 3, x);
    if (bad) return bad;
    ty_scope *whole = ty_open();
    struct rule one = rule_of_1();
    ty_tensor *n = ty_add(ty_iota(TY_F64, TY_SHAPE(TERMS), 0), ty_num(1));
    struct composite c = composite_open_plain(NULL, ty_size(place) * POINTS * 8, 3, x);
    ty_tensor *a = ty_cast(x[0], TY_F64), *b = ty_cast(x[1], TY_F64), *l = ty_cast(x[2], TY_F64);
    ty_tensor *inside = ty_logical_and(ty_gt(a, ty_num(0)), ty_gt(b, ty_num(0)));
    inside = ty_logical_and(inside, ty_logical_and(ty_is_finite(a), ty_is_finite(b)));
    ty_tensor *small = ty_logical_and(inside, ty_logical_and(ty_lt(a, ty_num(1)), ty_lt(b, ty_num(0.5))));
    ty_tensor *large = ty_logical_and(inside, ty_logical_not(small));
    ty_tensor *level_of = ty_where(inside, l, ty_num(0));
    ty_tensor *sum = gamma_sum(&one, ty_where(large, a, ty_num(1)), ty_where(large, b, ty_num(1)),
                               ty_where(large, level_of, ty_num(0)));
    sum = ty_where(small,
                   gamma_series(n, ty_where(small, a, ty_num(0.5)), ty_where(small, b, ty_num(0.25)),
                                ty_where(small, level_of, ty_num(0))),
                   sum);
    ty_tensor *end = ty_logical_and(ty_ge(a, ty_num(0)), ty_logical_or(ty_eq(b, ty_num(0)), ty_is_inf(b)));
    ty_tensor *y = ty_where(inside, sum, at_end(end, l));
    return leave(whole, composite_close(c, ty_cast(y, ty_dtype_of(order))));
}
ty_tensor *gammainc_by_order(ty_tensor *order, ty_tensor *place) {
    return gamma_by_order(order, place, ty_num(0));
}
ty_tensor *log_gammainc_by_order(ty_tensor *order, ty_tensor *place, ty_tensor *level) {
    return gamma_by_order(order, place, level);
}

/* Return the derivative of betainc(a, b, x) by an exponent, elementwise, divided by exp(level), for x below
   the mean, by quadrature over t = x exp(-u); y = 1 - x. Where the mask `own` is true it is by a, the
   exponent of t, else by b, that of 1 - t. `digammas` is digamma of that exponent minus digamma(a + b). *one
   is the rule for u of scale 1. */
static ty_tensor *beta_sum(const struct rule *one, ty_tensor *a, ty_tensor *b, ty_tensor *x, ty_tensor *y,
                           ty_tensor *own, ty_tensor *digammas, ty_tensor *level) {
    ty_tensor *many = ty_max(less_by_one(b), ty_num(0)), *odds = ty_div(x, y), *half = ty_num(0.5);
    ty_tensor *left = ty_lt(x, half), *small = ty_where(left, x, half), *other = ty_where(left, half, y);
    ty_tensor *log_x = ty_where(left, ty_log(small), ty_log1p(ty_neg(other)));
    ty_tensor *log_y = ty_where(left, ty_log1p(ty_neg(small)), ty_log(other));
    ty_tensor *fall = ty_sub(a, ty_min(ty_mul(many, odds), a));
    ty_tensor *near = inverse(ty_add(fall, ty_div(ty_sqrt(ty_mul(many, x)), y)));
    ty_tensor *wide = ty_div(ty_sub(ty_num(1), ty_mul(many, log_y)), a);
    struct rule r = scaled(one, ty_where(ty_gt(near, ty_num(1)), wide, near));
    ty_tensor *rise =
        ty_log1p(ty_neg(ty_mul(ty_expand(odds, -1), ty_expm1(ty_neg(r.u))))); /* log((1 - t) / y) */
    ty_tensor *exponent = ty_sub(ty_mul(less_by_one(ty_expand(b, -1)), rise), ty_mul(ty_expand(a, -1), r.u));
    ty_tensor *near_0 = ty_log1p(ty_neg(ty_mul(ty_expand(small, -1), ty_exp(ty_neg(r.u)))));
    ty_tensor *log_rest = ty_where(ty_expand(left, -1), near_0, ty_add(ty_expand(log_y, -1), rise));
    ty_tensor *log_t = ty_where(ty_expand(own, -1), ty_sub(ty_expand(log_x, -1), r.u), log_rest);
    ty_tensor *sum = total(exponent, ty_sub(log_t, ty_expand(digammas, -1)), r.weight);
    ty_tensor *front = ty_add(ty_mul(a, log_x), ty_mul(less_by_one(b), log_y));
    return ty_mul(sum, ty_exp(ty_sub(ty_sub(front, ty_lbeta(a, b)), level)));
}

/* Return the derivative of betainc(first, second, place) by its first (by_first) or second exponent,
   elementwise, divided by exp(level). 0 at the ends, NaN outside of the domain. Uses I_x(first, second) = 1 -
   I_(1-x)(second, first). Poison on failure. */
static ty_tensor *beta_by(ty_tensor *first, ty_tensor *second, ty_tensor *place, bool by_first,
                          ty_tensor *level) {
    ty_tensor *x[] = {first, second, place, level}, *bad = first_poison_in("betainc", 4, x);
    if (bad) return bad;
    ty_scope *whole = ty_open();
    struct rule one = rule_of_1();
    struct composite scope = composite_open_plain(NULL, ty_size(place) * POINTS * 8, 4, x);
    ty_tensor *a = ty_cast(x[0], TY_F64), *b = ty_cast(x[1], TY_F64), *c = ty_cast(x[2], TY_F64);
    ty_tensor *well = ty_logical_and(ty_gt(a, ty_num(0)), ty_gt(b, ty_num(0))), *l = ty_cast(x[3], TY_F64);
    ty_tensor *finite = ty_is_finite(ty_add(a, b));
    ty_tensor *inside = ty_logical_and(ty_gt(c, ty_num(0)), ty_lt(c, ty_num(1)));
    inside = ty_logical_and(inside, ty_logical_and(well, finite));
    a = ty_where(inside, a, ty_num(1)), b = ty_where(inside, b, ty_num(1));
    ty_tensor *t = ty_where(inside, c, ty_num(0.5)), *u = ty_sub(ty_num(1), t);
    ty_tensor *low = ty_le(t, ty_div(a, ty_add(a, b)));
    ty_tensor *sum =
        beta_sum(&one, ty_where(low, a, b), ty_where(low, b, a), ty_where(low, t, u), ty_where(low, u, t),
                 by_first ? low : ty_logical_not(low), by_first ? digamma_step(a, b) : digamma_step(b, a),
                 ty_where(inside, l, ty_num(0)));
    ty_tensor *end = ty_logical_and(well, ty_logical_or(ty_eq(c, ty_num(0)), ty_eq(c, ty_num(1))));
    ty_tensor *y = ty_where(inside, ty_where(low, sum, ty_neg(sum)), at_end(end, l));
    return leave(whole, composite_close(scope, ty_cast(y, ty_dtype_of(first))));
}
ty_tensor *betainc_by_first(ty_tensor *first, ty_tensor *second, ty_tensor *place) {
    return beta_by(first, second, place, true, ty_num(0));
}
ty_tensor *betainc_by_second(ty_tensor *first, ty_tensor *second, ty_tensor *place) {
    return beta_by(first, second, place, false, ty_num(0));
}
ty_tensor *log_betainc_by_first(ty_tensor *first, ty_tensor *second, ty_tensor *place, ty_tensor *level) {
    return beta_by(first, second, place, true, level);
}
ty_tensor *log_betainc_by_second(ty_tensor *first, ty_tensor *second, ty_tensor *place, ty_tensor *level) {
    return beta_by(first, second, place, false, level);
}
