/*
 * Template: complex exponentials, logarithms, powers and hyperbolic functions for one lane, after W. Kahan, "Branch
 * cuts for complex elementary functions" (1987), and T. Hull, T. Fairgrieve and P. Tang, "Implementing complex
 * elementary functions using exception handling" (1994). Products of two real functions are rounded plainly; sums
 * that may cancel are pairs of doubles. Values next to infinities and NaN are those of C's annex G; parts that it
 * leaves open are +0, +inf or NaN.
 */

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
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 52 ? (int)(bits >> 52) - 1023 : ilogb(x);
}
/* Return x 2^k, rounded once. */
static double shifted(double x, int k) {
    uint64_t bits = (uint64_t)(1023 + k) << 52;
    double power;
    if (k < -1000 || k > 1000) return ldexp(x, k);
    memcpy(&power, &bits, sizeof power);
    return x * power;
}
/* Return size with the sign of x; + for NaN, whose sign differs between processors. */
static double signed_as(double size, double x) { return copysign(size, x == x ? x : 1); }
/* Return imaginary + i real, as functions with real and imaginary parts exchanged need. */
static double _Complex exchanged(double _Complex z) { return complex_of(__imag__ z, __real__ z); }

/* Return a / b, b not 0, with one correction: to a few units of 2^-104. */
static two ratio(two a, two b) {
    double first = a.high / b.high, rest = __builtin_fma(-first, b.high, a.high) + (a.low - first * b.low);
    return two_sum(first, rest / b.high);
}
/* Return the root of a >= 0 as a pair. */
static two two_root(two a) {
    double root = sqrt(a.high);
    return root > 0 ? two_sum(root, (__builtin_fma(-root, root, a.high) + a.low) / (2 * root)) : two_of(0);
}
/* Return x^2 + y^2 as a pair: the sum of four products is exact but for its last bits, also if 1 is subtracted. */
static two squares(double x, double y) {
    two p = two_product(x, x), q = two_product(y, y), high = two_sum(p.high, q.high),
        low = two_sum(p.low, q.low);
    two middle = two_sum(high.low, low.high), sum = two_sum(high.high, middle.high);
    return (two){sum.high, sum.low + (middle.low + low.low)};
}
/* Return log(2^more (x + rest)) as a pair. */
static two log_pair(double x, double rest, double more) {
    L(vector) low, high = L(log_of_sum_parts)(L(splat)(x), L(splat)(rest), L(splat)(more), &low);
    return two_sum(high[0], low[0]);
}
/* Return log(1 + t) as a pair, for t >= 0 or a small t. */
static two log1p_pair(two t) {
    two sum = two_sum(1, t.high);
    return log_pair(sum.high, sum.low + t.low, -0.0);
}
/* Return log(2^twice (x^2 + y^2)), for finite x and y of which one is not 0: the exponent comes first. */
static two log_squares(double x, double y, double twice) {
    int exponent = exponent_of(fmax(fabs(x), fabs(y)));
    two sum = squares(shifted(x, -exponent), shifted(y, -exponent));
    return log_pair(sum.high, sum.low, 2.0 * exponent + twice);
}
/* Return sine and cosine of y + less in pairs, for a finite y. */
static void sine_cosine(double y, double less, two *sine, two *cosine) {
    struct L(angle) angle = L(angle_any)(L(splat)(y));
    angle.rest_low += less;
    L(vector) low_s, low_c, s = L(sine_parts)(angle, &low_s);
    angle.index += 8;
    L(vector) c = L(sine_parts)(angle, &low_c);
    *sine = y == 0 ? two_of(y) : (two){s[0], low_s[0]}, *cosine = (two){c[0], low_c[0]};
}
#define ONE_OVER_LOG2 1.4426950408889634
/* Return y with e^x = y 2^*power, for a pair x; y is between 1/2 and 4. Beyond all results x is clamped. */
static two exp_pair(two x, int *power) {
    const double most = 1500; /* e^1500 times the least sine still overflows */
    double low, clamped = fmax(-most, fmin(most, x.high));
    L(vector) of = L(splat)(clamped), rest, y;
    struct L(exponent) e = L(exp_reduce)(of, of * ONE_OVER_LOG2, 16);
    y = L(exp_unscaled)(e, e.rest_low + (clamped == x.high ? x.low : 0), &rest);
    *power = (int)floor(e.n[0]), low = rest[0];
    return two_sum(y[0], low);
}
/* Return a pair times a power of two, rounded. */
static double scaled(two x, int power) { return shifted(x.high + x.low, power); }
/* Return x with the sign of the product of a and b. */
static double with_signs(double x, double a, double b) {
    return copysign(x, copysign(1, a) * copysign(1, b));
}

