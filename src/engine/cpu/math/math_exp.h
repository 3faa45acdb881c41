/*
 * Template: the exponential and functions based on it. Parameters: those of math_float.h.
 *
 * Method (P. Tang, "Table-driven implementation of the exponential function in IEEE floating-point arithmetic",
 * 1989): x = (16 k + j) ln2/16 + r with |r| <= ln2/32, e^x = 2^k T[j] (1 + r + r^2 P(r)). T has a high and a low
 * part, so the last rounding makes nearly all of the error. Functions that subtract (expm1, sinh) keep rounding
 * errors of the larger terms and add them to the smaller ones. Doubles step by quarters of ln2 (EXP_PARTS) where
 * nothing else needs sixteenths: look-ups in four entries are much faster than in 16 on AVX2.
 */
CONSTANTS(L(exp_high), EXP2_16_HIGH);
CONSTANTS(L(exp_low), EXP2_16_LOW);
CONSTANTS(L(exp_tail), EXP_TAIL);
CONSTANTS(L(sinh_tail), SINH_TAIL);
CONSTANTS(L(cosh_tail), COSH_TAIL);
CONSTANTS(L(ln2), LN2);
CONSTANTS(L(lg2), LG2);
#define ONE_OVER_LN2 (SCALAR)1.4426950408889634
#define ONE_OVER_LG2 (SCALAR)3.321928094887362

#if LANE_BITS == 64
#define EXP_PARTS 4
CONSTANTS(L(exp_4_high), EXP2_4_HIGH);
CONSTANTS(L(exp_4_low), EXP2_4_LOW);
CONSTANTS(L(exp_4_tail), EXP_4_TAIL);
#define EXP_TABLE(part, index) L(lookup_4)(L(exp_4_##part), index)
#define EXP_STEP_TAIL L(exp_4_tail)
#else
#define EXP_PARTS 16
#define EXP_TABLE(part, index) L(lookup)(L(exp_##part), index)
#define EXP_STEP_TAIL L(exp_tail)
#endif

/* x = n ln2 + rest + rest_low, n the multiple of 1/parts nearest to `power`; index: its count of parts. */
struct L(exponent) {
    L(vector) n, rest, rest_low;
    L(bits) index;
};
ALWAYS struct L(exponent) L(exp_reduce)(L(vector) x, L(vector) power, int parts) {
    struct L(exponent) e;
    e.n = L(nearest_part)(power, parts, &e.index);
    L(vector) high = L(madd_by)(-e.n, L(ln2)[0], x), small = L(product)(e.n, L(splat)(L(ln2)[1]));
    e.rest = high - small;
    e.rest_low = L(sum_rest)(high, -small, e.rest);
    return e;
}
/* Return e^rest - 1 - rest after a reduction by sixteenths of ln 2: |rest| <= ln2/32. */
ALWAYS L(vector) L(exp_curve)(L(vector) rest) { return rest * rest * POLYNOMIAL(rest, L(exp_tail)); }
/* Return e^rest - 1 - rest after a reduction by parts of ln 2, EXP_PARTS. */
ALWAYS L(vector) L(exp_step_curve)(L(vector) rest) { return rest * rest * POLYNOMIAL(rest, EXP_STEP_TAIL); }
/* Return e^rest - 1 after a reduction by parts of ln 2, EXP_PARTS. */
ALWAYS L(vector) L(exp_step_grown)(L(vector) rest) {
    return L(madd)(rest * rest, POLYNOMIAL(rest, EXP_STEP_TAIL), rest);
}

/* Return e^(rest + less) - 1 for a far smaller `less`; curve is e^rest - 1 - rest. */
ALWAYS L(vector) L(exp_fraction)(L(vector) rest, L(vector) curve, L(vector) less) {
    return rest + (curve + L(madd)(less, rest + curve, less));
}

