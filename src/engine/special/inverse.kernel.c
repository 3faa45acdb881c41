/*
 * Template: inverses and counts. Incomplete gamma and beta functions are inverted by Halley's method, and for small
 * probabilities by Newton's on the logarithm, between bounds closed by bisection (DLMF 8.12, 3.8(ii)). The smaller of
 * the two probabilities is used, since it is accurate. First guesses follow Wilson and Hilferty, and Abramowitz and
 * Stegun 26.5.22. Small x are solved for by the series of log x (DLMF 8.7.1, 8.17.7).
 *
 * Lambert's W is its series at the branch point (DLMF 4.13.6), else Newton's method on w + log w = log x or Halley's
 * on w exp(w) = x.
 */

/* ---- incomplete gamma ---- */

/* Return log Gamma(1 + a), a >= 0, with an error relative to a. */
static REAL log_gamma_1p(REAL a) {
    if (a > R(0.5)) return F(lgamma)(1 + a);
    return -log1p(a * polynomial(LENGTH(one_over_gamma) - 1, one_over_gamma + 1, a));
}

/* Return x with log P(a, x) = log_p, for small x, starting at the guess x. Solves P(a, x) = x^a / Gamma(a + 1) (1 +
   a t(x)) by fixed-point iteration. */
static REAL gamma_log_solve(REAL a, REAL log_p, REAL x) {
    REAL start = (log_p + log_gamma_1p(a)) / a;
    for (int k = 0; k < 60; k++) {
        REAL term = 1, t = 0, last = x;
        for (int n = 1; n < 40 && fabs(term) > DIGITS / 8; n++) t += (term *= -x / n) / (a + n);
        x = exp(start - log1p(a * t) / a);
        if (fabs(x - last) <= 2 * DIGITS * x) break;
    }
    return x;
}

/* Return x with log P(a, x) (`lower`) or log Q(a, x) = log_want, for tails that leave the range, by Newton's method
   from the guess x, for Q at least a + 1. Uses the series of P (DLMF 8.7.1) or the fraction of Q (DLMF 8.9.2), each
   times x^a exp(-x) / Gamma(a). */
static REAL gamma_tail_solve(REAL a, REAL log_want, REAL x, bool lower) {
    const REAL constant = F(lgamma)(a);
    for (int k = 0; k < 100; k++) {
        REAL rest = 0, term = 1 / a, sum = 0;
        for (int n = 1; lower && n < 5000 && term > DIGITS / 8 * sum; n++) sum += term, term *= x / (a + n);
        for (int n = 200; !lower && n > 0; n--) rest = n * (a - n) / (x + 2 * n + 1 - a + rest);
        REAL ratio = lower ? sum : 1 / (x + 1 - a + rest);
        REAL step = (a * log(x) - x - constant + log(ratio) - log_want) * x * ratio;
        REAL next = lower ? x - step : x + step;
        if (!(next > x / 2)) next = x / 2;
        if (next > 2 * x) next = 2 * x;
        REAL moved = fabs(next - x);
        x = next;
        if (moved <= 2 * DIGITS * x) break;
    }
    return x;
}

/* Return a guess of x with P(a, x) = p; p + q = 1, and the smaller of p and q is exact. */
static REAL gamma_guess(REAL a, REAL p, REAL q) {
    REAL z = p < q ? F(ndtri)(p) : -F(ndtri)(q), root = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
    if (a < 1) return fmax(-log(q), R(0.2));
    return a * fmax(root * root * root, R(0.01));
}

/* Return x with P(a, x) = p, p + q = 1; the smaller one is exact. Halley's method between bounds closed by
   bisection, or a solver of the logarithm for small x and tails. */
