/*
 * Special functions of doubles, one value at a time; operators of elementwise.def without vector code call them per
 * lane. They are plain units, so all instruction sets share one copy and one result. Errors are in units in the last
 * place over the positive axis; f32, f16 and bf16 are rounded from these doubles.
 */
#ifndef ENGINE_CPU_MATH_SPECIAL_H
#define ENGINE_CPU_MATH_SPECIAL_H
#include <complex.h>

/* special_psi.c */
double special_digamma(double x);                 /* psi(x), DLMF 5.2(i); NaN at poles, infinite at 0 */
double special_trigamma(double x);                /* psi'(x), DLMF 5.15 */
double special_polygamma(double order, double x); /* derivative of psi; order truncated toward 0 */
double special_zeta(double s, double q);          /* Hurwitz zeta, DLMF 25.11; NaN for s < 1 or q < 0 */

/* special_gamma.c */
double special_lbeta(double a, double b); /* log B(a, b); NaN if either is negative */
/* B(a, b); NaN if either is negative */
double special_beta(double a, double b);
/* Return log |Gamma(x)| for lanes that vector code skips: 0, poles, infinities, and near the zeros between -17 and
   -2. There all results but those next to a zero are within a unit. */
double special_lgamma(double x);
/* Return log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), for x >= 10. */
double special_stirling(double x);

/* special_incomplete.c: regularised, DLMF 8.2 and 8.17; NaN for negative a or b, or x outside the domain */
double special_gammainc(double a, double x); /* P(a, x) = gamma(a, x) / Gamma(a) */
/* 1 - gammainc(a, x) */
double special_gammaincc(double a, double x);
double special_betainc(double a, double b, double x); /* I_x(a, b) */
/* 1 - betainc(a, b, x) */
double special_betaincc(double a, double b, double x);
/* log gammainc(a, x) */
double special_log_gammainc(double a, double x);
/* log gammaincc(a, x) */
double special_log_gammaincc(double a, double x);
/* log betainc(a, b, x) */
double special_log_betainc(double a, double b, double x);
/* log betaincc(a, b, x) */
double special_log_betaincc(double a, double b, double x);

/* special_error.c */
double special_erfinv(double x);   /* inverse of erf; NaN outside -1 .. 1 */
double special_erfcinv(double x);  /* inverse of erfc; NaN outside 0 .. 2 */
double special_erfcx(double x);    /* exp(x^2) erfc(x) */
double special_ndtr(double x);     /* distribution function of the standard normal */
double special_log_ndtr(double x); /* log ndtr(x) */
double special_ndtri(double p);    /* inverse of ndtr; NaN outside 0 .. 1 */
double special_dawson(double x);   /* Dawson's integral, DLMF 7.2.5 */
double special_sinpi(double x);    /* sin(pi x) */
double special_cospi(double x);    /* cos(pi x) */

/* special_bessel.c: modified Bessel functions (DLMF 10.25) and exponential integrals (DLMF 6.2) */
double special_i0(double x);        /* I_0(x) */
double special_i1(double x);        /* I_1(x) */
double special_i0e(double x);       /* exp(-|x|) I_0(x) */
double special_i1e(double x);       /* exp(-|x|) I_1(x) */
double special_k0(double x);        /* K_0(x); NaN for x < 0 */
double special_k1(double x);        /* K_1(x); NaN for x < 0 */
double special_expint_e1(double x); /* E1(x), the exponential integral; NaN for x < 0 */
double special_expint_ei(double x); /* Ei(x), the exponential integral; its real part for x < 0 */

/* special_bessel_zeros.c: Bessel functions, DLMF 10.2; Y is NaN for x < 0 */
double special_j0(double x); /* J_0(x) */
double special_j1(double x); /* J_1(x) */
double special_y0(double x); /* Y_0(x) */
double special_y1(double x); /* Y_1(x) */

/* special_orders.c: orders are truncated toward 0; NaN if their size exceeds 128 */
double special_jn(double order, double x);  /* J, DLMF 10.2 */
double special_in(double order, double x);  /* I, DLMF 10.25 */
double special_ine(double order, double x); /* exp(-|x|) times in */
/* derivative of sin(pi x) / (pi x); NaN for negative order */
double special_sinc_derivative(double order, double x);

/* special_complex.c: functions that C lacks, or that would overflow on the way */
double _Complex special_complex_div(double _Complex x, double _Complex y); /* x / y */
double _Complex special_complex_recip(double _Complex x);                  /* 1 / x */
double _Complex special_complex_exp2(double _Complex x);                   /* 2^x */
double _Complex special_complex_expm1(double _Complex x);                  /* exp(x) - 1 */
double _Complex special_complex_log1p(double _Complex x);                  /* log(1 + x) */
double _Complex special_complex_pow(double _Complex a, double _Complex b); /* a^b */

/* special_families.c: the functions of engine/special/ in doubles */
#define FUNCTION1(name) double special_##name(double x);
#define FUNCTION2(name) double special_##name(double a, double b);
#define FUNCTION3(name) double special_##name(double a, double b, double c);
#include "engine/special/families.def"

/* Return the sum of c[k] T_k(t) over k < n, T_k Chebyshev's polynomials, with t = v mapped from [low, high] to [-1,
   1]. Clenshaw's recurrence (DLMF 3.11(ii)). */
static inline double special_series(int n, const double *c, double low, double high, double v) {
    double t = (2 * v - low - high) / (high - low), now = 0, before = 0;
    for (int k = n - 1; k > 0; k--) {
        double next = c[k] + 2 * t * now - before;
        before = now;
        now = next;
    }
    return c[0] + t * now - before;
}
#define SERIES(c, low, high, v) special_series((int)(sizeof(c) / sizeof *(c)), c, low, high, v)
#endif
