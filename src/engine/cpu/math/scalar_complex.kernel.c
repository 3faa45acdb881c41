/*
 * Template: complex functions for one lane: lane 0 of complex_lanes.h and complex_arc.h, and the text for lanes that
 * these leave out: ends of the range, infinities and NaN, next to which values are those of C's annex G. Parts that it
 * leaves open are +0, +inf or NaN.
 */

#include "base/threads/turns.h"

static double _Complex complex_of(double real, double imaginary) {
    double _Complex z;
    __real__ z = real;
    __imag__ z = imaginary;
    return z;
}
static bool is_finite(double x) { return fabs(x) < (double)INFINITY; }
static bool is_infinite(double x) { return fabs(x) == (double)INFINITY; }
/* Return the binary exponent of a finite x > 0, as ilogb does. */
static int exponent_of(double x) {
    uint64_t bits = bits_of(x);
    return bits >> 52 ? (int)(bits >> 52) - 1023 : ilogb(x);
}
/* Return x 2^k, rounded once. */
static double shifted(double x, int k) {
    return k < -1000 || k > 1000 ? ldexp(x, k) : x * of_bits((uint64_t)(1023 + k) << 52);
}
/* Return size with the sign of x; + for NaN, whose sign differs between processors. */
static double signed_as(double size, double x) { return copysign(size, x == x ? x : 1.0); }
/* Return log(2^more (x + rest)) as a pair. */
static two log_pair(double x, double rest, double more) {
    L(vector) low, high = L(log_of_sum_parts)(L(splat)(x), L(splat)(rest), L(splat)(more), &low);
    return two_sum(AT(high, 0), AT(low, 0));
}
/* Return log(2^twice (x^2 + y^2)), for finite x and y of which one is not 0: the exponent comes first. */
static two log_squares(double x, double y, double twice) {
    int exponent = exponent_of(fmax(fabs(x), fabs(y)));
    struct L(two) sum = L(squares)(L(one)(shifted(x, -exponent)), L(one)(shifted(y, -exponent)));
    return log_pair(AT(sum.high, 0), AT(sum.low, 0), 2.0 * exponent + twice);
}
/* Set *sine and *cosine to those of a finite y in pairs. */
static void sine_cosine(double y, two *sine, two *cosine) {
    struct L(two) s, c;
    L(sine_cosine)(L(one)(y), L(angle_any)(L(one)(y)), &s, &c);
    *sine = (two){AT(s.high, 0), AT(s.low, 0)}, *cosine = (two){AT(c.high, 0), AT(c.low, 0)};
}
/* Return y with e^x = y 2^*power; y is between 1/2 and 4. Beyond all results x is clamped. */
static two exp_pair(double x, int *power) {
    L(vector) exponent;
    struct L(two) y = L(exp_pair)(L(two_of)(L(one)(x)), &exponent);
    *power = (int)floor(AT(exponent, 0));
    return two_sum(AT(y.high, 0), AT(y.low, 0));
}
/* Return a pair times a power of two, rounded. */
static double scaled(two x, int power) { return shifted(x.high + x.low, power); }
/* Return x with the sign of the product of a and b. */
static double with_signs(double x, double a, double b) {
    return copysign(x, copysign(1.0, a) * copysign(1.0, b));
}

