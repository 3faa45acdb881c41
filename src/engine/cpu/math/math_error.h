/*
 * Template: the error function and its complement. Parameters: those of math_float.h.
 *
 * erf is a polynomial on each of 16 intervals of equal length, and 1 after them. erfc x = e^(-x^2) g(x). The scaled
 * complement g is a polynomial on each half octave, x^2 has a low part, and erfc -x = 2 - erfc x. Both are expanded
 * about a midpoint c, with low parts of the first terms; the first interval has c = 0.
 */
CONSTANTS(L(erf_middle), ERF_MIDDLE);
CONSTANTS(L(erf_high), ERF_HIGH);
CONSTANTS(L(erf_low), ERF_LOW);
CONSTANTS(L(erf_slope_high), ERF_SLOPE_HIGH);
CONSTANTS(L(erf_slope_low), ERF_SLOPE_LOW);
CONSTANTS(L(erf_tail), ERF_TAIL);
CONSTANTS(L(erfc_middle), ERFC_MIDDLE);
CONSTANTS(L(erfc_high), ERFC_HIGH);
CONSTANTS(L(erfc_low), ERFC_LOW);
CONSTANTS(L(erfc_tail), ERFC_TAIL);

/* Return a polynomial in d of n coefficients, lane by lane: coefficient k is table[16 k + index % 16]. */
ALWAYS L(vector) L(piece)(L(vector) d, L(bits) index, ENTRIES table, int n) {
    L(vector) y = L(lookup)(table + 16 * (n - 1), index);
    for (int k = n - 2; k >= 0; k--) y = L(madd)(y, d, L(lookup)(table + 16 * k, index));
    return y;
}
#define PIECE(d, index, table) L(piece)(d, index, table, (int)(sizeof table / sizeof *table / 16))

ALWAYS L(vector) L(erf)(L(vector) x) {
    L(vector) y = L(smaller)(L(splat)(LIMIT(ERF_FAR)), ABS(x));
    L(bits) index;
    L(nearest)(L(madd_by)(y, LIMIT(ERF_PIECES), L(splat)(-(SCALAR)0.5)), &index);
    L(vector) d = y - L(lookup)(L(erf_middle), index), slope = L(lookup)(L(erf_slope_high), index);
    L(vector) linear = L(product)(d, slope), most = L(lookup)(L(erf_high), index), sum = most + linear;
    L(vector) low = L(product_rest)(d, slope, linear);
    low += L(madd)(d, L(lookup)(L(erf_slope_low), index),
                   L(lookup)(L(erf_low), index) + L(sum_rest)(most, linear, sum));
    sum += L(madd)(d * d, PIECE(d, index, L(erf_tail)), low);
#if !HAS_FMA /* product_rest is inexact for products near subnormal numbers */
    sum = SELECT(y < LIMIT(SMALLEST) * LIMIT(TO_NORMAL) * LIMIT(TO_NORMAL),
                 y + y * (slope - 1 + L(lookup)(L(erf_slope_low), index)), sum);
#endif
    return COPYSIGN(sum, x);
}

ALWAYS L(vector) L(erfc)(L(vector) x) {
    L(vector) y = L(smaller)(L(splat)(LIMIT(ERFC_FAR)), ABS(x));
    L(vector) square = L(product)(y, y), square_low = L(product_rest)(y, y, square);
    struct L(exponent) e = L(exp_reduce)(-square, -square * ONE_OVER_LN2, 16);
    L(vector) power_low, power = L(exp_unscaled)(e, e.rest_low - square_low, &power_low);
    L(bits)
    index = (AS_BITS(L(larger)(y, L(splat)((SCALAR)0.375))) - AS_BITS(L(splat)((SCALAR)0.375))) >>
            (LIMIT(DIGITS) - 2);
    L(vector) d = y - L(lookup)(L(erfc_middle), index), most = L(lookup)(L(erfc_high), index);
    L(vector) part = d * PIECE(d, index, L(erfc_tail)), g = most + part;
    L(vector) g_low = L(lookup)(L(erfc_low), index) + L(sum_rest)(most, part, g);
    L(vector)
    all = L(product)(g, power), low = L(product_rest)(g, power, all) + L(madd)(g, power_low, g_low * power);
    y = L(scale_part)(all + low, e.n, 16, e.index);
    return SELECT(x < 0, 2 - y, y);
}
