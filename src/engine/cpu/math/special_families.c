/* The functions of engine/special/ in doubles. */
#include "engine/cpu/math/special.h"

#include <tgmath.h>
/* The templates call functions by their names in C; all but roots, fma and roundings are those of scalar.h. */
#undef exp
#undef exp2
#undef expm1
#undef log
#undef log1p
#undef pow
#undef cbrt
#undef sin
#undef cos
#undef asin
#undef atan
#undef sinh
#undef cosh
#undef tanh
#undef atanh
#undef erfc
#undef tgamma
#undef fmod
#define exp(x) math_exp(x)
#define exp2(x) math_exp2(x)
#define expm1(x) math_expm1(x)
#define log(x) math_log(x)
#define log1p(x) math_log1p(x)
#define pow(a, b) math_pow(a, b)
#define cbrt(x) math_cbrt(x)
#define sin(x) math_sin(x)
#define cos(x) math_cos(x)
#define asin(x) math_asin(x)
#define atan(x) math_atan(x)
#define sinh(x) math_sinh(x)
#define cosh(x) math_cosh(x)
#define tanh(x) math_tanh(x)
#define atanh(x) math_atanh(x)
#define erfc(x) math_erfc(x)
#define tgamma(x) math_tgamma(x)
#define fmod(a, b) math_fmod(a, b)
#define REAL double
#define PREFIX special_
#define DIGITS 2.3e-16
#define DIGITS_SIXTH 0.0024752627487255614
#define EPSILON DBL_EPSILON
#define BITS 53
#define NEGLIGIBLE 1e-18
#define SMALLEST DBL_MIN
#define LONGER(...)
#include "engine/special/all.kernel.c"
