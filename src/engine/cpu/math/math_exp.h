/*
 * Template: the exponential and what is made of it.  Parameters: those of math_float.h.
 *
 * Method (P. Tang, "Table-driven implementation of the exponential function in IEEE floating-point
 * arithmetic", 1989): x = (16 k + j) ln2/16 + r with |r| <= ln2/32, e^x = 2^k T[j] (1 + r + r^2 P(r)).  T has
 * a high and a low part, so that almost all of the error is the last rounding.  What subtracts (expm1, sinh)
 * keeps the rounding errors of the larger terms and adds them to the smaller ones.
 */
CONSTANTS(L(exp_high), EXP2_16_HIGH);
CONSTANTS(L(exp_low), EXP2_16_LOW);
CONSTANTS(L(exp_tail), EXP_TAIL);
CONSTANTS(L(sinh_tail), SINH_TAIL);
CONSTANTS(L(cosh_tail), COSH_TAIL);
CONSTANTS(L(ln2_16), LN2_16);
#define SIXTEEN_OVER_LN2 (SCALAR)23.083120654223413

/* x = n ln2/16 + rest + rest_low, where n is what `sixteenths` is nearest to. */
struct L(exponent) {
    L(vector) n, rest, rest_low;
    L(bits) index;
};
ALWAYS struct L(exponent) L(exp_reduce)(L(vector) x, L(vector) sixteenths) {
    struct L(exponent) e;
    e.n = L(nearest)(sixteenths, &e.index);
    L(vector) high = x - e.n * L(ln2_16)[0], small = L(product)(e.n, L(splat)(L(ln2_16)[1]));
    e.rest = high - small;
    e.rest_low = L(sum_rest)(high, -small, e.rest);
    return e;
}
/* e^rest - 1 - rest */
ALWAYS L(vector) L(exp_curve)(L(vector) rest) { return rest * rest * POLYNOMIAL(rest, L(exp_tail)); }

/* 2^(n/16) (1 + rest + curve), n/16 split by the bits of the index. */
ALWAYS L(vector) L(exp_join)(L(vector) n, L(bits) index, L(vector) fraction) {
    L(vector) high = L(lookup)(L(exp_high), index), low = L(lookup)(L(exp_low), index);
    return L(scale)(high + (high * fraction + low), n * (SCALAR)0.0625);
}
ALWAYS L(vector) L(exp)(L(vector) x) {
    x = L(between)(-LIMIT(EXP_FAR), LIMIT(EXP_FAR), x);
    struct L(exponent) e = L(exp_reduce)(x, x * SIXTEEN_OVER_LN2);
    return L(exp_join)(e.n, e.index, e.rest + L(exp_curve)(e.rest));
}
ALWAYS L(vector) L(exp2)(L(vector) x) {
    x = L(between)(-2 * LIMIT(EXP_FAR), 2 * LIMIT(EXP_FAR), x);
    L(bits) index;
    L(vector) n = L(nearest)(x * 16, &index), rest = (x - n * (SCALAR)0.0625) * (SCALAR)M_LN2;
    return L(exp_join)(n, index, rest + L(exp_curve)(rest));
}

/* (e^x - 1) 2^-k, k = floor(n/16): the sum of what is returned and *low; *one is 2^-k, *power n/16. */
ALWAYS L(vector) L(expm1_parts)(L(vector) x, L(vector) * low, L(vector) * one, L(vector) * power) {
    struct L(exponent) e = L(exp_reduce)(x, x * SIXTEEN_OVER_LN2);
    *power = e.n * (SCALAR)0.0625;
    *one = L(scale)(L(splat)(1), -FLOOR(*power));
    L(vector) high = L(lookup)(L(exp_high), e.index), much = high - *one;
    L(vector) linear = L(product)(high, e.rest), sum = much + linear;
    L(vector) low_high = L(lookup)(L(exp_low), e.index);
    *low = L(product_rest)(high, e.rest, linear) + (low_high * e.rest + low_high) +
           (L(exp_curve)(e.rest) + e.rest_low) * high;
    *low += L(sum_rest)(much, linear, sum) + L(sum_rest_any)(high, -*one, much);
    return sum;
}
ALWAYS L(vector) L(expm1)(L(vector) x) {
    L(vector)
    low, one, power,
        sum = L(expm1_parts)(L(between)(-LIMIT(EXPM1_FAR), LIMIT(EXP_FAR), x), &low, &one, &power);
    return COPYSIGN(L(scale)(sum + low, power), x);
}
/* (e^2x - 1) / (e^2x - 1 + 2) */
ALWAYS L(vector) L(tanh)(L(vector) x) {
    L(vector) twice = L(smaller)(L(splat)(LIMIT(EXPM1_FAR)), 2 * ABS(x));
    L(vector) low, one, power, sum = L(expm1_parts)(twice, &low, &one, &power), two = one + one;
    L(vector) all = sum + low, much = all + two;
    low = L(sum_rest)(sum, low, all);
    return COPYSIGN(L(quotient)(all, low, much, L(sum_rest_any)(all, two, much) + low), x);
}

