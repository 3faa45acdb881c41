/*
 * The incomplete gamma and beta functions, regularised.  Each has a factor that is computed without
 * cancelling (Stirling's series, log1p(u) - u by a series of its own) and a sum: a power series below the
 * mean and Lentz's continued fraction above it (DLMF 8.7.1, 8.9.2, 8.17.22; Gautschi, ACM TOMS 5, 1979).
 * Orders beyond LARGE take the first terms of uniform expansions (Temme, SIAM J. Math. Anal. 10, 1979;
 * DLMF 8.12, 8.18(ii)): of gamma in erfc, of beta in gamma where one order is far larger, else in erfc.
 */
#include "engine/cpu/math/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "engine/cpu/math/special_pair.h"
#include "engine/cpu/math/special_tables.h"

static const double tau = 6.28318530717958647693, large = 1e5;
enum { TERMS = 20000 };

/* u - log(1 + u): with r = u / (2 + u), log(1 + u) = 2 atanh(r). */
static double less_log1p(double u) {
    if (!(fabs(u) < 0.5)) return u - log1p(u);
    double r = u / (2 + u), z = r * r, sum = 0, power = 1;
    for (int k = 3; k < 45 && power > 1e-18; k += 2, power *= z) sum += power / k;
    return r * (u - 2 * z * sum);
}

/* log Gamma(1 + a), 0 <= a <= 1, without an absolute error */
static double log_gamma_of_1_and(double a) {
    return a <= 0.5 ? a * SERIES(lgamma1p_0_half, 0, 0.5, a) : log(tgamma(a + 1));
}

/* ---- gamma ---- */

/* exp(x - a) (a / x)^a, which is exp(-a (u - log(1 + u))); far out the exponent needs the digits of a pair.
 */
static double hump(double a, double x) {
    double u = (x - a) / a, distance = fabs(u) < 0.5 ? less_log1p(u) : u - log(x / a);
    if (!(a * distance > 32 && a * distance < 800)) return exp(-a * distance);
    struct pair ratio = pair_divide(pair_of(x), pair_of(a));
    struct pair exponent = pair_subtract(pair_add(pair_log(ratio), pair_of(1)), ratio);
    exponent = pair_multiply(exponent, pair_of(a));
    return exp(exponent.high) * (1 + exponent.low);
}

/* x^a exp(-x) / Gamma(a + 1) */
static double gamma_factor(double a, double x) {
    if (a < 10) return x < 700 ? pow(x, a) * exp(-x) / tgamma(a + 1) : exp(a * log(x) - x) / tgamma(a + 1);
    return hump(a, x) * exp(-special_stirling(a)) / sqrt(tau * a);
}

static double gamma_series(double a, double x) {
    double term = 1, sum = 1;
    for (int n = 1; n < TERMS && term > DBL_EPSILON / 8 * sum; n++) sum += term *= x / (a + n);
    return gamma_factor(a, x) * sum;
}

static double gamma_fraction(double a, double x) {
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d, step = 0;
    for (int n = 1; n < TERMS && fabs(step - 1) > DBL_EPSILON; n++) {
        double numerator = n * (a - n);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        h *= step = c * d;
    }
    return gamma_factor(a, x) * a * h;
}

/* Q for small a and x: 1 - x^a / Gamma(a + 1) and the rest of the series, each without cancelling. */
static double gamma_small(double a, double x) {
    double sum = 0, term = 1;
    for (int n = 1; n < 60 && fabs(term) > 1e-19; n++) {
        term *= -x / n;
        sum += term / (a + n);
    }
    double exponent = a * log(x) - log_gamma_of_1_and(a);
    return -expm1(exponent) - exp(exponent) * a * sum;
}

static double gamma_uniform(double a, double x, bool upper) {
    double u = (x - a) / a, distance = fabs(u) < 0.5 ? less_log1p(u) : u - log(x / a);
    if (!(a * distance < 800)) return (x > a) == upper ? 0 : 1;
    double eta = copysign(sqrt(2 * distance), u), scale = hump(a, x);
    double rest = SERIES(gammainc_c0, -0.15, 0.15, eta) + SERIES(gammainc_c1, -0.15, 0.15, eta) / a;
    rest /= sqrt(tau * a);
    if (!upper) rest = -rest;
    double z = (upper ? eta : -eta) * sqrt(a / 2);
    return z > -1 ? scale * (0.5 * special_erfcx(z) + rest) : 1 - scale * (0.5 * special_erfcx(-z) - rest);
}

