/*
 * Template: incomplete gamma and beta functions, regularised. Each is a factor computed without cancellation
 * (Stirling's series, log1p(u) - u by its own series) times a sum. The sum is a power series below the mean and
 * Lentz's continued fraction above it (DLMF 8.7.1, 8.9.2, 8.17.22; Gautschi, ACM TOMS 5, 1979).
 *
 * Gamma's orders above LARGE use the first terms of a uniform expansion (Temme, SIAM J. Math. Anal. 10, 1979; DLMF
 * 8.12). Beta's do if both exceed 1e9 (DLMF 8.18(ii)). Orders that differ by a factor of 1e15 make beta a gamma
 * function. Logarithms come from the complement if the result exceeds a half, and from the factor's logarithm if the
 * result leaves the range.
 */

#define LARGE 1e5
#define TINY 1e-290 /* below it results lose digits, then vanish */
enum { TERMS = 20000 };

/* Return u - log(1 + u), given ratio = 1 + u: for r = u / (2 + u), log(1 + u) = 2 atanh(r). */
static REAL less_log1p(REAL u, REAL ratio) {
    if (!(fabs(u) < 0.5)) return u - log(ratio);
    REAL r = u / (2 + u), z = r * r, sum = 0, power = 1;
    for (int k = 3; k < 45 && power > NEGLIGIBLE; k += 2, power *= z) sum += power / k;
    return r * (u - 2 * z * sum);
}

/* Return log Gamma(1 + a) for 0 <= a <= 1, with full relative accuracy. */
static REAL log_gamma_of_1_and(REAL a) {
    return a <= 0.5 ? a * SERIES(lgamma1p_0_half, 0, 0.5, a) : log(tgamma(a + 1));
}

/* ---- gamma ---- */

/* Return exp(a - x) (x / a)^a = exp(-a (u - log(1 + u))), u = x / a - 1; large exponents need a pair's digits. */
static REAL hump(REAL a, REAL x) {
    REAL u = (x - a) / a, distance = less_log1p(u, x / a);
    if (!(a * distance > 32 && a * distance < 800)) return exp(-a * distance);
    two ratio = two_divide(two_of(x), two_of(a));
    two exponent = two_subtract(two_add(two_log(ratio), two_of(1)), ratio);
    exponent = two_multiply(exponent, two_of(a));
    return exp(exponent.high) * (1 + exponent.low);
}

/* Return x^a exp(-x) / Gamma(a + 1). */
static REAL gamma_factor(REAL a, REAL x) {
    if (a < 10) return x < 700 ? pow(x, a) * exp(-x) / tgamma(a + 1) : exp(a * log(x) - x) / tgamma(a + 1);
    return hump(a, x) * exp(-stirling_rest(a)) / sqrt(TAU * a);
}

/* Return the logarithm of x^a exp(-x) / gamma(a + 1). */
static REAL log_gamma_factor(REAL a, REAL x) {
    if (a < 10) return a * log(x) - x - F(lgamma)(a + 1);
    bool vanishes = x / a < SMALLEST; /* then the logarithm's terms have one sign */
    REAL distance = vanishes ? log(a) - log(x) - 1 : less_log1p((x - a) / a, x / a);
    return -a * distance - stirling_rest(a) - log(TAU * a) / 2;
}

static REAL gamma_series(REAL a, REAL x) {
    REAL term = 1, sum = 1;
    for (int n = 1; n < TERMS && term > EPSILON / 8 * sum; n++) sum += term *= x / (a + n);
    return sum;
}

/* Return Q(a, x) Gamma(a) e^x / x^a by the continued fraction of DLMF 8.9.2. */
static REAL gamma_fraction(REAL a, REAL x) {
    REAL b = x + 1 - a, c = 1e300, d = 1 / b, h = d, step = 0;
    for (int n = 1; n < TERMS && fabs(step - 1) > EPSILON; n++) {
        REAL numerator = n * (a - n);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        h *= step = c * d;
    }
    return h;
}

/* Return Q(a, x), the upper tail, for small a and x: 1 - x^a / Gamma(a + 1) and the rest of the series, each
   without cancellation. */
