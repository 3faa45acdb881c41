/*
 * Special functions of doubles, one value at a time; operators of elementwise.def without vector code call them per
 * lane. They are plain units, so all instruction sets share one copy and one result. f32, f16 and bf16 are rounded from
 * these doubles.
 */
#ifndef ENGINE_CPU_MATH_SPECIAL_H
#define ENGINE_CPU_MATH_SPECIAL_H
#include <complex.h>

/* special_families.c: the functions of engine/special/ in doubles */
#define FUNCTION1(name) double special_##name(double x);
#define FUNCTION2(name) double special_##name(double a, double b);
#define FUNCTION3(name) double special_##name(double a, double b, double c);
#include "engine/special/families.def"

/* Return log |Gamma(x)| for lanes that vector code skips: 0, poles, infinities, and near the zeros between -17 and
   -2. There all results but those next to a zero are within a unit. In special_gamma.c. */
double special_lgamma(double x);

/* special_bessel_zeros.c: Bessel functions, DLMF 10.2; Y is NaN for x < 0 */
double special_j0(double x); /* J_0(x) */
double special_j1(double x); /* J_1(x) */
double special_y0(double x); /* Y_0(x) */
double special_y1(double x); /* Y_1(x) */

/* special_complex.c: functions that C lacks, or that would overflow on the way */
double _Complex special_complex_div(double _Complex x, double _Complex y); /* x / y */
double _Complex special_complex_recip(double _Complex x);                  /* 1 / x */
double _Complex special_complex_exp2(double _Complex x);                   /* 2^x */
double _Complex special_complex_expm1(double _Complex x);                  /* exp(x) - 1 */
double _Complex special_complex_log1p(double _Complex x);                  /* log(1 + x) */
double _Complex special_complex_pow(double _Complex a, double _Complex b); /* a^b */

#endif
