/* math.h of mingw-w64, and the parts that it lacks. */
#ifndef WINDOWS_MATH_H
#define WINDOWS_MATH_H
#include_next <math.h>

/* Return log |Gamma(x)|, and in *sign the sign of Gamma(x). */
long double lgammal_r(long double x, int *sign);
#endif
