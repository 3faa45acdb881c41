/*
 * Inverses of distribution functions without formulas, by bisection over the representable numbers. The smaller
 * of p and 1 - p is compared, with cdf or sf, which are accurate there.
 */
#include <math.h>
#include <tyto/control.h>
#include <tyto/derivative.h>
#include <tyto/shape.h>
#include "grad/unused.h"
#include "statistics/words.h"

/* Context of the bisection. */
struct halving {
    const struct distribution *d;
    struct values v; /* parameters; x is unused */
    T lower, upper;  /* probabilities below and above the wanted quantile */
    T left;          /* bool: compare `lower`; NULL: never */
};

/* Numbers >= 0 are ordered like their bits; integers by value up to 2^53, above which all numbers are
   integers. */
static const int64_t infinity_bits = INT64_C(0x7ff0000000000000), whole_most = INT64_C(1) << 53,
                     whole_most_bits = INT64_C(0x4340000000000000);
static T number_of(const struct distribution *d, T place) {
    if (!d->whole) return ty_view_as(place, TY_F64);
    T large = ty_view_as(plus(place, ty_int(whole_most_bits - whole_most)), TY_F64);
    return ty_where(ty_le(place, ty_int(whole_most)), ty_cast(place, TY_F64), large);
}

/* Return sf (`upper`) or cdf at x; where the bool `asked` is false, at 0 instead, which is cheap. asked NULL:
   everywhere at x. */
static T side_at(const struct halving *h, T x, T asked, bool upper) {
    struct values at = {asked ? ty_where(asked, x, N(0)) : x, h->v.a, h->v.b, h->v.c, false};
    return distribution_integral(h->d, &at, upper, false);
}

/* Return a bool mask: true where x is at least the wanted quantile. */
static T reached(const struct halving *h, T x) {
    T right = h->left ? ty_logical_not(h->left) : NULL;
    T beyond = ty_le(side_at(h, x, right, true), h->upper);
    return right ? ty_where(right, beyond, ty_ge(side_at(h, x, h->left, false), h->lower)) : beyond;
}

/* Scan body, whose context is a struct halving: halve the range carry[0] .. carry[1] (both inclusive) of
   integers, which stand for numbers in order, towards the first number that reaches the quantile. */
static void halve(void *context, ty_step *step) {
    const struct halving *h = context;
    T low = step->carry[0], high = step->carry[1];
    T middle = plus(low, ty_floor_div(minus(high, low), ty_int(2)));
    T there = ty_logical_or(reached(h, number_of(h->d, middle)), ty_ge(low, high));
    step->next[0] = ty_where(there, low, plus(middle, ty_int(1)));
    step->next[1] = ty_where(there, ty_min(middle, high), high);
}

/* ---- derivatives: F(y; a, b) = p gives dy = (dp - F_a da - F_b db) / f(y) ---- */

static T itself(void *context, T const *x) {
    (void)context;
    return ty_contiguous(x[0]);
}
/* Context of log_tail. */
struct tail {
    const struct distribution *d;
    T left; /* bool: the lower tail */
};
/* Return the logarithm of a tail of the distribution at x[0] with parameters x[1..3]; context is a struct
   tail. It is the lower tail where t->left is true, else the upper one. */
static T log_tail(void *context, T const *x) {
    const struct tail *t = context;
    struct values at = {x[0], x[1], x[2], x[3], false};
    T below = distribution_integral(t->d, &at, false, true),
      beyond = distribution_integral(t->d, &at, true, true);
    return ty_where(t->left, below, beyond);
}
/* Set gradients[1..3], of the lower probability, a and b, from g, that of the quantile y, by implicit
   differentiation: a vjp rule. x[] holds y, the lower probability, a, b and c, which is fixed. The ends of
   the support do not move. The derivative by a comes from the logarithm of the smaller tail, times tail /
   density, which cannot over- or underflow. */
