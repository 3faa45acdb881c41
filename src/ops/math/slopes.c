/* Parts of the gradients in elementwise.def; see slopes.h. */
#include "ops/math/slopes.h"
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>

bool is_complex(const ty_tensor *x) { return dtype_is(ty_dtype_of(x), CLASS_COMPLEX); }

ty_tensor *nonzero(ty_tensor *x) { return ty_where(ty_eq(x, ty_num(0)), ty_num(1), x); }

/* ---- selection ---- */

ty_tensor *same_value(ty_tensor *x, ty_tensor *y) {
    return ty_logical_or(ty_eq(x, y), ty_logical_and(ty_is_nan(x), ty_is_nan(y)));
}

ty_tensor *chosen(ty_tensor *g, ty_tensor *x, ty_tensor *other, ty_tensor *y) {
    ty_tensor *share = ty_where(same_value(other, y), ty_mul(g, ty_num(0.5)), g);
    return ty_where(same_value(x, y), share, ty_num(0));
}

/* ---- powers and logarithms ---- */

ty_tensor *pow_base(ty_tensor *a, ty_tensor *b) {
    ty_tensor *flat = ty_logical_and(ty_eq(a, ty_num(0)), ty_ge(ty_real(b), ty_num(0)));
    return ty_where(flat, ty_num(1), a);
}

ty_tensor *pow_exponent(ty_tensor *a, ty_tensor *b) {
    ty_tensor *zeros = ty_logical_and(ty_eq(a, ty_num(0)), ty_eq(b, ty_num(0)));
    return ty_where(zeros, ty_num(1), ty_sub(b, ty_num(1)));
}

ty_tensor *over_square(ty_tensor *x, ty_tensor *a, ty_tensor *b) {
    ty_tensor *radius = nonzero(ty_hypot(a, b)); /* its square might overflow or underflow */
    return ty_div(ty_div(x, radius), radius);
}

ty_tensor *log_ratio(ty_tensor *a, ty_tensor *b) {
    ty_tensor *infinite = ty_logical_and(ty_eq(a, b), ty_is_inf(a));
    return ty_where(infinite, ty_min(a, ty_num(0)), ty_sub(a, b));
}

ty_tensor *log_operand(ty_tensor *a, ty_tensor *b, double edge) {
    ty_tensor *outside = ty_logical_and(ty_eq(a, ty_num(0)), ty_le(b, ty_num(edge)));
    return ty_where(outside, ty_num(edge + 1), b);
}

ty_tensor *divisor_of(ty_tensor *a, ty_tensor *b) {
    ty_tensor *zeros = ty_logical_and(ty_eq(a, ty_num(0)), ty_eq(b, ty_num(0)));
    return ty_where(zeros, ty_num(1), b);
}

/* ---- cancelling differences ---- */

/* Return digamma(a) - digamma(a + b). Where b <= 1e-4 min(a, 1) it is a Taylor series to b^3; at that border
   both the series and the difference have an error of about 1e-12. */
ty_tensor *digamma_step(ty_tensor *a, ty_tensor *b) {
    ty_tensor *near = ty_le(b, ty_mul(ty_min(a, ty_num(1)), ty_num(1e-4)));
    ty_tensor *series = ty_polygamma(ty_num(3), a);
    for (int n = 2; n >= 1; n--)
        series = ty_fma(ty_div(b, ty_num(n + 1)), series, ty_polygamma(ty_num(n), a));
    return ty_where(near, ty_neg(ty_mul(b, series)), ty_sub(ty_digamma(a), ty_digamma(ty_add(a, b))));
}

enum { FAR = 25 }; /* the seventh term of far_series is below 1e-13 of the first */

/* Return the sum of (2k-1)!! / 2^k sign^(k-1) / x^2k, k = 1 .. 6 (DLMF 7.12.1), where the mask `far` (|x| >
   FAR) is true; elsewhere an arbitrary finite number. */
static ty_tensor *far_series(ty_tensor *x, ty_tensor *far, double sign) {
    static const double c[] = {0.5, 0.75, 1.875, 6.5625, 29.53125, 162.421875};
    ty_tensor *z = ty_square(ty_recip(ty_where(far, x, ty_num(FAR)))), *sum = ty_num(c[5]);
    for (int k = 4; k >= 0; k--) sum = ty_fma(ty_mul(z, ty_num(sign)), sum, ty_num(c[k]));
    return ty_mul(z, sum);
}

ty_tensor *erfcx_slope(ty_tensor *x, ty_tensor *y) {
    ty_tensor *far = ty_gt(x, ty_num(FAR)), *series = far_series(x, far, -1);
    ty_tensor *near = ty_sub(ty_mul(ty_mul(ty_num(2), x), y), ty_num(1.12837916709551257390));
    return ty_where(far, ty_mul(series, ty_num(-1.12837916709551257390)), near);
}