static REAL gamma_small(REAL a, REAL x) {
    REAL sum = 0, term = 1;
    for (int n = 1; n < 60 && fabs(term) > NEGLIGIBLE; n++) {
        term *= -x / n;
        sum += term / (a + n);
    }
    REAL exponent = a * log(x) - log_gamma_of_1_and(a);
    return -expm1(exponent) - exp(exponent) * a * sum;
}

/* Return the upper tail Q(a, x), or else the lower one P, divided by hump(a, x), for large a. eta is the signed
   root of 2 (u - log(1 + u)), u = x / a - 1. */
static REAL gamma_tail(REAL a, REAL eta, bool upper) {
    const REAL low = R(-0.15), high = R(0.15);
    REAL small = (SERIES(gammainc_c1, low, high, eta) + SERIES(gammainc_c2, low, high, eta) / a) / a;
    REAL rest = (SERIES(gammainc_c0, low, high, eta) + small) / sqrt(TAU * a);
    return 0.5 * F(erfcx)((upper ? eta : -eta) * sqrt(a / 2)) + (upper ? rest : -rest);
}

/* Return Q(a, x) (`upper`), else P(a, x), by the uniform expansion for large a near the mean; 0 or 1 far
   from it. */
static REAL gamma_uniform(REAL a, REAL x, bool upper) {
    REAL u = (x - a) / a, distance = less_log1p(u, x / a);
    if (!(a * distance < 800)) return (x > a) == upper ? 0 : 1;
    REAL eta = copysign(sqrt(2 * distance), u), scale = hump(a, x);
    REAL z = (upper ? eta : -eta) * sqrt(a / 2);
    return z > -1 ? scale * gamma_tail(a, eta, upper) : 1 - scale * gamma_tail(a, eta, !upper);
}

/* Return Q(a, x) (`upper`), else P(a, x), for a >= 0 and x >= 0. NaN outside of that, and if a and x are
   both 0 or both infinite. */
static REAL incomplete_gamma(REAL a, REAL x, bool upper) {
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (isinf(a) && isinf(x))) return NAN;
    if (a == 0 || isinf(x)) return upper ? 0 : 1;
    if (x == 0 || isinf(a)) return upper ? 1 : 0;
    if (a > LARGE) return gamma_uniform(a, x, upper);
    if (x > 1 && x > a) {
        REAL tail = gamma_factor(a, x) * a * gamma_fraction(a, x);
        return upper ? tail : 1 - tail;
    }
    if (upper && a < 1 && x <= 1) return gamma_small(a, x);
    REAL part = gamma_factor(a, x) * gamma_series(a, x);
    return upper ? 1 - part : part;
}

REAL F(gammainc)(REAL a, REAL x) { return incomplete_gamma(a, x, false); }

REAL F(gammaincc)(REAL a, REAL x) { return incomplete_gamma(a, x, true); }

/* Return log(a E1(x)) for x <= 1 and so small an a that Q(a, x) underflows: Q(a, x) / a is E1(x) up to a factor 1 +
   O(a log x). */
static REAL log_gamma_small(REAL a, REAL x) {
    REAL sum = 0, term = 1;
    for (int n = 1; n < 60 && fabs(term) > NEGLIGIBLE; n++) {
        term *= -x / n;
        sum += term / n;
    }
    return log(a) + log(-EULER - log(x) - sum);
}

/* Return log Q(a, x) (`upper`) or log P(a, x), for a tail that has left the range of doubles. */
static REAL log_gamma_tail(REAL a, REAL x, bool upper) {
    REAL u = (x - a) / a;
    if (a > LARGE && fabs(u) < 0.12) { /* elsewhere series and fraction take some hundred terms */
        REAL distance = less_log1p(u, x / a);
        return -a * distance + log(gamma_tail(a, copysign(sqrt(2 * distance), u), upper));
    }
    if (upper && a < 1 && x <= 1) return log_gamma_small(a, x);
    REAL rest = upper ? log(a) + log(gamma_fraction(a, x)) : log(gamma_series(a, x)); /* a may be subnormal */
    return log_gamma_factor(a, x) + rest;
}

