/* The functions of engine/special/ in doubles. */
#include "engine/cpu/math/special.h"

#define REAL double
#define PREFIX special_
#define DIGITS 2.3e-16

#include "engine/special/number.kernel.h"
#include "engine/special/bessel.kernel.c"
#include "engine/special/inverse.kernel.c"
#include "engine/special/elliptic.kernel.c"
#include "engine/special/integral.kernel.c"
#include "engine/special/polynomial.kernel.c"