ty_tensor *dawson_slope(ty_tensor *x, ty_tensor *y) {
    ty_tensor *far = ty_gt(ty_abs(x), ty_num(FAR)),
              *near = ty_sub(ty_num(1), ty_mul(ty_mul(ty_num(2), x), y));
    return ty_where(far, ty_neg(far_series(x, far, 1)), near);
}

/* ---- distributions ---- */

/* Return the derivative of log_ndtr at x: for x < 0 sqrt(2/pi) / erfcx(-x/sqrt 2), which is accurate far
   below 0; phi(x) / Phi(x) elsewhere. */
ty_tensor *log_ndtr_slope(ty_tensor *x) {
    ty_tensor *below = ty_lt(x, ty_num(0)), *left = ty_where(below, x, ty_num(0)),
              *right = ty_where(below, ty_num(0), x);
    ty_tensor *far =
        ty_div(ty_num(0.79788456080286535588), ty_erfcx(ty_mul(left, ty_num(-0.70710678118654752440))));
    ty_tensor *density =
        ty_mul(ty_exp(ty_mul(ty_square(right), ty_num(-0.5))), ty_num(0.39894228040143267794));
    return ty_where(below, far, ty_div(density, ty_ndtr(right)));
}

static ty_tensor *less_one(ty_tensor *x) { return ty_sub(x, ty_num(1)); }

/* Return x^(a-1) exp(-x) / Gamma(a). Inside, exponents are added, since single powers may overflow. At x = 0,
   powers are used, whose own derivatives are right there. */
ty_tensor *gamma_density(ty_tensor *a, ty_tensor *x) {
    ty_tensor *end = ty_eq(x, ty_num(0)), *rest = ty_neg(ty_add(x, ty_lgamma(a)));
    ty_tensor *power = ty_pow(ty_where(end, x, ty_num(1)), less_one(a));
    ty_tensor *exponent = ty_add(ty_xlogy(less_one(a), ty_where(end, ty_num(1), x)), rest);
    return ty_where(end, ty_mul(power, ty_exp(ty_where(end, rest, ty_num(0)))), ty_exp(exponent));
}

ty_tensor *beta_density(ty_tensor *a, ty_tensor *b, ty_tensor *x) {
    ty_tensor *end = ty_logical_or(ty_eq(x, ty_num(0)), ty_eq(x, ty_num(1))), *rest = ty_neg(ty_lbeta(a, b));
    ty_tensor *left = ty_pow(ty_where(end, x, ty_num(1)), less_one(a)),
              *right = ty_pow(ty_where(end, ty_sub(ty_num(1), x), ty_num(1)), less_one(b));
    ty_tensor *inside = ty_where(end, ty_num(0.5), x);
    ty_tensor *exponent =
        ty_add(ty_add(ty_xlogy(less_one(a), inside), ty_xlog1py(less_one(b), ty_neg(inside))), rest);
    ty_tensor *at_end = ty_mul(ty_mul(left, right), ty_exp(ty_where(end, rest, ty_num(0))));
    return ty_where(end, at_end, ty_exp(exponent));
}

/* Return exponent - level; infinity where the level is -infinity. */
static ty_tensor *above_level(ty_tensor *exponent, ty_tensor *level) {
    ty_tensor *none = ty_eq(level, ty_num(-(double)INFINITY));
    return ty_where(none, ty_num((double)INFINITY), ty_sub(exponent, ty_where(none, ty_num(0), level)));
}

ty_tensor *log_gamma_density(ty_tensor *a, ty_tensor *x, ty_tensor *level) {
    return above_level(ty_sub(ty_xlogy(less_one(a), x), ty_add(x, ty_lgamma(a))), level);
}

ty_tensor *log_beta_density(ty_tensor *a, ty_tensor *b, ty_tensor *x, ty_tensor *level) {
    ty_tensor *powers = ty_add(ty_xlogy(less_one(a), x), ty_xlog1py(less_one(b), ty_neg(x)));
    return above_level(ty_sub(powers, ty_lbeta(a, b)), level);
}

/* ---- recurrences and series ---- */

ty_tensor *cylinder_slope(two_operands f, ty_tensor *a, ty_tensor *b, double below, double above) {
    ty_tensor *lower = ty_mul(ty_num(below), f(less_one(a), b)),
              *upper = ty_mul(ty_num(above), f(ty_add(a, ty_num(1)), b));
    return ty_add(lower, upper);
}

