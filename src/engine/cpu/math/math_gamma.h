/*
 * Template: the gamma function and log |gamma|. Parameters: those of math_float.h.
 *
 * Stirling's formula for y >= 3, with its remainder as a polynomial in 1/y^2 (DLMF 5.11.1). Below, gamma uses
 * gamma(a) = gamma(a + 3) / (a (a + 1) (a + 2)). lgamma is a polynomial on each of 16 intervals about n/4, two of
 * them centred at the zeros 1 and 2; below them it is log gamma(1 + a) - log a. Left of 0 the reflection gamma(-a) =
 * -pi / (a sin(pi a) gamma(a)) applies (DLMF 5.5.3). Sums and products have low parts, which keeps digits at zeros
 * and in exponents.
 */
CONSTANTS(L(lgamma_high), LGAMMA_HIGH);
CONSTANTS(L(lgamma_low), LGAMMA_LOW);
CONSTANTS(L(lgamma_slope_high), LGAMMA_SLOPE_HIGH);
CONSTANTS(L(lgamma_slope_low), LGAMMA_SLOPE_LOW);
CONSTANTS(L(lgamma_tail), LGAMMA_TAIL);
CONSTANTS(L(stirling_tail), STIRLING_TAIL);
CONSTANTS(L(half_log_tau), HALF_LOG_TAU);
CONSTANTS(L(log_pi), LOG_PI);

/* Return unit * log gamma(y + more) for y >= 3, with error term *low; unit is a power of two, |more| below a unit
   of y. */
ALWAYS L(vector) L(stirling)(L(vector) y, L(vector) more, L(vector) unit, L(vector) * low) {
    L(vector) log_low, log = L(log_long)(y, &log_low), inverse = 1 / y;
    L(vector) whole = y * unit, less = unit * (SCALAR)0.5, part = whole - less, p = L(product)(part, log);
    L(vector) rest = L(madd)(part, log_low, L(sum_rest)(whole, -less, part) * log);
    L(vector) some = p - whole, tau = unit * L(half_log_tau)[0], sum = some + tau;
    rest += L(product_rest)(part, log, p) + L(sum_rest_any)(p, -whole, some);
    L(vector)
    tail = L(madd)(inverse, POLYNOMIAL(inverse * inverse, L(stirling_tail)), L(splat)(L(half_log_tau)[1]));
    rest +=
        L(sum_rest_any)(some, tau, sum) + L(madd)(tail, unit, more * L(madd_by)(inverse, (SCALAR)-0.5, log));
    whole = sum + rest;
    *low = L(sum_rest)(sum, rest, whole);
    return whole;
}
/* Return (a + 1) (a + 2) for 0 <= a < 3, with error term *low. */
ALWAYS L(vector) L(next_two)(L(vector) a, L(vector) * low) {
    L(vector) one = L(splat)(1), two = L(splat)(2), b = a + 1, c = a + 2, y = L(product)(b, c);
    *low = L(madd)(b, L(sum_rest_any)(two, a, c), c * L(sum_rest_any)(one, a, b)) + L(product_rest)(b, c, y);
    return y;
}
/* e^(log + log_low) num / den, with low parts; large magnitudes are in the exponential. */
struct L(gamma_parts) {
    L(vector) log, log_low, num, num_low, den, den_low;
};
/* Return the parts of gamma(-a) in lanes `left`, x = -a, and g, those of gamma(a), in others: swap numerator and
   denominator, and include pi and the sine. */
ALWAYS struct L(gamma_parts) L(gamma_reflect)(struct L(gamma_parts) g, L(vector) x, L(mask) left) {
    L(vector) sine_low, sine = L(sine_parts)(L(half_turns)(x), &sine_low), pi = L(splat)(L(pi_parts)[0]);
    L(vector) num = L(product)(g.den, pi);
    L(vector)
    num_low = L(madd)(g.den_low, pi, L(madd_by)(g.den, L(pi_parts)[1], L(product_rest)(g.den, pi, num)));
    g.num = SELECT(left, num, g.num), g.num_low = SELECT(left, num_low, g.num_low);
    g.den = SELECT(left, sine, g.den), g.den_low = SELECT(left, sine_low, g.den_low);
    g.log = SELECT(left, -g.log, g.log), g.log_low = SELECT(left, -g.log_low, g.log_low);
    return g;
}
ALWAYS L(vector) L(tgamma)(L(vector) x) {
    L(vector) size = ABS(x), a = L(smaller)(L(splat)(LIMIT(GAMMA_FAR)), size), zero = L(splat)(0);
    L(mask) near = a < 3, left = x < 0;
    L(vector) y = a + SELECT(near, L(splat)(3), zero), three = L(splat)(3);
    L(vector) more = SELECT(near, L(sum_rest_any)(a, three, y), zero);
    struct L(gamma_parts) g;
    g.num = L(splat)(1), g.num_low = zero;
    g.log = L(stirling)(y, more, L(splat)(1), &g.log_low);
    g.den = L(next_two)(a, &g.den_low);
    g.den = SELECT(near, g.den, L(splat)(1)), g.den_low = SELECT(near, g.den_low, zero);
    if (L(any)(left)) g = L(gamma_reflect)(g, x, left);
    L(vector) factor = SELECT(near ^ left, a, L(splat)(1)), den = L(product)(g.den, factor);
    g.den_low = L(madd)(g.den_low, factor, L(product_rest)(g.den, factor, den));
    L(vector) q_low, power_low, q = L(quotient_parts)(g.num, g.num_low, den, g.den_low, &q_low);
    struct L(exponent) e = L(exp_reduce)(g.log, g.log * ONE_OVER_LN2, 16);
    L(vector) power = L(exp_unscaled)(e, e.rest_low + g.log_low, &power_low), all = L(product)(q, power);
    all += L(product_rest)(q, power, all) + L(madd)(q, power_low, q_low * power);
    y = SELECT(size < LIMIT(GAMMA_TINY), 1 / x, L(scale_part)(all, e.n, 16, e.index));
    return SELECT(left & (TRUNC(x) == x), L(splat)(NAN), y);
}

