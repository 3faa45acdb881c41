/*
 * The gamma function's relatives.  psi has a series around its root on [1, 2], is brought there or beyond 12
 * by its recurrence, and follows Stirling's series from there (DLMF 5.5.2, 5.11.2); left of 0 it is reflected
 * (DLMF 5.5.4).  Hurwitz' zeta function is summed by Euler and Maclaurin (DLMF 2.10(i), 25.11.5).  log B(a,
 * b) of large arguments takes differences of Stirling's formula apart, so that nothing cancels (Didonato and
 * Morris, ACM TOMS 18, 1992, algorithm 708).
 */
#include "engine/cpu/special.h"

#include <math.h>

#include "engine/cpu/special_tables.h"

static const double pi = 3.14159265358979323846;

double special_stirling(double x) {
    static const double c[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double z = 1 / x / x, sum = c[7];
    for (int k = 6; k >= 0; k--) sum = sum * z + c[k];
    return sum / x;
}

/* x > 0 */
static double digamma_positive(double x) {
    static const double c[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
    static const double root = 1.4616321449683622, rest = 9.549995429965697e-17;
    if (x >= 12) {
        double z = 1 / x / x, sum = c[6];
        for (int k = 5; k >= 0; k--) sum = sum * z + c[k];
        return log(x) - (0.5 / x + sum * z);
    }
    double steps = 0, below = 0;
    if (x < 1) {
        below = -1 / x;
        x += 1;
    }
    for (; x > 2; x -= 1) steps += 1 / (x - 1);
    return below + (steps + (x - root - rest) * SERIES(digamma_1_2, 1, 2, x));
}

double special_digamma(double x) {
    if (x > 0 || isnan(x)) return isinf(x) ? x : isnan(x) ? x : digamma_positive(x);
    if (x == 0) return copysign(INFINITY, -x);
    if (x == rint(x)) return NAN; /* a pole, or minus infinity */
    if (x > -1e-5) return -1 / x + digamma_positive(1 + x);
    return digamma_positive(1 - x) - pi * special_cospi(x) / special_sinpi(x);
}

double special_trigamma(double x) {
    if (x > 0 || isnan(x)) return special_zeta(2, x);
    if (x == rint(x)) return isinf(x) ? NAN : INFINITY;
    double s = pi / special_sinpi(x);
    return s * s - special_zeta(2, 1 - x);
}

/* Ten terms, then the tail from q + 10 on. */
double special_zeta(double s, double q) {
    /* B(2j) / (2j)! */
    static const double c[] = {1.0 / 12,
                               -1.0 / 720,
                               1.0 / 30240,
                               -1.0 / 1209600,
                               1.0 / 47900160,
                               -691.0 / 1307674368000.0,
                               1.0 / 74724249600.0,
                               -3617.0 / 10670622842880000.0,
                               43867.0 / 5109094217170944000.0};
    if (!(s >= 1) || !(q >= 0)) return NAN;
    if (s == 1 || q == 0) return INFINITY;
    if (isinf(q)) return 0;
    if (isinf(s)) return pow(q, -s);
    double sum = 0;
    for (int k = 0; k < 10; k++, q += 1) {
        double term = pow(q, -s);
        sum += term;
        if (term < 1e-18 * sum || isinf(sum)) return sum; /* what follows is far smaller: s is large */
    }
    double power = pow(q, -s), factor = s / q, z = 1 / q / q, tail = 0;
    for (int j = 0; j < 9; j++) {
        tail += c[j] * factor;
        factor *= (s + 2 * j + 1) * (s + 2 * j + 2) * z;
    }
    double rest = pow(q, 1 - s) / (s - 1); /* the powers underflow one by one */
    return sum + (power > 0 ? rest + power * (0.5 + tail) : rest);
}

/* n! zeta(n + 1, x) by logarithms, where n! alone would overflow: x^(n+1) zeta(n + 1, x) tends to 1. */
static double polygamma_far(double n, double x) {
    double s = n + 1, sum = 1, ratio = 1;
    if (isinf(n) || isinf(x)) return isinf(n) && isinf(x) ? NAN : isinf(n) ? INFINITY : 0;
    for (int k = 1; k < 40 && ratio > 1e-18; k++) sum += ratio = exp(-s * log1p(k / x));
    if (ratio > 1e-18) sum += ratio * (x + 40) / n; /* a sum of so many is an integral */
    int sign;
    if (n > 1e9) return exp(s * (log(s / x) - 1)) * sum; /* Stirling: 0 or infinity but for a narrow band */
    return exp(lgamma_r(s, &sign) - s * log(x)) * sum;
}

double special_polygamma(double order, double x) {
    double n = trunc(order);
    if (isnan(order) || isnan(x) || n < 0) return NAN;
    if (n == 0) return special_digamma(x);
    if (n == 1) return special_trigamma(x);
    if (x < 0) return NAN;
    double y = x == 0                 ? INFINITY
               : n < 170 && !isinf(x) ? tgamma(n + 1) * special_zeta(n + 1, x)
                                      : polygamma_far(n, x);
    return fmod(n, 2) == 0 ? -y : y;
}

/* log of B(a, b) for 0 < a <= b, b >= 10. */
static double lbeta_large(double a, double b) {
    int sign;
    double h = a / b;
    if (a < 10) /* log Gamma(b) - log Gamma(a + b) by Stirling */
        return lgamma_r(a, &sign) + (special_stirling(b) - special_stirling(a + b)) -
               (b + (a - 0.5)) * log1p(h) - a * (log(b) - 1);
    double rest = special_stirling(a) + (special_stirling(b) - special_stirling(a + b));
    return rest - 0.5 * log(b) + 0.91893853320467274178 + (a - 0.5) * log(h / (1 + h)) - b * log1p(h);
}

double special_lbeta(double a, double b) {
    if (!(a >= 0 && b >= 0)) return NAN;
    double low = fmin(a, b), high = fmax(a, b);
    int sign;
    if (low == 0) return isinf(high) ? NAN : INFINITY;
    if (isinf(high)) return -INFINITY;
    if (low < 1e-300 && high < 1e10) return log1p(low / high) - log(low); /* 1/a + 1/b */
    if (high >= 10) return lbeta_large(low, high);
    if (low + high > 0.5) return log(special_beta(a, b));
    return (lgamma_r(a, &sign) - lgamma_r(a + b, &sign)) + lgamma_r(b, &sign);
}

double special_beta(double a, double b) {
    double low = fmin(a, b), high = fmax(a, b);
    if (!(a >= 0 && b >= 0)) return NAN;
    if (low == 0) return isinf(high) ? NAN : INFINITY;
    if (low + high < 150) /* 1/a + 1/b first: the gamma functions of small numbers overflow together */
        return tgamma(low + 1) * (tgamma(high + 1) / tgamma(low + high + 1)) * (1 / low + 1 / high);
    if (isinf(high)) return 0;
    if (high > 1e17 * fmax(1, low * low)) return tgamma(low) * pow(high, -low);
    return exp(special_lbeta(a, b));
}