/* Return e^x (cos y + i sin y) for parts of which one is infinite or NaN. */
static double _Complex exp_special(double x, double y) {
    if (y == 0) return complex_of(one_exp(x), y);
    if (!is_infinite(x)) return complex_of((double)NAN, (double)NAN);
    if (!is_finite(y)) return x > 0 ? complex_of(x, (double)NAN) : complex_of(0, signed_as(0, y));
    double size = x > 0 ? x : 0;
    return complex_of(copysign(size, one_cos(y)), copysign(size, one_sin(y)));
}
static double _Complex rare_cexp(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (!is_finite(x) || !is_finite(y) || y == 0) return exp_special(x, y);
    int power;
    two sine, cosine, size = exp_pair(x, &power);
    sine_cosine(y, &sine, &cosine);
    return complex_of(scaled(two_multiply(size, cosine), power), scaled(two_multiply(size, sine), power));
}
/* Return cos t + i sin t for the angle t = v log 2 of 2^(iv); v is finite and not 0. */
static double _Complex direction(double v) {
    static const double ln2_low = 2.3190468138462996e-17, tau = 6.283185307179586232,
                        tau_low = 2.4492935982947064e-16;
    double turn = v, turn_low = 0, unit = M_LN2, unit_low = ln2_low;
    if (fabs(v) >= 1) turn = turns_of_exp2(v, &turn_low), unit = tau, unit_low = tau_low;
    double angle = turn * unit, rest = MADD_F64(turn, unit, -angle) + (turn * unit_low + turn_low * unit);
    double c = one_cos(angle), s = one_sin(angle);
    return complex_of(c - rest * s, s + rest * c);
}
/* Return 2^x. The modulus comes in two factors: it may overflow where its product with a cosine does not. */
static double _Complex rare_cexp2(double _Complex x) {
    double u = __real__ x, v = __imag__ x;
    if (v == 0) return complex_of(one_exp2(u), v);
    if (!is_finite(v)) return rare_cexp(x);
    double _Complex z = direction(v);
    if (is_infinite(u)) return complex_of(one_exp2(u) * __real__ z, one_exp2(u) * __imag__ z);
    double half = floor(fmax(-3000.0, fmin(3000.0, u)) / 2), first = one_exp2(half),
           second = one_exp2(u - half);
    if (fabs(u) > 2000) first = one_exp2(u), second = 1;
    return complex_of(__real__ z * first * second, __imag__ z * first * second);
}
static double _Complex rare_cexpm1(double _Complex z) {
    if (__imag__ z == 0) return complex_of(one_expm1(__real__ z), __imag__ z);
    double _Complex e = rare_cexp(z);
    return complex_of(__real__ e - 1, __imag__ e);
}

static double _Complex rare_clog(double _Complex z) {
    double x = __real__ z, y = __imag__ z, angle = one_atan2(y, x);
    if (is_infinite(x) || is_infinite(y)) return complex_of((double)INFINITY, angle);
    if (x != x || y != y) return complex_of((double)NAN, (double)NAN);
    if (x == 0 && y == 0) return complex_of(-(double)INFINITY, angle);
    return complex_of(log_squares(x, y, 0).high / 2, angle);
}
static double _Complex rare_clog1p(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (y == 0 && x >= -1) return complex_of(one_log1p(x), y);
    return rare_clog(complex_of(1 + x, y)); /* 1 + x is exact, or 1 does not count */
}

/* Return the square root with a real part >= 0; the larger part comes first (Kahan). */
static double _Complex rare_csqrt(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (is_infinite(y)) return complex_of((double)INFINITY, y);
    if (is_infinite(x) && x < 0) return complex_of(y != y ? y : 0, signed_as((double)INFINITY, y));
    if (is_infinite(x)) return complex_of(x, y != y ? y : copysign(0.0, y));
    if (x != x || y != y) return complex_of((double)NAN, (double)NAN);
    if (x == 0 && y == 0) return complex_of(0, y);
    int half = exponent_of(fmax(fabs(x), fabs(y))) / 2; /* scaled, the larger part is between 1/4 and 8 */
    double u = shifted(fabs(x), -2 * half), v = shifted(fabs(y), -2 * half);
    double root = sqrt((one_hypot(u, v) + u) / 2);
    double most = shifted(root, half),
           least = half > 0 ? shifted(fabs(y) / (2 * root), -half) : shifted(v / (2 * root), half);
    return x < 0 ? complex_of(least, copysign(most, y)) : complex_of(most, copysign(least, y));
}

