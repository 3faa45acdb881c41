/*
 * Functions related to the gamma function, for the reference. psi and zeta: the recurrence up to 40 and more, then
 * Euler-Maclaurin. Incomplete functions: power series, and continued fractions from their far ends, with factors from
 * the C library's lgammal. Orders too large for these use the normal distribution.
 */
#define _GNU_SOURCE /* musl declares lgammal_r only with this */
#include "engine/ref/special.h"

#include <math.h>
#include <stdbool.h>

static const long double pi = 3.14159265358979323846264338327950288L;

enum { BERNOULLI = 10 };
/* Return the Bernoulli number B(2j + 2). Divided at run time, since a quotient is not constant if long double is
   two doubles. */
static long double bernoulli(int j) {
    static const struct {
        int over, under;
    } b[BERNOULLI] = {{1, 6},       {-1, 30}, {1, 42},      {-1, 30},     {5, 66},
                      {-691, 2730}, {7, 6},   {-3617, 510}, {43867, 798}, {-174611, 330}};
    return (long double)b[j].over / b[j].under;
}

long double ref_lgamma(long double x) {
    int sign;
    return lgammal_r(x, &sign);
}

long double ref_tgamma(long double x) { return tgammal(x); }

/* Return psi(x) near its root: (x - root) times the mean of its derivative between them, by five-point Gauss
   quadrature. */
static long double digamma_near_root(long double x) {
    static const long double at[] = {0.0L, 0.538469310105683091036314420700208805L,
                                     0.906179845938663992797626878299392965L};
    static const long double weight[] = {0.568888888888888888888888888888888889L,
                                         0.478628670499366468041291514835638193L,
                                         0.236926885056189087514264040719917363L};
    long double half = (x - 0x1.762d86356be3fp+0L - 9.54999542996569771518419907597177e-17L) / 2,
                middle = x - half, sum = 0;
    for (int k = -2; k <= 2; k++) {
        int point = k < 0 ? -k : k;
        sum += weight[point] * ref_zeta(2, middle + (k < 0 ? -half : half) * at[point]);
    }
    return half * sum;
}

static long double digamma_positive(long double x) {
    if (fabsl(x - 1.46163214496836234L) < 0.05L) return digamma_near_root(x);
    long double below = 0, power = 1;
    for (; x < 40; x += 1) below += 1 / x;
    long double sum = logl(x) - 1 / (2 * x);
    for (int j = 0; j < BERNOULLI; j++) {
        power /= x * x;
        sum -= bernoulli(j) / (2 * j + 2) * power;
    }
    return sum - below;
}

long double ref_digamma(long double x) {
    if (isnan(x) || (isinf(x) && x > 0)) return x;
    if (x == 0) return copysignl(INFINITY, -x);
    if (x < 0 && x == floorl(x)) return NAN;
    return x > 0 ? digamma_positive(x)
                 : digamma_positive(1 + (x > -0.25L ? x : -x)) -
                       (x > -0.25L ? 1 / x : pi * ref_cospi(x) / ref_sinpi(x));
}

/* Return q^s times the sum of (k + q)^-s over k >= 0, for large q, by Euler-Maclaurin. */
static long double zeta_tail(long double s, long double q) {
    long double tail = q / (s - 1) + 0.5L, factor = s / q, factorial = 2;
    for (int j = 0; j < BERNOULLI && isfinite(factor); j++) {
        tail += bernoulli(j) / factorial * factor;
        factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / q / q;
        factorial *= (2 * j + 3) * (2 * j + 4);
    }
    return tail;
}

long double ref_zeta(long double s, long double q) {
    if (!(s >= 1) || !(q >= 0)) return NAN;
    if (s == 1 || q == 0) return INFINITY;
    if (isinf(q)) return 0;
    if (isinf(s)) return powl(q, -s);
    long double sum = 0;
    for (int k = 0; k < 60; k++, q += 1) sum += powl(q, -s);
    long double power = powl(q, -s);
    return power == 0 || isinf(sum) ? sum : sum + power * zeta_tail(s, q);
}

