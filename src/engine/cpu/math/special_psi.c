/*
 * Derivatives of log Gamma. psi is a series around its root on [1, 2], reached by the recurrence, or Stirling's
 * series above 12 (DLMF 5.5.2, 5.11.2). Left of 0 it is reflected (DLMF 5.5.4), in pairs of doubles near its zeros,
 * where the two terms cancel. psi' has its own recurrence and asymptotic series (DLMF 5.15.5, 5.15.8).
 *
 * Hurwitz' zeta function is summed by Euler-Maclaurin (DLMF 2.10(i), 25.11.5). Higher derivatives are factorials
 * times it (DLMF 25.11.12); the power of x is factored out, so that orders do not multiply errors. Left of 0 the sum of
 * (x + k)^-s is the sum over all integers k, minus that over negative ones. The former depends on the distance to the
 * nearest pole alone.
 */
#include "engine/cpu/math/special.h"

#include <math.h>

#include "engine/cpu/math/special_pair.h"
#include "engine/cpu/math/special_tables.h"

static const double pi = 3.14159265358979323846, tau = 6.28318530717958647693;

/* ---- psi ---- */

/* Return psi(x), the digamma function, for x > 0. */
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

/* Return psi(x), the digamma function, for x > 0 in pairs: the recurrence up to 30, then Stirling's series. */
static struct pair digamma_pair(struct pair x) {
    static const double c[][2] = {{1, 12},        {-1, 120},       {1, 252},     {-1, 240},
                                  {1, 132},       {-691, 32760},   {1, 12},      {-3617, 8160},
                                  {43867, 14364}, {-174611, 6600}, {77683, 276}, {-236364091, 65520}};
    struct pair one = pair_of(1), steps = pair_of(0), sum = pair_of(0);
    for (; x.high < 30; x = pair_add(x, one)) steps = pair_add(steps, pair_divide(one, x));
    struct pair u = pair_divide(one, x), z = pair_multiply(u, u);
    for (int k = 11; k >= 0; k--)
        sum = pair_multiply(z, pair_add(sum, pair_divide_by(pair_of(c[k][0]), c[k][1])));
    sum = pair_add(sum, pair_multiply(u, pair_of(0.5)));
    return pair_subtract(pair_subtract(pair_log(x), sum), steps);
}

/* Return psi(x), the digamma function, as psi(1 - x) - pi cot(pi x), for x < 0 near a zero. */
static double digamma_reflected(double x) {
    struct pair sine, cosine, angle = pair_multiply(pair_pi, pair_of(x - rint(x)));
    pair_sine_cosine(angle, &sine, &cosine);
    struct pair cotangent = pair_multiply(pair_pi, pair_divide(cosine, sine));
    return pair_subtract(digamma_pair(pair_of_sum(1, -x)), cotangent).high;
}

double special_digamma(double x) {
    if (x > 0 || isnan(x)) return isinf(x) ? x : isnan(x) ? x : digamma_positive(x);
    if (x == 0) return copysign(INFINITY, -x);
    if (x == rint(x)) return NAN; /* a pole, or minus infinity */
    if (x > -1e-5) return -1 / x + digamma_positive(1 + x);
    struct pair w = pair_of_sum(1, -x);
    double far =
        digamma_positive(w.high) + w.low / w.high * (1 + 0.5 / w.high); /* psi'(w) corrects rounding */
    double y = far - pi * special_cospi(x) / special_sinpi(x);
    return fabs(y) < 0.5 * far ? digamma_reflected(x) : y;
}

/* Return psi'(x), the trigamma function, for x > 0. */
static double trigamma_positive(double x) {
    static const double bernoulli[] = {1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,    5.0 / 66,
                                       -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798};
    int steps = x < 12 ? (int)(13 - x) : 0;
    double far = x + steps, z = 1 / far / far, sum = 0;
    for (int k = 8; k >= 0; k--) sum = (sum + bernoulli[k]) * z;
    sum = (1 + (0.5 / far + sum)) / far;
    for (int k = steps - 1; k >= 0; k--) sum += 1 / (x + k) / (x + k);
    return sum;
}

double special_trigamma(double x) {
    if (x == 0) return INFINITY;
    if (x > 0 || isnan(x)) return isinf(x) ? 0 : isnan(x) ? x : trigamma_positive(x);
    if (x == rint(x)) return isinf(x) ? NAN : INFINITY;
    double s = pi / special_sinpi(x);
    return s * s - trigamma_positive(1 - x);
}

/* ---- zeta and the higher derivatives ---- */

