/*
 * Template: all special functions in one type. The unit that includes it defines
 *   REAL, PREFIX   the type; the prefix of the functions in families.def
 *   DIGITS         a rounding error, rather larger than EPSILON, at which iterations end
 *   DIGITS_SIXTH   its sixth root
 *   EPSILON, BITS  the gap above 1, and the digits after the point
 *   NEGLIGIBLE     the size of terms that sums may drop;  SMALLEST: the least normal number
 *   LONGER(...)    its arguments if REAL is longer than double, else nothing: further terms of series
 * It also defines F(lgamma), F(j0) and F(j1), for which the engines have functions of their own.
 */
#include "engine/special/number.kernel.h"
#include "engine/special/tables.kernel.h"

#include "engine/special/error.kernel.c"
#include "engine/special/gamma.kernel.c"
#include "engine/special/psi.kernel.c"
#include "engine/special/incomplete.kernel.c"
#include "engine/special/bessel01.kernel.c"
#include "engine/special/orders.kernel.c"
#include "engine/special/bessel.kernel.c"
#include "engine/special/spherical.kernel.c"
#include "engine/special/inverse.kernel.c"
#include "engine/special/elliptic.kernel.c"
#include "engine/special/integral.kernel.c"
#include "engine/special/polynomial.kernel.c"