/* Return 2^n (1 + fraction), also if it overflows or becomes subnormal; index holds the low bits of n EXP_PARTS. */
ALWAYS L(vector) L(exp_join)(L(vector) n, L(bits) index, L(vector) fraction) {
    L(vector) high = EXP_TABLE(high, index), low = EXP_TABLE(low, index);
    return L(scale_part)(high + L(madd)(high, fraction, low), n, EXP_PARTS, index);
}
ALWAYS L(vector) L(exp)(L(vector) x) {
    x = L(between)(-LIMIT(EXP_FAR), LIMIT(EXP_FAR), x);
    struct L(exponent) e = L(exp_reduce)(x, x * ONE_OVER_LN2, EXP_PARTS);
    return L(exp_join)(e.n, e.index, L(exp_step_grown)(e.rest));
}
ALWAYS L(vector) L(exp2)(L(vector) x) {
    x = L(between)(-2 * LIMIT(EXP_FAR), 2 * LIMIT(EXP_FAR), x);
    L(bits) index;
    L(vector)
    n = L(nearest_part)(x, EXP_PARTS, &index), rest = (x - n) * (SCALAR)M_LN2;
    return L(exp_join)(n, index, L(exp_step_grown)(rest));
}

/* Return 10^x = 2^n e^(rest log 10), x = n lg 2 + rest, lg to base 10. */
ALWAYS L(vector) L(exp10)(L(vector) x) {
    x = L(between)(-LIMIT(EXP10_FAR), LIMIT(EXP10_FAR), x);
    L(bits) index;
    L(vector) n = L(nearest_part)(x * ONE_OVER_LG2, EXP_PARTS, &index);
    L(vector) rest = L(madd_by)(-n, L(lg2)[0], x);
    rest = L(madd_by)(-n, L(lg2)[1], rest) * (SCALAR)M_LN10;
    return L(exp_join)(n, index, L(exp_step_grown)(rest));
}

/* Return the high part of (e^x - 1) 2^-k, k = floor(n) for the reduction x = n ln2 + rest, with low part *low. *one is
   2^-k, *power n. */
ALWAYS L(vector) L(expm1_parts)(L(vector) x, L(vector) * low, L(vector) * one, L(vector) * power) {
    struct L(exponent) e = L(exp_reduce)(x, x * ONE_OVER_LN2, 16);
    *power = e.n;
    *one = L(scale)(L(splat)(1), -FLOOR(*power));
    L(vector) high = L(lookup)(L(exp_high), e.index), much = high - *one;
    L(vector) linear = L(product)(high, e.rest), sum = much + linear;
    L(vector) low_high = L(lookup)(L(exp_low), e.index);
    *low = L(product_rest)(high, e.rest, linear) + L(madd)(low_high, e.rest, low_high);
    *low = L(madd)(L(exp_curve)(e.rest) + e.rest_low, high, *low);
    *low += L(sum_rest)(much, linear, sum) + L(sum_rest_any)(high, -*one, much);
    return sum;
}
ALWAYS L(vector) L(expm1)(L(vector) x) {
    L(vector)
    low, one, power,
        sum = L(expm1_parts)(L(between)(-LIMIT(EXPM1_FAR), LIMIT(EXP_FAR), x), &low, &one, &power);
    return COPYSIGN(L(scale)(sum + low, power), x);
}
/* Return tanh x = (e^2x - 1) / (e^2x - 1 + 2) of |x|, with the sign of x. */
ALWAYS L(vector) L(tanh)(L(vector) x) {
    L(vector) twice = L(smaller)(L(splat)(LIMIT(EXPM1_FAR)), 2 * ABS(x));
    L(vector) low, one, power, sum = L(expm1_parts)(twice, &low, &one, &power), two = one + one;
    L(vector) all = sum + low, much = all + two;
    low = L(sum_rest)(sum, low, all);
    return COPYSIGN(L(quotient)(all, low, much, L(sum_rest_any)(all, two, much) + low), x);
}

/* Return e^(x + less) 2^-floor(n) for the reduced x in e and a far smaller `less`, with error term *low. */
ALWAYS L(vector) L(exp_unscaled)(struct L(exponent) e, L(vector) less, L(vector) * low) {
    L(vector) high = L(lookup)(L(exp_high), e.index);
    L(vector) fraction = L(exp_fraction)(e.rest, L(exp_curve)(e.rest), less);
    L(vector) more = L(madd)(high, fraction, L(lookup)(L(exp_low), e.index)), all = high + more;
    *low = L(sum_rest)(high, more, all);
    return all;
}

