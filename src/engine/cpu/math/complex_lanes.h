/*
 * Template: complex exponentials, logarithms, roots, powers, circular and hyperbolic functions in f64 lanes, after W.
 * Kahan, "Branch cuts for complex elementary functions" (1987), and T. Hull, T. Fairgrieve and P. Tang, "Implementing
 * complex elementary functions using exception handling" (1994). Parameters: those of math_float.h, with multiply-adds
 * that are rounded once. Products of two real functions are rounded plainly; sums that may cancel are pairs. Lanes at
 * the ends of the range, infinities and NaN are computed one by one (scalar_complex.kernel.c).
 */
#include "engine/cpu/math/math_pair.h"

struct L(complex) {
    L(vector) re, im;
};
#ifdef ONE_LANE /* scalar_complex.kernel.c defines these */
#define RARE(name) rare_##name
#define RARE1(name) static double _Complex rare_##name(double _Complex z);
RARE1(cexp)
RARE1(cexp2)
RARE1(cexpm1)
RARE1(clog)
RARE1(clog1p)
RARE1(csqrt)
RARE1(csinh)
RARE1(ccosh)
RARE1(ctanh)
RARE1(casinh)
RARE1(cacos)
RARE1(cacosh)
RARE1(catanh)
#undef RARE1
static double _Complex rare_cpow(double _Complex a, double _Complex b);
#else
#define RARE(name) math_##name
#endif

static double _Complex L(complex_lane)(struct L(complex) z, int i) {
    double _Complex y;
    __real__ y = AT(z.re, i);
    __imag__ y = AT(z.im, i);
    return y;
}
ALWAYS struct L(complex) L(complex_of_one)(double _Complex y) {
    return (struct L(complex)){LANE_0(__real__ y), LANE_0(__imag__ y)};
}
#ifndef COMPLEX_EACH /* programs for devices have one lane, and no pointers to functions */
#define COMPLEX_EACH(f, where, z, w) L(complex_each)(f, where, z, w)
/* Return w with f(z) in the lanes in `where`, which are rare. */
OUTSIDE struct L(complex) L(complex_each)(double _Complex (*f)(double _Complex), L(mask) where,
                                          struct L(complex) z, struct L(complex) w) {
    EACH_LANE(i) if (where[i]) {
        double _Complex y = f(L(complex_lane)(z, i));
        w.re[i] = __real__ y, w.im[i] = __imag__ y;
    }
    return w;
}
#endif
#define USUAL(usual, f, z, real, imaginary)                                                                  \
    L(mask) rare_lanes = NOT(usual);                                                                         \
    struct L(complex) w = {real, imaginary};                                                                 \
    return RARELY(rare_lanes) ? COMPLEX_EACH(RARE(f), rare_lanes, z, w) : w