/* Masks of the lanes that need each part of the method. */
struct L(lgamma_lanes) {
    L(mask) left, below, far;
};
/* Return log gamma(a) for a <= 4.5, or log gamma(1 + a) for lanes `below`, with error term *low. */
ALWAYS L(vector) L(lgamma_middle)(L(vector) a, L(mask) below, L(vector) * low) {
    L(bits) index;
    L(vector) d = L(madd_by)(L(nearest)(L(smaller)(L(splat)((SCALAR)4.5), a) * 4, &index), (SCALAR)-0.25, a);
    index += KEEP_BITS(below, 4);
    L(vector) slope = L(lookup)(L(lgamma_slope_high), index), linear = L(product)(d, slope);
    L(vector) most = L(lookup)(L(lgamma_high), index), sum = most + linear;
    *low = L(product_rest)(d, slope, linear) + L(lookup)(L(lgamma_low), index);
    *low += L(madd)(d, L(lookup)(L(lgamma_slope_low), index), L(sum_rest)(most, linear, sum));
    *low = L(madd)(d * d, PIECE(d, index, L(lgamma_tail)), *low);
    most = sum + *low;
    *low = L(sum_rest)(sum, *low, most);
    return most;
}
/* Return log |gamma(x)| with error term *low, a = |x|. y is log gamma(a), or log gamma(1 + a) in lanes `below`:
   subtract log a. In lanes left of 0 it is log(pi / (a sin(pi a))) - y. */
ALWAYS L(vector)
    L(lgamma_move)(L(vector) x, L(vector) a, struct L(lgamma_lanes) lanes, L(vector) y, L(vector) * low) {
    L(vector) of = a, of_low = L(splat)(0), log_low, zero = L(splat)(0);
    if (L(any)(lanes.left)) {
        L(vector) sine_low, sine = L(sine_parts)(L(half_turns)(x), &sine_low);
        sine_low = SELECT(NEGATIVE(sine), -sine_low, sine_low), sine = ABS(sine);
        L(vector) factor = SELECT(lanes.below, L(splat)(1), a), p = L(product)(sine, factor);
        of_low = SELECT(lanes.left, L(madd)(sine_low, factor, L(product_rest)(sine, factor, p)), zero);
        of = SELECT(lanes.left, p, a);
    }
    L(vector) log = L(log_of_sum_parts)(of, of_low, L(splat)(-(SCALAR)0), &log_low);
    L(vector) pi = SELECT(lanes.left, L(splat)(L(log_pi)[0]), zero), some = pi - log;
    L(vector) rest = SELECT(lanes.left, L(splat)(L(log_pi)[1]), zero) - log_low;
    L(vector) base = SELECT(lanes.left, -y, y), sum = some + base;
    rest += L(sum_rest_any)(pi, -log, some) + SELECT(lanes.left, -*low, *low);
    rest += L(sum_rest_any)(some, base, sum);
    L(mask) moved = lanes.left | lanes.below;
    *low = SELECT(moved, rest, *low);
    return SELECT(moved, sum, y);
}
/* Return log |Gamma(x)| for lanes near the zeros left of 0, where the sum cancels; also poles, 0, infinities. */
static SCALAR L(lgamma_special)(SCALAR x) { return (SCALAR)special_lgamma_rare((double)x); }

ALWAYS L(vector) L(lgamma)(L(vector) x) {
    L(vector) a = ABS(x), low = L(splat)(0), y = low, up = L(splat)(1), far_low;
    struct L(lgamma_lanes) lanes = {x <= -LIMIT(GAMMA_TINY), a <= (SCALAR)0.625, a >= (SCALAR)4.625};
    if (L(any)(NOT(lanes.far))) y = L(lgamma_middle)(a, lanes.below, &low);
    if (L(any)(lanes.far)) {
        L(mask) huge = a > 1 / LIMIT(GAMMA_TINY); /* the product overflows before the result */
        L(vector) unit = SELECT(huge, L(splat)(LIMIT(GAMMA_TINY)), up), start = L(larger)(L(splat)(3), a);
        L(vector) far = L(stirling)(start, L(splat)(0), unit, &far_low);
        up = SELECT(huge, L(splat)(1 / LIMIT(GAMMA_TINY)), up);
        y = SELECT(lanes.far, far, y), low = SELECT(lanes.far, far_low, low);
    }
    if (L(any)(lanes.left | lanes.below)) y = L(lgamma_move)(x, a, lanes, y, &low);
    y = (y + low) * up;
    L(mask)
    rare = (lanes.left & NOT(ABS(y) > (SCALAR)0.015625)) | NOT((a > 0) & (a < INFINITY)) |
           (lanes.left & (TRUNC(x) == x));
    return RARELY(rare) ? EACH(L(lgamma_special), rare, x, y) : y;
}