long double ref_trigamma(long double x) {
    if (isnan(x)) return x;
    if (x > 0) return ref_zeta(2, x);
    if (x == floorl(x)) return isinf(x) ? NAN : INFINITY;
    if (x > -0.25L) return 1 / x / x + ref_zeta(2, 1 + x);
    long double s = pi / ref_sinpi(x);
    return s * s - ref_zeta(2, 1 - x);
}

/* Return n! zeta(n + 1, x), polygamma of a large order n but for its sign, x > 0. n! x^-(n+1) = sqrt(2 pi n) / x (n
   / (e x))^n (1 + 1 / (12 n) + ...); n - e x is exact, since n multiplies its error. */
static long double polygamma_far(long double n, long double x) {
    const long double e = 2.718281828459045235428168L, rest = -6.788063664127784117170386e-20L;
    long double p = e * x, gap = (n - p) - fmal(e, x, -p) - rest * x, u = gap / p, sum = 1;
    for (int k = 1; k < 60; k++) sum += expl(-(n + 1) * log1pl(k / x));
    long double power = expl(-(n + 1) * log1pl(60 / x));
    if (power > 0) sum += power * zeta_tail(n + 1, x + 60);
    long double exponent = n * (fabsl(u) < 0.5L ? log1pl(u) : logl(n / p));
    long double stirling = 1 / n / 12 - 1 / n / n / n / 360;
    return sqrtl(2 * pi * n) / x * expl(exponent + stirling) * sum;
}

/* Return n! times the sum of (x + k)^-(n+1) over k >= 0, x < 0: term by term up to 0, for x below -1000 from 1000
   terms before. Infinite or NaN at poles. */
static long double polygamma_left(long double n, long double x) {
    long double s = n + 1, sum = 0, parity = fmodl(n, 2) == 0 ? -1 : 1;
    if (x == rintl(x) || isinf(n)) return parity > 0 && !isinf(x) && !isinf(n) ? INFINITY : NAN;
    if (x - floorl(x) == 0.5L && parity < 0) /* terms of both signs cancel except the last ones */
        return n < 1000 ? tgammal(s) * ref_zeta(s, 1 - x) : polygamma_far(n, 1 - x);
    if (n >= 1000) { /* only the two nearest poles count */
        long double right = x - floorl(x), left = ceill(x) - x, near = fminl(right, left);
        return polygamma_far(n, near) * (powl(near / right, s) + parity * powl(near / left, s));
    }
    long double skipped = x < -1000 ? -1000 - truncl(x) : 0, at = x + skipped;
    if (skipped > 0) sum = parity * (ref_zeta(s, 1 - at) - ref_zeta(s, 1 - x));
    for (; at < 1; at += 1) sum += powl(at, -s);
    return tgammal(s) * (sum + ref_zeta(s, at));
}

long double ref_polygamma(long double order, long double x) {
    long double n = truncl(order);
    if (isnan(n) || isnan(x) || n < 0) return NAN;
    if (n <= 1) return n == 0 ? ref_digamma(x) : ref_trigamma(x);
    long double sign = fmodl(n, 2) == 0 ? -1 : 1;
    if (x < 0) return sign * polygamma_left(n, x);
    if (x == 0) return sign * INFINITY;
    if (n < 1000) return sign * tgammal(n + 1) * ref_zeta(n + 1, x);
    if (isinf(n)) return isinf(x) ? NAN : sign * INFINITY;
    return isinf(x) ? sign * 0 : sign * polygamma_far(n, x);
}

/* ---- beta ---- */

/* Return log Gamma(a) - log Gamma(a + b) for b <= a by Stirling, with leading terms combined; a large. */
static long double gamma_difference(long double a, long double b) {
    long double far = log1pl(b / a), sum = b - (a - 0.5L) * far - b * logl(a + b), power = 1 / a;
    for (int j = 0; j < BERNOULLI; j++, power /= a * a) /* 1/a^k - 1/(a + b)^k */
        sum += bernoulli(j) / ((2 * j + 2) * (2 * j + 1)) * power * -expm1l(-(2 * j + 1) * far);
    return sum;
}

