/*
 * Stirling's remainder and the beta function. log B(a, b) of large arguments takes differences of Stirling's formula
 * term by term, so that nothing cancels (Didonato and Morris, ACM TOMS 18, 1992, algorithm 708).
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

/* Return log Gamma(x) for x >= 16 in pairs by Stirling's formula, with terms B(2k) / (2k (2k - 1)) x^(1 - 2k). */
static struct pair stirling_pair(struct pair x) {
    static const double over[] = {1,
                                  -1,
                                  1,
                                  -1,
                                  1,
                                  -691,
                                  1,
                                  -3617,
                                  43867,
                                  -174611,
                                  77683,
                                  -236364091,
                                  657931,
                                  -3392780147,
                                  1723168255201,
                                  -7709321041217,
                                  151628697551};
    static const double under[] = {12,     360,  1260,    1680, 1188,  360360,  156,    122400, 244188,
                                   125400, 5796, 1506960, 300,  93960, 2492028, 505920, 396};
    static const struct pair half_log_tau = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
    struct pair inverse = pair_divide(pair_of(1), x), z = pair_multiply(inverse, inverse), sum = pair_of(0);
    for (int k = (int)(sizeof over / sizeof *over) - 1; k >= 0; k--)
        sum = pair_add(pair_multiply(sum, z), pair_divide(pair_of(over[k]), pair_of(under[k])));
    struct pair most = pair_multiply(pair_add(x, pair_of(-0.5)), pair_log(x));
    return pair_add(pair_subtract(most, x), pair_add(half_log_tau, pair_multiply(sum, inverse)));
}
/* Return log |Gamma(-a)|, a > 0 not an integer: log(pi a (a + 1) ... (b - 1) / (a |sin(pi a)|)) - log Gamma(b),
   with b = a + n >= 16. */
static double lgamma_left(double a) {
    struct pair up = pair_of(a), product = pair_pi, sine, cosine;
    for (; up.high < 16; up = pair_add(up, pair_of(1))) product = pair_multiply(product, up);
    pair_sine_cosine(pair_multiply(pair_pi, pair_of(fabs(a - round(a)))), &sine, &cosine);
    struct pair log = pair_log(pair_divide(product, pair_multiply(sine, pair_of(a))));
    return pair_subtract(log, stirling_pair(up)).high;
}
double special_lgamma(double x) {
    int sign;
    if (x < -2 && x > -32 && x != floor(x)) return lgamma_left(-x);
    return lgamma_r(x, &sign);
}

/* Return log B(a, b) for 0 < a <= b, b >= 10. */
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

/* Return B(a, b) for a <= b < 10. 1/a + 1/b is a factor of its own, as gammas of small numbers overflow together. */
static double beta_small(double a, double b) {
    struct pair n = pair_of_sum(a, b), m = pair_of_sum(n.high, 1);
    /* psi(m) corrects the rounding errors of the sums */
    double rounded = 1 + (n.low + m.low) * log(m.high - 0.5);
    return tgamma(a + 1) * (tgamma(b + 1) / (tgamma(m.high) * rounded)) * (1 / a + 1 / b);
}

/* Return B(a, b) for 10 <= a <= b < 1e10 a by Stirling's formula. The pair a log(a / (a + b)) + b log(b / (a + b))
   is its exponent. */
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
    return root * (tgamma(low) * exp(rest + stirling)) * root; /* in two steps, for the range of doubles */
}
