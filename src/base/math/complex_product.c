/* Products of complex numbers with infinite parts. */
#include "base/math/scalar.h"

/* Return 0 for a NaN, with its sign; other numbers as they are. */
static double cleared(double x) { return isnan(x) ? copysign(0, x) : x; }
/* Return 1 for an infinity and 0 for other values, with the sign of x. */
static double boxed(double x) { return copysign(isinf(x) ? 1 : 0, x); }

/* Return a * b by C's annex G.5.1: infinite if an operand is infinite, or if a product of two parts overflows beside a
   NaN. Each sum has at most one product that is not exact, so its sign is the same with fused operations, and for
   products of floats. */
double _Complex math_cmul_infinite(double _Complex a, double _Complex b, double end) {
    double x = __real__ a, y = __imag__ a, u = __real__ b, v = __imag__ b;
    bool left = isinf(x) || isinf(y), right = isinf(u) || isinf(v);
    bool overflows = fabs(x * u) >= end || fabs(y * v) >= end || fabs(x * v) >= end || fabs(y * u) >= end;
    if (!left && !right && !overflows) return __builtin_complex((double)NAN, (double)NAN);
    x = left ? boxed(x) : cleared(x), y = left ? boxed(y) : cleared(y);
    u = right ? boxed(u) : cleared(u), v = right ? boxed(v) : cleared(v);
    return __builtin_complex((double)INFINITY * (x * u - y * v), (double)INFINITY * (x * v + y * u));
}
