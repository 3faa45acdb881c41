/*
 * Parts of the gradients in elementwise.def, for points where the plain product of functions would be NaN
 * although the derivative is not.  What is not chosen is kept finite before it is computed: a where lets 0
 * flow into the other branch, and 0 times infinity is NaN, at this order or at the next.
 */
#ifndef OPS_MATH_SLOPES_H
#define OPS_MATH_SLOPES_H
#include "ops/core/structure.h"

bool is_complex(const ty_tensor *x);
/* x with 1 in the place of 0: a divisor where the quotient at 0 is not used, or has a zero above it. */
ty_tensor *nonzero(ty_tensor *x);
/* Whether elements are equal or both NaN. */
ty_tensor *same_value(ty_tensor *x, ty_tensor *y);
/* What of g flows to x, where y is the one of x and other that was chosen: half where both could have been,
   and a NaN that is the result gets what flows. */
ty_tensor *chosen(ty_tensor *g, ty_tensor *x, ty_tensor *other, ty_tensor *y);
/* The base whose logarithm the gradient of a^b by b takes: 0^b does not change with b >= 0. */
ty_tensor *pow_base(ty_tensor *a, ty_tensor *b);
/* b - 1; 1 where both are 0, so that b a^(b-1) and its derivatives are 0 there. */
ty_tensor *pow_exponent(ty_tensor *a, ty_tensor *b);
/* x / (a a + b b), 0 at the origin. */
ty_tensor *over_square(ty_tensor *x, ty_tensor *a, ty_tensor *b);
/* a - b; of equal infinities 0 or, where there is no mass to share, minus infinity. */
ty_tensor *log_ratio(ty_tensor *a, ty_tensor *b);
/* b, but where a is 0 and b not above `edge`, edge + 1: a log(b - edge) is 0 on the whole line a = 0. */
ty_tensor *log_operand(ty_tensor *a, ty_tensor *b, double edge);
/* b, but 1 where both are 0. */
ty_tensor *divisor_of(ty_tensor *a, ty_tensor *b);
/* digamma(a) - digamma(a + b), which cancels where b is far smaller. */
ty_tensor *digamma_step(ty_tensor *a, ty_tensor *b);
/* The derivatives of y = erfcx(x) and y = dawson(x), where 2 x y comes near 2/sqrt(pi) and 1. */
ty_tensor *erfcx_slope(ty_tensor *x, ty_tensor *y);
ty_tensor *dawson_slope(ty_tensor *x, ty_tensor *y);
/* The derivative of log_ndtr. */
ty_tensor *log_ndtr_slope(ty_tensor *x);
/* x^(a-1) exp(-x) / Gamma(a), the derivative of gammainc by x. */
ty_tensor *gamma_density(ty_tensor *a, ty_tensor *x);
/* x^(a-1) (1-x)^(b-1) / B(a, b), the derivative of betainc by x. */
ty_tensor *beta_density(ty_tensor *a, ty_tensor *b, ty_tensor *x);
/* The logarithms of these two, less `level`. */
ty_tensor *log_gamma_density(ty_tensor *a, ty_tensor *x, ty_tensor *level);
ty_tensor *log_beta_density(ty_tensor *a, ty_tensor *b, ty_tensor *x, ty_tensor *level);
/* The derivatives of gammainc by its order, and of betainc(first, second, place) by its exponents. */
ty_tensor *gammainc_by_order(ty_tensor *order, ty_tensor *place);
ty_tensor *betainc_by_first(ty_tensor *first, ty_tensor *second, ty_tensor *place);
ty_tensor *betainc_by_second(ty_tensor *first, ty_tensor *second, ty_tensor *place);
/* The same divided by exp(level). */
ty_tensor *log_gammainc_by_order(ty_tensor *order, ty_tensor *place, ty_tensor *level);
ty_tensor *log_betainc_by_first(ty_tensor *first, ty_tensor *second, ty_tensor *place, ty_tensor *level);
ty_tensor *log_betainc_by_second(ty_tensor *first, ty_tensor *second, ty_tensor *place, ty_tensor *level);
/* below f(a - 1, b) + above f(a + 1, b), for functions whose neighbours by order make their derivative. */
typedef ty_tensor *(*two_operands)(ty_tensor *a, ty_tensor *b);
ty_tensor *cylinder_slope(two_operands f, ty_tensor *a, ty_tensor *b, double below, double above);
/* (below n f(n - 1, x) + above (n + 1) f(n + 1, x)) / (2n + 1), n = trunc(a) */
ty_tensor *spherical_slope(two_operands f, ty_tensor *a, ty_tensor *x, double below, double above);
/* polylog(s - 1, x) / x, log(x) / (1 - x) and sinh(x) / x, which have series where those are 0 / 0; right to the
   third derivative there. */
ty_tensor *polylog_slope(ty_tensor *s, ty_tensor *x);
ty_tensor *spence_slope(ty_tensor *x);
ty_tensor *sinh_integral_slope(ty_tensor *x);
/* (x / 2)^a / (sqrt(pi) Gamma(a + 3/2)), which Struve's functions have beside Bessel's */
ty_tensor *struve_power(ty_tensor *a, ty_tensor *x);
/* The derivative of lpmv by x. */
ty_tensor *legendre_slope(ty_tensor *order, ty_tensor *degree, ty_tensor *x);
/* The error for a derivative that is not 0 and not known. */
ty_tensor *lacking(ty_tensor *y, int i, const char *reason);
/* `result` as it is, of which the gradient by x is an error; x is a floating operand that was read as numbers. */
ty_tensor *result_without(const char *name, ty_tensor *result, ty_tensor *x);
#endif
