/*
 * Template: derivatives of log Gamma. psi is a series around its root on [1, 2], reached by the recurrence, or
 * Stirling's series above 12 (DLMF 5.5.2, 5.11.2). Left of 0 it is reflected (DLMF 5.5.4), in pairs of doubles near
 * its zeros, where the two terms cancel. psi' has its own recurrence and asymptotic series (DLMF 5.15.5, 5.15.8).
 *
 * Hurwitz' zeta function is summed by Euler-Maclaurin (DLMF 2.10(i), 25.11.5). Higher derivatives are factorials
 * times it (DLMF 25.11.12); the power of x is factored out, so that orders do not multiply errors. Left of 0 the sum
 * of (x + k)^-s is the sum over all integers k, minus that over negative ones. The former depends on the distance to
 * the nearest pole alone.
 */

/* ---- psi ---- */

/* Return psi(x), the digamma function, for x > 0. */
static REAL digamma_positive(REAL x) {
    const two root =
        two_constant(1.4616321449683622458, 9.5499954299656974258e-17, 2.8939299282041499634e-33);
    if (x >= 12) {
        REAL z = 1 / x / x;
        return log(x) - (R(0.5) / x + polynomial(LENGTH(digamma_far), digamma_far, z) * z);
    }
    REAL steps = 0, below = 0;
    if (x < 1) {
        below = -1 / x;
        x += 1;
    }
    for (; x > 2; x -= 1) steps += 1 / (x - 1);
    return below + (steps + (x - root.high - root.low) * SERIES(digamma_1_2, 1, 2, x));
}

/* Return psi(x), the digamma function, for x > 0 in pairs: the recurrence up to 30, then Stirling's series. */
static two digamma_pair(two x) {
    static const REAL c[][2] = {{1, 12},        {-1, 120},       {1, 252},     {-1, 240},
                                {1, 132},       {-691, 32760},   {1, 12},      {-3617, 8160},
                                {43867, 14364}, {-174611, 6600}, {77683, 276}, {-236364091, 65520}};
    two one = two_of(1), steps = two_of(0), sum = two_of(0);
    for (; x.high < 30; x = two_add(x, one)) steps = two_add(steps, two_divide(one, x));
    two u = two_divide(one, x), z = two_multiply(u, u);
    for (int k = 11; k >= 0; k--)
        sum = two_multiply(z, two_add(sum, two_divide_by(two_of(c[k][0]), c[k][1])));
    sum = two_add(sum, two_multiply(u, two_of(0.5)));
    return two_subtract(two_subtract(two_log(x), sum), steps);
}

/* Return psi(x), the digamma function, as psi(1 - x) - pi cot(pi x), for x < 0 near a zero. */
static REAL digamma_reflected(REAL x) {
    two sine, cosine, angle = two_multiply(two_pi(), two_of(x - rint(x)));
    two_sine_cosine(angle, &sine, &cosine);
    two cotangent = two_multiply(two_pi(), two_divide(cosine, sine));
    return two_subtract(digamma_pair(two_sum(1, -x)), cotangent).high;
}

REAL F(digamma)(REAL x) {
    if (x > 0 || isnan(x)) return isinf(x) ? x : isnan(x) ? x : digamma_positive(x);
    if (x == 0) return copysign((REAL)INFINITY, -x);
    if (x == rint(x)) return NAN; /* a pole, or minus infinity */
    if (x > -1e-5) return -1 / x + digamma_positive(1 + x);
    two w = two_sum(1, -x);
    REAL far = digamma_positive(w.high) + w.low / w.high * (1 + 0.5 / w.high); /* psi'(w) corrects rounding */
    REAL y = far - PI * F(cospi)(x) / F(sinpi)(x);
    return fabs(y) < 0.5 * far ? digamma_reflected(x) : y;
}

/* Return psi'(x), the trigamma function, for x > 0. */
static REAL trigamma_positive(REAL x) {
    int steps = x < 12 ? (int)(13 - x) : 0;
    REAL far = x + steps, z = 1 / far / far, sum = 0;
    for (int k = LENGTH(bernoulli) - 1; k >= 0; k--) sum = (sum + bernoulli[k]) * z;
    sum = (1 + (0.5 / far + sum)) / far;
    for (int k = steps - 1; k >= 0; k--) sum += 1 / (x + k) / (x + k);
    return sum;
}

REAL F(trigamma)(REAL x) {
    if (x == 0) return INFINITY;
    if (x > 0 || isnan(x)) return isinf(x) ? 0 : isnan(x) ? x : trigamma_positive(x);
    if (x == rint(x)) return isinf(x) ? NAN : INFINITY;
    REAL s = PI / F(sinpi)(x);
    return s * s - trigamma_positive(1 - x);
}

/* ---- zeta and the higher derivatives ---- */

