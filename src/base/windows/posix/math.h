/* math.h of mingw-w64, and the parts that it lacks. */
#ifndef WINDOWS_MATH_H
#define WINDOWS_MATH_H
#include_next <math.h>

/* Return log |Gamma(x)|, and in *sign the sign of Gamma(x). */
long double lgammal_r(long double x, int *sign);
/* Return Gamma(x); NaN at its poles, where that of mingw-w64 is infinite. */
long double windows_tgammal(long double x);
#ifndef WINDOWS_MATHEMATICS
#define tgammal windows_tgammal
#endif
#endif