/* Return e^x (cos y + i sin y) for parts of which one is infinite or NaN. */
static double _Complex exp_special(double x, double y) {
    if (y == 0) return complex_of(one_exp(x), y);
    if (!is_infinite(x)) return complex_of((double)NAN, (double)NAN);
    if (!is_finite(y)) return x > 0 ? complex_of(x, (double)NAN) : complex_of(0, signed_as(0, y));
    double size = x > 0 ? x : 0;
    return complex_of(copysign(size, one_cos(y)), copysign(size, one_sin(y)));
}
/* Return e^(x + y i); x and y are pairs. */
static double _Complex exp_of_pairs(two x, two y) {
    int power;
    two sine, cosine, size = exp_pair(x, &power);
    sine_cosine(y.high, y.low, &sine, &cosine);
    return complex_of(scaled(two_multiply(size, cosine), power),
                      copysign(scaled(two_multiply(size, sine), power), sine.high));
}
static double _Complex one_cexp(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (!is_finite(x) || !is_finite(y) || y == 0) return exp_special(x, y);
    if (fabs(x) > 700) return exp_of_pairs(two_of(x), two_of(y));
    double size = one_exp(x);
    return complex_of(size * one_cos(y), size * one_sin(y));
}
static two expm1_pair(double x) {
    L(vector) low, one, power, high = L(expm1_parts)(L(splat)(x), &low, &one, &power);
    int exponent = (int)floor(power[0]);
    return two_sum(shifted(high[0], exponent), shifted(low[0], exponent));
}
/* Return e^z - 1: e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y/2), in pairs unless e^x is far from 1. */
static double _Complex one_cexpm1(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (y == 0) return complex_of(one_expm1(x), y);
    if (!(fabs(x) < 30) || !is_finite(y)) {
        double _Complex e = one_cexp(z);
        return complex_of(__real__ e - 1, __imag__ e);
    }
    two sine, cosine, half, unused;
    sine_cosine(y, 0, &sine, &cosine);
    sine_cosine(y / 2, 0, &half, &unused);
    two less = two_multiply(half, half), real = two_multiply(expm1_pair(x), cosine);
    real = two_subtract(real, two_add(less, less));
    return complex_of(real.high, one_exp(x) * sine.high);
}

static double _Complex one_clog(double _Complex z) {
    double x = __real__ z, y = __imag__ z, angle = one_atan2(y, x);
    if (is_infinite(x) || is_infinite(y)) return complex_of((double)INFINITY, angle);
    if (x != x || y != y) return complex_of((double)NAN, (double)NAN);
    if (x == 0 && y == 0) return complex_of(-(double)INFINITY, angle);
    return complex_of(log_squares(x, y, 0).high / 2, angle);
}
/* Return log(1 + z): |1 + z|^2 - 1 = 2 x + x^2 + y^2 as a pair, if it is small or 1 + z rounds. */
static double _Complex one_clog1p(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (y == 0 && x >= -1) return complex_of(one_log1p(x), y);
    if (!(fabs(x) < 0x1p60 && fabs(y) < 0x1p60)) return one_clog(complex_of(1 + x, y));
    two gap = two_add(two_of(2 * x), squares(x, y)), one = two_sum(1, x);
    two all = two_add(two_multiply(one, one), two_product(y, y)); /* |1 + z|^2 */
    two real = gap.high >= -0.5      ? log1p_pair(gap)
               : all.high > 0x1p-200 ? log_pair(all.high, all.low, -0.0)
                                     : log_squares(one.high, y, 0); /* 1 + x is exact */
    return complex_of(real.high / 2, one_atan2(y, one.high));
}