long double ref_lbeta(long double a, long double b) {
    if (!(a >= 0 && b >= 0)) return NAN;
    long double low = fminl(a, b), high = fmaxl(a, b);
    if (low == 0) return isinf(high) ? NAN : INFINITY;
    if (isinf(high)) return -INFINITY;
    if (high < 1000) return ref_lgamma(low) + ref_lgamma(high) - ref_lgamma(low + high);
    return ref_lgamma(low) + gamma_difference(high, low);
}

long double ref_beta(long double a, long double b) { return expl(ref_lbeta(a, b)); }

/* ---- incomplete ---- */

static const long double tiny = 1e-4900L; /* below it results lose digits, then vanish */

/* Return u - log(1 + u). */
static long double less_log1p(long double u) {
    if (!(fabsl(u) < 0.1L)) return u - log1pl(u);
    long double sum = 0, power = u;
    for (int k = 2; k < 24; k++) sum += (power *= -u) / k;
    return -sum;
}

/* Return P(a, x), or Q if `upper`, for large a by Temme's uniform expansion (DLMF 8.12.3, 8.12.9) to its second
   term; eta^2 / 2 is u - log(1 + u), u = x/a - 1. */
static long double uniform_gamma(long double a, long double x, bool upper) {
    long double u = (x - a) / a, distance = u < -0.5L ? u - logl(x / a) : less_log1p(u);
    long double eta = copysignl(sqrtl(2 * distance), u), z = eta * sqrtl(a / 2), first, second;
    if (isinf(z)) return (z > 0) == upper ? 0 : 1;
    if (fabsl(eta) < 1e-3L) {
        first = -1.0L / 3 + eta * (1.0L / 12 + eta * (-2.0L / 135 + eta / 864));
        second = -1.0L / 540 - eta / 288;
    } else {
        first = 1 / u - 1 / eta;
        second = 1 / eta / eta / eta - 1 / u / u / u - 1 / u / u - 1 / (12 * u);
    }
    long double shift = expl(-z * z) / sqrtl(2 * pi * a) * (first + second / a);
    return upper ? erfcl(z) / 2 + shift : erfcl(-z) / 2 - shift;
}

/* Return log(x^a exp(-x) / Gamma(a + 1)); for large a by Stirling, where exponents would cancel. */
static long double log_gamma_factor(long double a, long double x) {
    if (a >= 1000) {
        long double u = (x - a) / a, distance = fabsl(u) < 0.5L ? less_log1p(u) : u - logl(x / a);
        return -a * distance - 1 / a / 12 + 1 / a / a / a / 360 - logl(2 * pi * a) / 2;
    }
    return a * logl(x) - x - ref_lgamma(a + 1);
}

static long double log_gamma_lower(long double a, long double x) {
    long double term = 1, sum = 1;
    for (int n = 1; n < 100000 && term > 1e-21L * sum; n++) sum += term *= x / (a + n);
    return log_gamma_factor(a, x) + logl(sum);
}

/* Return log Q(a, x) by the continued fraction of DLMF 8.9.2 from the far end. */
static long double log_gamma_upper(long double a, long double x) {
    int last = 400 + (int)(60 * sqrtl(a));
    long double fraction = 0;
    for (int k = last; k > 0; k--) fraction = k * (a - k) / (x + 2 * k + 1 - a + fraction);
    return log_gamma_factor(a, x) + logl(a / (x + 1 - a + fraction));
}
static long double gamma_lower(long double a, long double x) { return expl(log_gamma_lower(a, x)); }
static long double gamma_upper(long double a, long double x) { return expl(log_gamma_upper(a, x)); }