static REAL gamma_solve(REAL a, REAL p, REAL q) {
    bool lower = p <= q;
    REAL log_p = lower ? log(p) : log1p(-q), x = exp((log_p + log_gamma_1p(a)) / a), low = 0, high = INFINITY;
    if (x < R(0.1)) return gamma_log_solve(a, log_p, x);
    x = gamma_guess(a, p, q);
    if (fmin(p, q) < R(1e-200))
        return gamma_tail_solve(a, lower ? log_p : log(q), lower ? x : fmax(x, a + 1), lower);
    const REAL constant = F(lgamma)(a);
    for (int k = 0; k < 200; k++) {
        REAL got = lower ? F(gammainc)(a, x) : F(gammaincc)(a, x), want = lower ? p : q;
        REAL gap = lower ? got - want : want - got, density = exp((a - 1) * log(x) - x - constant);
        if (gap == 0) return x;
        *(gap < 0 ? &low : &high) = x;
        REAL bend = gap / density * ((a - 1) / x - 1) / 2;
        REAL next = x - gap / density / (1 - fmin(fmax(bend, R(-0.5)), R(0.5)));
        if (want < R(0.25) && got > 0) next = x - (lower ? 1 : -1) * log(got / want) * got / density;
        bool halved = !(next > low && next < high);
        if (halved) next = isinf(high) ? 2 * x : low > 0 ? sqrt(low) * sqrt(high) : high / 16;
        REAL moved = fabs(next - x);
        x = next;
        if (moved <= (halved ? 2 * DIGITS : R(1e-10)) * x) break; /* a step at least squares the error */
    }
    return x;
}

static REAL gamma_inverse(REAL a, REAL p, bool upper) {
    if (!(a > 0 && a <= R(1e5)) || !(p >= 0 && p <= 1)) return NAN;
    if (p == 0 || p == 1) return (p == 0) == upper ? INFINITY : 0;
    return upper ? gamma_solve(a, 1 - p, p) : gamma_solve(a, p, 1 - p);
}
REAL F(gammaincinv)(REAL a, REAL p) { return gamma_inverse(a, p, false); }
REAL F(gammainccinv)(REAL a, REAL q) { return gamma_inverse(a, q, true); }

/* ---- incomplete beta ---- */

/* Return x with log I_x(a, b) = log_p, for small x max(b, 1), starting at the guess x. Solves I = x^a / (a B(a, b))
   (1 + a t(x)) by fixed-point iteration. */
static REAL beta_log_solve(REAL a, REAL b, REAL log_p, REAL x) {
    REAL start = (log_p + log(a) + F(lbeta)(a, b)) / a;
    for (int k = 0; k < 60; k++) {
        REAL term = 1, t = 0, last = x;
        for (int n = 1; n < 60 && fabs(term) > DIGITS / 8; n++) t += (term *= (n - b) / n * x) / (a + n);
        x = exp(start - log1p(a * t) / a);
        if (fabs(x - last) <= 2 * DIGITS * x) break;
    }
    return x;
}

static REAL beta_guess(REAL a, REAL b, REAL p, REAL q) {
    REAL mean = a / (a + b), width = sqrt(mean / (a + b + 1) * (b / (a + b)));
    REAL z = p < q ? F(ndtri)(p) : -F(ndtri)(q);
    return fmin(fmax(mean + width * z, mean / 16), 1 - b / (a + b) / 16);
}

/* Return x with I_x(a, b) = p, p + q = 1; the smaller one is exact. Halley's method, or Newton's on the logarithm
   for small probabilities, between bounds closed by bisection. */
static REAL beta_solve(REAL a, REAL b, REAL p, REAL q) {
    bool lower = p <= R(0.75);
    REAL log_p = p <= q ? log(p) : log1p(-q), constant = F(lbeta)(a, b), low = 0, high = 1;
    REAL x = exp((log_p + log(a) + constant) / a);
    if (x * fmax(b, 1) < R(0.1)) return beta_log_solve(a, b, log_p, x);
    x = beta_guess(a, b, p, q);
    for (int k = 0; k < 300; k++) {
        REAL got = lower ? F(betainc)(a, b, x) : F(betainc)(b, a, 1 - x), want = lower ? p : q;
        REAL gap = lower ? got - want : want - got;
        if (gap == 0) return x;
        *(gap < 0 ? &low : &high) = x;
        REAL density = exp((a - 1) * log(x) + (b - 1) * log1p(-x) - constant);
        REAL bend = gap / density * ((a - 1) / x - (b - 1) / (1 - x)) / 2;
        REAL next = x - gap / density / (1 - fmin(fmax(bend, R(-0.5)), R(0.5)));
        if (want < R(0.25) && got > 0) next = x - (lower ? 1 : -1) * log(got / want) * got / density;
        bool halved = !(next > low && next < high);
        if (halved) next = low > 0 && high < R(0.5) ? sqrt(low) * sqrt(high) : (low + high) / 2;
        REAL moved = fabs(next - x), space = fmin(x, 1 - x);
        x = next;
        if (moved <= (halved ? 2 * DIGITS * x : R(1e-10) * space)) break;
    }
    return x;
}

