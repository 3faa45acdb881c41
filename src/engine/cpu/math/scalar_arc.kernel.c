/*
 * Template: complex inverse circular and hyperbolic functions for one lane: the text for lanes that complex_arc.h
 * leaves out. Ends are those of annex G.
 */

/* asin z = atan(x / root) + i log, for x, y >= 0. */
struct arc_parts {
    double root, log;
};
/* Return the parts next to 1, where both are the root of y, and far from 0, where they are those of log 2z. */
static struct arc_parts arc_parts(double x, double y) {
    if (x == 1 && y < 1) return (struct arc_parts){sqrt(y), sqrt(y)};
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
static double _Complex rare_casinh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (!is_finite(x) || !is_finite(y)) return casinh_special(x, y);
    struct arc_parts parts = arc_parts(fabs(y), fabs(x));
    return complex_of(copysign(parts.log, x), copysign(one_atan2(fabs(y), parts.root), y));
}
static double _Complex rare_cacos(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (!is_finite(x) || !is_finite(y)) {
        double _Complex w = casinh_special(y, x); /* i times its conjugate is asin z */
        double real = right_angle - __imag__ w;
        return complex_of(real == 0 ? 0 : real, -__real__ w);
    }
    struct arc_parts parts = arc_parts(fabs(x), fabs(y));
    return complex_of(one_atan2(parts.root, x), copysign(parts.log, -copysign(1.0, y)));
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
static double _Complex rare_cacosh(double _Complex z) {
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
/* Return the real part of atanh z for x, y >= 0. */
static double atanh_real(double x, double y) {
    if (fmax(x, y) < 0x1p60) /* x is 1 and y tiny */
        return y == 0 ? (double)INFINITY : (0.693147180559945309 - one_log(y)) / 2;
    int exponent = exponent_of(fmax(x, y)); /* x / |z|^2 */
    double u = shifted(x, -exponent), v = shifted(y, -exponent);
    return shifted(u / (u * u + v * v), -exponent);
}
static double _Complex rare_catanh(double _Complex z) {
    double x = __real__ z, y = __imag__ z, u = fabs(x), v = fabs(y), angle = right_angle;
    if (!is_finite(x) || !is_finite(y)) return catanh_special(x, y);
    if (u < 0x1p60 && v < 0x1p60) angle = v == 0 ? 0 : right_angle / 2;
    return complex_of(copysign(atanh_real(u, v), x), copysign(angle, y));
}
