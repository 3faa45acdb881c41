/*
 * Functions related to the error function, for the reference. erfcx: exp(x^2) erfc(x) while that is accurate, then
 * the continued fraction of DLMF 7.9.3 from its far end. Inverses: bisection and Newton on the C library's erfc.
 * Dawson: Rybicki's sampling formula (Computers in Physics 3, 1989), exact up to exp(-(pi/2h)^2).
 */
#include "engine/ref/special.h"

#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L;

long double ref_erfcx(long double x) {
    if (isnan(x)) return x;
    if (x < 5) return x < -107 ? INFINITY : expl(x * x) * erfcl(x);
    long double fraction = 0;
    for (int k = 200; k > 0; k--) fraction = k / 2.0L / (x + fraction);
    return 1 / sqrtl(pi) / (x + fraction);
}

/* Return log erfc(x) for x >= 0. */
static long double log_erfc(long double x) { return logl(ref_erfcx(x)) - x * x; }

/* Return x >= 0 with erfc(x) = q, 0 < q <= 1: bisection, then Newton's method on the logarithm, which is concave
   and nearly a parabola. */
static long double inverse_erfc(long double q) {
    long double low = 0, high = 110, target = logl(q);
    for (int k = 0; k < 12; k++) {
        long double middle = (low + high) / 2;
        *(log_erfc(middle) > target ? &low : &high) = middle;
    }
    long double x = (low + high) / 2;
    for (int k = 0; k < 12; k++) x += (log_erfc(x) - target) * ref_erfcx(x) * sqrtl(pi) / 2;
    return x;
}

/* Return erf's inverse at x; NaN for |x| > 1, infinite for |x| = 1. Near 0 uses Newton on erf itself, which keeps
   the digits of a small x. */
long double ref_erfinv(long double x) {
    if (!(fabsl(x) <= 1)) return NAN;
    if (fabsl(x) == 1) return x * INFINITY;
    if (fabsl(x) > 0.5L) return copysignl(inverse_erfc(1 - fabsl(x)), x);
    long double y = x * sqrtl(pi) / 2;
    for (int k = 0; k < 10; k++) y -= (erfl(y) - x) * expl(y * y) * sqrtl(pi) / 2;
    return y;
}

long double ref_erfcinv(long double x) {
    if (!(x >= 0 && x <= 2)) return NAN;
    if (x == 0 || x == 2) return x == 0 ? INFINITY : -INFINITY;
    if (x > 0.5L && x < 1.5L) return ref_erfinv(1 - x);
    return x < 1 ? inverse_erfc(x) : -inverse_erfc(2 - x);
}

long double ref_ndtr(long double x) { return erfcl(-x / sqrtl(2)) / 2; }

long double ref_log_ndtr(long double x) {
    if (x < 0) return log_erfc(-x / sqrtl(2)) - logl(2);
    return log1pl(-erfcl(x / sqrtl(2)) / 2);
}

long double ref_ndtri(long double p) { return -sqrtl(2) * ref_erfcinv(2 * p); }

/* Return Dawson's F(x): sqrt(pi) F(x) is the sum over odd n of exp(-(x - n h)^2) / n, h = 0.2. Small x use the
   power series, large ones that in 1/x. */
long double ref_dawson(long double x) {
    const long double h = 0.2L;
    if (isnan(x) || isinf(x)) return 1 / x;
    if (x == 0) return x;
    if (fabsl(x) < 0.2L) {
        long double term = x, sum = x;
        for (int k = 1; k < 30; k++) sum += term *= -2 * x * x / (2 * k + 1);
        return sum;
    }
    if (fabsl(x) > 50) {
        long double term = 1 / (2 * x), sum = term;
        for (int k = 1; k < 12; k++) sum += term *= (2 * k - 1) / 2.0L / x / x;
        return sum;
    }
    long double sum = 0;
    for (int n = -299; n < 300; n += 2) sum += expl(-(x - n * h) * (x - n * h)) / n;
    return sum / sqrtl(pi);
}

long double ref_sinpi(long double x) {
    long double r = fmodl(x, 2);
    return r == 0 || fabsl(r) == 1              ? copysignl(0, x)
           : fabsl(r) > 0.5L && fabsl(r) < 1.5L ? copysignl(1, r) * sinl(pi * (1 - fabsl(r)))
           : fabsl(r) > 1                       ? copysignl(1, r) * sinl(pi * (fabsl(r) - 2))
                                                : sinl(pi * r);
}

long double ref_cospi(long double x) {
    long double r = fabsl(fmodl(x, 2));
    return r > 1 ? ref_cospi(2 - r) : r > 0.25L ? sinl(pi * (0.5L - r)) : cosl(pi * r);
}
