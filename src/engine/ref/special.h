/*
 * Special functions in long double, by other methods than the cpu engine's: power series, recurrences, continued
 * fractions, quadrature, Newton's method on the forward function. Slow and simple; engine/cpu/math/special.h defines
 * the functions.
 */
#ifndef ENGINE_REF_SPECIAL_H
#define ENGINE_REF_SPECIAL_H

/* special_gamma.c */
long double ref_lgamma(long double x);
long double ref_digamma(long double x);
long double ref_trigamma(long double x);
long double ref_polygamma(long double order, long double x);
long double ref_zeta(long double s, long double q);
long double ref_beta(long double a, long double b);
long double ref_lbeta(long double a, long double b);
long double ref_gammainc(long double a, long double x);
long double ref_gammaincc(long double a, long double x);
long double ref_betainc(long double a, long double b, long double x);
/* 1 - betainc(a, b, x) */
long double ref_betaincc(long double a, long double b, long double x);
/* log gammainc(a, x) */
long double ref_log_gammainc(long double a, long double x);
/* log gammaincc(a, x) */
long double ref_log_gammaincc(long double a, long double x);
/* log betainc(a, b, x) */
long double ref_log_betainc(long double a, long double b, long double x);
/* log betaincc(a, b, x) */
long double ref_log_betaincc(long double a, long double b, long double x);

/* special_error.c */
long double ref_erfinv(long double x);
long double ref_erfcinv(long double x);
long double ref_erfcx(long double x);
long double ref_ndtr(long double x);
long double ref_log_ndtr(long double x);
long double ref_ndtri(long double p);
long double ref_dawson(long double x);
long double ref_sinpi(long double x);
long double ref_cospi(long double x);

/* special_bessel.c */
long double ref_i0(long double x);
long double ref_i1(long double x);
long double ref_i0e(long double x);
long double ref_i1e(long double x);
long double ref_j0(long double x);
long double ref_j1(long double x);
long double ref_y0(long double x);
long double ref_y1(long double x);
long double ref_k0(long double x);
long double ref_k1(long double x);
long double ref_expint_e1(long double x);
long double ref_expint_ei(long double x);

/* special_orders.c */
long double ref_jn(long double order, long double x);
long double ref_in(long double order, long double x);
long double ref_ine(long double order, long double x);
long double ref_sinc_derivative(long double order, long double x);

/* special_families.c: engine/special/ in long doubles; the same method, but it shows the rounding errors of
   doubles */
#define FUNCTION1(name) long double ref_##name(long double x);
#define FUNCTION2(name) long double ref_##name(long double a, long double b);
#define FUNCTION3(name) long double ref_##name(long double a, long double b, long double c);
#include "engine/special/families.def"
#endif
