/*
 * Incomplete gamma and beta functions, regularised. Each is a factor computed without cancellation (Stirling's
 * series, log1p(u) - u by its own series) times a sum. The sum is a power series below the mean and Lentz's continued
 * fraction above it (DLMF 8.7.1, 8.9.2, 8.17.22; Gautschi, ACM TOMS 5, 1979).
 *
 * Gamma's orders above LARGE use the first terms of a uniform expansion (Temme, SIAM J. Math. Anal. 10, 1979; DLMF
 * 8.12). Beta's do if both exceed 1e9 (DLMF 8.18(ii)). Orders that differ by a factor of 1e15 make beta a gamma
 * function. Logarithms come from the complement if the result exceeds a half, and from the factor's logarithm if the
 * result leaves the range.
 */
#include "engine/cpu/math/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "engine/cpu/math/special_pair.h"
#include "engine/cpu/math/special_tables.h"

static const double tau = 6.28318530717958647693, large = 1e5;
static const double tiny = 1e-290; /* below it results lose digits, then vanish */
enum { TERMS = 20000 };

/* Return u - log(1 + u), given ratio = 1 + u: for r = u / (2 + u), log(1 + u) = 2 atanh(r). */
static double less_log1p(double u, double ratio) {
    if (!(fabs(u) < 0.5)) return u - log(ratio);
    double r = u / (2 + u), z = r * r, sum = 0, power = 1;
    for (int k = 3; k < 45 && power > 1e-18; k += 2, power *= z) sum += power / k;
    return r * (u - 2 * z * sum);
}

/* Return log Gamma(1 + a) for 0 <= a <= 1, with full relative accuracy. */
static double log_gamma_of_1_and(double a) {
    return a <= 0.5 ? a * SERIES(lgamma1p_0_half, 0, 0.5, a) : log(tgamma(a + 1));
}

/* ---- gamma ---- */

/* Return exp(a - x) (x / a)^a = exp(-a (u - log(1 + u))), u = x / a - 1; large exponents need a pair's digits. */
static double hump(double a, double x) {
    double u = (x - a) / a, distance = less_log1p(u, x / a);
    if (!(a * distance > 32 && a * distance < 800)) return exp(-a * distance);
    struct pair ratio = pair_divide(pair_of(x), pair_of(a));
    struct pair exponent = pair_subtract(pair_add(pair_log(ratio), pair_of(1)), ratio);
    exponent = pair_multiply(exponent, pair_of(a));
    return exp(exponent.high) * (1 + exponent.low);
}

/* Return x^a exp(-x) / Gamma(a + 1). */
static double gamma_factor(double a, double x) {
    if (a < 10) return x < 700 ? pow(x, a) * exp(-x) / tgamma(a + 1) : exp(a * log(x) - x) / tgamma(a + 1);
    return hump(a, x) * exp(-special_stirling(a)) / sqrt(tau * a);
}

/* Return the logarithm of x^a exp(-x) / gamma(a + 1). */
static double log_gamma_factor(double a, double x) {
    if (a < 10) return a * log(x) - x - special_lgamma(a + 1);
    bool vanishes = x / a < DBL_MIN; /* then the logarithm's terms have one sign */
    double distance = vanishes ? log(a) - log(x) - 1 : less_log1p((x - a) / a, x / a);
    return -a * distance - special_stirling(a) - log(tau * a) / 2;
}

static double gamma_series(double a, double x) {
    double term = 1, sum = 1;
    for (int n = 1; n < TERMS && term > DBL_EPSILON / 8 * sum; n++) sum += term *= x / (a + n);
    return sum;
}

/* Return Q(a, x) Gamma(a) e^x / x^a by the continued fraction of DLMF 8.9.2. */
static double gamma_fraction(double a, double x) {
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d, step = 0;
    for (int n = 1; n < TERMS && fabs(step - 1) > DBL_EPSILON; n++) {
        double numerator = n * (a - n);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        h *= step = c * d;
    }
    return h;
}

/* Return Q(a, x), the upper tail, for small a and x: 1 - x^a / Gamma(a + 1) and the rest of the series, each
   without cancellation. */
static double gamma_small(double a, double x) {
    double sum = 0, term = 1;
    for (int n = 1; n < 60 && fabs(term) > 1e-19; n++) {
        term *= -x / n;
        sum += term / (a + n);
    }
    double exponent = a * log(x) - log_gamma_of_1_and(a);
    return -expm1(exponent) - exp(exponent) * a * sum;
}

/* Return the upper tail Q(a, x), or else the lower one P, divided by hump(a, x), for large a. eta is the signed
   root of 2 (u - log(1 + u)), u = x / a - 1. */
