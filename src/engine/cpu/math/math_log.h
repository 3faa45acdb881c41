/*
 * Template: logarithms and inverse hyperbolic functions. Parameters: those of math_float.h.
 *
 * Method (P. Tang, "Table-driven implementation of the logarithm function in IEEE floating-point arithmetic", 1990):
 * x = 2^k m, 1 <= m < 2, c near m with an inverse of 6 bits, so that r = m/c - 1 is exact. log x = k log 2 + log c +
 * r - r^2/2 + ... The first two have so few bits that their sum is exact. Near 1 that sum is 0: c is 1 just above and
 * 2 just below. The argument may be a sum of high and low parts; large terms of the result stay in two parts until
 * the last addition.
 */
CONSTANTS(L(log_inverse), LOG_INVERSE);
CONSTANTS(L(log_tail), LOG_TAIL);

/* Tables for base e, 2 or 10. */
struct L(base) {
    ENTRIES high, low, two, scale;
};
#define BASE(name, prefix)                                                                                   \
    CONSTANTS(L(name##_high), prefix##_TABLE_HIGH);                                                          \
    CONSTANTS(L(name##_low), prefix##_TABLE_LOW);                                                            \
    CONSTANTS(L(name##_two), prefix##_TWO);                                                                  \
    CONSTANTS(L(name##_scale), prefix##_SCALE);                                                              \
    STORED_CONSTANT struct L(base)                                                                           \
        L(name##_base) = {L(name##_high), L(name##_low), L(name##_two), L(name##_scale)};
BASE(log, LOG)
BASE(log2, LOG2)
BASE(log10, LOG10)
#undef BASE

/* Return m of x = 2^exponent m, 1 <= m < 2, and set *exponent. NaN for negative x; *exponent is -inf for 0. */
ALWAYS L(vector) L(split)(L(vector) x, L(vector) * exponent) {
#if VECTOR_BYTES == 64
    *exponent = (L(vector))NATIVE(getexp)((NATIVE_TYPE)x);
    return (L(vector))NATIVE(getmant)((NATIVE_TYPE)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
#else
    L(mask) tiny = x < LIMIT(SMALLEST);
    x = SELECT(tiny, x * LIMIT(TO_NORMAL), x);
    L(bits) one = AS_BITS(L(splat)(1)), fraction = AS_BITS(x) & ~(ALL_BITS << (LIMIT(DIGITS) - 1));
    L(vector) biased = AS_VECTOR((AS_BITS(x) >> (LIMIT(DIGITS) - 1)) | AS_BITS(L(splat)(WHOLE))) - WHOLE;
    *exponent = biased - SELECT(tiny, L(splat)(LIMIT(BIAS) + LIMIT(NORMAL_BITS)), L(splat)(LIMIT(BIAS)));
    return AS_VECTOR(fraction | one);
#endif
}
/* Return r with m = c (1 + r), for the c near m of the table; set *index and *inverse, its position in the table
   and 1/c. */
ALWAYS L(vector) L(log_reduce)(L(vector) m, L(bits) * index, L(vector) * inverse) {
    *index = AS_BITS(m) >> (LIMIT(DIGITS) - 5);
    *inverse = L(lookup)(L(log_inverse), *index);
    return L(fused)(m, *inverse, L(splat)(-1));
}
/* Return exponent log 2 + log c + log(1 + r + rest) to a base, with low part *low; index is that of c. */
ALWAYS L(vector) L(log_sum)(L(vector) exponent, L(bits) index, L(vector) r, L(vector) rest,
                            struct L(base) base, L(vector) * low) {
    L(vector) much = L(madd_by)(exponent, base.two[0], L(lookup)(base.high, index));
    L(vector) less = L(madd_by)(exponent, base.two[1], L(lookup)(base.low, index));
    L(vector) linear = r, curve = L(madd)(r * r, POLYNOMIAL(r, L(log_tail)), rest);
    if (base.scale[0] != 1) {
        linear = L(product)(r, L(splat)(base.scale[0]));
        less += L(madd_by)(r, base.scale[1], L(product_rest)(r, L(splat)(base.scale[0]), linear));
        curve *= base.scale[0];
    }
    L(vector) sum = much + linear;
    *low = curve + (less + L(sum_rest)(much, linear, sum));
    return sum;
}
/* Return y, the logarithm of x, with results for 0, infinity, NaN and negative x in their lanes. Out of line, as
   they are rare. */
OUTSIDE L(vector) L(log_of_special)(L(vector) x, L(vector) y) {
    y = SELECT(x == 0, L(splat)(-INFINITY), SELECT(x == INFINITY, x, y));
    return SELECT(x < 0, L(splat)(NAN), SELECT(x != x, x, y));
}
ALWAYS L(vector) L(log_special)(L(vector) x, L(vector) y) {
    L(mask) special = NOT((x > 0) & (x < INFINITY));
    return RARELY(special) ? L(log_of_special)(x, y) : y;
}
ALWAYS L(vector) L(log_to)(L(vector) x, struct L(base) base) {
    L(bits) index;
    L(vector) exponent, inverse, low, r = L(log_reduce)(L(split)(x, &exponent), &index, &inverse);
    L(vector) high = L(log_sum)(exponent, index, r, L(splat)(-(SCALAR)0), base, &low);
    return L(log_special)(x, high + low);
}
ALWAYS L(vector) L(log)(L(vector) x) { return L(log_to)(x, L(log_base)); }
ALWAYS L(vector) L(log2)(L(vector) x) { return L(log_to)(x, L(log2_base)); }
ALWAYS L(vector) L(log10)(L(vector) x) { return L(log_to)(x, L(log10_base)); }

/* Return log 2^more (x + rest), |rest| below half a unit of x, with error term *low. */
ALWAYS L(vector) L(log_of_sum_parts)(L(vector) x, L(vector) rest, L(vector) more, L(vector) * low) {
    L(bits) index;
    L(vector) exponent, inverse, r = L(log_reduce)(L(split)(x, &exponent), &index, &inverse);
    rest = L(scale)(rest, -exponent) * inverse;
    L(vector) sum = r + rest;
    return L(log_sum)(exponent + more, index, sum, L(sum_rest)(r, rest, sum), L(log_base), low);
}
ALWAYS L(vector) L(log_of_sum)(L(vector) x, L(vector) rest, L(vector) more) {
    L(vector) low, high = L(log_of_sum_parts)(x, rest, more, &low);
    return high + low;
}
ALWAYS L(vector) L(log1p)(L(vector) x) {
    L(vector) sum = x + 1, y = L(log_of_sum)(sum, L(sum_rest_any)(L(splat)(1), x, sum), L(splat)(-(SCALAR)0));
    return COPYSIGN(L(log_special)(sum, y), x);
}

/* Return asinh x = log(y + sqrt(y^2 + 1)), y = |x|, with the sign of x; log 2y if y^2 absorbs the 1, y if the 1
   absorbs it. */
ALWAYS L(vector) L(asinh)(L(vector) x) {
    L(vector) y = ABS(x), square = L(product)(y, y), sum = square + 1, low;
    L(mask) huge = y > LIMIT(FAR_ASINH), tiny = y < LIMIT(NEAR_ASINH);
    L(vector)
    root = L(root)(sum, L(sum_rest_any)(square, L(splat)(1), sum) + L(product_rest)(y, y, square), &low);
    L(vector) all = SELECT(huge, y, root + y);
    low = SELECT(huge, L(splat)(0), L(sum_rest)(root, y, all) + low);
    L(vector) result = L(log_of_sum)(all, low, SELECT(huge, L(splat)(1), L(splat)(0)));
    result = SELECT(tiny, y, SELECT(y < INFINITY, result, y));
    return COPYSIGN(result, x);
}
ALWAYS L(vector) L(acosh)(L(vector) x) {
    L(vector) square = L(product)(x, x), sum = square - 1, low;
    L(mask) huge = x > LIMIT(FAR_ASINH);
    L(vector)
    root = L(root)(sum, L(sum_rest)(square, L(splat)(-1), sum) + L(product_rest)(x, x, square), &low);
    L(vector) all = SELECT(huge, x, x + root);
    low = SELECT(huge, L(splat)(0), L(sum_rest)(x, root, all) + low);
    L(vector) result = L(log_of_sum)(all, low, SELECT(huge, L(splat)(1), L(splat)(0)));
    return SELECT(x < 1, L(splat)(NAN), SELECT(x < INFINITY, result, x));
}
/* Return atanh x = log(1 + 2y/(1 - y)) / 2, y = |x|, with the sign of x; NaN if y > 1. */
ALWAYS L(vector) L(atanh)(L(vector) x) {
    L(vector) y = ABS(x), gap = 1 - y, low;
    L(vector) q = L(quotient_parts)(y + y, L(splat)(0), gap, L(sum_rest)(L(splat)(1), -y, gap), &low);
    L(vector)
    sum = 1 + q,
    result = L(log_of_sum)(sum, L(sum_rest_any)(L(splat)(1), q, sum) + low, L(splat)(-(SCALAR)0));
    result = SELECT(y < 1, result * (SCALAR)0.5, SELECT(y == 1, L(splat)(INFINITY), L(splat)(NAN)));
    return COPYSIGN(result, x);
}

/* Return log(1 + e^x) = max(x, 0) + log(1 + e^-|x|). */
ALWAYS L(vector) L(softplus)(L(vector) x) {
    L(vector) e_low, e = L(exp_parts)(-ABS(x), &e_low), sum = 1 + e, low;
    L(vector)
    log = L(log_of_sum_parts)(sum, L(sum_rest)(L(splat)(1), e, sum) + e_low, L(splat)(-(SCALAR)0), &low);
    L(vector) much = L(larger)(L(splat)(0), x), y = much + log;
    return SELECT(x < INFINITY, y + (low + L(sum_rest_any)(much, log, y)), x);
}