/* Return the square root with a real part >= 0; the larger part comes first (Kahan). */
static double _Complex one_csqrt(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (is_infinite(y)) return complex_of((double)INFINITY, y);
    if (is_infinite(x) && x < 0) return complex_of(y != y ? y : 0, signed_as((double)INFINITY, y));
    if (is_infinite(x)) return complex_of(x, y != y ? y : copysign(0, y));
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
    two sine, cosine, size = exp_pair(two_of(fabs(x)), &power);
    sine_cosine(y, 0, &sine, &cosine);
    return complex_of(scaled(two_multiply(size, cosine), power - 1),
                      scaled(two_multiply(size, sine), power - 1));
}
static double _Complex one_csinh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (y == 0) return complex_of(one_sinh(x), y);
    if (!is_finite(y)) {
        if (is_infinite(x)) return complex_of((double)INFINITY, (double)NAN);
        return complex_of(x == 0 ? x : (double)NAN, (double)NAN);
    }
    if (x != x) return complex_of(x, x);
    if (fabs(x) < 700) return complex_of(one_sinh(x) * one_cos(y), one_cosh(x) * one_sin(y));
    double _Complex far = hyperbolic_far(x, y);
    return complex_of(with_signs(__real__ far, x, __real__ far), __imag__ far);
}
static double _Complex one_ccosh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    if (y == 0) return complex_of(one_cosh(x), x != x ? y : with_signs(0, x, y));
    if (!is_finite(y)) {
        if (is_infinite(x)) return complex_of((double)INFINITY, (double)NAN);
        return complex_of((double)NAN, x == 0 ? 0 : (double)NAN);
    }
    if (x != x) return complex_of(x, x);
    if (fabs(x) < 700) return complex_of(one_cosh(x) * one_cos(y), one_sinh(x) * one_sin(y));
    double _Complex far = hyperbolic_far(x, y);
    return complex_of(__real__ far, with_signs(__imag__ far, x, __imag__ far));
}
/* Set sinh and cosh of x, 0 <= x <= 22, in pairs: from E = e^x - 1 and 1 / (1 + E). */
static void sinh_cosh(double x, two *sinh, two *cosh) {
    two grown = expm1_pair(x), all = two_add(grown, two_of(1)), inverse = ratio(two_of(1), all);
    two s = two_add(grown, two_multiply(grown, inverse)), c = two_add(all, inverse);
    *sinh = (two){s.high / 2, s.low / 2}, *cosh = (two){c.high / 2, c.low / 2};
}
/* Return tanh z = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), whose terms do not cancel. */
static double _Complex one_ctanh(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    const double far = 22; /* tanh x rounds to 1 */
    if (is_infinite(x)) {
        bool turned = is_finite(y) && fabs(y) > 1;
        return complex_of(copysign(1, x), signed_as(0, turned ? one_sin(y) * one_cos(y) : y));
    }
    if (y == 0) return complex_of(one_tanh(x), y);
    if (!is_finite(y) || x != x) return complex_of(x == 0 ? x : (double)NAN, (double)NAN);
    two sine, cosine, sinh, cosh;
    sine_cosine(y, 0, &sine, &cosine);
    two product = two_multiply(sine, cosine);
    if (fabs(x) > far) {
        int power;
        two size = exp_pair(two_of(fmax(-2 * fabs(x), -1500)), &power);
        return complex_of(copysign(1, x), scaled(two_multiply(product, size), power + 2));
    }
    sinh_cosh(fabs(x), &sinh, &cosh);
    two below = two_add(two_multiply(sinh, sinh), two_multiply(cosine, cosine));
    double real = ratio(two_multiply(sinh, cosh), below).high;
    return complex_of(copysign(real, x), ratio(product, below).high);
}
static double _Complex one_csin(double _Complex z) { return exchanged(one_csinh(exchanged(z))); }
static double _Complex one_ccos(double _Complex z) { return one_ccosh(complex_of(-__imag__ z, __real__ z)); }
static double _Complex one_ctan(double _Complex z) { return exchanged(one_ctanh(exchanged(z))); }

/* Return the angle of x + yi, finite and not 0, as a pair: atan2 and the angle that is left. */
static two angle_pair(double x, double y) {
    double angle = one_atan2(y, x), size = fmax(fabs(x), fabs(y));
    int exponent = exponent_of(size);
    two sine, cosine;
    x = shifted(x, -exponent), y = shifted(y, -exponent);
    sine_cosine(angle, 0, &sine, &cosine);
    two left = two_subtract(two_multiply(two_of(y), cosine), two_multiply(two_of(x), sine));
    return two_sum(angle, left.high / one_hypot(x, y));
}
/* Return (u + v i) log; of a NaN with an infinity as annex G.5.1 does. Compilers' products differ in such cases. */
static double _Complex times_logarithm(double u, double v, double _Complex log) {
    double c = __real__ log, d = __imag__ log, real = u * c - v * d, imaginary = u * d + v * c;
    if (real == real || imaginary == imaginary || !is_infinite(c)) return complex_of(real, imaginary);
    c = copysign(1, c), d = 0, u = u == u ? u : 0, v = v == v ? v : 0;
    return complex_of((double)INFINITY * (u * c - v * d), (double)INFINITY * (u * d + v * c));
}
/* Return a^b = e^(b log a), with the logarithm and the product in pairs; a is not 0. */
static double _Complex one_cpow(double _Complex a, double _Complex b) {
    double x = __real__ a, y = __imag__ a, u = __real__ b, v = __imag__ b;
    if (!is_finite(x) || !is_finite(y) || !(fabs(u) < 1e200) || !(fabs(v) < 1e200)) {
        double _Complex log = one_clog(a);
        return one_cexp(times_logarithm(u, v, log));
    }
    two twice = log_squares(x, y, 0), log = {twice.high / 2, twice.low / 2}, angle = angle_pair(x, y);
    two real = two_subtract(two_scale(log, u), two_scale(angle, v));
    return exp_of_pairs(real, two_add(two_scale(angle, u), two_scale(log, v)));
}