/* Return sinh or cosh of z with x large or infinite: e^|x| / 2 in both parts. */
static double _Complex hyperbolic_far(double x, double y) {
    if (is_infinite(x)) return exp_special(fabs(x), y);
    int power;
    two sine, cosine, size = exp_pair(fabs(x), &power);
    sine_cosine(y, &sine, &cosine);
    return complex_of(scaled(two_multiply(size, cosine), power - 1),
                      scaled(two_multiply(size, sine), power - 1));
}
static double _Complex rare_csinh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (y == 0) return complex_of(one_sinh(x), y);
    if (!is_finite(y)) {
        if (is_infinite(x)) return complex_of((double)INFINITY, (double)NAN);
        return complex_of(x == 0 ? x : (double)NAN, (double)NAN);
    }
    if (x != x) return complex_of(x, x);
    double _Complex far = hyperbolic_far(x, y);
    return complex_of(with_signs(__real__ far, x, __real__ far), __imag__ far);
}
static double _Complex rare_ccosh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (y == 0) return complex_of(one_cosh(x), x != x ? y : with_signs(0, x, y));
    if (!is_finite(y)) {
        if (is_infinite(x)) return complex_of((double)INFINITY, (double)NAN);
        return complex_of((double)NAN, x == 0 ? 0 : (double)NAN);
    }
    if (x != x) return complex_of(x, x);
    double _Complex far = hyperbolic_far(x, y);
    return complex_of(__real__ far, with_signs(__imag__ far, x, __imag__ far));
}
static double _Complex rare_ctanh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (is_infinite(x)) {
        bool turned = is_finite(y) && fabs(y) > 1;
        return complex_of(copysign(1.0, x), signed_as(0, turned ? one_sin(y) * one_cos(y) : y));
    }
    if (y == 0) return complex_of(one_tanh(x), y);
    if (!is_finite(y) || x != x) return complex_of(x == 0 ? x : (double)NAN, (double)NAN);
    int power;
    two sine, cosine, size = exp_pair(-2 * fabs(x), &power);
    sine_cosine(y, &sine, &cosine);
    double im = scaled(two_multiply(two_multiply(sine, cosine), size), power + 2);
    return complex_of(copysign(1.0, x), im);
}

/* Return true if squares of a and b, sums of squares and their quotients stay in the range of doubles. */
static bool is_moderate(double a, double b) {
    double most = fmax(fabs(a), fabs(b));
    return most > 0x1p-300 && most < 0x1p300;
}
/* Return the binary exponent of the larger of |a| and |b|; 0 for zeros and non-finite parts. */
static int exponent_of_larger(double a, double b) {
    double most = fmax(fabs(a), fabs(b));
    return most > 0 && most < (double)INFINITY ? exponent_of(most) : 0;
}

static double _Complex quotient(double a, double b, double c, double d) {
    double size = c * c + d * d, ac = a * c, bd = b * d, bc = b * c, ad = a * d;
    MATH_APART(ac);
    MATH_APART(bd);
    MATH_APART(bc);
    MATH_APART(ad);
    return complex_of((ac + bd) / size, (bc - ad) / size);
}
/* Return 1 for an infinity and 0 for a finite number, with the sign of x. */
static double boxed(double x) { return copysign(is_infinite(x) ? 1.0 : 0.0, x); }
/* Return (a + bi) / (c + di) with infinite operands (C, annex G.5.1); sums are halved, as they could overflow. */
static double _Complex quotient_infinite(double a, double b, double c, double d) {
    double scale = 0;
    if (is_infinite(c) || is_infinite(d)) {
        if (!is_finite(a) || !is_finite(b)) return complex_of((double)NAN, (double)NAN);
        c = boxed(c), d = boxed(d), a /= 2, b /= 2;
    } else {
        a = boxed(a), b = boxed(b), c /= 2, d /= 2, scale = (double)INFINITY;
    }
    return complex_of(scale * (a * c + b * d), scale * (b * c - a * d));
}
/* Return x / y: scaled by powers of two if squares leave the range. */
static double _Complex one_cdiv(double _Complex x, double _Complex y) {
    double a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;
    if (d == 0) return complex_of(a / c, b / c); /* x / 1 is x, whatever its parts */
    if (is_moderate(a, b) && is_moderate(c, d)) return quotient(a, b, c, d);
    if (is_infinite(a) || is_infinite(b) || is_infinite(c) || is_infinite(d))
        return quotient_infinite(a, b, c, d);
    int above = exponent_of_larger(a, b), below = exponent_of_larger(c, d);
    double _Complex z = quotient(ldexp(a, -above), ldexp(b, -above), ldexp(c, -below), ldexp(d, -below));
    return complex_of(ldexp(__real__ z, above - below), ldexp(__imag__ z, above - below));
}
/* Return 1 / x: the conjugate divided by |x|^2, so that zero parts have the conjugate's signs. */
static double _Complex one_crecip(double _Complex x) {
    double c = __real__ x, d = __imag__ x, size;
    if (is_infinite(c) || is_infinite(d)) return complex_of(copysign(0.0, c), copysign(0.0, -d));
    if (c == 0 && d == 0) return complex_of(copysign((double)INFINITY, c), (double)NAN);
    int below = is_moderate(c, d) ? 0 : exponent_of_larger(c, d);
    c = ldexp(c, -below), d = ldexp(d, -below), size = c * c + d * d;
    return complex_of(ldexp(c / size, -below), ldexp(-d / size, -below));
}