REAL F(betaincinv)(REAL a, REAL b, REAL p) {
    const REAL least = R(1e-3), most = R(1e5);
    if (!(a >= least && a <= most && b >= least && b <= most && p >= 0 && p <= 1)) return NAN;
    return p == 0 || p == 1 ? p : beta_solve(a, b, p, 1 - p);
}

/* ---- counts ---- */

/* Return Gamma(x + 1) without rounding x + 1. */
REAL F(factorial)(REAL x) { return fabs(x) < 1 ? tgamma(x + 1) : x * tgamma(x); }

/* Return 1 / Gamma(x); 0 at its poles. */
static REAL one_over_gamma_at(REAL x) { return x <= 0 && x == trunc(x) ? 0 : 1 / tgamma(x); }

/* Return 1 / Gamma(x), 0 at its poles, for a sum x, whose rounding error counts next to a pole. */
static REAL one_over_gamma_of(two x) {
    REAL y = one_over_gamma_at(x.high);
    return y == 0 || x.low == 0 ? y : y * (1 - F(digamma)(x.high) * x.low);
}

/* Return n (n - 1) ... (n - k + 1) / k! for k >= 0, in double the digits. */
static REAL binom_product(REAL n, int k) {
    int shift = fabs(n) > 100 ? 64 : 0; /* steps may exceed the result */
    two y = two_of(ldexp((REAL)1, -shift)), from = two_sum(n, -k);
    for (int i = 1; i <= k; i++) {
        two over = two_multiply(y, two_add(from, two_of(i)));
        if (!(fabs(over.high) <= R(1e306))) return n < 0 && k % 2 ? -INFINITY : INFINITY;
        y = two_divide(over, two_of(i));
    }
    return ldexp(y.high + y.low, shift);
}

/* Return the binomial coefficient n over k: a product for integer k, else by the beta function (DLMF 5.12.1). NaN
   for large operands and negative integers n with other k. */
REAL F(binom)(REAL n, REAL k) {
    if (!(fabs(n) <= R(1e9)) || !(fabs(k) <= R(1e9))) return NAN;
    bool whole = n == trunc(n) && n >= 0;
    if (k == trunc(k)) {
        if (whole && (k < 0 || k > n)) return 0;
        if (whole && k > n / 2) k = n - k;
        if (k >= 0) return k <= 1000 ? binom_product(n, (int)k) : NAN;
    }
    if (fabs(n) > 1000 || fabs(k) > 1000 || (n < 0 && n == trunc(n))) return NAN;
    if (n >= 0 && k >= 0 && k <= n) return 1 / ((n + 1) * F(beta)(n - k + 1, k + 1));
    if (fabs(n) > 150 || fabs(k) > 150 || fabs(n - k) > 150) return NAN;
    two one = two_of(1), below = two_add(two_sum(n, -k), one);
    return one_over_gamma_of(two_sum(k, 1)) * one_over_gamma_of(below) /
           one_over_gamma_of(two_add(two_of(n), one));
}

/* Return the Stirling number of `order` elements at `at`, unsigned, of the first or with `second` the second kind,
   by its recurrence (DLMF 26.8.18, 26.8.22). NaN if operands are no integers or order is outside 0 .. MOST; 0 if at
   is outside 0 .. order. */