/* Return log Gamma(1 + a) = -gamma a + sum over k >= 2 of zeta(k) (-a)^k / k, |a| < 1/2 (DLMF 5.7.3). */
static long double log_gamma_of_1_and(long double a) {
    /* zeta(k) for k = 2 .. 69, to 36 digits by mpmath */
    static const long double zeta[] = {
        1.64493406684822643647241516664602519L, 1.20205690315959428539973816151144999L,
        1.08232323371113819151600369654116790L, 1.03692775514336992633136548645703417L,
        1.01734306198444913971451792979092053L, 1.00834927738192282683979754984979676L,
        1.00407735619794433937868523850865247L, 1.00200839282608221441785276923241206L,
        1.00099457512781808533714595890031902L, 1.00049418860411946455870228252646994L,
        1.00024608655330804829863799804773967L, 1.00012271334757848914675183652635740L,
        1.00006124813505870482925854510513533L, 1.00003058823630702049355172851064506L,
        1.00001528225940865187173257148763672L, 1.00000763719763789976227360029356303L,
        1.00000381729326499983985646164462194L, 1.00000190821271655393892565695779510L,
        1.00000095396203387279611315203868345L, 1.00000047693298678780646311671960437L,
        1.00000023845050272773299000364818675L, 1.00000011921992596531107306778871888L,
        1.00000005960818905125947961244020794L, 1.00000002980350351465228018606370507L,
        1.00000001490155482836504123465850663L, 1.00000000745071178983542949198100417L,
        1.00000000372533402478845705481920402L, 1.00000000186265972351304900640390995L,
        1.00000000093132743241966818287176474L, 1.00000000046566290650337840729892333L,
        1.00000000023283118336765054920014560L, 1.00000000011641550172700519775929738L,
        1.00000000005820772087902700889243686L, 1.00000000002910385044497099686929425L,
        1.00000000001455192189104198423592963L, 1.00000000000727595983505748101452087L,
        1.00000000000363797954737865119023724L, 1.00000000000181898965030706594758483L,
        1.00000000000090949478402638892825331L, 1.00000000000045474737830421540267991L,
        1.00000000000022737368458246525152268L, 1.00000000000011368684076802278493491L,
        1.00000000000005684341987627585609277L, 1.00000000000002842170976889301855455L,
        1.00000000000001421085482803160676983L, 1.00000000000000710542739521085271288L,
        1.00000000000000355271369133711367330L, 1.00000000000000177635684357912032747L,
        1.00000000000000088817842109308159031L, 1.00000000000000044408921031438133642L,
        1.00000000000000022204460507980419840L, 1.00000000000000011102230251410661337L,
        1.00000000000000005551115124845481244L, 1.00000000000000002775557562136124173L,
        1.00000000000000001387778780972523276L, 1.00000000000000000693889390454415370L,
        1.00000000000000000346944695216592262L, 1.00000000000000000173472347604757657L,
        1.00000000000000000086736173801199337L, 1.00000000000000000043368086900206505L,
        1.00000000000000000021684043449972198L, 1.00000000000000000010842021724942414L,
        1.00000000000000000005421010862456645L, 1.00000000000000000002710505431223469L,
        1.00000000000000000001355252715610116L, 1.00000000000000000000677626357804519L,
        1.00000000000000000000338813178902080L, 1.00000000000000000000169406589450980L};
    enum { TERMS = sizeof zeta / sizeof *zeta };
    long double sum = -0.57721566490153286060651209008240243L * a, power = -a;
    for (int k = 0; k < TERMS; k++) sum += zeta[k] * (power *= -a) / (k + 2);
    return sum;
}

/* Return Q(a, x) = 1 - P(a, x) for small a and x (DLMF 8.7.1), without cancellation. */
static long double gamma_upper_small(long double a, long double x) {
    long double term = 1, sum = 0;
    for (int n = 1; n < 80; n++) {
        term *= -x / n;
        sum += term * a / (a + n);
    }
    long double exponent = a * logl(x) - (a < 0.4L ? log_gamma_of_1_and(a) : ref_lgamma(a + 1));
    return -expm1l(exponent) - expl(exponent) * sum;
}

static long double incomplete_gamma(long double a, long double x, bool upper) {
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (isinf(a) && isinf(x))) return NAN;
    if (a == 0 || isinf(x)) return upper ? 0 : 1;
    if (x == 0 || isinf(a)) return upper ? 1 : 0;
    if (a > 1e6L) return uniform_gamma(a, x, upper);
    if (x > a + 1 && x > 2) return upper ? gamma_upper(a, x) : 1 - gamma_upper(a, x);
    if (upper && a < 1) return gamma_upper_small(a, x);
    return upper ? 1 - gamma_lower(a, x) : gamma_lower(a, x);
}

long double ref_gammainc(long double a, long double x) { return incomplete_gamma(a, x, false); }

