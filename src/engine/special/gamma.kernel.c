/*
 * Template: Stirling's remainder and the beta function. log B(a, b) of large arguments takes differences of
 * Stirling's formula term by term, so that nothing cancels (Didonato and Morris, ACM TOMS 18, 1992, algorithm 708).
 */

/* Return log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), for x >= 10. */
static REAL stirling_rest(REAL x) { return polynomial(LENGTH(stirling_far), stirling_far, 1 / x / x) / x; }

/* Return log B(a, b) for 0 < a <= b, b >= 10. */
static REAL lbeta_large(REAL a, REAL b) {
    REAL h = a / b;
    if (a < 10) /* log Gamma(b) - log Gamma(a + b) by Stirling */
        return F(lgamma)(a) + (stirling_rest(b) - stirling_rest(a + b)) - (b + (a - 0.5)) * log1p(h) -
               a * (log(b) - 1);
    REAL rest = stirling_rest(a) + (stirling_rest(b) - stirling_rest(a + b));
    return rest - 0.5 * log(b) + R(0.918938533204672741780329736406) + (a - 0.5) * log(h / (1 + h)) -
           b * log1p(h);
}

/* Return log Gamma(x) in a pair, for x > 0. */
static two lgamma_pair(two x) {
    two product = two_of(1);
    for (; x.high < 16; x = two_add(x, two_of(1))) product = two_multiply(product, x);
    return two_subtract(two_stirling(x), two_log(product));
}

/* Return log B(a, b) for 0 < a <= b where it is near 0, so that its terms cancel: in pairs. For large b, log Gamma(a +
   b) - log Gamma(b) is a log b + a (a - 1) / 2b - a (a - 1) (2a - 1) / 12b^2 + a^2 (a - 1)^2 / 12b^3 ..., DLMF 5.11.8. */
static REAL lbeta_near_zero(REAL a, REAL b) {
    if (a == 1 || b == 1) return -log(a == 1 ? b : a);
    two of_a = lgamma_pair(two_of(a));
    if (b < 1e6) return two_subtract(two_add(of_a, lgamma_pair(two_of(b))), lgamma_pair(two_sum(a, b))).high;
    REAL rise = a * (a - 1) / (2 * b) * (1 - (2 * a - 1 - a * (a - 1) / b) / (6 * b));
    return two_subtract(of_a, two_scale(two_log(two_of(b)), a)).high - rise;
}

/* Return log B(a, b) for 0 < a <= b, b finite, but for a relative error next to 0. */
static REAL lbeta_plain(REAL a, REAL b) {
    if (a < 1e-300 && b < 1e10) return log1p(a / b) - log(a); /* 1/a + 1/b */
    if (b >= 10) return lbeta_large(a, b);
    if (a + b > 0.5) return log(F(beta)(a, b));
    return (F(lgamma)(a) - F(lgamma)(a + b)) + F(lgamma)(b);
}

REAL F(lbeta)(REAL a, REAL b) {
    if (!(a >= 0 && b >= 0)) return NAN;
    REAL low = fmin(a, b), high = fmax(a, b);
    if (low == 0) return isinf(high) ? NAN : INFINITY;
    if (isinf(high)) return -INFINITY;
    REAL y = lbeta_plain(low, high);
    return fabs(y) < 0.25 ? lbeta_near_zero(low, high) : y;
}

/* Return B(a, b) for a <= b < 10. 1/a + 1/b is a factor of its own, as gammas of small numbers overflow together. */
static REAL beta_small(REAL a, REAL b) {
    two n = two_sum(a, b), m = two_sum(n.high, 1);
    /* psi(m) corrects the rounding errors of the sums */
    REAL rounded = 1 + (n.low + m.low) * log(m.high - 0.5);
    return tgamma(a + 1) * (tgamma(b + 1) / (tgamma(m.high) * rounded)) * (1 / a + 1 / b);
}

/* Return B(a, b) for 10 <= a <= b < 1e10 a by Stirling's formula. The pair a log(a / (a + b)) + b log(b / (a + b))
   is its exponent. */
static REAL beta_large(REAL a, REAL b) {
    two n = two_sum(a, b), x = two_of(a), y = two_of(b);
    two exponent =
        two_add(two_multiply(x, two_log(two_divide(x, n))), two_multiply(y, two_log(two_divide(y, n))));
    REAL stirling = stirling_rest(a) + (stirling_rest(b) - stirling_rest(n.high));
    return exp(exponent.high) * (1 + exponent.low) * exp(stirling) * sqrt(TAU / a * (n.high / b));
}

REAL F(beta)(REAL a, REAL b) {
    REAL low = fmin(a, b), high = fmax(a, b);
    if (!(a >= 0 && b >= 0)) return NAN;
    if (low == 0) return isinf(high) ? NAN : INFINITY;
    if (high < 10) return beta_small(low, high);
    bool near = high < 1e10 * low;
    if (isinf(high) || low > (near ? 600 : 170)) return 0;
    if (low >= 10 && near) return beta_large(low, high);
    REAL stirling = stirling_rest(high) - stirling_rest(low + high);
    REAL rest = low - (high + (low - 0.5)) * log1p(low / high), root = pow(high, -low / 2);
    return root * (tgamma(low) * exp(rest + stirling)) * root; /* in two steps, for the range of doubles */
}
