/*
 * The functions of engine/special/ in long doubles. Both engines have the same methods: mpmath's values check these, and
 * the reference shows the rounding errors of doubles. J and Y of orders 0 and 1 are those of real order.
 */
#define _GNU_SOURCE /* musl declares lgammal_r only with this */
#include "engine/ref/special.h"

#define REAL long double
#define PREFIX ref_
#define DIGITS 1e-19L
#define DIGITS_SIXTH 6.8129206905796128e-4L
#define EPSILON 1e-19L
#define BITS 64
#define NEGLIGIBLE 1e-22L
#define SMALLEST LDBL_MIN
#define LONGER(...) __VA_ARGS__
#include "engine/special/all.kernel.c"

long double ref_lgamma(long double x) {
    int sign;
    return lgammal_r(x, &sign);
}
long double ref_j0(long double x) { return ref_jv(0, x); }
long double ref_j1(long double x) { return copysignl(1, x) * ref_jv(1, fabsl(x)); } /* -0 at -0 */
long double ref_y0(long double x) { return ref_yv(0, x); }
long double ref_y1(long double x) { return ref_yv(1, x); }
