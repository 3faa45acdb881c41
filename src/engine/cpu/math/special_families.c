/* The functions of engine/special/ in doubles. */
#include "engine/cpu/math/special.h"

#define REAL double
#define PREFIX special_
#define DIGITS 2.3e-16
#define EPSILON DBL_EPSILON
#define BITS 53
#define NEGLIGIBLE 1e-18
#define SMALLEST DBL_MIN
#define LONGER(...)
#include "engine/special/all.kernel.c"