/* e^x / 2 = (1 + even + odd) a and e^-x / 2 = (1 + even - odd) b for x >= 0, with low parts low_a of a and low_b
   of b. */
struct L(halves) {
    L(vector) a, low_a, b, low_b, even, rest, odd;
};
ALWAYS struct L(halves) L(exp_halves)(L(vector) x) {
    L(vector) last = L(splat)(LIMIT(BIAS) + 2 - (SCALAR)0.0625); /* the last n without overflow */
    struct L(exponent) e = L(exp_reduce)(x, L(smaller)(last, x * ONE_OVER_LN2), 16);
    L(vector) up = e.n - 1, down = -1 - e.n, z = e.rest * e.rest;
    struct L(halves) h;
    h.rest = e.rest;
    h.a = L(scale)(L(lookup)(L(exp_high), e.index), up);
    h.low_a = L(scale)(L(lookup)(L(exp_low), e.index), up);
    h.b = L(scale)(L(lookup)(L(exp_high), -e.index), down);
    h.low_b = L(scale)(L(lookup)(L(exp_low), -e.index), down);
    h.even = z * POLYNOMIAL(z, L(cosh_tail));
    h.odd = L(madd)(z * e.rest, POLYNOMIAL(z, L(sinh_tail)), e.rest_low);
    return h;
}
/* Return sinh x = (a - b) (1 + even) + (a + b) (rest + odd); for small a - b, (a + b) rest counts almost as much. */
ALWAYS L(vector) L(sinh)(L(vector) x) {
    struct L(halves) h = L(exp_halves)(ABS(x));
    L(vector) sum = h.a + h.b, low_sum = L(sum_rest)(h.a, h.b, sum) + (h.low_a + h.low_b);
    L(vector) gap = h.a - h.b, low_gap = L(sum_rest)(h.a, -h.b, gap) + (h.low_a - h.low_b);
    L(vector) linear = L(product)(sum, h.rest), y = gap + linear;
    L(vector) low = L(madd)(low_sum, h.rest, L(product_rest)(sum, h.rest, linear));
    low += low_gap + L(sum_rest)(gap, linear, y);
    y += low + L(madd)(gap, h.even, sum * h.odd);
    return COPYSIGN(SELECT(ABS(x) > LIMIT(SINH_FAR), L(splat)(INFINITY), y), x);
}
ALWAYS L(vector) L(cosh)(L(vector) x) {
    struct L(halves) h = L(exp_halves)(ABS(x));
    L(vector) sum = h.a + h.b, low_sum = L(sum_rest)(h.a, h.b, sum) + (h.low_a + h.low_b);
    sum += low_sum + L(madd)(sum, h.even, (h.a - h.b) * (h.rest + h.odd));
    return SELECT(ABS(x) > LIMIT(SINH_FAR), L(splat)(INFINITY), sum);
}

/* Return e^x for x <= 0, with error term *low; 0 for very small x. */
ALWAYS L(vector) L(exp_parts)(L(vector) x, L(vector) * low) {
    x = L(larger)(L(splat)(-LIMIT(EXP_FAR)), x);
    struct L(exponent) e = L(exp_reduce)(x, x * ONE_OVER_LN2, EXP_PARTS);
    L(vector) high = EXP_TABLE(high, e.index);
    L(vector) more = L(madd)(high, L(exp_step_grown)(e.rest), EXP_TABLE(low, e.index)), all = high + more;
    *low = L(scale)(L(sum_rest)(high, more, all), e.n);
    return L(scale)(all, e.n);
}
/* Return the logistic function: 1 / (1 + e^-x) for x >= 0, e^x / (1 + e^x) for negative x. */
ALWAYS L(vector) L(sigmoid)(L(vector) x) {
    L(vector)
    low, e = L(exp_parts)(-ABS(x), &low), sum = 1 + e, sum_low = L(sum_rest)(L(splat)(1), e, sum) + low;
    L(mask) negative = x < 0;
    return L(quotient)(SELECT(negative, e, L(splat)(1)), SELECT(negative, low, L(splat)(0)), sum, sum_low);
}