static double gamma_tail(double a, double eta, bool upper) {
    double rest = SERIES(gammainc_c0, -0.15, 0.15, eta) + SERIES(gammainc_c1, -0.15, 0.15, eta) / a;
    rest /= sqrt(tau * a);
    return 0.5 * special_erfcx((upper ? eta : -eta) * sqrt(a / 2)) + (upper ? rest : -rest);
}

/* Return Q(a, x) (`upper`), else P(a, x), by the uniform expansion for large a near the mean; 0 or 1 far
   from it. */
static double gamma_uniform(double a, double x, bool upper) {
    double u = (x - a) / a, distance = less_log1p(u, x / a);
    if (!(a * distance < 800)) return (x > a) == upper ? 0 : 1;
    double eta = copysign(sqrt(2 * distance), u), scale = hump(a, x);
    double z = (upper ? eta : -eta) * sqrt(a / 2);
    return z > -1 ? scale * gamma_tail(a, eta, upper) : 1 - scale * gamma_tail(a, eta, !upper);
}

/* Return Q(a, x) (`upper`), else P(a, x), for a >= 0 and x >= 0. NaN outside of that, and if a and x are
   both 0 or both infinite. */
static double incomplete_gamma(double a, double x, bool upper) {
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (isinf(a) && isinf(x))) return NAN;
    if (a == 0 || isinf(x)) return upper ? 0 : 1;
    if (x == 0 || isinf(a)) return upper ? 1 : 0;
    if (a > large) return gamma_uniform(a, x, upper);
    if (x > 1 && x > a) {
        double tail = gamma_factor(a, x) * a * gamma_fraction(a, x);
        return upper ? tail : 1 - tail;
    }
    if (upper && a < 1 && x <= 1) return gamma_small(a, x);
    double part = gamma_factor(a, x) * gamma_series(a, x);
    return upper ? 1 - part : part;
}

double special_gammainc(double a, double x) { return incomplete_gamma(a, x, false); }

double special_gammaincc(double a, double x) { return incomplete_gamma(a, x, true); }

/* Return log(a E1(x)) for x <= 1 and so small an a that Q(a, x) underflows: Q(a, x) / a is E1(x) up to a factor 1 +
   O(a log x). */
static double log_gamma_small(double a, double x) {
    static const double euler = 0.57721566490153286061;
    double sum = 0, term = 1;
    for (int n = 1; n < 60 && fabs(term) > 1e-19; n++) {
        term *= -x / n;
        sum += term / n;
    }
    return log(a) + log(-euler - log(x) - sum);
}

/* Return log Q(a, x) (`upper`) or log P(a, x), for a tail that has left the range of doubles. */
static double log_gamma_tail(double a, double x, bool upper) {
    double u = (x - a) / a;
    if (a > large && fabs(u) < 0.12) { /* elsewhere series and fraction take some hundred terms */
        double distance = less_log1p(u, x / a);
        return -a * distance + log(gamma_tail(a, copysign(sqrt(2 * distance), u), upper));
    }
    if (upper && a < 1 && x <= 1) return log_gamma_small(a, x);
    double rest =
        upper ? log(a) + log(gamma_fraction(a, x)) : log(gamma_series(a, x)); /* a may be subnormal */
    return log_gamma_factor(a, x) + rest;
}

/* Return the logarithm of Q(a, x) (`upper`), else of P(a, x), also where these underflow. */
static double log_incomplete_gamma(double a, double x, bool upper) {
    double y = incomplete_gamma(a, x, upper);
    if (y > 0.5) return log1p(-incomplete_gamma(a, x, !upper));
    bool inside = a > 0 && x > 0 && isfinite(a) && isfinite(x);
    return inside && y < tiny && (upper ? x > a || a < 1 : x < a) ? log_gamma_tail(a, x, upper) : log(y);
}

double special_log_gammainc(double a, double x) { return log_incomplete_gamma(a, x, false); }

double special_log_gammaincc(double a, double x) { return log_incomplete_gamma(a, x, true); }

/* ---- beta ---- */

/* x and y = 1 - x of orders a and b; gap is the mean a / (a + b) minus x, times a + b. The smaller of x and y is
   exact, and so is the gap, if 0 is thousands of standard deviations below the mean. */
struct share {
    double a, b, x, y, gap;
};

/* Return the share of arguments a, b, x and y = 1 - x, with the accurate difference a - (a + b) x. */
static struct share share_of(double a, double b, double x, double y) {
    struct pair n = pair_of_sum(a, b);
    double gap = x < y ? pair_subtract(pair_of(a), pair_multiply(n, pair_of(x))).high
                       : pair_subtract(pair_multiply(n, pair_of(y)), pair_of(b)).high;
    return (struct share){a, b, x, y, gap};
}

/* Return the log of (a / (n x))^a (b / (n y))^b, n = a + b; never negative. */
static double share_distance(const struct share *s) {
    double n = s->a + s->b;
    return s->a * less_log1p(-s->gap / s->a, n / s->a * s->x) +
           s->b * less_log1p(s->gap / s->b, n / s->b * s->y);
}