static double incomplete_gamma(double a, double x, bool upper) {
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (isinf(a) && isinf(x))) return NAN;
    if (a == 0 || isinf(x)) return upper ? 0 : 1;
    if (x == 0 || isinf(a)) return upper ? 1 : 0;
    if (a > large) return gamma_uniform(a, x, upper);
    if (x > 1 && x > a) return upper ? gamma_fraction(a, x) : 1 - gamma_fraction(a, x);
    if (upper && a < 1 && x <= 1) return gamma_small(a, x);
    return upper ? 1 - gamma_series(a, x) : gamma_series(a, x);
}

double special_gammainc(double a, double x) { return incomplete_gamma(a, x, false); }

double special_gammaincc(double a, double x) { return incomplete_gamma(a, x, true); }

/* ---- beta ---- */

/* x^a (1-x)^b / (a B(a, b)), y = 1 - x */
static double beta_factor(double a, double b, double x, double y) {
    if (a >= 10 && b >= 10) { /* distances from the mean a / (a + b) */
        double n = a + b, gap = a - n * x, first = less_log1p(-gap / a), second = less_log1p(gap / b);
        double stirling = special_stirling(a) + special_stirling(b) - special_stirling(n);
        return sqrt(b / a / n / tau) * exp(-(a * first + b * second) - stirling);
    }
    double share = 1 / (1 + a / b); /* b / (a + b) */
    if (a + b < 150)
        return pow(x, a) * pow(y, b) * share *
               (tgamma(a + b + 1) / tgamma(fmax(a, b) + 1) / tgamma(fmin(a, b) + 1));
    return exp(a * log(x) + b * (x < 0.5 ? log1p(-x) : log(y)) - special_lbeta(a, b)) / a;
}

/* Lentz's method in the form of the even and odd coefficients of DLMF 8.17.22. */
static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d, step = 0;
    for (int n = 1; n < TERMS && fabs(step - 1) > DBL_EPSILON; n++) {
        double even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        double odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= step = d * c;
    }
    return h;
}

/* The leading term for huge orders: the normal distribution of the signed root of the distance. */
static double beta_uniform(double a, double b, double x) {
    double mean = 1 / (1 + b / a), other = 1 / (1 + a / b), y = 1 - x;
    double distance = a * log(mean / x) + b * log(other / y);
    if (!(distance > 0)) distance = 0;
    return 0.5 * erfc((x < mean ? 1 : -1) * sqrt(distance));
}

/* (log Gamma(x + b) - log Gamma(x)) / b, x >= 1 > b: the mean of psi, by Taylor's series from the middle,
 * with DLMF 25.11.12 for its derivatives. */
static double mean_digamma(double x, double b) {
    double half = b / 2, middle = x + half, power = 1, sum = special_digamma(middle), term = 1;
    for (int k = 3; k < 40 && term > 1e-17; k += 2)
        sum -= term = (power *= half * half) * special_zeta(k, middle) / k;
    return sum;
}

/* 1 - I_y(b, a) where I is near 1, which is for small b alone.  I is a / (a + b) times exp(small): what the
 * power series of DLMF 8.17.7, the gamma functions and y^b add to that exponent all have the factor b. */
static double beta_complement(double a, double b, double y) {
    double term = 1, sum = 0;
    for (int n = 1; n < TERMS && fabs(term) > 1e-18; n++) {
        term *= (n - a) / n * y;
        sum += term / (b + n);
    }
    double exponent = b * (log(y) + mean_digamma(1 + a, b)) - log_gamma_of_1_and(b) + log1p(b * sum);
    return b / (a + b) - a / (a + b) * expm1(exponent);
}

double special_betainc(double a, double b, double x) {
    if (!(a >= 0 && b >= 0 && x >= 0 && x <= 1)) return NAN;
    if ((a == 0 && b == 0) || (isinf(a) && isinf(b))) return NAN;
    if (x == 0 || x == 1) return x;
    if (a == 0 || isinf(b)) return 1;
    if (b == 0 || isinf(a)) return 0;
    if (b > 1e9 && a < b * 1e-4) return special_gammainc(a, (b + (a - 1) / 2) * -log1p(-x));
    if (a > 1e9 && b < a * 1e-4) return special_gammaincc(b, (a + (b - 1) / 2) * -log(x));
    if (a > 1e9 || b > 1e9) return beta_uniform(a, b, x);
    if (b < 0.5 && a > 100 && a * (1 - x) < 2) return beta_complement(a, b, 1 - x); /* the fraction cancels */
    if (x <= (a + 1) / (a + b + 2)) return beta_factor(a, b, x, 1 - x) * beta_fraction(a, b, x);
    double rest = beta_factor(b, a, 1 - x, x) * beta_fraction(b, a, 1 - x);
    return rest < 0.75 || b >= 1 ? 1 - rest : beta_complement(a, b, 1 - x);
}
