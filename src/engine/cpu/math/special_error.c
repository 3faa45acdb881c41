/*
 * Functions related to the error function. Inverses are Chebyshev series: x P(x^2) in the middle, r P(r) with r =
 * sqrt(-log q) in the tails (the variable of Blair, Edwards and Johnson, Mathematics of Computation 30, 1976). erfcx
 * is a series in (x - 3) / (x + 3) (Shepherd and Laframboise, Mathematics of Computation 36, 1981). The normal
 * distribution uses it, since only then the square in the exponent can be exact.
 */
#include "engine/cpu/math/special.h"

#include <math.h>

#include "engine/cpu/math/special_tables.h"

static const double pi = 3.14159265358979323846, half_root = 0.70710678118654752440;

/* Return exp(scale x^2) with the square in two parts; |scale| is a power of two. */
static double exp_square(double x, double scale) {
    double square = x * x, rest = fma(x, x, -square);
    double y = exp(scale * square);
    return isfinite(square) && y > 0 && isfinite(y) ? y + y * (scale * rest) : y;
}

/* Return erfcinv(q), x with erfc(x) = q, for 0 <= q <= 1/2. */
static double erfcinv_tail(double q) {
    if (q == 0) return INFINITY;
    double r = sqrt(-log(q));
    if (r < 2) return r * SERIES(erfcinv_0, 0.83, 2, r);
    if (r < 4) return r * SERIES(erfcinv_1, 2, 4, r);
    return r * (r < 9 ? SERIES(erfcinv_2, 4, 9, r) : SERIES(erfcinv_3, 9, 28, r));
}

double special_erfinv(double x) {
    double size = fabs(x);
    if (!(size <= 1)) return NAN;
    if (size <= 0.5) return x * SERIES(erfinv_0_half, 0, 0.25, x * x);
    return copysign(erfcinv_tail(1 - size), x);
}

double special_erfcinv(double x) {
    if (!(x >= 0 && x <= 2)) return NAN;
    if (x < 0.5) return erfcinv_tail(x);
    return x <= 1.5 ? special_erfinv(1 - x) : -erfcinv_tail(2 - x);
}

/* Return erfcx(x) = exp(x^2) erfc(x) for x >= 0, by a table of Chebyshev series. */
static double erfcx_positive(double x) {
    static const struct {
        int n;
        const double *c;
    } pieces[] = {
#define PIECE(c) {(int)(sizeof(c) / sizeof *(c)), c}
        PIECE(erfcx_0), PIECE(erfcx_1), PIECE(erfcx_2), PIECE(erfcx_3),
        PIECE(erfcx_4), PIECE(erfcx_5), PIECE(erfcx_6), PIECE(erfcx_7)};
    if (x > 1e10) return 1 / sqrt(pi) / x;
    double t = (x - 3) / (x + 3);
    int k = (int)((t + 1) * 4);
    if (k > 7) k = 7;
    double low = k * 0.25 - 1;
    return special_series(pieces[k].n, pieces[k].c, low, low + 0.25, t) / (1 + 2 * x);
}

double special_erfcx(double x) {
    if (x >= 0 || isnan(x)) return isnan(x) ? x : erfcx_positive(x);
    return x < -27 ? INFINITY : 2 * exp_square(x, 1) - erfcx_positive(-x);
}

double special_ndtr(double x) {
    if (x >= 0) return 1 - 0.5 * erfc(x * half_root);
    if (x > -1) return 0.5 * erfc(-x * half_root);
    return isnan(x) ? x : 0.5 * exp_square(x, -0.5) * erfcx_positive(-x * half_root);
}

double special_log_ndtr(double x) {
    if (isnan(x)) return x;
    if (x < -1) return log(0.5 * erfcx_positive(-x * half_root)) - 0.5 * x * x;
    return x > 1 ? log1p(-special_ndtr(-x)) : log(special_ndtr(x));
}

double special_ndtri(double p) { return -special_erfcinv(2 * p) * 1.41421356237309504880; }

double special_dawson(double x) {
    double size = fabs(x), y;
    if (size < 1) return x * SERIES(dawson_0_1, 0, 1, x * x);
    if (size < 2)
        y = SERIES(dawson_1_2, 1, 2, size);
    else if (size < 4)
        y = SERIES(dawson_2_4, 2, 4, size);
    else if (size < 7)
        y = SERIES(dawson_4_7, 4, 7, size);
    else
        y = SERIES(dawson_7, 0, 1.0 / 49, 1 / size / size) / size / 2; /* includes NaN */
    return copysign(y, x);
}

/* Return x minus the nearest multiple of 2, exactly; the result is at most 1 in size. */
static double beyond_turns(double x) { return x - 2 * rint(x / 2); }

double special_sinpi(double x) {
    double turn = beyond_turns(x), r = fabs(turn);
    double y = r > 0.75 ? sin(pi * (1 - r)) : r > 0.25 ? cos(pi * (0.5 - r)) : sin(pi * r);
    return copysign(y, turn);
}

double special_cospi(double x) {
    double r = fabs(beyond_turns(x));
    return r > 0.75 ? -cos(pi * (1 - r)) : r > 0.25 ? sin(pi * (0.5 - r)) : cos(pi * r);
}
