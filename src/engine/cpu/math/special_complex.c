/*
 * Complex functions that C lacks, or that must not overflow on the way to a finite result: in doubles, one value at a
 * time; c64 results are rounded. Infinities, zeros and NaN follow C's annex G.
 */
#include <math.h>
#include <stdbool.h>

#include "engine/cpu/math/special.h"

static double _Complex parts(double real, double imaginary) {
    double _Complex z;
    __real__ z = real;
    __imag__ z = imaginary;
    return z;
}
/* Return true if squares of a and b, sums of squares and their quotients stay in the range of doubles. */
static bool is_moderate(double a, double b) {
    double most = fmax(fabs(a), fabs(b));
    return most > 0x1p-300 && most < 0x1p300;
}
/* Return the binary exponent of the larger of |a| and |b|; 0 for zeros and non-finite parts. */
static int exponent_of(double a, double b) {
    double most = fmax(fabs(a), fabs(b));
    return most > 0 && most < (double)INFINITY ? ilogb(most) : 0;
}

static double _Complex quotient(double a, double b, double c, double d) {
    double size = c * c + d * d;
    return parts((a * c + b * d) / size, (b * c - a * d) / size);
}
/* Return 1 for an infinity and 0 for a finite number, with the sign of x. */
static double boxed(double x) { return copysign(isinf(x) ? 1 : 0, x); }
/* Return (a + bi) / (c + di) with infinite operands (C, annex G.5.1); sums are halved, as they could overflow. */
static double _Complex quotient_infinite(double a, double b, double c, double d) {
    double scale = 0;
    if (isinf(c) || isinf(d)) {
        if (!isfinite(a) || !isfinite(b)) return parts((double)NAN, (double)NAN);
        c = boxed(c), d = boxed(d), a /= 2, b /= 2;
    } else {
        a = boxed(a), b = boxed(b), c /= 2, d /= 2, scale = (double)INFINITY;
    }
    return parts(scale * (a * c + b * d), scale * (b * c - a * d));
}
double _Complex special_complex_div(double _Complex x, double _Complex y) {
    double a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;
    if (d == 0) return parts(a / c, b / c); /* x / 1 is x, whatever its parts */
    if (is_moderate(a, b) && is_moderate(c, d)) return quotient(a, b, c, d);
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d)) return quotient_infinite(a, b, c, d);
    int above = exponent_of(a, b), below = exponent_of(c, d);
    double _Complex z = quotient(scalbn(a, -above), scalbn(b, -above), scalbn(c, -below), scalbn(d, -below));
    return parts(scalbn(__real__ z, above - below), scalbn(__imag__ z, above - below));
}
/* Return 1 / x: the conjugate divided by |x|^2, so that zero parts have the conjugate's signs. */
double _Complex special_complex_recip(double _Complex x) {
    double c = __real__ x, d = __imag__ x, size;
    if (isinf(c) || isinf(d)) return parts(copysign(0, c), copysign(0, -d));
    if (c == 0 && d == 0) return parts(copysign((double)INFINITY, c), (double)NAN);
    int below = is_moderate(c, d) ? 0 : exponent_of(c, d);
    c = scalbn(c, -below), d = scalbn(d, -below), size = c * c + d * d;
    return parts(scalbn(c / size, -below), scalbn(-d / size, -below));
}

/* Return a^b: small integer powers by squaring, exact if the result is; others as exp(b log a). */
double _Complex special_complex_pow(double _Complex a, double _Complex b) {
    double n = __real__ b;
    if (b == 0) return 1;
    if (a == 0) return n > 0 ? 0 : parts((double)NAN, (double)NAN);
    bool squares = __imag__ b == 0 && n >= -64 && n <= 64 && n == (int)n && a == a;
    if (!squares) return math_cpow(a, b);
    double _Complex result = 1;
    for (int k = n < 0 ? -(int)n : (int)n; k; k >>= 1) {
        if (k & 1) result = result == 1 ? a : result * a;
        if (k > 1) a *= a;
    }
    return n < 0 ? special_complex_recip(result) : result;
}
