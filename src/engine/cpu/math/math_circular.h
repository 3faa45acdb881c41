/*
 * Template: sine, cosine, tangent. Parameters: those of math_float.h.
 *
 * x = n pi/16 + r with |r| <= pi/32: sin x = +-(S[n] cos r + C[n] sin r). S and C are sine and cosine of j pi/16, -8
 * <= j < 8, j congruent n modulo 16; the sign is that of the remaining half turns. The table has C - 1 instead of C:
 * S + r is summed exactly, and the rest is small. pi/16 is subtracted in parts (W. Cody and W. Waite, "Software
 * manual for the elementary functions", 1980), of which all but the last two products are exact; their rounding
 * errors are kept. Lanes with larger arguments are reduced one by one (math_far.h).
 */
#include "engine/cpu/math/math_far.h"

CONSTANTS(L(sin_high), SIN_16_HIGH);
CONSTANTS(L(sin_low), SIN_16_LOW);
CONSTANTS(L(cos_high), COS_16_HIGH);
CONSTANTS(L(cos_low), COS_16_LOW);
CONSTANTS(L(cos_less), COS_16_LESS);
CONSTANTS(L(sin_tail), SIN_TAIL);
CONSTANTS(L(cos_tail), COS_TAIL);
CONSTANTS(L(tan_tail), TAN_TAIL);
CONSTANTS(L(pi_parts), PI_PARTS);
#if HAS_FMA
CONSTANTS(L(pi_16), PI_16);
#define ANGLE_FAR LIMIT(TRIG_FAR)
#else
CONSTANTS(L(pi_16), PI_16_SHORT);
#define ANGLE_FAR LIMIT(TRIG_FAR_SHORT)
#endif

/* x = n pi/16 + rest + rest_low; the low bits of index are those of n. */
struct L(angle) {
    L(bits) index;
    L(vector) rest, rest_low;
};
ALWAYS L(vector) L(take_away)(L(vector) n, SCALAR part, L(vector) x) { return L(madd_by)(-n, part, x); }
ALWAYS struct L(angle) L(angle_reduce)(L(vector) x) {
    enum { PARTS = sizeof L(pi_16) / sizeof *L(pi_16) };
    struct L(angle) angle;
    L(vector) n = L(nearest)(x * (SCALAR)5.09295817894065074, &angle.index);
    for (int k = 0; k < PARTS - 2; k++) x = L(take_away)(n, L(pi_16)[k], x);
    L(vector) part = L(splat)(L(pi_16)[PARTS - 2]), small = L(product)(n, part);
    angle.rest = x - small;
    angle.rest_low = L(madd_by)(-n, L(pi_16)[PARTS - 1], L(sum_rest)(x, -small, angle.rest));
#if HAS_FMA && LANE_BITS == 32 /* else the product is exact */
    angle.rest_low -= L(product_rest)(n, part, small);
#endif
    return angle;
}
/* Return `angle` with the reduced angles of finite x in the lanes `far`; out of line, as they are rare. */
OUTSIDE struct L(angle) L(angles_far)(L(mask) far, L(vector) x, struct L(angle) angle) {
    EACH_LANE(i) if (AT(far, i) && fabs((double)AT(x, i)) < (double)INFINITY) {
        struct far_angle one = far_angle((double)AT(x, i));
        SCALAR rest = (SCALAR)one.rest;
        AT(angle.index, i) = (JOIN(JOIN(uint, LANE_BITS), _t))one.index, AT(angle.rest, i) = rest;
        AT(angle.rest_low, i) = (SCALAR)((one.rest - (double)rest) + one.rest_low);
    }
    return angle;
}
/* Return the reduced angle of any x; of NaN if x is infinite. */
ALWAYS struct L(angle) L(angle_any)(L(vector) x) {
    L(mask) far = NOT(ABS(x) < ANGLE_FAR);
    struct L(angle) angle = L(angle_reduce)(x);
    return RARELY(far) ? L(angles_far)(far, x, angle) : angle;
}
ALWAYS L(vector) L(sine_of)(struct L(angle) angle) {
    L(vector) z = angle.rest * angle.rest, s = L(lookup)(L(sin_high), angle.index);
    L(vector) odd = L(madd)(z * angle.rest, POLYNOMIAL(z, L(sin_tail)), angle.rest_low);
    L(vector) even = z * POLYNOMIAL(z, L(cos_tail)), sum = s + angle.rest;
    L(vector) less = L(lookup)(L(cos_less), angle.index);
    L(vector) low = L(madd)(less, angle.rest + odd, L(lookup)(L(sin_low), angle.index));
    sum += L(madd)(s, even, odd + (low + L(sum_rest)(s, angle.rest, sum)));
    L(bits) turns = (angle.index + 8) << (LANE_BITS - 5) & ~(ALL_BITS >> 1);
    return AS_VECTOR(AS_BITS(sum) ^ turns);
}
/* Return s + c t with error term *low, for t = rest + more, |more| far below |rest|; low_s is a low part of s. */
ALWAYS L(vector)
    L(turn)(L(vector) s, L(vector) low_s, L(vector) c, L(vector) rest, L(vector) more, L(vector) * low) {
    L(vector) linear = L(product)(c, rest), sum = s + linear;
    L(vector)
    less = L(madd)(c, more, L(product_rest)(c, rest, linear)) + (low_s + L(sum_rest_any)(s, linear, sum));
    linear = sum + less;
    *low = L(sum_rest)(sum, less, linear);
    return linear;
}
/* Return the sine of a reduced angle with error term *low: ten bits more than sine_of. */
ALWAYS L(vector) L(sine_parts)(struct L(angle) angle, L(vector) * low) {
    L(vector) z = angle.rest * angle.rest, s = L(lookup)(L(sin_high), angle.index);
    L(vector) c = L(lookup)(L(cos_high), angle.index), low_c = L(lookup)(L(cos_low), angle.index), less;
    L(vector) odd = L(madd)(z * angle.rest, POLYNOMIAL(z, L(sin_tail)), angle.rest_low);
    L(vector) sum = L(turn)(s, L(lookup)(L(sin_low), angle.index), c, angle.rest, odd, &less), all;
    less += L(madd)(s, z * POLYNOMIAL(z, L(cos_tail)), low_c * angle.rest);
    all = sum + less;
    L(bits) turns = (angle.index + 8) << (LANE_BITS - 5) & ~(ALL_BITS >> 1);
    *low = AS_VECTOR(AS_BITS(L(sum_rest)(sum, less, all)) ^ turns);
    return AS_VECTOR(AS_BITS(all) ^ turns);
}
/* Return the tangent of a reduced angle: (S + C t) / (C - S t), t = tan r. */
ALWAYS L(vector) L(tangent_of)(struct L(angle) angle) {
    L(vector) z = angle.rest * angle.rest;
    L(vector) more = L(madd)(z * angle.rest, POLYNOMIAL(z, L(tan_tail)), angle.rest_low);
    L(vector) s = L(lookup)(L(sin_high), angle.index), low_s = L(lookup)(L(sin_low), angle.index);
    L(vector) c = L(lookup)(L(cos_high), angle.index), low_c = L(lookup)(L(cos_low), angle.index);
    L(vector) low_a, low_b, a = L(turn)(s, low_s, c, angle.rest, more, &low_a);
    L(vector) b = L(turn)(c, low_c, -s, angle.rest, more, &low_b);
    return L(quotient)(a, L(madd)(low_c, angle.rest, low_a), b, L(madd)(-low_s, angle.rest, low_b));
}
/* Zeros keep their sign. Vectors with far angles are computed again, out of line: a call in the middle would spill
   the constants of all others. */
