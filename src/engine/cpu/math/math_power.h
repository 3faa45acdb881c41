/*
 * Template: powers and roots. Parameters: those of math_float.h.
 *
 * pow: e^(b log a). The exponent may reach 700, so its logarithm needs ten more bits than the result. log a is k log
 * 2 + log c + r - r^2/2 + r^3/3 - ... as in math_log.h, with low parts of all but the fourth power. cbrt: table
 * values of c and (1 + r)^(1/3) to 3/4 of the digits, then a Newton step with exact residue.
 */
CONSTANTS(L(pow_tail), POW_TAIL);
CONSTANTS(L(third), THIRD);
CONSTANTS(L(cbrt_guess), CBRT_GUESS);
CONSTANTS(L(cbrt_slope), CBRT_SLOPE);
CONSTANTS(L(cbrt_two_high), CBRT_TWO_HIGH);
CONSTANTS(L(cbrt_two_low), CBRT_TWO_LOW);
CONSTANTS(L(cbrt_tail), CBRT_TAIL);

/* Return r^2 (r/3 - 1/2) + r^4 P(r), which is log(1 + r) - r, with error term *low. */
ALWAYS L(vector) L(pow_curve)(L(vector) r, L(vector) * low) {
    L(vector) square = L(product)(r, r), square_low = L(product_rest)(r, r, square);
    L(vector) third = L(product)(r, L(splat)(L(third)[0])), factor = third - (SCALAR)0.5;
    L(vector) factor_low = L(madd_by)(r, L(third)[1], L(sum_rest)(L(splat)(-(SCALAR)0.5), third, factor));
    factor_low += L(product_rest)(r, L(splat)(L(third)[0]), third);
    L(vector) y = L(product)(square, factor);
    *low = L(product_rest)(square, factor, y) + L(madd)(square, factor_low, square_low * factor);
    *low = L(madd)(square * square, POLYNOMIAL(r, L(pow_tail)), *low);
    return y;
}
/* Return log x for a finite x > 0, with error term *low: 10 bits more than the type. */
ALWAYS L(vector) L(log_long)(L(vector) x, L(vector) * low) {
    L(bits) index;
    L(vector) exponent, inverse, curve_low, r = L(log_reduce)(L(split)(x, &exponent), &index, &inverse);
    L(vector) much = L(madd_by)(exponent, L(log_two)[0], L(lookup)(L(log_high), index));
    L(vector) less = L(madd_by)(exponent, L(log_two)[1], L(lookup)(L(log_low), index));
    L(vector) curve = L(pow_curve)(r, &curve_low), some = much + r, all = some + curve;
    less += L(sum_rest)(much, r, some) + L(sum_rest)(some, curve, all) + curve_low;
    L(vector) y = all + less;
    *low = L(sum_rest)(all, less, y);
    return y;
}
/* Return a^b with results for negative, zero, infinite or NaN bases in their lanes; y is |a|^b. Out of line, as
   they are rare. */
OUTSIDE L(vector) L(pow_of_special)(L(vector) a, L(vector) b, L(vector) y) {
    L(vector) x = ABS(a);
    L(vector) infinite = L(splat)(INFINITY), zero = L(splat)(0), one = L(splat)(1);
    y = SELECT((x == 0) | (x == INFINITY), SELECT((x == 0) ^ (b < 0), zero, infinite), y);
    L(mask) whole = ROUND(b) == b, odd = whole & (ROUND(b * (SCALAR)0.5) != b * (SCALAR)0.5);
    y = SELECT(odd, COPYSIGN(y, a), y);
    y = SELECT((a < 0) & NOT(whole) & (x < INFINITY), L(splat)(NAN), y);
    y = SELECT((a != a) | (b != b), a + b, y);
    return SELECT((a == 1) | (b == 0), one, y);
}
/* Return the mask of powers of a single rounding: squares, square roots, first powers. Decided per lane, so that
   bits do not depend on neighbours. */
