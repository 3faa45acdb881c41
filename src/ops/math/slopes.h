/* Parts of the gradients in elementwise.def, for points where the plain formula gives NaN although the derivative
   exists.  Values of a branch that is not selected are kept finite: a `where` lets 0 flow into that branch, and 0
   times infinity is NaN, at this order or at the next. */
#ifndef OPS_MATH_SLOPES_H
#define OPS_MATH_SLOPES_H
#include "ops/core/structure.h"

/* True if x is of complex dtype. */
bool is_complex(const ty_tensor *x);
/* Return x with 0 replaced by 1, for use as a divisor where the quotient at 0 is unused or has a zero
   numerator. */
ty_tensor *nonzero(ty_tensor *x);
/* Return a mask of equal elements; NaNs are equal. */
ty_tensor *same_value(ty_tensor *x, ty_tensor *y);
/* Return the gradient of x, where y is the maximum or minimum of x and other and g its gradient. Ties share g
   equally; a NaN that is the result gets g. */
ty_tensor *chosen(ty_tensor *g, ty_tensor *x, ty_tensor *other, ty_tensor *y);
/* Return the base whose logarithm the gradient of a^b by b uses: a, but 1 where a = 0 and b >= 0, since 0^b is
   constant. */
ty_tensor *pow_base(ty_tensor *a, ty_tensor *b);
/* Return b - 1; 1 where a and b are 0, so that b a^(b-1) and its derivatives are 0 there. */
ty_tensor *pow_exponent(ty_tensor *a, ty_tensor *b);
/* Return x / (a a + b b); where a = b = 0 return x, which must be 0 there. */
ty_tensor *over_square(ty_tensor *x, ty_tensor *a, ty_tensor *b);
/* Return a - b for logarithms a and b; for equal infinities 0 if positive, -infinity if negative (no mass to
   share). */
ty_tensor *log_ratio(ty_tensor *a, ty_tensor *b);
/* Return b, but edge + 1 where a = 0 and b <= edge: a log(b - edge) is 0 on the whole line a = 0. */
ty_tensor *log_operand(ty_tensor *a, ty_tensor *b, double edge);
/* Return b, but 1 where a and b are 0. */
ty_tensor *divisor_of(ty_tensor *a, ty_tensor *b);
/* Return digamma(a) - digamma(a + b), without cancellation for small b. */
ty_tensor *digamma_step(ty_tensor *a, ty_tensor *b);
/* Return the derivative of y = erfcx(x), without cancellation where 2 x y is near 2/sqrt(pi). */
ty_tensor *erfcx_slope(ty_tensor *x, ty_tensor *y);
/* Return the derivative of y = dawson(x), without cancellation where 2 x y is near 1. */
ty_tensor *dawson_slope(ty_tensor *x, ty_tensor *y);
/* Return the derivative of log_ndtr at x, accurate far below 0. */
ty_tensor *log_ndtr_slope(ty_tensor *x);
/* Return x^(a-1) exp(-x) / Gamma(a), the derivative of gammainc by x. */
ty_tensor *gamma_density(ty_tensor *a, ty_tensor *x);
/* Return x^(a-1) (1-x)^(b-1) / B(a, b), the derivative of betainc by x. */
ty_tensor *beta_density(ty_tensor *a, ty_tensor *b, ty_tensor *x);
/* Return the logarithm of gamma_density(a, x), minus `level`; infinity where `level` is -infinity. */
ty_tensor *log_gamma_density(ty_tensor *a, ty_tensor *x, ty_tensor *level);
/* Return the logarithm of beta_density(a, b, x), minus `level`; infinity where `level` is -infinity. */
ty_tensor *log_beta_density(ty_tensor *a, ty_tensor *b, ty_tensor *x, ty_tensor *level);
/* Return the derivative of gammainc(order, place) by `order`. */
ty_tensor *gammainc_by_order(ty_tensor *order, ty_tensor *place);
/* Return the derivative of betainc(first, second, place) by its exponent `first`. */
ty_tensor *betainc_by_first(ty_tensor *first, ty_tensor *second, ty_tensor *place);
/* Return the derivative of betainc(first, second, place) by its exponent `second`. */
ty_tensor *betainc_by_second(ty_tensor *first, ty_tensor *second, ty_tensor *place);
/* Return the derivative of gammainc(order, place) by `order`, divided by exp(level), as log_gammainc needs
   it. */
ty_tensor *log_gammainc_by_order(ty_tensor *order, ty_tensor *place, ty_tensor *level);
/* Return the derivative of betainc(first, second, place) by `first`, divided by exp(level), as log_betainc
   needs it. */
ty_tensor *log_betainc_by_first(ty_tensor *first, ty_tensor *second, ty_tensor *place, ty_tensor *level);
/* Return the derivative of betainc(first, second, place) by `second`, divided by exp(level), as log_betainc
   needs it. */
ty_tensor *log_betainc_by_second(ty_tensor *first, ty_tensor *second, ty_tensor *place, ty_tensor *level);
typedef ty_tensor *(*two_operands)(ty_tensor *a, ty_tensor *b);
/* Return below * f(a - 1, b) + above * f(a + 1, b). It is the derivative by b of functions f(a, b) that obey
   such a recurrence, as Bessel functions do. */
ty_tensor *cylinder_slope(two_operands f, ty_tensor *a, ty_tensor *b, double below, double above);
/* Return the derivative by x of a spherical function f(n, x), n = trunc(a). It is (below n f(n - 1, x) +
   above (n + 1) f(n + 1, x)) / (2n + 1). */
ty_tensor *spherical_slope(two_operands f, ty_tensor *a, ty_tensor *x, double below, double above);
/* Return polylog(s - 1, x) / x, the derivative of polylog(s, x) by x. At x = 0 it is a series that is
   accurate to the third derivative. */
ty_tensor *polylog_slope(ty_tensor *s, ty_tensor *x);
/* Return log(x) / (1 - x), the derivative of spence. At x = 1 it is a series that is accurate to the third
   derivative. */
ty_tensor *spence_slope(ty_tensor *x);
/* Return sinh(x) / x, the derivative of the hyperbolic sine integral. At x = 0 it is a series that is
   accurate to the third derivative. */
ty_tensor *sinh_integral_slope(ty_tensor *x);
/* Return (x / 2)^a / (sqrt(pi) Gamma(a + 3/2)), a term in recurrences of Struve functions; 0 at poles of
   Gamma. */
ty_tensor *struve_power(ty_tensor *a, ty_tensor *x);
/* Return the derivative by x of lpmv(order, degree, x), an associated Legendre function. */
ty_tensor *legendre_slope(ty_tensor *order, ty_tensor *degree, ty_tensor *x);
/* Return poison that says that y has no gradient by operand i, which is not 0, for the given reason. */
ty_tensor *lacking(ty_tensor *y, int i, const char *reason);
/* Return `result` such that taking its gradient by x is an error of function `name`; x is a floating operand
   whose values were read. */
ty_tensor *result_without(const char *name, ty_tensor *result, ty_tensor *x);
#endif