static void flow(void *context, int n, T const *x, T y, T g, T *gradients) {
    const struct distribution *d = context;
    struct values at = {y, x[2], x[3], x[4], false};
    T low = ty_le(y, distribution_lowest(d, &at)), high = ty_ge(y, distribution_highest(d, &at)), found[4];
    T end = ty_logical_or(ty_logical_or(low, high), ty_is_nan(y));
    (void)n;
    T infinite = ty_logical_not(ty_is_finite(y)); /* corners.c adds the derivative by p */
    T density = ty_where(infinite, N(1), distribution_density(d, &at, false));
    gradients[1] = gradient_unbroadcast(ty_where(infinite, N(0), over(g, density)), x[1]);
    at.x = ty_where(end, d->centre(&at), y);
    struct tail tail = {d, ty_detach(ty_le(plus(x[1], ty_zeros_like(y)), N(0.5)))};
    T operands[] = {at.x, at.a, at.b, at.c}, logs = log_tail(&tail, operands);
    T ratio = ty_exp(minus(logs, distribution_density(d, &at, true)));
    T still = ty_where(infinite, N((double)NAN), N(0)); /* infinite quantiles have no derivative */
    T slope = times(g, ty_where(end, still, ty_where(tail.left, ty_neg(ratio), ratio)));
    bool unused = unused_allow(true); /* the distribution may ignore some operands */
    ty_value_and_vjp(log_tail, &tail, slope, 4, operands, NULL, found);
    unused_allow(unused);
    for (int i = 0; i < 2; i++) gradients[2 + i] = found[1 + i];
}
static T moving(const struct halving *h, T y) {
    T x[] = {y, h->lower, h->v.a, h->v.b, ty_detach(h->v.c)};
    if (all_plain(5, x)) return y;
    return ty_apply((ty_custom){itself, flow, NULL, (void *)h->d, NULL}, 5, x);
}

/* Return the quantile by bisection over all numbers of the dtype, or over the integers; gradients by the
   parameters follow implicitly, for integers none. */
static T solve(struct halving *h) {
    int64_t most = h->d->whole ? whole_most + (infinity_bits - whole_most_bits) : infinity_bits;
    T sum = plus(plus(h->lower, h->v.a), plus(h->v.b, h->v.c)); /* in the broadcast shape */
    T low = ty_cast(ty_zeros_like(sum), TY_I64), high = plus(low, ty_int(most));
    T carry[] = {low, high}, last[2];
    struct values still = {h->v.x, ty_detach(h->v.a), ty_detach(h->v.b), ty_detach(h->v.c), false};
    struct halving fixed = {h->d, still, ty_detach(h->lower), ty_detach(h->upper), h->left};
    ty_scan_spec loop = {.ncarry = 2, .carry = carry, .length = 64};
    ty_scan(halve, &fixed, loop, last, NULL, NULL);
    T y = ty_detach(number_of(h->d, last[0])), none = ty_zeros_like(y);
    y = ty_where(ty_eq(fixed.lower, N(0)), plus(none, distribution_lowest(h->d, &still)), y);
    y = ty_where(ty_eq(fixed.upper, N(0)), plus(none, distribution_highest(h->d, &still)), y);
    return h->d->whole ? ty_detach(y) : moving(h, ty_detach(y));
}

/* Return the search for the quantile of v->x (upper: of 1 - x), in f64. */
static struct halving halving_of(const struct distribution *d, const struct values *v, bool upper) {
    struct values wide = {ty_cast(X, TY_F64), ty_cast(A, TY_F64), ty_cast(B, TY_F64), ty_cast(C, TY_F64),
                          false};
    T p = wide.x, q = rest(p);
    return (struct halving){d, wide, upper ? q : p, upper ? p : q, NULL};
}

T distribution_halve(const struct distribution *d, const struct values *v, bool upper) {
    struct halving h = halving_of(d, v, upper);
    h.left = ty_detach(ty_le(h.lower, N(0.5)));
    return ty_cast(solve(&h), ty_dtype_of(X));
}

T distribution_halve_tail(const struct distribution *d, const struct values *v) {
    struct halving h = halving_of(d, v, true);
    return ty_cast(solve(&h), ty_dtype_of(X));
}