ALWAYS L(mask) L(pow_is_easy)(L(vector) a, L(vector) b) {
    return (b == 2) | (b == 1) | ((b == (SCALAR)0.5) & (a > 0));
}
ALWAYS L(vector) L(pow_easy)(L(vector) a, L(vector) b) {
    return SELECT(b == 2, a * a, SELECT(b == 1, a, SQRT(a)));
}
ALWAYS L(vector) L(pow_general)(L(vector) a, L(vector) b) {
    L(vector) x = ABS(a), most = L(splat)(LIMIT(POW_FAR)), low;
    L(vector) log = L(log_long)(x, &low), exponent = L(larger)(-most, L(smaller)(most, b));
    L(vector) high = L(product)(exponent, log);
    low = L(between)(-(SCALAR)0.5, (SCALAR)0.5, L(madd)(exponent, low, L(product_rest)(exponent, log, high)));
    high = L(between)(-LIMIT(EXP_FAR), LIMIT(EXP_FAR), high);
    struct L(exponent) e = L(exp_reduce)(high, high * ONE_OVER_LN2, EXP_PARTS);
    low += e.rest_low;
    L(vector) y = L(exp_join)(e.n, e.index, L(exp_fraction)(e.rest, L(exp_step_curve)(e.rest), low));
    L(mask) special = NOT((a > 0) & (a < INFINITY) & (b == b));
    return RARELY(special) ? L(pow_of_special)(a, b, y) : y;
}
ALWAYS L(vector) L(pow)(L(vector) a, L(vector) b) {
    L(mask) easy = L(pow_is_easy)(a, b);
    if (!RARELY(easy)) return L(pow_general)(a, b);
    L(vector) y = L(pow_easy)(a, b);
    return L(any)(NOT(easy)) ? SELECT(easy, y, L(pow_general)(a, b)) : y;
}

ALWAYS L(vector) L(cbrt)(L(vector) x) {
    L(bits) index, unused;
    L(vector) exponent, inverse, m = L(split)(ABS(x), &exponent), r = L(log_reduce)(m, &index, &inverse);
    L(vector)
    power = L(nearest)(L(madd_by)(exponent, (SCALAR)(1 / 3.0), L(splat)((SCALAR)(-1 / 3.0))), &unused);
    L(bits) left;
    L(nearest)(L(madd_by)(power, -3, exponent), &left);
    L(vector) guess = L(lookup)(L(cbrt_guess), index);
    L(vector) y = L(madd)(guess, r * POLYNOMIAL(r, L(cbrt_tail)), guess);
    L(vector) square = L(product)(y, y), cube = L(product)(square, y);
    L(vector)
    residue = L(madd)(-L(product_rest)(y, y, square), y, (m - cube) - L(product_rest)(square, y, cube));
    L(vector) slope = L(lookup)(L(cbrt_slope), index);
    L(vector) low = residue * L(madd_by)(slope * r, (SCALAR)(-2 / 3.0), slope);
    L(vector) two = L(lookup)(L(cbrt_two_high), left), all = L(product)(y, two);
    low = L(madd)(low, two, L(madd)(y, L(lookup)(L(cbrt_two_low), left), L(product_rest)(y, two, all)));
    y = L(scale)(all + low, power);
    return SELECT((x == 0) | NOT(ISFINITE(x)), x, COPYSIGN(y, x));
}

/* Return sqrt(a^2 + b^2) without overflow. The sum of squares, first scaled to between 1 and 8, and its root have
   low parts. */
ALWAYS L(vector) L(hypot)(L(vector) a, L(vector) b) {
    L(vector) x = ABS(a), y = ABS(b), most = L(larger)(x, y), least = L(smaller)(x, y), exponent, low;
    L(split)(most, &exponent);
    exponent = L(larger)(L(splat)(-LIMIT(BIAS)), exponent);
    most = L(scale)(most, -exponent), least = L(scale)(least, -exponent);
    L(vector) p = L(product)(most, most), q = L(product)(least, least), sum = p + q;
    low = L(sum_rest)(p, q, sum) + (L(product_rest)(most, most, p) + L(product_rest)(least, least, q));
    L(vector) root = L(root)(sum, low, &low);
    root = L(scale)(root + low, exponent);
    root = SELECT((a != a) | (b != b), a + b, root);
    return SELECT(ISINF(a) | ISINF(b), L(splat)(INFINITY), root);
}
