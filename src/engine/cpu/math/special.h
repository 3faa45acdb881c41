/*
 * Special functions of doubles, one value at a time; operators of elementwise.def without vector code call them per
 * lane. f32, f16 and bf16 are rounded from these doubles.
 */
#ifndef ENGINE_CPU_MATH_SPECIAL_H
#define ENGINE_CPU_MATH_SPECIAL_H
#include <complex.h>
#include "base/math/scalar.h"

/* special_families.kernel.c: the functions of engine/special/ in doubles, and some of scalar.h. All sets have the same
   results; a unit calls those that SPECIAL_OF names. */
#define SPECIALS(name, operands)                                                                             \
    double special_base_##name operands;                                                                     \
    double special_avx2_##name operands;
#define FUNCTION1(name) SPECIALS(name, (double x))
#define FUNCTION2(name) SPECIALS(name, (double a, double b))
#define FUNCTION3(name) SPECIALS(name, (double a, double b, double c))
#include "engine/special/families.def"
SPECIALS(lgamma, (double x))
/* Bessel functions, DLMF 10.2; Y is NaN for x < 0 */
SPECIALS(j0, (double x))
SPECIALS(j1, (double x))
SPECIALS(y0, (double x))
SPECIALS(y1, (double x))
#undef SPECIALS
#if defined(__FMA__) && defined(TY_ISA_AVX2)
#define SPECIAL_OF(name) special_avx2_##name
#else
#define SPECIAL_OF(name) special_base_##name
#endif

/* Return log |Gamma(x)| for lanes that vector code skips: 0, poles, infinities, and near the zeros between -32 and
   -2. There all results but those next to a zero are within a unit. In special_gamma.c. */
double special_lgamma_rare(double x);

/* Return a^b. In special_complex.c. */
double _Complex special_complex_pow(double _Complex a, double _Complex b);

#endif