/* Return q^s times the sum of (k + q)^-s over k >= 0, minus q / (s - 1) and 1/2: the tail of Euler-Maclaurin's
   formula. */
static REAL zeta_tail(REAL s, REAL q) {
    REAL factor = s / q, tail = 0;
    for (int j = 0; j < LENGTH(bernoulli_by_factorial); j++) {
        tail += bernoulli_by_factorial[j] * factor;
        factor *= (s + 2 * j + 1) / q * ((s + 2 * j + 2) / q); /* their product may overflow */
    }
    return tail;
}

/* Return Hurwitz' zeta(s, q), the sum of (k + q)^-s over k >= 0: ten terms, then the tail from q + 10 on. NaN for s
   < 1 or q < 0. */
REAL F(zeta)(REAL s, REAL q) {
    if (!(s >= 1) || !(q >= 0)) return NAN;
    if (s == 1 || q == 0) return INFINITY;
    if (isinf(q)) return 0;
    if (isinf(s)) return pow(q, -s);
    REAL sum = 0;
    for (int k = 0; k < 10; k++, q += 1) {
        REAL term = pow(q, -s);
        sum += term;
        if (term < NEGLIGIBLE * sum || isinf(sum)) return sum; /* the rest is far smaller: s is large */
    }
    REAL power = pow(q, -s), rest = pow(q, 1 - s) / (s - 1); /* powers underflow one by one */
    return sum + (power > 0 ? rest + power * (0.5 + zeta_tail(s, q)) : rest);
}

/* Return q^s zeta(s, q), Hurwitz' zeta function, for q > 0. */
static REAL scaled_zeta(REAL s, REAL q) {
    REAL sum = 1, power = 1;
    for (int k = 1; k < 10; k++) {
        sum += power = exp(-s * log1p(k / q));
        if (power < NEGLIGIBLE) return sum;
    }
    REAL far = q + 10;
    return sum + exp(-s * log1p(10 / q)) * (far / (s - 1) + (0.5 + zeta_tail(s, far)));
}

/* Return n! x^-(n+1) y for an order n whose factorial overflows: Stirling's formula with a pair as exponent. */
static REAL polygamma_far(REAL n, REAL x, REAL y) {
    REAL rough = n * (log(n / x) - 1);
    if (fabs(rough) > 1e4 + 1e-14 * n) return copysign((REAL)(rough > 0 ? INFINITY : 0), y);
    two ratio = two_divide(two_of(n), two_of(x));
    two exponent = two_multiply(two_of(n), two_add(two_log(ratio), two_of(-1)));
    REAL root = exp(exponent.high / 2);
    return root * (sqrt(TAU * n) / x * exp(stirling_rest(n)) * y * (1 + exponent.low)) * root;
}

/* Return n! x^-(n+1) y, also where the factors leave the range of doubles. */
static REAL polygamma_scaled(REAL n, REAL x, REAL y) {
    if (n >= 170) return polygamma_far(n, x, y);
    REAL root = pow(x, -(n + 1) / 2); /* in two steps, for the range of doubles */
    return tgamma(n + 1) * root * y * root;
}

/* Return n! times the sum of (x + k)^-(n+1) over k >= 0, for x < 0 and n > 1: polygamma of order n but for its
   sign. Infinite or NaN at poles. */
static REAL polygamma_left(REAL n, REAL x) {
    REAL from = x - rint(x), near = fabs(from), s = n + 1; /* may be rounded */
    REAL parity = fmod(n, 2) == 0 ? -1 : 1;
    if (from == 0 || isinf(n)) return parity > 0 && !isinf(x) && !isinf(n) ? INFINITY : NAN;
    if (near == R(0.5) && parity < 0) /* the sum over all k is 0 */
        return polygamma_scaled(n, 1 - x, scaled_zeta(s, 1 - x));
    REAL power = pow(near, s), beside = F(zeta)(s, 1 + near) + parity * F(zeta)(s, 1 - near);
    REAL all = 1 + (power > 0 ? power * beside : 0); /* times the sign of `from` for an odd s */
    REAL left = power > 0 ? power * F(zeta)(s, 1 - x) : 0;
    return polygamma_scaled(n, near, parity > 0 ? all - left : copysign(all, from) + left);
}

REAL F(polygamma)(REAL order, REAL x) {
    REAL n = trunc(order), y;
    if (isnan(order) || isnan(x) || n < 0) return NAN;
    if (n == 0) return F(digamma)(x);
    if (n == 1) return F(trigamma)(x);
    if (isinf(n) && isinf(x)) return NAN;
    if (x < 0)
        y = polygamma_left(n, x);
    else if (isinf(n) || x == 0)
        y = INFINITY;
    else
        y = isinf(x) ? 0 : polygamma_scaled(n, x, scaled_zeta(n + 1, x));
    return fmod(n, 2) == 0 ? -y : y;
}
