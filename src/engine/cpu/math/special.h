/*
 * Special functions of doubles, one value at a time; operators of elementwise.def without vector code call them per
 * lane. They are plain units, so all instruction sets share one copy and one result. f32, f16 and bf16 are rounded from
 * these doubles.
 */
#ifndef ENGINE_CPU_MATH_SPECIAL_H
#define ENGINE_CPU_MATH_SPECIAL_H
#include <complex.h>
#include "base/math/scalar.h"

/* special_families.c: the functions of engine/special/ in doubles */
#define FUNCTION1(name) double special_##name(double x);
#define FUNCTION2(name) double special_##name(double a, double b);
#define FUNCTION3(name) double special_##name(double a, double b, double c);
#include "engine/special/families.def"

/* Return log |Gamma(x)| for lanes that vector code skips: 0, poles, infinities, and near the zeros between -32 and
   -2. There all results but those next to a zero are within a unit. In special_gamma.c. */
double special_lgamma_rare(double x);

static inline double special_lgamma(double x) { return math_lgamma(x); }
/* Bessel functions, DLMF 10.2; Y is NaN for x < 0 */
static inline double special_j0(double x) { return math_j0(x); } /* J_0(x) */
static inline double special_j1(double x) { return math_j1(x); } /* J_1(x) */
static inline double special_y0(double x) { return math_y0(x); } /* Y_0(x) */
static inline double special_y1(double x) { return math_y1(x); } /* Y_1(x) */

/* special_complex.c: functions that C lacks, or that would overflow on the way */
double _Complex special_complex_div(double _Complex x, double _Complex y); /* x / y */
double _Complex special_complex_recip(double _Complex x);                  /* 1 / x */
double _Complex special_complex_exp2(double _Complex x);                   /* 2^x */
double _Complex special_complex_pow(double _Complex a, double _Complex b); /* a^b */

#endif
