/*
 * Template: the functions of engine/special/ in doubles for one instruction set. scalar.kernel.c includes this last, so
 * they call its functions without the table of scalar.h.
 */
#include <tgmath.h>
/* Call the functions of scalar.kernel.c by their names in C; roots, fma and roundings remain C's. */
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
#undef atan2
#undef sinh
#undef cosh
#undef tanh
#undef atanh
#undef erfc
#undef tgamma
#undef fmod
#define exp(x) one_exp(x)
#define exp2(x) one_exp2(x)
#define expm1(x) one_expm1(x)
#define log(x) one_log(x)
#define log1p(x) one_log1p(x)
#define pow(a, b) one_pow(a, b)
#define cbrt(x) one_cbrt(x)
#define sin(x) one_sin(x)
#define cos(x) one_cos(x)
#define asin(x) one_asin(x)
#define atan(x) one_atan(x)
#define atan2(a, b) one_atan2(a, b)
#define sinh(x) one_sinh(x)
#define cosh(x) one_cosh(x)
#define tanh(x) one_tanh(x)
#define atanh(x) one_atanh(x)
#define erfc(x) one_erfc(x)
#define tgamma(x) one_tgamma(x)
#define fmod(a, b) one_fmod(a, b)
#define PREFIX JOIN(JOIN(special_, SCALAR_SET), _)
#define DIGITS 2.3e-16
#define DIGITS_SIXTH 0.0024752627487255614
#define EPSILON DBL_EPSILON
#define BITS 53
#define NEGLIGIBLE 1e-18
#define SMALLEST DBL_MIN
#define LONGER(...)
#include "engine/special/all.kernel.c"

double F(lgamma)(double x) { return one_lgamma(x); }
double F(j0)(double x) { return one_j0(x); }
double F(j1)(double x) { return one_j1(x); }
double F(y0)(double x) { return one_y0(x); }
double F(y1)(double x) { return one_y1(x); }