/* Return the logarithm of Q(a, x) (`upper`), else of P(a, x), also where these underflow. */
static REAL log_incomplete_gamma(REAL a, REAL x, bool upper) {
    REAL y = incomplete_gamma(a, x, upper);
    if (y > 0.5) return log1p(-incomplete_gamma(a, x, !upper));
    bool inside = a > 0 && x > 0 && isfinite(a) && isfinite(x);
    return inside && y < TINY && (upper ? x > a || a < 1 : x < a) ? log_gamma_tail(a, x, upper) : log(y);
}

REAL F(log_gammainc)(REAL a, REAL x) { return log_incomplete_gamma(a, x, false); }

REAL F(log_gammaincc)(REAL a, REAL x) { return log_incomplete_gamma(a, x, true); }

/* ---- beta ---- */

/* x and y = 1 - x of orders a and b; gap is the mean a / (a + b) minus x, times a + b. The smaller of x and y is
   exact, and so is the gap, if 0 is thousands of standard deviations below the mean. */
struct share {
    REAL a, b, x, y, gap;
};

/* Return the share of arguments a, b, x and y = 1 - x, with the accurate difference a - (a + b) x. */
static struct share share_of(REAL a, REAL b, REAL x, REAL y) {
    two n = two_sum(a, b);
    REAL gap = x < y ? two_subtract(two_of(a), two_multiply(n, two_of(x))).high
                     : two_subtract(two_multiply(n, two_of(y)), two_of(b)).high;
    return (struct share){a, b, x, y, gap};
}

/* Return the log of (a / (n x))^a (b / (n y))^b, n = a + b; never negative. */
static REAL share_distance(const struct share *s) {
    REAL n = s->a + s->b;
    return s->a * less_log1p(-s->gap / s->a, n / s->a * s->x) +
           s->b * less_log1p(s->gap / s->b, n / s->b * s->y);
}

/* Return x^a y^b / (a B(a, b)), the factor of the continued fraction. */
static REAL beta_factor(const struct share *s) {
    REAL a = s->a, b = s->b;
    if (a >= 10 && b >= 10) {
        REAL stirling = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b);
        return sqrt(b / a / (a + b) / TAU) * exp(-share_distance(s) - stirling);
    }
    REAL share = 1 / (1 + a / b); /* b / (a + b) */
    if (a + b < 150)
        return pow(s->x, a) * pow(s->y, b) * share *
               (tgamma(a + b + 1) / tgamma(fmax(a, b) + 1) / tgamma(fmin(a, b) + 1));
    REAL log_x = s->x < 0.5 ? log(s->x) : log1p(-s->y), log_y = s->x < 0.5 ? log1p(-s->x) : log(s->y);
    return exp(a * log_x + b * log_y - F(lbeta)(a, b)) / a;
}

/* Return the logarithm of beta_factor, also where that underflows. */
static REAL log_beta_factor(const struct share *s) {
    REAL a = s->a, b = s->b;
    /* a subnormal x has too few digits for a quotient */
    if (a >= 10 && b >= 10 && fmin(s->x, s->y) > TINY) {
        REAL stirling = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b);
        return log(b / a / (a + b) / TAU) / 2 - share_distance(s) - stirling;
    }
    REAL log_x = s->x < 0.5 ? log(s->x) : log1p(-s->y), log_y = s->x < 0.5 ? log1p(-s->x) : log(s->y);
    return a * log_x + b * log_y - F(lbeta)(a, b) - log(a);
}

/* Return I_x(a, b) divided by beta_factor, for x up to about the mean: the even part of the fraction of DLMF
   8.17.22 (DiDonato and Morris, ACM TOMS 18, 1992, equation 9). Below the mean all terms are positive. It takes
   about sqrt(min(a, b)) / 6 steps at the mean. */