#define ANGLES(name, value)                                                                                  \
    OUTSIDE L(vector) L(far_##name)(L(vector) x) {                                                           \
        struct L(angle) angle = L(angle_any)(x);                                                             \
        return value;                                                                                        \
    }                                                                                                        \
    ALWAYS L(vector) JOIN(name##_, LANE)(L(vector) x) { /* C libraries may have a macro of this name */      \
        L(mask) far = NOT(ABS(x) < ANGLE_FAR);                                                               \
        struct L(angle) angle = L(angle_reduce)(x);                                                          \
        L(vector) y = value;                                                                                 \
        return RARELY(far) ? L(far_##name)(x) : y;                                                           \
    }
ANGLES(sin, SELECT(x == 0, x, L(sine_of)(angle)))
ANGLES(cos, (angle.index += 8, L(sine_of)(angle)))
ANGLES(tan, SELECT(x == 0, x, L(tangent_of)(angle)))
#undef ANGLES

/* Return the reduced angle of pi x; multiples of 2 and of 1/16 are subtracted from x exactly. */
ALWAYS struct L(angle) L(half_turns)(L(vector) x) {
    struct L(angle) angle;
    L(vector) pi = L(splat)(L(pi_parts)[0]), y = L(madd_by)(ROUND(x * (SCALAR)0.5), -2, x);
    y = L(madd_by)(L(nearest)(y * 16, &angle.index), (SCALAR)-0.0625, y);
    angle.rest = L(product)(y, pi);
    angle.rest_low = L(madd_by)(y, L(pi_parts)[1], L(product_rest)(y, pi, angle.rest));
    return angle;
}
/* Return sin(pi x). A zero result has the sign of x (IEEE 754-2019, 9.2.1). */
ALWAYS L(vector) L(sinpi)(L(vector) x) {
    L(vector) y = L(sine_of)(L(half_turns)(x));
#if !HAS_FMA /* product_rest is inexact for products near subnormal numbers */
    L(mask) tiny = ABS(x) < LIMIT(SMALLEST) * LIMIT(TO_NORMAL) * LIMIT(TO_NORMAL);
    y = SELECT(tiny, x * L(pi_parts)[0], y);
#endif
    return SELECT(y == 0, COPYSIGN(y, x), y);
}
/* Return cos(pi x). A zero result is +0. */
ALWAYS L(vector) L(cospi)(L(vector) x) {
    struct L(angle) angle = L(half_turns)(x);
    angle.index += 8;
    return L(sine_of)(angle) + 0;
}
#undef ANGLE_FAR