/* Return x^a y^b / (a B(a, b)), the factor of the continued fraction. */
static double beta_factor(const struct share *s) {
    double a = s->a, b = s->b;
    if (a >= 10 && b >= 10) {
        double stirling = special_stirling(a) + special_stirling(b) - special_stirling(a + b);
        return sqrt(b / a / (a + b) / tau) * exp(-share_distance(s) - stirling);
    }
    double share = 1 / (1 + a / b); /* b / (a + b) */
    if (a + b < 150)
        return pow(s->x, a) * pow(s->y, b) * share *
               (tgamma(a + b + 1) / tgamma(fmax(a, b) + 1) / tgamma(fmin(a, b) + 1));
    double log_x = s->x < 0.5 ? log(s->x) : log1p(-s->y), log_y = s->x < 0.5 ? log1p(-s->x) : log(s->y);
    return exp(a * log_x + b * log_y - special_lbeta(a, b)) / a;
}

/* Return the logarithm of beta_factor, also where that underflows. */
static double log_beta_factor(const struct share *s) {
    double a = s->a, b = s->b;
    /* a subnormal x has too few digits for a quotient */
    if (a >= 10 && b >= 10 && fmin(s->x, s->y) > tiny) {
        double stirling = special_stirling(a) + special_stirling(b) - special_stirling(a + b);
        return log(b / a / (a + b) / tau) / 2 - share_distance(s) - stirling;
    }
    double log_x = s->x < 0.5 ? log(s->x) : log1p(-s->y), log_y = s->x < 0.5 ? log1p(-s->x) : log(s->y);
    return a * log_x + b * log_y - special_lbeta(a, b) - log(a);
}

/* Return I_x(a, b) divided by beta_factor, for x up to about the mean: the even part of the fraction of DLMF
   8.17.22 (DiDonato and Morris, ACM TOMS 18, 1992, equation 9). Below the mean all terms are positive. It takes
   about sqrt(min(a, b)) / 6 steps at the mean. */
static double beta_fraction(const struct share *s) {
    double a = s->a, x = s->x, one = 1 + 1 / a, start = 1 + s->gap;
    double above = 1, above_last = 0, below = start / one, below_last = 1, h = one / start, last = 0;
    for (int n = 1; n < TERMS && fabs(h - last) > DBL_EPSILON / 2 * h; n++) {
        double t = n / a, w = n * (s->b - n) * x, d = a + 2 * n - 1, e = a / d;
        double alpha = (1 + (n - 1) / a) * (1 + (n - 1 + s->b) / a) * e * e * w * x;
        double beta = n + w / d + (1 + t) / (one + t + t) * (start + n * (1 + s->y));
        double next = alpha * above_last + beta * above, under = alpha * below_last + beta * below;
        last = h;
        h = next / under;
        above_last = above / under, below_last = below / under;
        above = h, below = 1;
    }
    return a * h;
}

/* Return I_x(a, b), or its logarithm, for huge a and b: the normal distribution of the signed root of the distance,
   and its first correction (DLMF 8.18.9), which is a series around the mean. */
static double beta_uniform(const struct share *s, bool logarithm) {
    double gap = s->gap, n = s->a + s->b, variance = s->a / n * s->b, width = sqrt(variance);
    double distance = fmax(share_distance(s), 0), root = copysign(sqrt(2 * distance), -gap);
    if (!(distance < 745) && !logarithm) return gap > 0 ? 0 : 1;
    bool near = fabs(gap) < 1e-5 * variance;
    double rest = near ? (s->b - s->a) / n / 3 + (1 - variance / n) / 12 * (gap / variance)
                       : width / root + variance / gap;
    rest /= width * sqrt(tau);
    double scale = exp(-distance), half = 0.5 * special_erfcx(sqrt(distance));
    if (logarithm) return gap >= 0 ? log(half + rest) - distance : log1p(-scale * (half - rest));
    return gap >= 0 ? scale * (half + rest) : 1 - scale * (half - rest);
}

/* Return (log Gamma(x + b) - log Gamma(x)) / b, x >= 1 > b: the mean of psi, by Taylor's series from the middle,
   with DLMF 25.11.12 for its derivatives. */
static double mean_digamma(double x, double b) {
    double half = b / 2, middle = x + half, power = 1, sum = special_digamma(middle), term = 1;
    for (int k = 3; k < 40 && term > 1e-17; k += 2)
        sum -= term = (power *= half * half) * special_zeta(k, middle) / k;
    return sum;
}

/* Return 1 - I_y(b, a) where I is near 1, which needs small b. I is a / (a + b) times exp(small). The contributions
   of DLMF 8.17.7's power series, of the gammas and of y^b to that exponent all have the factor b. */