static REAL beta_fraction(const struct share *s) {
    REAL a = s->a, x = s->x, one = 1 + 1 / a, start = 1 + s->gap;
    REAL above = 1, above_last = 0, below = start / one, below_last = 1, h = one / start, last = 0;
    for (int n = 1; n < TERMS && fabs(h - last) > EPSILON / 2 * h; n++) {
        REAL t = n / a, w = n * (s->b - n) * x, d = a + 2 * n - 1, e = a / d;
        REAL alpha = (1 + (n - 1) / a) * (1 + (n - 1 + s->b) / a) * e * e * w * x;
        REAL beta = n + w / d + (1 + t) / (one + t + t) * (start + n * (1 + s->y));
        REAL next = alpha * above_last + beta * above, under = alpha * below_last + beta * below;
        last = h;
        h = next / under;
        above_last = above / under, below_last = below / under;
        above = h, below = 1;
    }
    return a * h;
}

/* Return I_x(a, b), or its logarithm, for huge a and b: the normal distribution of the signed root of the distance,
   and its first correction (DLMF 8.18.9), which is a series around the mean. */
static REAL beta_uniform(const struct share *s, bool logarithm) {
    REAL gap = s->gap, n = s->a + s->b, variance = s->a / n * s->b, width = sqrt(variance);
    REAL distance = fmax(share_distance(s), 0), root = copysign(sqrt(2 * distance), -gap);
    if (!(distance < 745) && !logarithm) return gap > 0 ? 0 : 1;
    bool near = fabs(gap) < 1e-5 * variance;
    REAL rest = near ? (s->b - s->a) / n / 3 + (1 - variance / n) / 12 * (gap / variance)
                     : width / root + variance / gap;
    rest /= width * sqrt(TAU);
    REAL scale = exp(-distance), half = 0.5 * F(erfcx)(sqrt(distance));
    if (logarithm) return gap >= 0 ? log(half + rest) - distance : log1p(-scale * (half - rest));
    return gap >= 0 ? scale * (half + rest) : 1 - scale * (half - rest);
}

/* Return (log Gamma(x + b) - log Gamma(x)) / b, x >= 1 > b: the mean of psi, by Taylor's series from the middle,
   with DLMF 25.11.12 for its derivatives. */
static REAL mean_digamma(REAL x, REAL b) {
    REAL half = b / 2, middle = x + half, power = 1, sum = F(digamma)(middle), term = 1;
    for (int k = 3; k < 40 && term > 10 * NEGLIGIBLE; k += 2)
        sum -= term = (power *= half * half) * F(zeta)(k, middle) / k;
    return sum;
}

/* Return 1 - I_y(b, a) where I is near 1, which needs small b. I is a / (a + b) times exp(small). The contributions
   of DLMF 8.17.7's power series, of the gammas and of y^b to that exponent all have the factor b. */
static REAL beta_complement(REAL a, REAL b, REAL y) {
    REAL term = 1, sum = 0;
    for (int n = 1; n < TERMS && fabs(term) > NEGLIGIBLE; n++) {
        term *= (n - a) / n * y;
        sum += term / (b + n);
    }
    REAL exponent = b * (log(y) + mean_digamma(1 + a, b)) - log_gamma_of_1_and(b) + log1p(b * sum);
    return b / (a + b) - a / (a + b) * expm1(exponent);
}

/* Return I_x(a, b) for 0 < x < 1, y = 1 - x, and positive finite orders. Orders above 2^200 only make the step
   steeper. */
static REAL beta_between(REAL a, REAL b, REAL x, REAL y) {
    struct share lower = share_of(a, b, x, y), upper = share_of(b, a, y, x);
    if (fmin(a, b) > 1e9) return beta_uniform(&lower, false);
    if (b < 0.5 && a > 100 && a * y < 2) return beta_complement(a, b, y); /* the fraction cancels */
    if (x <= (a + 1) / (a + b + 2)) return beta_factor(&lower) * beta_fraction(&lower);
    REAL rest = beta_factor(&upper) * beta_fraction(&upper);
    return rest < 0.75 || b >= 1 ? 1 - rest : beta_complement(a, b, y);
}