/* Return the function of z with real and imaginary parts exchanged. */
ALWAYS struct L(complex) L(exchanged)(struct L(complex) z) { return (struct L(complex)){z.im, z.re}; }
#define EXCHANGED(name, of)                                                                                  \
    ALWAYS struct L(complex) L(complex_##name)(struct L(complex) z) {                                        \
        return L(exchanged)(L(complex_##of)(L(exchanged)(z)));                                               \
    }
/* Functions that loops of several dtypes call; inlined into the one caller of a unit of one lane. */
#ifdef ONE_LANE
#define COMPLEX(name) ALWAYS struct L(complex) L(complex_##name)
#else
#define COMPLEX(name) static __attribute__((noinline)) struct L(complex) L(complex_##name)
#endif

/* Return cosine + i sine of y. */
ALWAYS struct L(complex) L(direction)(L(vector) y) {
    struct L(angle) angle = L(angle_any)(y);
    L(vector) sine = L(sine_of)(angle);
    angle.index += 8;
    return (struct L(complex)){L(sine_of)(angle), SELECT(y == 0, y, sine)};
}
/* Set *sine and *cosine to those of y in pairs; angle is y reduced. */
ALWAYS void L(sine_cosine)(L(vector) y, struct L(angle) angle, struct L(two) * sine, struct L(two) * cosine) {
    sine->high = L(sine_parts)(angle, &sine->low);
    sine->high = SELECT(y == 0, y, sine->high);
    angle.index += 8;
    cosine->high = L(sine_parts)(angle, &cosine->low);
}
/* Set *sinh and *cosh to those of x >= 0 in pairs. */
ALWAYS void L(sinh_cosh)(L(vector) x, struct L(two) * sinh, struct L(two) * cosh) {
    struct L(halves) h = L(exp_halves)(x);
    struct L(two) sum = L(two_sum)(h.a, h.b), gap = L(two_sum)(h.a, -h.b);
    sum.low += h.low_a + h.low_b, gap.low += h.low_a - h.low_b;
    *sinh = L(two_add)(gap, L(two_scale)(sum, h.rest));
    sinh->low += L(madd)(gap.high, h.even, sum.high * h.odd);
    *sinh = L(two_short)(*sinh);
    *cosh = L(two_add)(sum, L(two_scale)(gap, h.rest));
    cosh->low += L(madd)(sum.high, h.even, gap.high * h.odd);
    *cosh = L(two_short)(*cosh);
}

COMPLEX(exp)(struct L(complex) z) {
    L(vector) size = EXP(z.re);
    struct L(complex) turn = L(direction)(z.im);
    USUAL((ABS(z.re) <= 700) & ISFINITE(z.im), cexp, z, size * turn.re, size * turn.im);
}
/* Return e^z - 1: e^x cos y - 1 = (e^x - 1) cos y - (1 - cos y), in pairs; 1 - cos y is sin^2 y / (1 + cos y) for
   a positive cosine. */
COMPLEX(expm1)(struct L(complex) z) {
    L(vector) x = z.re, y = z.im, one, power;
    struct L(two) sine, cosine, grown, unit = L(two_of)(L(splat)(1));
    L(sine_cosine)(y, L(angle_any)(y), &sine, &cosine);
    grown.high = L(expm1_parts)(L(between)(-LIMIT(EXPM1_FAR), LIMIT(EXP_FAR), x), &grown.low, &one, &power);
    grown.high = L(scale)(grown.high, power), grown.low = L(scale)(grown.low, power);
    grown = L(two_short)(grown);
    L(mask) right = cosine.high > 0;
    struct L(two) less =
        L(two_quotient)(L(two_select)(right, L(two_square)(sine), L(two_add)(unit, L(two_negative)(cosine))),
                        L(two_select)(right, L(two_add)(unit, cosine), unit));
    L(vector) re = L(rounded)(L(two_add)(L(two_times)(grown, cosine), L(two_negative)(less)));
    USUAL((ABS(x) <= 700) & ISFINITE(y), cexpm1, z, SELECT(y == 0, COPYSIGN(re, x), re), EXP(x) * sine.high);
}
/* Return 2^z = 2^x (cos t + i sin t), t = y log 2, for a y of few turns: angles of others need more digits of log 2. */
COMPLEX(exp2)(struct L(complex) z) {
    L(vector)
    x = z.re, y = z.im, size = EXP2(x), log_two = L(splat)((SCALAR)M_LN2), t = L(product)(y, log_two);
    struct L(angle) angle = L(angle_any)(t);
    angle.rest_low += L(madd_by)(y, (SCALAR)2.3190468138462996e-17, L(product_rest)(y, log_two, t));
    L(vector) sine = L(sine_of)(angle);
    angle.index += 8;
    USUAL((ABS(x) <= 1000) & (ABS(y) < 16), cexp2, z, size * L(sine_of)(angle),
          size * SELECT(y == 0, y, sine));
}
COMPLEX(sinh)(struct L(complex) z) {
    struct L(complex) turn = L(direction)(z.im);
    USUAL((ABS(z.re) < 700) & ISFINITE(z.im), csinh, z, SINH(z.re) * turn.re, COSH(z.re) * turn.im);
}
COMPLEX(cosh)(struct L(complex) z) {
    struct L(complex) turn = L(direction)(z.im);
    USUAL((ABS(z.re) < 700) & ISFINITE(z.im), ccosh, z, COSH(z.re) * turn.re, SINH(z.re) * turn.im);
}
/* Return tanh z = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), whose terms do not cancel. */
COMPLEX(tanh)(struct L(complex) z) {
    struct L(two) sine, cosine, sinh, cosh;
    L(vector) x = z.re;
    L(sine_cosine)(z.im, L(angle_any)(z.im), &sine, &cosine);
    L(sinh_cosh)(L(smaller)(L(splat)(300), ABS(x)), &sinh, &cosh);
    struct L(two) below = L(two_add)(L(two_square)(sinh), L(two_square)(cosine));
    struct L(two) re = L(two_quotient)(L(two_times)(sinh, cosh), below),
                  im = L(two_quotient)(L(two_times)(sine, cosine), below);
    USUAL((ABS(x) < 300) & ISFINITE(z.im), ctanh, z, COPYSIGN(L(rounded)(re), x),
          COPYSIGN(L(rounded)(im), im.high));
}
EXCHANGED(sin, sinh)
EXCHANGED(tan, tanh)
ALWAYS struct L(complex) L(complex_cos)(struct L(complex) z) {
    return L(complex_cosh)((struct L(complex)){-z.im, z.re});
}

/* Squares of parts and their sums lie far within the range. */
#define IS_MODERATE(square) (((square) > (SCALAR)0x1p-800) & ((square) < (SCALAR)0x1p800))
COMPLEX(log)(struct L(complex) z) {
    struct L(two) square = L(squares)(z.re, z.im);
    L(vector) re = L(rounded)(L(two_log)(square)) * (SCALAR)0.5;
    USUAL(IS_MODERATE(square.high), clog, z, re, ATAN2(z.im, z.re));
}
/* Return log(1 + z): |1 + z|^2 - 1 = 2 x + x^2 + y^2 as a pair, unless 1 + z is small. */
COMPLEX(log1p)(struct L(complex) z) {
    L(vector) x = z.re, y = z.im, unit = L(splat)(1);
    struct L(two) square = L(squares)(x, y), gap = L(two_add)(L(two_of)(x + x), square),
                  one = L(two_sum)(unit, x);
    struct L(two) all = L(two_add)(L(two_square)(one), L(two_product)(y, y)); /* |1 + z|^2 */
    struct L(two) sum = L(two_sum)(unit, gap.high);
    sum.low += gap.low;
    L(vector)
    re = L(rounded)(L(two_log)(L(two_select)(gap.high >= (SCALAR)-0.5, sum, all))) * (SCALAR)0.5;
    L(mask) usual = (square.high < (SCALAR)0x1p800) & (all.high > (SCALAR)0x1p-200) & (gap.high != 0);
    USUAL(usual, clog1p, z, re, ATAN2(y, one.high));
}
/* Return the square root with a real part >= 0; the larger part comes first (Kahan). */
COMPLEX(sqrt)(struct L(complex) z) {
    L(vector) u = ABS(z.re), v = ABS(z.im);
    struct L(two) p = L(two_product)(u, u), q = L(two_product)(v, v), sum = L(two_sum)(p.high, q.high);
    sum.low += p.low + q.low;
    L(vector) most = SQRT((L(rounded)(L(two_root)(sum)) + u) * (SCALAR)0.5);
    L(vector) least = v / L(larger)(L(splat)(LIMIT(SMALLEST)), most + most);
    L(mask) left = z.re < 0;
    USUAL(IS_MODERATE(sum.high) | ((u == 0) & (v == 0)), csqrt, z, SELECT(left, least, most),
          COPYSIGN(SELECT(left, most, least), z.im));
}

/* Return the angle of x + yi, which is not 0 and moderate, as a pair: atan2 and the angle that is left. */
ALWAYS struct L(two) L(angle_pair)(L(vector) x, L(vector) y) {
    L(vector) angle = ATAN2(y, x), size = SQRT(x * x + y * y);
    struct L(two) sine, cosine;
    L(sine_cosine)(angle, L(angle_any)(angle), &sine, &cosine);
    struct L(two) left = L(two_add)(L(two_scale)(cosine, y), L(two_scale)(sine, -x));
    return L(two_sum)(angle, L(rounded)(left) / size);
}
/* Return e^x 2^-*power for a pair x; x is clamped: e^1500 times the least sine still overflows. */
ALWAYS struct L(two) L(exp_pair)(struct L(two) x, L(vector) * power) {
    L(vector) of = L(between)(-1500, 1500, x.high);
    struct L(exponent) e = L(exp_reduce)(of, of * ONE_OVER_LN2, 16);
    struct L(two) y;
    y.high = L(exp_unscaled)(e, e.rest_low + SELECT(of == x.high, x.low, L(splat)(0)), &y.low);
    *power = e.n;
    return y;
}
/* Return a^b = e^(b log a), with the logarithm and the product in pairs; a is not 0. *usual: the valid lanes. */
ALWAYS struct L(complex) L(complex_pow_usual)(struct L(complex) a, struct L(complex) b, L(mask) * usual) {
    L(vector) exponent, power, most = L(larger)(ABS(a.re), ABS(a.im));
    L(split)(most, &exponent);
    L(vector) x = L(scale)(a.re, -exponent), y = L(scale)(a.im, -exponent);
    struct L(two) square = L(squares)(x, y), log, arg = L(angle_pair)(x, y), sine, cosine;
    log.high = L(log_of_sum_parts)(square.high, square.low, exponent + exponent, &log.low);
    log = L(two_half)(L(two_short)(log));
    struct L(two) re = L(two_add)(L(two_scale)(log, b.re), L(two_scale)(arg, -b.im));
    struct L(two) im = L(two_add)(L(two_scale)(arg, b.re), L(two_scale)(log, b.im));
    *usual = (most > 0) & (most < (SCALAR)INFINITY) & (ABS(a.re) < (SCALAR)INFINITY) &
             (ABS(a.im) < (SCALAR)INFINITY) & (ABS(b.re) < (SCALAR)1e200) & (ABS(b.im) < (SCALAR)1e200) &
             (ABS(im.high) < (SCALAR)0x1p40);
    struct L(angle) angle = L(angle_any)(im.high);
    struct L(two) rest = L(two_sum)(angle.rest, angle.rest_low + im.low);
    angle.rest = rest.high, angle.rest_low = rest.low;
    L(sine_cosine)(im.high, angle, &sine, &cosine);
    struct L(two) size = L(exp_pair)(re, &power);
    L(vector)
    half = FLOOR(power * (SCALAR)0.5), rest_power = power - half; /* either is in the range of scale */
    L(vector) u = L(rounded)(L(two_times)(size, cosine)), v = L(rounded)(L(two_times)(size, sine));
    return (struct L(complex)){L(scale)(L(scale)(u, half), rest_power),
                               L(scale)(L(scale)(v, half), rest_power)};
}

#ifndef ONE_LANE
/* Return a^b: in lanes with small integer exponents or zeros, and in others at the ends, one by one. */
static __attribute__((noinline)) struct L(complex) L(complex_pow)(struct L(complex) a, struct L(complex) b) {
    L(mask) usual = (L(mask)){0};
    L(mask) easy = ((b.im == 0) & (ABS(b.re) <= 64) & (ROUND(b.re) == b.re)) | ((a.re == 0) & (a.im == 0));
    struct L(complex) w = {0};
    if (L(any)(~easy)) w = L(complex_pow_usual)(a, b, &usual);
    L(mask) others = ~usual | easy;
    EACH_LANE(i) if (others[i]) {
        double _Complex y = special_complex_pow(L(complex_lane)(a, i), L(complex_lane)(b, i));
        w.re[i] = __real__ y, w.im[i] = __imag__ y;
    }
    return w;
}
/* Return a / b as math_cdiv does. */
static __attribute__((noinline)) struct L(complex) L(complex_div)(struct L(complex) a, struct L(complex) b) {
    L(vector) top = L(larger)(ABS(a.re), ABS(a.im)), low = L(larger)(ABS(b.re), ABS(b.im));
    L(vector)
    size = b.re * b.re + b.im * b.im, low_end = L(splat)((SCALAR)0x1p-300), end = L(splat)((SCALAR)0x1p300);
    L(mask) real = b.im == 0, usual = (top > low_end) & (top < end) & (low > low_end) & (low < end);
    usual &= (a.re == a.re) & (a.im == a.im) & (b.re == b.re) & (b.im == b.im);
    struct L(complex) w = {SELECT(real, a.re / b.re, (a.re * b.re + a.im * b.im) / size),
                           SELECT(real, a.im / b.re, (a.im * b.re - a.re * b.im) / size)};
    L(mask) others = ~(usual | real);
    if (__builtin_expect(L(any)(others), 0)) EACH_LANE(i) if (others[i]) {
            double _Complex y = math_cdiv(L(complex_lane)(a, i), L(complex_lane)(b, i));
            w.re[i] = __real__ y, w.im[i] = __imag__ y;
        }
    return w;
}
/* Return 1 / z as math_crecip does. */
COMPLEX(recip)(struct L(complex) z) {
    L(vector) most = L(larger)(ABS(z.re), ABS(z.im)), size = z.re * z.re + z.im * z.im;
    L(mask) usual = (most > (SCALAR)0x1p-300) & (most < (SCALAR)0x1p300) & (z.re == z.re) & (z.im == z.im);
    struct L(complex) w = {z.re / size, -z.im / size};
    return __builtin_expect(L(any)(~usual), 0) ? L(complex_each)(math_crecip, ~usual, z, w) : w;
}
#endif