/* Return q^s times the sum of (k + q)^-s over k >= 0, minus q / (s - 1) and 1/2: the tail of Euler-Maclaurin's
   formula. */
static double zeta_tail(double s, double q) {
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
    double factor = s / q, tail = 0;
    for (int j = 0; j < 9; j++) {
        tail += c[j] * factor;
        factor *= (s + 2 * j + 1) / q * ((s + 2 * j + 2) / q); /* their product may overflow */
    }
    return tail;
}

/* Return Hurwitz' zeta(s, q), the sum of (k + q)^-s over k >= 0: ten terms, then the tail from q + 10 on. NaN for s
   < 1 or q < 0. */
double special_zeta(double s, double q) {
    if (!(s >= 1) || !(q >= 0)) return NAN;
    if (s == 1 || q == 0) return INFINITY;
    if (isinf(q)) return 0;
    if (isinf(s)) return pow(q, -s);
    double sum = 0;
    for (int k = 0; k < 10; k++, q += 1) {
        double term = pow(q, -s);
        sum += term;
        if (term < 1e-18 * sum || isinf(sum)) return sum; /* the rest is far smaller: s is large */
    }
    double power = pow(q, -s), rest = pow(q, 1 - s) / (s - 1); /* powers underflow one by one */
    return sum + (power > 0 ? rest + power * (0.5 + zeta_tail(s, q)) : rest);
}

/* Return q^s zeta(s, q), Hurwitz' zeta function, for q > 0. */
static double scaled_zeta(double s, double q) {
    double sum = 1, power = 1;
    for (int k = 1; k < 10; k++) {
        sum += power = exp(-s * log1p(k / q));
        if (power < 1e-18) return sum;
    }
    double far = q + 10;
    return sum + exp(-s * log1p(10 / q)) * (far / (s - 1) + (0.5 + zeta_tail(s, far)));
}

/* Return n! x^-(n+1) y for an order n whose factorial overflows: Stirling's formula with a pair as exponent. */
static double polygamma_far(double n, double x, double y) {
    double rough = n * (log(n / x) - 1);
    if (fabs(rough) > 1e4 + 1e-14 * n) return copysign(rough > 0 ? INFINITY : 0, y);
    struct pair ratio = pair_divide(pair_of(n), pair_of(x));
    struct pair exponent = pair_multiply(pair_of(n), pair_add(pair_log(ratio), pair_of(-1)));
    double root = exp(exponent.high / 2);
    return root * (sqrt(tau * n) / x * exp(special_stirling(n)) * y * (1 + exponent.low)) * root;
}

/* Return n! x^-(n+1) y, also where the factors leave the range of doubles. */
static double polygamma_scaled(double n, double x, double y) {
    if (n >= 170) return polygamma_far(n, x, y);
    double root = pow(x, -(n + 1) / 2); /* in two steps, for the range of doubles */
    return tgamma(n + 1) * root * y * root;
}

/* Return n! times the sum of (x + k)^-(n+1) over k >= 0, for x < 0 and n > 1: polygamma of order n but for its
   sign. Infinite or NaN at poles. */
static double polygamma_left(double n, double x) {
    double from = x - rint(x), near = fabs(from), s = n + 1; /* may be rounded */
    double parity = fmod(n, 2) == 0 ? -1 : 1;
    if (from == 0 || isinf(n)) return parity > 0 && !isinf(x) && !isinf(n) ? INFINITY : NAN;
    if (near == 0.5 && parity < 0) /* the sum over all k is 0 */
        return polygamma_scaled(n, 1 - x, scaled_zeta(s, 1 - x));
    double power = pow(near, s), beside = special_zeta(s, 1 + near) + parity * special_zeta(s, 1 - near);
    double all = 1 + (power > 0 ? power * beside : 0); /* times the sign of `from` for an odd s */
    double left = power > 0 ? power * special_zeta(s, 1 - x) : 0;
    return polygamma_scaled(n, near, parity > 0 ? all - left : copysign(all, from) + left);
}

double special_polygamma(double order, double x) {
    double n = trunc(order), y;
    if (isnan(order) || isnan(x) || n < 0) return NAN;
    if (n == 0) return special_digamma(x);
    if (n == 1) return special_trigamma(x);
    if (isinf(n) && isinf(x)) return NAN;
    if (x < 0)
        y = polygamma_left(n, x);
    else if (isinf(n) || x == 0)
        y = INFINITY;
    else
        y = isinf(x) ? 0 : polygamma_scaled(n, x, scaled_zeta(n + 1, x));
    return fmod(n, 2) == 0 ? -y : y;
}
