/*
 * Template: complex inverse circular and hyperbolic functions for one lane, after T. Hull, T. Fairgrieve and P. Tang,
 * "Implementing the complex arcsine and arccosine functions using exception handling", ACM TOMS 23 (1997). With r =
 * |z + 1|, s = |z - 1|, a = (r + s)/2: asin z = atan(x / sqrt((a + x) (a - x))) + i log(a + sqrt(a^2 - 1)), where
 * a - 1 and a - x are sums of terms >= 0. Pairs of doubles keep all but the last roundings. Ends are those of annex G.
 */

static two two_half(two a) { return (two){a.high / 2, a.low / 2}; }
/* Return sqrt(x^2 + y^2), x a pair. */
static two length(two x, double y) { return two_root(two_add(two_multiply(x, x), two_product(y, y))); }
static two inverse_of(two a) { return ratio(two_of(1), a); }

/* asin z = atan(x / root) + i log, for x, y >= 0. */
struct arc_parts {
    double root, log;
};
/* Return the parts for x < 1; a - 1 = h y^2. */
static struct arc_parts arc_inside(double x, double y) {
    two up = two_sum(1, x), down = two_sum(1, -x), r = length(up, y), s = length(down, y);
    two a = two_half(two_add(r, s)), first = two_add(r, up), second = two_add(s, down),
        square = two_product(y, y);
    two h = two_half(two_add(inverse_of(first), inverse_of(second)));
    two root = two_scale(two_root(two_multiply(h, two_add(a, two_of(1)))), y);
    two gap = two_half(two_add(ratio(square, first), second)); /* a - x */
    return (struct arc_parts){two_root(two_multiply(two_add(a, two_of(x)), gap)).high,
                              log1p_pair(two_add(two_multiply(square, h), root)).high};
}
/* Return the parts for x >= 1. */
static struct arc_parts arc_outside(double x, double y) {
    if (x == 1 && y < 0x1p-200)
        return (struct arc_parts){sqrt(y), sqrt(y)}; /* halves of y may not be exact */
    two up = two_sum(x, 1), down = two_sum(x, -1), r = length(up, y),
        s = x == 1 ? two_of(y) : length(down, y);
    two a = two_half(two_add(r, s)), first = two_add(r, up), second = two_add(s, down);
    two gap = two_half(two_add(ratio(two_product(y, y), first), second)); /* a - 1 */
    two t = two_add(gap, two_root(two_multiply(gap, two_add(a, two_of(1)))));
    struct arc_parts parts = {.log = log1p_pair(t).high};
    two sum = two_add(a, two_of(x));
    if (x == 1) return parts.root = two_root(two_multiply(sum, gap)).high, parts; /* a - x is a - 1 */
    two h = two_half(two_add(inverse_of(first), inverse_of(second)));
    parts.root = two_scale(two_root(two_multiply(sum, h)), y).high;
    return parts;
}
/* Return the parts for finite x, y >= 0. Far from 0 they are those of log 2z. */
static struct arc_parts arc_parts(double x, double y) {
    const double far = 0x1p60;
    if (x < far && y < far) return x < 1 ? arc_inside(x, y) : arc_outside(x, y);
    return (struct arc_parts){y, log_squares(x, y, 2).high / 2};
}

static const double right_angle = 1.57079632679489661923;
static double _Complex casinh_special(double x, double y) {
    if (is_infinite(y)) {
        double angle = x != x ? x : is_infinite(x) ? right_angle / 2 : right_angle;
        return complex_of(signed_as((double)INFINITY, x), signed_as(angle, y));
    }
    if (is_finite(x)) return complex_of((double)NAN, (double)NAN);
    bool known = is_infinite(x) ? y == y : y == 0;
    return complex_of(x, known ? signed_as(0, y) : (double)NAN);
}
static double _Complex one_casinh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (!is_finite(x) || !is_finite(y)) return casinh_special(x, y);
    struct arc_parts parts = arc_parts(fabs(y), fabs(x));
    return complex_of(copysign(parts.log, x), copysign(one_atan2(fabs(y), parts.root), y));
}
static double _Complex one_casin(double _Complex z) { return exchanged(one_casinh(exchanged(z))); }
static double _Complex one_cacos(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (!is_finite(x) || !is_finite(y)) {
        double _Complex w = one_casin(z);
        double real = right_angle - __real__ w;
        return complex_of(real == 0 ? 0 : real, -__imag__ w);
    }
    struct arc_parts parts = arc_parts(fabs(x), fabs(y));
    return complex_of(one_atan2(parts.root, x), copysign(parts.log, -copysign(1, y)));
}
static double _Complex cacosh_special(double x, double y) {
    double infinite = (double)INFINITY, nan = (double)NAN;
    if (is_infinite(y)) {
        double angle = is_infinite(x) ? (x < 0 ? 3 : 1) * (right_angle / 2) : right_angle;
        return complex_of(infinite, x != x ? nan : signed_as(angle, y));
    }
    if (is_infinite(x)) return complex_of(infinite, y != y ? nan : signed_as(x < 0 ? 2 * right_angle : 0, y));
    return complex_of(nan, x == 0 ? right_angle : nan);
}
static double _Complex one_cacosh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (!is_finite(x) || !is_finite(y)) return cacosh_special(x, y);
    struct arc_parts parts = arc_parts(fabs(x), fabs(y));
    return complex_of(parts.log, copysign(one_atan2(parts.root, x), y));
}

static double _Complex catanh_special(double x, double y) {
    if (is_infinite(y)) return complex_of(signed_as(0, x), signed_as(right_angle, y));
    if (is_infinite(x) || x == 0) return complex_of(signed_as(0, x), y == y ? signed_as(right_angle, y) : y);
    return complex_of((double)NAN, (double)NAN);
}
/* Return the real part of atanh z for x, y >= 0: log(1 + 4x / ((1 - x)^2 + y^2)) / 4. */
static double atanh_real(double x, double y) {
    if (x == 1 && y < 0x1p-400) return y == 0 ? (double)INFINITY : (0.693147180559945309 - one_log(y)) / 2;
    if (fmax(x, y) >= 0x1p60) { /* x / |z|^2 */
        int exponent = exponent_of(fmax(x, y));
        double u = shifted(x, -exponent), v = shifted(y, -exponent);
        return shifted(u / (u * u + v * v), -exponent);
    }
    two gap = two_sum(1, -x), below = two_add(two_multiply(gap, gap), two_product(y, y));
    return log1p_pair(ratio(two_of(4 * x), below)).high / 4;
}
static double _Complex one_catanh(double _Complex z) {
    double x = __real__ z, y = __imag__ z, u = fabs(x), v = fabs(y), angle = right_angle;
    if (!is_finite(x) || !is_finite(y)) return catanh_special(x, y);
    if (u < 0x1p60 && v < 0x1p60) {
        two sum = squares(u, v);
        double gap = two_subtract(two_of(1), sum).high;
        angle = u == 1 && v < 0x1p-400 ? (v == 0 ? 0 : right_angle / 2) : one_atan2(2 * v, gap) / 2;
    }
    return complex_of(copysign(atanh_real(u, v), x), copysign(angle, y));
}
static double _Complex one_catan(double _Complex z) { return exchanged(one_catanh(exchanged(z))); }