static REAL stirling(REAL order, REAL at, bool second) {
    enum { MOST = 256 };
    REAL row[MOST + 1] = {1};
    int n, k;
    if (!whole_of(order, 0, MOST, &n) || !(trunc(at) == at) || order != trunc(order)) return NAN;
    if (at < 0 || at > n) return 0;
    k = (int)at;
    for (int i = 1; i <= n; i++) {
        for (int j = i < k ? i : k; j > 0; j--)
            row[j] = row[j - 1] + (row[j] == 0 ? 0 : (second ? j : i - 1) * row[j]);
        row[0] = 0;
    }
    return row[k];
}
REAL F(stirling1)(REAL n, REAL k) { return stirling(n, k, false); }
REAL F(stirling2)(REAL n, REAL k) { return stirling(n, k, true); }

/* ---- Lambert's W ---- */

/* Series around the branch point in p = +-sqrt(2 (1 + e x)); DLMF 4.13.6. */
static const REAL lambert_series[] = {R(-1.0),
                                      R(1.0),
                                      R(-0.333333333333333333333333),
                                      R(0.152777777777777777777778),
                                      R(-0.0796296296296296296296296),
                                      R(0.0445023148148148148148148),
                                      R(-0.0259847148736037624926514),
                                      R(0.0156356325323339212228101),
                                      R(-0.00961689202429943170683911),
                                      R(0.00601454325295611786095325),
                                      R(-0.0038112980348919992267043),
                                      R(0.00244087799114398266589686),
                                      R(-0.00157693034468678425392341),
                                      R(0.00102626332050760715443755),
                                      R(-0.00067206163115613620400202),
                                      R(0.000442473061814620909930208),
                                      R(-0.000292677224729627444849929),
                                      R(0.000194387276054539317822259),
                                      R(-0.000129574266852748818882409),
                                      R(0.0000866503580520812716604516),
                                      R(-0.0000581136075044138167722055),
                                      R(0.0000390766848674390516353956),
                                      R(-0.0000263380647472310987385841),
                                      R(0.0000177903458050795854007363),
                                      R(-0.0000120403527395599769422741),
                                      R(0.00000816353198249661217138275),
                                      R(-0.00000554420320856735913666573),
                                      R(0.00000377109496110725341479371),
                                      R(-0.00000256870503905509543622772),
                                      R(0.00000175200672682634119505451)};

/* Return 1 + e x, which cancels near Lambert's branch point x = -1/e, in double the digits. */
static REAL from_branch(REAL x) {
    static const two e = {0x1.5bf0a8b145769p+1, R(1.44564689172925013466280e-16)};
    two y = two_add(two_multiply(e, two_of(x)), two_of(1));
    return y.high + y.low;
}

/* Return w with w exp(w) = x far from 0, by Newton's method on w + log|w| = log|x| from the guess w. */
static REAL lambert_far(REAL x, REAL w) {
    REAL goal = log(fabs(x));
    for (int k = 0; k < 30; k++) {
        REAL next = w / (1 + w) * (1 + goal - log(fabs(w))), last = w;
        w = next;
        if (fabs(w - last) <= 2 * DIGITS * fabs(w)) break;
    }
    return w;
}

/* Return w with w exp(w) = x, by Halley's method from the guess w. */
static REAL lambert_near(REAL x, REAL w) {
    for (int k = 0; k < 30; k++) {
        REAL e = exp(w), f = w * e - x, last = w;
        w -= f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));
        if (fabs(w - last) <= 2 * DIGITS * fabs(w)) break;
    }
    return w;
}