ty_tensor *spherical_slope(two_operands f, ty_tensor *a, ty_tensor *x, double below, double above) {
    ty_tensor *n = ty_trunc(a), *next = ty_add(n, ty_num(1));
    ty_tensor *lower = ty_mul(ty_mul(ty_num(below), n), f(ty_max(less_one(n), ty_num(0)), x)),
              *upper = ty_mul(ty_mul(ty_num(above), next), f(next, x));
    return ty_div(ty_add(lower, upper), ty_add(n, next));
}

/* Return c[0] + c[1] x + c[2] x^2 + c[3] x^3. */
static ty_tensor *cubic(ty_tensor *const c[4], ty_tensor *x) {
    ty_tensor *y = c[3];
    for (int k = 2; k >= 0; k--) y = ty_add(ty_mul(y, x), c[k]);
    return y;
}

ty_tensor *polylog_slope(ty_tensor *s, ty_tensor *x) {
    ty_tensor *below = less_one(ty_trunc(s)), *at = ty_eq(x, ty_num(0)), *c[4];
    for (int k = 0; k < 4; k++) c[k] = ty_pow(ty_num(k + 1), ty_neg(below));
    return ty_where(at, cubic(c, ty_where(at, x, ty_num(0))), ty_div(ty_polylog(below, x), nonzero(x)));
}

ty_tensor *spence_slope(ty_tensor *x) {
    ty_tensor *u = less_one(x), *at = ty_eq(u, ty_num(0));
    ty_tensor *c[4] = {ty_num(-1), ty_num(0.5), ty_num(-1.0 / 3), ty_num(0.25)};
    ty_tensor *away = ty_div(ty_log(ty_where(at, ty_num(2), x)), ty_neg(nonzero(u)));
    return ty_where(at, cubic(c, ty_where(at, u, ty_num(0))), away);
}

ty_tensor *sinh_integral_slope(ty_tensor *x) {
    ty_tensor *at = ty_eq(x, ty_num(0));
    ty_tensor *c[4] = {ty_num(1), ty_num(0), ty_num(1.0 / 6), ty_num(0)};
    return ty_where(at, cubic(c, ty_where(at, x, ty_num(0))), ty_div(ty_sinh(x), nonzero(x)));
}

ty_tensor *struve_power(ty_tensor *a, ty_tensor *x) {
    ty_tensor *gamma = ty_gamma(ty_add(a, ty_num(1.5))), *pole = ty_is_nan(gamma);
    ty_tensor *power = ty_pow(ty_mul(ty_num(0.5), x), a);
    ty_tensor *y = ty_div(ty_mul(ty_num(0.56418958354775628695), power), ty_where(pole, ty_num(1), gamma));
    return ty_where(pole, ty_num(0), y);
}

ty_tensor *legendre_slope(ty_tensor *order, ty_tensor *degree, ty_tensor *x) {
    ty_tensor *m = ty_trunc(order), *l = ty_trunc(degree), *first = ty_eq(m, ty_num(0));
    ty_tensor *up = ty_lpmv(ty_add(m, ty_num(1)), l, x),
              *down = ty_lpmv(ty_max(less_one(m), ty_num(0)), l, x);
    ty_tensor *factor = ty_mul(ty_add(l, m), ty_add(ty_sub(l, m), ty_num(1)));
    down = ty_where(first, ty_neg(up), ty_mul(factor, down));
    ty_tensor *rise = ty_mul(ty_num(0.5), ty_sub(down, up));
    return ty_div(rise, ty_sqrt(ty_mul(ty_sub(ty_num(1), x), ty_add(ty_num(1), x))));
}

/* ---- unknown derivatives ---- */

ty_tensor *lacking(ty_tensor *y, int i, const char *reason) {
    return refuse(y->op->name, y->ninputs, y->inputs, E_SHAPE,
                  "there is no gradient by operand %d: %s; ty_detach it to differentiate by others only", i,
                  reason);
}

/* Return a tensor equal to `result`, such that taking its gradient by x is an error of function `name`: a
   `where` is added that never selects a value with x in its history. `result` itself if x cannot have a
   gradient. */
ty_tensor *result_without(const char *name, ty_tensor *result, ty_tensor *x) {
    x = tensor_resolve(x);
    bool smooth = ty_ok(x) && dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX);
    /* Detached tensors have no gradient to refuse. */
    if (!smooth || !(x->promise || x->tracked) || x->op == &op_detach) return result;
    ty_tensor *memory = ty_cast(ty_sum(evaluated(name, x), TY_ALL), ty_dtype_of(result));
    return ty_where(ty_scalar(TY_BOOL, 0), memory, result);
}
