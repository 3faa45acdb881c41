/*
 * Stirling's remainder and the beta function.  log B(a, b) of large arguments takes differences of Stirling's
 * formula apart, so that nothing cancels (Didonato and Morris, ACM TOMS 18, 1992, algorithm 708).
 */
#include "engine/cpu/math/special.h"

#include <math.h>
#include <stdbool.h>

#include "engine/cpu/math/special_pair.h"

static const double tau = 6.28318530717958647693;

double special_stirling(double x) {
    static const double c[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double z = 1 / x / x, sum = c[7];
    for (int k = 6; k >= 0; k--) sum = sum * z + c[k];
    return sum / x;
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

/* B(a, b) for a <= b < 10; 1/a + 1/b first: the gamma functions of small numbers overflow together. */
static double beta_small(double a, double b) {
    struct pair n = pair_of_sum(a, b), m = pair_of_sum(n.high, 1);
    double rounded = 1 + (n.low + m.low) * log(m.high - 0.5); /* psi(m), for what the sums left out */
    return tgamma(a + 1) * (tgamma(b + 1) / (tgamma(m.high) * rounded)) * (1 / a + 1 / b);
}

/* B(a, b) for 10 <= a <= b < 1e10 a by Stirling's formula, a log(a / (a + b)) + b log(b / (a + b)) as a pair.
 */
static double beta_large(double a, double b) {
    struct pair n = pair_of_sum(a, b), x = pair_of(a), y = pair_of(b);
    struct pair exponent = pair_add(pair_multiply(x, pair_log(pair_divide(x, n))),
                                    pair_multiply(y, pair_log(pair_divide(y, n))));
    double stirling = special_stirling(a) + (special_stirling(b) - special_stirling(n.high));
    return exp(exponent.high) * (1 + exponent.low) * exp(stirling) * sqrt(tau / a * (n.high / b));
}

double special_beta(double a, double b) {
    double low = fmin(a, b), high = fmax(a, b);
    if (!(a >= 0 && b >= 0)) return NAN;
    if (low == 0) return isinf(high) ? NAN : INFINITY;
    if (high < 10) return beta_small(low, high);
    bool near = high < 1e10 * low;
    if (isinf(high) || low > (near ? 600 : 170)) return 0;
    if (low >= 10 && near) return beta_large(low, high);
    double stirling = special_stirling(high) - special_stirling(low + high);
    double rest = low - (high + (low - 0.5)) * log1p(low / high), root = pow(high, -low / 2);
    return root * (tgamma(low) * exp(rest + stirling)) * root; /* twice, for the range of doubles */
}