REAL F(lambertw)(REAL x) {
    REAL d = from_branch(x);
    if (x == 0 || isinf(x) || isnan(x)) return x < 0 ? NAN : x;
    if (d < 0) return NAN;
    if (d < R(0.05)) return polynomial(LENGTH(lambert_series), lambert_series, sqrt(2 * d));
    if (x > 3) return lambert_far(x, log(x) - log(log(x)) * (x > 10));
    return lambert_near(x, fabs(x) < R(0.1) ? x * (1 - x) : x < 0 ? sqrt(2 * d) - 1 : log1p(x) * R(0.7));
}
REAL F(lambertwm1)(REAL x) {
    REAL d = from_branch(x);
    if (!(x <= 0) || d < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (d < R(0.05)) return polynomial(LENGTH(lambert_series), lambert_series, -sqrt(2 * d));
    if (x < R(-0.1)) return lambert_near(x, -1 - sqrt(2 * d) - R(0.7) * d);
    REAL log_x = log(-x);
    return lambert_far(x, log_x - log(-log_x));
}

/* ---- polylogarithms of integer order (DLMF 25.12) ---- */

/* Return Riemann's zeta(s) for integer s except 1; 0 for odd s below the table. */
static REAL zeta_whole(int s) {
    static const REAL negative[][2] = {/* zeta(-1), zeta(-3), ...: numerator, denominator */
                                       {R(-1.0), 12},
                                       {R(1.0), 120},
                                       {R(-1.0), 252},
                                       {R(1.0), 240},
                                       {R(-1.0), 132},
                                       {R(691.0), 32760},
                                       {R(-1.0), 12},
                                       {R(3617.0), 8160},
                                       {R(-43867.0), 14364},
                                       {R(174611.0), 6600},
                                       {R(-77683.0), 276},
                                       {R(236364091.0), 65520},
                                       {R(-657931.0), 12},
                                       {R(3392780147.0), 3480},
                                       {R(-1723168255201.0), 85932},
                                       {R(7709321041217.0), 16320}};
    if (s > 1) return F(zeta)(s, 1);
    if (s == 0) return R(-0.5);
    if (s % 2 == 0 || -s / 2 >= LENGTH(negative)) return 0;
    return negative[-s / 2][0] / negative[-s / 2][1];
}

/* Return the polylogarithm Li_s(x) by its power series, for |x| well below 1. */
static REAL polylog_series(int s, REAL x) {
    REAL sum = 0, power = 1;
    for (int k = 1; k < 400; k++) {
        power *= x;
        REAL term = s == 2 ? power / ((REAL)k * (REAL)k) : power * pow((REAL)k, -s);
        sum += term;
        if (fabs(term) <= DIGITS / 8 * fabs(sum)) break;
    }
    return sum;
}

/* Return the polylogarithm Li_s(x), s >= 2, for x <= 1, near 1: the sum of zeta(s - k) log(x)^k / k!, with the
   term (H_(s-1) - log(-log x)) log(x)^(s-1) / (s-1)! for k = s - 1 (DLMF 25.12.12). */
static REAL polylog_near_one(int s, REAL x) {
    REAL u = log(x), sum = 0, power = 1;
    for (int k = 0; k < 45; k++) {
        if (k > 0) power *= u / k;
        if (k == s - 1) {
            REAL harmonic = 0;
            for (int i = 1; i < s; i++) harmonic += 1 / (REAL)i;
            sum += u == 0 ? 0 : power * (harmonic - log(-u));
        } else {
            sum += power * zeta_whole(s - k);
        }
    }
    return sum;
}

/* Return the polylogarithm Li_s(x), s >= 2, for -1/2 <= x <= 1. */
static REAL polylog_right(int s, REAL x) {
    return x > R(0.5) ? polylog_near_one(s, x) : polylog_series(s, x);
}

/* Return the polylogarithm Li_s(x), s >= 2, for -1 <= x <= 1. */
static REAL polylog_inside(int s, REAL x) {
    if (x < R(-0.5)) return exp2((REAL)(1 - s)) * polylog_right(s, x * x) - polylog_right(s, -x);
    return polylog_right(s, x);
}

/* Return the polylogarithm Li_s(x) for x <= -1 by 1/x (DLMF 25.12.13): even zeta functions times powers of the
   logarithm. */
static REAL polylog_left(int s, REAL x) {
    REAL u = log(-x), sum = 0, power = 1;
    for (int k = 0; k <= s; k++) { /* u^k / k! eta(s - k), s - k even */
        if (k > 0) power *= u / k;
        int m = s - k;
        if (m % 2 == 0) sum += power * (m == 0 ? R(0.5) : (1 - exp2((REAL)(1 - m))) * F(zeta)(m, 1));
    }
    REAL other = polylog_inside(s, 1 / x);
    return -2 * sum - (s % 2 ? -other : other);
}

/* Return the polylogarithm Li_-n(x) for n >= 0: Eulerian numbers times powers, over (1 - x)^(n + 1) (DLMF 26.14.4). */
static REAL polylog_rational(int n, REAL x) {
    REAL row[40] = {1}, sum = 0, over = 1 / (1 - x), y = x * over;
    for (int i = 2; i <= n; i++)
        for (int j = i - 1; j >= 0; j--)
            row[j] = (j + 1) * (j < i - 1 ? row[j] : 0) + (j > 0 ? (i - j) * row[j - 1] : 0);
    if (fabs(x) > 1) { /* the row is symmetric: powers of 1/x */
        REAL factor = over;
        for (int i = 1; i <= n; i++) factor *= x * over;
        for (int j = n - 1; j >= 0; j--) sum = sum / x + row[j];
        return n == 0 ? y : factor * sum;
    }
    for (int j = n - 1; j >= 0; j--) sum = sum * x + row[j];
    for (int i = 0; i < n; i++) y *= over;
    return n == 0 ? y : y * sum;
}

REAL F(polylog)(REAL order, REAL x) {
    int s;
    if (!whole_of(order, -30, 64, &s) || !(x <= 1)) return NAN;
    if (s <= 1 && x == 1) return INFINITY;
    if (x == 0) return x;
    if (s == 1) return -log1p(-x);
    if (isinf(x)) return s == 0 ? -1 : s < 0 ? -(REAL)0 : -INFINITY;
    if (s <= 0) return polylog_rational(-s, x);
    return x < -1 ? polylog_left(s, x) : polylog_inside(s, x);
}

/* Return Spence's function for 0 <= x <= 3/2; near 1 by its series in x - 1. */
static REAL spence_near(REAL x) {
    if (x == 0) return PI * PI / 6;
    if (x < R(0.5)) return PI * PI / 6 - log(x) * log1p(-x) - polylog_series(2, x);
    return polylog_series(2, 1 - x);
}

/* Return Spence's function, the dilogarithm of 1 - x. NaN for x < 0. */
REAL F(spence)(REAL x) {
    if (!(x >= 0)) return NAN;
    if (isinf(x)) return -INFINITY;
    if (x <= R(1.5)) return spence_near(x);
    REAL u = log(x); /* Landen's formula maps x to 1/x */
    return -u * u / 2 - spence_near(1 / x);
}

/* ---- exponential integrals E_n of integer order (DLMF 8.19) ---- */

REAL F(expn)(REAL order, REAL x) {
    int n;
    if (!whole_of(order, -32, 1000, &n) || !(x >= 0)) return NAN;
    if (isinf(x)) return 0;
    if (n <= 0) {
        REAL y = exp(-x) / x; /* downwards the recurrence only adds (DLMF 8.19.12) */
        for (int k = 1; k <= -n; k++) y = (exp(-x) + k * y) / x;
        return y;
    }
    if (x == 0) return n == 1 ? INFINITY : 1 / (REAL)(n - 1);
    if (n == 1) return F(expint_e1)(x);
    if (x > 1) { /* DLMF 8.19.17 from the far end: positive terms */
        REAL tail = 0;
        for (int k = (int)(60 + 900 / x); k > 0; k--) tail = k * (n - 1 + (REAL)k) / (x + n + 2 * k - tail);
        return exp(-x) / (x + n - tail);
    }
    REAL sum = 0, term = 1, harmonic = -EULER;
    for (int k = 1; k < n; k++) harmonic += 1 / (REAL)k;
    for (int k = 0; k < n + 40; k++) { /* DLMF 8.19.8 */
        if (k > 0) term *= -x / k;
        sum += k == n - 1 ? term * (harmonic - log(x)) : term / (n - 1 - k);
        if (k > n && fabs(term) < DIGITS / 8) break;
        if (k < n - 1 && fabs(term) < DIGITS * DIGITS * DIGITS) break;
    }
    return sum;
}
