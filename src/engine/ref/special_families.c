/* The functions of engine/special/ in long doubles. */
#include "engine/ref/special.h"

#define REAL long double
#define PREFIX ref_
#define DIGITS 1e-19L

#include "engine/special/number.kernel.h"
#include "engine/special/bessel.kernel.c"
#include "engine/special/inverse.kernel.c"
#include "engine/special/elliptic.kernel.c"
#include "engine/special/integral.kernel.c"
#include "engine/special/polynomial.kernel.c"