/* Return log I_x(a, b), y = 1 - x, for a result that has left the range of doubles; x is then below the mean. */
static REAL log_beta_tail(REAL a, REAL b, REAL x, REAL y) {
    struct share lower = share_of(a, b, x, y);
    if (fmin(a, b) > 1e9) return beta_uniform(&lower, true);
    return log_beta_factor(&lower) + log(beta_fraction(&lower));
}

/* Return log I_x(a, b) for 0 < x < 1, y = 1 - x, and positive finite orders. */
static REAL log_beta_between(REAL a, REAL b, REAL x, REAL y) {
    REAL value = beta_between(a, b, x, y);
    if (value > 0.5) return log1p(-beta_between(b, a, y, x));
    return value < TINY && (a + b) * x < a ? log_beta_tail(a, b, x, y) : log(value);
}

/* Return -log y for y = 1 - x; the smaller of x and y is exact. */
static REAL fall_of(REAL x, REAL y) { return x < 0.5 ? -log1p(-x) : -log(y); }

static REAL gamma_limit(REAL a, REAL x, bool upper, bool logarithm) {
    return logarithm ? log_incomplete_gamma(a, x, upper) : incomplete_gamma(a, x, upper);
}

/* Return I_x(a, b), or its logarithm, for 0 < x < 1, y = 1 - x, and positive finite orders; a >= 1e-20 min(b, 1). */
static REAL beta_inside(REAL a, REAL b, REAL x, REAL y, bool logarithm) {
    if (fmax(a, b) < 1e-20) return logarithm ? -log1p(a / b) : 1 / (1 + a / b);
    const REAL far = 1e15; /* then the larger order times the logarithm is a gamma function's argument */
    if (b > 1e9 && a < b / far) return gamma_limit(a, (b + (a - 1) / 2) * fall_of(x, y), false, logarithm);
    if (a > 1e9 && b < a / far) return gamma_limit(b, (a + (b - 1) / 2) * fall_of(y, x), true, logarithm);
    int beyond = ilogb(fmax(a, b)) - 200;
    if (beyond > 0) a = ldexp(a, -beyond), b = ldexp(b, -beyond);
    if (!logarithm) return beta_between(a, b, x, y);
    const REAL least = 1e-200; /* a smaller b is a factor of the integral, with an error of its size */
    if (b < least) return log_beta_between(a, least, x, y) + log(b / least);
    REAL result = log_beta_between(a, b, x, y);
    /* far from the mean the logarithm is proportional to the orders, so scaling is undone */
    return beyond > 0 && result < -1e3 ? ldexp(result, beyond) : result;
}

/* Return I_x(a, b), or its logarithm, for x and y = 1 - x; the smaller one is exact. NaN for negative orders, x
   outside 0 .. 1, or orders that are both 0 or both infinite. */
static REAL incomplete_beta(REAL a, REAL b, REAL x, REAL y, bool logarithm) {
    if (!(a >= 0 && b >= 0 && x >= 0 && x <= 1 && y >= 0))
        return NAN; /* x = 1 may be rounded, y then is not */
    if ((a == 0 && b == 0) || (isinf(a) && isinf(b))) return NAN;
    bool none = x == 0 || (y != 0 && a != 0 && !isinf(b) && (b == 0 || isinf(a)));
    if (none) return logarithm ? -INFINITY : 0;
    if (y == 0 || a == 0 || isinf(b)) return !logarithm;
    /* tiny orders: x^a (1-x)^b differs from 1 by at most 745 times the larger one, the logarithm of the least x */
    bool tiny = a < 1e-20 * fmin(b, 1);
    if (tiny) return logarithm ? log1p(-beta_inside(b, a, y, x, false)) : 1;
    return beta_inside(a, b, x, y, logarithm);
}

REAL F(betainc)(REAL a, REAL b, REAL x) { return incomplete_beta(a, b, x, 1 - x, false); }

REAL F(betaincc)(REAL a, REAL b, REAL x) { return incomplete_beta(b, a, 1 - x, x, false); }

REAL F(log_betainc)(REAL a, REAL b, REAL x) { return incomplete_beta(a, b, x, 1 - x, true); }

REAL F(log_betaincc)(REAL a, REAL b, REAL x) { return incomplete_beta(b, a, 1 - x, x, true); }