long double ref_gammaincc(long double a, long double x) { return incomplete_gamma(a, x, true); }

/* Return log P(a, x), or log Q if `upper`. Results above a half use the other tail; those below the range use
   logarithms of the factors. */
static long double log_incomplete_gamma(long double a, long double x, bool upper) {
    long double y = incomplete_gamma(a, x, upper);
    if (y > 0.5L) return log1pl(-incomplete_gamma(a, x, !upper));
    bool inside = a > 0 && x > 0 && isfinite(a) && isfinite(x);
    if (!(y < tiny) || !inside || (x > a) != upper) return logl(y);
    return upper ? log_gamma_upper(a, x) : log_gamma_lower(a, x);
}

long double ref_log_gammainc(long double a, long double x) { return log_incomplete_gamma(a, x, false); }

long double ref_log_gammaincc(long double a, long double x) { return log_incomplete_gamma(a, x, true); }

/* Return log I_x(a, b), y = 1 - x, for x up to about 1/2: the log of x^a y^b / (a B(a, b)) times 2F1(a + b, 1; a +
   1; x), whose terms are positive (DLMF 8.17.8). */
static long double log_beta_series(long double a, long double b, long double x, long double y) {
    long double term = 1, sum = 1;
    for (int n = 0; n < 100000; n++) {
        sum += term *= (a + b + n) * x / (a + 1 + n);
        if (term < 1e-21L * sum) break;
    }
    long double log_x = x < 0.5L ? logl(x) : log1pl(-y), log_y = x < 0.5L ? log1pl(-x) : logl(y);
    return a * log_x + b * log_y - ref_lbeta(a, b) + logl(sum / a);
}
static long double beta_series(long double a, long double b, long double x, long double y) {
    return expl(log_beta_series(a, b, x, y));
}

/* Return 1 - I_y(b, a) for b < 1/2 and small y, from DLMF 8.17.7 with all terms of factor b in one exponent. Gamma
   quotients use the recurrence to 60 and more, then Stirling. */
static long double beta_complement(long double a, long double b, long double y) {
    long double term = 1, sum = 0, exponent = b * logl(y) - log_gamma_of_1_and(b);
    for (int n = 1; n < 200; n++) {
        term *= (n - a) / n * y;
        sum += term / (b + n);
    }
    for (int k = 1; k <= 60; k++) exponent -= log1pl(b / (a + k));
    exponent += log1pl(b * sum) - gamma_difference(a + 61, b);
    return b / (a + b) - a / (a + b) * expm1l(exponent);
}

/* Return log Gamma(x) minus Stirling's formula, x >= 10. */
static long double stirling_rest(long double x) {
    long double sum = 0, power = 1 / x;
    for (int j = 0; j < BERNOULLI; j++, power /= x * x)
        sum += bernoulli(j) / ((2 * j + 2) * (2 * j + 1)) * power;
    return sum;
}

/* Return log(y + x exp(-s)) + x s, y = 1 - x, which begins with x y s^2 / 2; for small s from the cumulants of one
   draw. */
static long double draw_cumulants(long double x, long double y, long double s) {
    if (s >= 0.01L) return x < y ? log1pl(x * expm1l(-s)) + x * s : log1pl(y * expm1l(s)) - y * s;
    long double p = x * y, skew = y - x, sum = 0, power = 1;
    const long double kappa[] = {1,
                                 skew,
                                 1 - 6 * p,
                                 skew * (1 - 12 * p),
                                 1 + p * (-30 + 120 * p),
                                 skew * (1 + p * (-60 + 360 * p)),
                                 1 + p * (-126 + p * (1680 - 5040 * p))};
    for (int k = 0; k < (int)(sizeof kappa / sizeof *kappa); k++, power *= -s / (k + 2))
        sum += kappa[k] * power;
    return p * s * s * sum / 2;
}

/* Return log I_x(a, b), y = 1 - x, for orders of at least 10: the density at x times an integral over the log-odds
   below it. Trapezoidal rule in t, s = width exp(pi/2 sinh t) (Takahasi and Mori, Publ. RIMS 9, 1974). */