static double beta_complement(double a, double b, double y) {
    double term = 1, sum = 0;
    for (int n = 1; n < TERMS && fabs(term) > 1e-18; n++) {
        term *= (n - a) / n * y;
        sum += term / (b + n);
    }
    double exponent = b * (log(y) + mean_digamma(1 + a, b)) - log_gamma_of_1_and(b) + log1p(b * sum);
    return b / (a + b) - a / (a + b) * expm1(exponent);
}

/* Return I_x(a, b) for 0 < x < 1, y = 1 - x, and positive finite orders. Orders above 2^200 only make the step
   steeper. */
static double beta_between(double a, double b, double x, double y) {
    struct share lower = share_of(a, b, x, y), upper = share_of(b, a, y, x);
    if (fmin(a, b) > 1e9) return beta_uniform(&lower, false);
    if (b < 0.5 && a > 100 && a * y < 2) return beta_complement(a, b, y); /* the fraction cancels */
    if (x <= (a + 1) / (a + b + 2)) return beta_factor(&lower) * beta_fraction(&lower);
    double rest = beta_factor(&upper) * beta_fraction(&upper);
    return rest < 0.75 || b >= 1 ? 1 - rest : beta_complement(a, b, y);
}

/* Return log I_x(a, b), y = 1 - x, for a result that has left the range of doubles; x is then below the mean. */
static double log_beta_tail(double a, double b, double x, double y) {
    struct share lower = share_of(a, b, x, y);
    if (fmin(a, b) > 1e9) return beta_uniform(&lower, true);
    return log_beta_factor(&lower) + log(beta_fraction(&lower));
}

/* Return -log y for y = 1 - x; the smaller of x and y is exact. */
static double fall_of(double x, double y) { return x < 0.5 ? -log1p(-x) : -log(y); }

static double gamma_limit(double a, double x, bool upper, bool logarithm) {
    return (logarithm ? log_incomplete_gamma : incomplete_gamma)(a, x, upper);
}

/* Return I_x(a, b), or its logarithm, for x and y = 1 - x; the smaller one is exact. NaN for negative orders, x
   outside 0 .. 1, or orders that are both 0 or both infinite. */
static double incomplete_beta(double a, double b, double x, double y, bool logarithm) {
    if (!(a >= 0 && b >= 0 && x >= 0 && x <= 1 && y >= 0))
        return NAN; /* x = 1 may be rounded, y then is not */
    if ((a == 0 && b == 0) || (isinf(a) && isinf(b))) return NAN;
    bool none = x == 0 || (y != 0 && a != 0 && !isinf(b) && (b == 0 || isinf(a)));
    if (none) return logarithm ? -INFINITY : 0;
    if (y == 0 || a == 0 || isinf(b)) return !logarithm;
    /* tiny orders: x^a (1-x)^b differs from 1 by at most 745 times the larger one, the logarithm of the least x */
    if (a < 1e-20 * fmin(b, 1)) return logarithm ? log1p(-incomplete_beta(b, a, y, x, false)) : 1;
    if (fmax(a, b) < 1e-20) return logarithm ? -log1p(a / b) : 1 / (1 + a / b);
    const double far = 1e15; /* then the larger order times the logarithm is a gamma function's argument */
    if (b > 1e9 && a < b / far) return gamma_limit(a, (b + (a - 1) / 2) * fall_of(x, y), false, logarithm);
    if (a > 1e9 && b < a / far) return gamma_limit(b, (a + (b - 1) / 2) * fall_of(y, x), true, logarithm);
    enum { MOST = 200 };
    int beyond = ilogb(fmax(a, b)) - MOST;
    if (beyond > 0) a = ldexp(a, -beyond), b = ldexp(b, -beyond);
    const double least = 1e-200; /* a smaller b is a factor of the integral, with an error of its size */
    if (logarithm && b < least) return incomplete_beta(a, least, x, y, true) + log(b / least);
    double value = beta_between(a, b, x, y);
    if (!logarithm) return value;
    if (value > 0.5) return log1p(-beta_between(b, a, y, x));
    double result = value < tiny && (a + b) * x < a ? log_beta_tail(a, b, x, y) : log(value);
    /* far from the mean the logarithm is proportional to the orders, so scaling is undone */
    return beyond > 0 && result < -1e3 ? ldexp(result, beyond) : result;
}

double special_betainc(double a, double b, double x) { return incomplete_beta(a, b, x, 1 - x, false); }

double special_betaincc(double a, double b, double x) { return incomplete_beta(b, a, 1 - x, x, false); }

double special_log_betainc(double a, double b, double x) { return incomplete_beta(a, b, x, 1 - x, true); }

double special_log_betaincc(double a, double b, double x) { return incomplete_beta(b, a, 1 - x, x, true); }