/* e^x / 2 and e^-x / 2 of x >= 0 as sums (1 + even + odd) a, (1 + even - odd) b with a = A + low_a, b = B +
 * low_b. */
struct L(halves) {
    L(vector) a, low_a, b, low_b, even, rest, odd;
};
ALWAYS struct L(halves) L(exp_halves)(L(vector) x) {
    L(vector) last = L(splat)(16 * (LIMIT(BIAS) + 2) - 1); /* that does not overflow */
    struct L(exponent) e = L(exp_reduce)(x, L(smaller)(last, x * SIXTEEN_OVER_LN2));
    L(vector) up = e.n * (SCALAR)0.0625 - 1, down = e.n * (SCALAR)-0.0625 - 1, z = e.rest * e.rest;
    struct L(halves) h = {.rest = e.rest};
    h.a = L(scale)(L(lookup)(L(exp_high), e.index), up);
    h.low_a = L(scale)(L(lookup)(L(exp_low), e.index), up);
    h.b = L(scale)(L(lookup)(L(exp_high), -e.index), down);
    h.low_b = L(scale)(L(lookup)(L(exp_low), -e.index), down);
    h.even = z * POLYNOMIAL(z, L(cosh_tail));
    h.odd = z * e.rest * POLYNOMIAL(z, L(sinh_tail)) + e.rest_low;
    return h;
}
/* (a - b) (1 + even) + (a + b) (rest + odd); where a - b is small, (a + b) rest counts almost as much. */
ALWAYS L(vector) L(sinh)(L(vector) x) {
    struct L(halves) h = L(exp_halves)(ABS(x));
    L(vector) sum = h.a + h.b, low_sum = L(sum_rest)(h.a, h.b, sum) + (h.low_a + h.low_b);
    L(vector) gap = h.a - h.b, low_gap = L(sum_rest)(h.a, -h.b, gap) + (h.low_a - h.low_b);
    L(vector) linear = L(product)(sum, h.rest), y = gap + linear;
    L(vector)
    low = L(product_rest)(sum, h.rest, linear) + low_sum * h.rest + (low_gap + L(sum_rest)(gap, linear, y));
    y += low + (gap * h.even + sum * h.odd);
    return COPYSIGN(SELECT(ABS(x) > LIMIT(SINH_FAR), L(splat)(INFINITY), y), x);
}
ALWAYS L(vector) L(cosh)(L(vector) x) {
    struct L(halves) h = L(exp_halves)(ABS(x));
    L(vector) sum = h.a + h.b, low_sum = L(sum_rest)(h.a, h.b, sum) + (h.low_a + h.low_b);
    sum += low_sum + (sum * h.even + (h.a - h.b) * (h.rest + h.odd));
    return SELECT(ABS(x) > LIMIT(SINH_FAR), L(splat)(INFINITY), sum);
}

/* e^x of x <= 0, and *low of it. */
ALWAYS L(vector) L(exp_parts)(L(vector) x, L(vector) * low) {
    x = L(larger)(L(splat)(-LIMIT(EXP_FAR)), x);
    struct L(exponent) e = L(exp_reduce)(x, x * SIXTEEN_OVER_LN2);
    L(vector) high = L(lookup)(L(exp_high), e.index), power = e.n * (SCALAR)0.0625;
    L(vector)
    more = high * (e.rest + L(exp_curve)(e.rest)) + L(lookup)(L(exp_low), e.index), all = high + more;
    *low = L(scale)(L(sum_rest)(high, more, all), power);
    return L(scale)(all, power);
}
/* 1 / (1 + e^-x), or e^x / (1 + e^x) of a negative x. */
ALWAYS L(vector) L(sigmoid)(L(vector) x) {
    L(vector)
    low, e = L(exp_parts)(-ABS(x), &low), sum = 1 + e, sum_low = L(sum_rest)(L(splat)(1), e, sum) + low;
    L(mask) negative = x < 0;
    return L(quotient)(SELECT(negative, e, L(splat)(1)), SELECT(negative, low, L(splat)(0)), sum, sum_low);
}