static long double log_beta_integral(long double a, long double b, long double x, long double y) {
    long double n = a + b, gap = x < y ? fmal(-n, x, a) : fmal(n, y, -b);
    long double distance = a * less_log1p(-gap / a) + b * less_log1p(gap / b);
    long double stirling = stirling_rest(a) + stirling_rest(b) - stirling_rest(n);
    long double density = logl(a / n * b / 2 / pi) / 2 - distance - stirling, sum = 0;
    const long double step = 1.0L / 64, width = 1 / sqrtl(a / n * b);
    for (int k = -4 * 64; k <= 3 * 64; k++) {
        long double s = width * expl(pi / 2 * sinhl(k * step));
        sum += expl(-gap * s - n * draw_cumulants(x, y, s)) * s * coshl(k * step);
    }
    return density + logl(sum * step * pi / 2);
}

static long double beta_integral(long double a, long double b, long double x, long double y) {
    return expl(log_beta_integral(a, b, x, y));
}

static long double fall_of(long double x, long double y) { return x < 0.5L ? -log1pl(-x) : -logl(y); }

/* Return I_x(a, b) for x and y = 1 - x; the smaller one is exact. NaN for negative orders, x outside 0 .. 1, or
   orders that are both 0 or both infinite. */
static long double incomplete_beta(long double a, long double b, long double x, long double y) {
    if (!(a >= 0 && b >= 0 && x >= 0 && x <= 1 && y >= 0)) return NAN;
    if ((a == 0 && b == 0) || (isinf(a) && isinf(b))) return NAN;
    if (x == 0 || y == 0) return x != 0;
    if (a == 0 || isinf(b)) return 1;
    if (b == 0 || isinf(a)) return 0;
    bool below = x <= (a + 1) / (a + b + 2);
    /* one order dwarfs the other: its limit, DLMF 8.18.9 */
    if (b > 0x1p64L && a < 0x1p20L) return ref_gammainc(a, (b + (a - 1) / 2) * fall_of(x, y));
    if (a > 0x1p64L && b < 0x1p20L) return ref_gammaincc(b, (a + (b - 1) / 2) * fall_of(y, x));
    if (a >= 10 && b >= 10 && fmaxl(a, b) > 1000)
        return below ? beta_integral(a, b, x, y) : 1 - beta_integral(b, a, y, x);
    if (b > 1e9L) return ref_gammainc(a, (b + (a - 1) / 2) * fall_of(x, y)); /* DLMF 8.18.9 */
    if (a > 1e9L) return ref_gammaincc(b, (a + (b - 1) / 2) * fall_of(y, x));
    if (b < 0.4L && (!below || (x > 0.5L && a * y < 2))) return beta_complement(a, b, y);
    return below ? beta_series(a, b, x, y) : 1 - beta_series(b, a, y, x);
}

long double ref_betainc(long double a, long double b, long double x) {
    return incomplete_beta(a, b, x, 1 - x);
}
long double ref_betaincc(long double a, long double b, long double x) {
    return incomplete_beta(b, a, 1 - x, x);
}

static long double log_incomplete_beta(long double a, long double b, long double x, long double y) {
    long double value = incomplete_beta(a, b, x, y);
    if (value > 0.5L) return log1pl(-incomplete_beta(b, a, y, x));
    bool inside = a > 0 && b > 0 && isfinite(a) && isfinite(b) && x > 0 && y > 0;
    if (!(value < tiny) || !inside || (a + b) * x > a) return logl(value);
    bool apart = (b > 0x1p64L && a < 0x1p20L) || (a > 0x1p64L && b < 0x1p20L);
    if (a >= 10 && b >= 10 && fmaxl(a, b) > 1000 && !apart) return log_beta_integral(a, b, x, y);
    if (b > 1e9L) return ref_log_gammainc(a, (b + (a - 1) / 2) * fall_of(x, y));
    if (a > 1e9L) return ref_log_gammaincc(b, (a + (b - 1) / 2) * fall_of(y, x));
    return log_beta_series(a, b, x, y);
}

long double ref_log_betainc(long double a, long double b, long double x) {
    return log_incomplete_beta(a, b, x, 1 - x);
}
long double ref_log_betaincc(long double a, long double b, long double x) {
    return log_incomplete_beta(b, a, 1 - x, x);
}
