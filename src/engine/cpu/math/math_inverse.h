/*
 * Template: inverse circular functions. Parameters: those of math_float.h.
 *
 * Arc tangent: atan(y/x) = atan c + atan t, t = (y - c x)/(x + c y). c is one of 13 numbers of few bits, or infinite
 * (then t = -x/y), chosen by exponent and first bit of y/x: |t| < 1/6. One division serves the reduction and, for
 * atan2, the quotient. Arc sine: in the steep half of the interval asin y = pi/2 - 2 asin sqrt((1 - y)/2).
 * Numerators, denominators and roots have low parts.
 */
CONSTANTS(L(atan_near), ATAN_NEAR);
CONSTANTS(L(atan_weight), ATAN_WEIGHT);
CONSTANTS(L(atan_high), ATAN_HIGH);
CONSTANTS(L(atan_low), ATAN_LOW);
CONSTANTS(L(atan_tail), ATAN_TAIL);
CONSTANTS(L(asin_tail), ASIN_TAIL);

/* Return atan(y/x) for y >= 0, x > 0, with error term *low. index: entry of the table of c, from arc_index. */
ALWAYS L(vector) L(arc)(L(vector) y, L(vector) x, L(bits) index, L(vector) * low) {
    L(vector) near = L(lookup)(L(atan_near), index), weight = L(lookup)(L(atan_weight), index);
    L(vector) cx = L(product)(x, near), cy = L(product)(y, near);
    L(vector) a = weight * y - cx, b = weight * x + cy;
    L(vector) low_a = L(sum_rest_any)(weight * y, -cx, a) - L(product_rest)(x, near, cx);
    L(vector) low_b = L(sum_rest_any)(weight * x, cy, b) + L(product_rest)(y, near, cy), low_t;
    L(vector) t = L(quotient_parts)(a, low_a, b, low_b, &low_t), z = t * t;
    L(vector) c = L(lookup)(L(atan_high), index), sum = c + t;
    *low = L(sum_rest)(c, t, sum) +
           L(madd)(t, z * POLYNOMIAL(z, L(atan_tail)), low_t + L(lookup)(L(atan_low), index));
    return sum;
}
/* Return the table index for arc, from the bits of a quotient between 2^-4 and 8. */
ALWAYS L(bits) L(arc_index)(L(bits) quotient) {
    return (quotient - AS_BITS(L(splat)((SCALAR)0.09375))) >> (LIMIT(DIGITS) - 2);
}
ALWAYS L(vector) L(atan)(L(vector) x) {
    L(vector) low, y = L(smaller)(L(splat)(0x1p60), ABS(x));
    y = L(arc)(y, L(splat)(1), L(arc_index)(AS_BITS(L(between)((SCALAR)0.09375, 8, y))), &low);
    return COPYSIGN(y + low, x);
}
/* Return the angle of the point (b, a), whose larger part is moderate. The bits of a float are nearly its logarithm:
   their difference chooses c. */
ALWAYS L(vector) L(atan2_moderate)(L(vector) a, L(vector) b) {
    L(vector) y = ABS(a), x = ABS(b), most = L(larger)(x, y), low;
    L(vector) scale = SELECT(most < 1, L(splat)(LIMIT(ATAN2_FAR)), L(splat)(1));
    x *= scale, y *= scale;
    L(ints) low_end = AS_INTS(L(splat)((SCALAR)0.09375)), high_end = AS_INTS(L(splat)(8));
    L(ints)
    guess = (AS_INTS(y) >> 1) - (AS_INTS(x) >> 1) + (AS_INTS(L(splat)(1)) >> 1); /* halved: no overflow */
    L(mask) above = guess > high_end >> 1, below = guess < low_end >> 1;
    L(bits)
    of = KEEP_BITS(above, high_end) | KEEP_BITS(below, low_end) | KEEP_BITS(NOT(above | below), guess << 1);
    y = L(arc)(y, x, L(arc_index)(of), &low);
    L(vector) pi = L(splat)(L(pi_parts)[0]), back = pi - y;
    L(mask) left = NEGATIVE(b);
    low = SELECT(left, L(sum_rest)(pi, -y, back) - low + L(pi_parts)[1], low);
    return COPYSIGN(SELECT(left, back, y) + low, a);
}
#if defined(ONE_LANE) && LANE_BITS == 64
/* Return atan2(a, b) if the larger part is 0, infinite or huge, or if there is a NaN. Infinite parts count as equal;
   zeros give the angle of the other part's sign. */
static SCALAR L(atan2_rare)(SCALAR a, SCALAR b) {
    if (a != a || b != b) return a + b;
    bool boxed = isinf(a) || isinf(b);
    if (boxed) a = copysign(isinf(a) ? 1 : 0, a), b = copysign(isinf(b) ? 1 : 0, b);
    if (a == 0) return copysign(signbit(b) ? L(pi_parts)[0] : 0, a);
    SCALAR shrink = boxed ? 1 : 1 / (LIMIT(ATAN2_FAR) / 0x1p700); /* a part that vanishes did not matter */
    L(vector) y = LANE_0(a * shrink), x = LANE_0(b * shrink);     /* zeros keep their signs */
    return AT(L(atan2_moderate)(y, x), 0);
}
#else
static SCALAR L(atan2_rare)(SCALAR a, SCALAR b) { return (SCALAR)math_atan2((double)a, (double)b); }
#endif
/* Return the angle of the point (b, a), that is atan2(a, b). */
ALWAYS L(vector) L(atan2)(L(vector) a, L(vector) b) {
    L(vector) most = L(larger)(ABS(a), ABS(b));
    L(mask) rare = NOT((most < LIMIT(ATAN2_FAR)) & (most > 0) & (a == a) & (b == b));
    L(vector) y = L(atan2_moderate)(a, b);
    return RARELY(rare) ? EACH_PAIR(L(atan2_rare), rare, a, b, y) : y;
}

/* asin y = root + more for y <= 1/2, and half of acos y for y > 1/2 (steep). */
struct L(arc_sine) {
    L(vector) root, more;
};
ALWAYS struct L(arc_sine) L(arc_sine)(L(vector) y, L(mask) steep) {
    struct L(arc_sine) s;
#ifdef ONE_LANE /* a lane that needs no root does not wait for it */
    if (!AT(steep, 0)) {
        L(vector) square = y * y;
        s.root = y, s.more = L(madd)(y, square * POLYNOMIAL(square, L(asin_tail)), L(splat)(0));
        return s;
    }
#endif
    L(vector)
    gap = L(madd_by)(y, (SCALAR)-0.5, L(splat)((SCALAR)0.5)), low, root = L(root)(gap, L(splat)(0), &low);
    L(vector) z = SELECT(steep, gap, y * y);
    s.root = SELECT(steep, root, y);
    s.more = L(madd)(s.root, z * POLYNOMIAL(z, L(asin_tail)), SELECT(steep, low, L(splat)(0)));
    return s;
}
ALWAYS L(vector) L(asin)(L(vector) x) {
    L(vector) y = ABS(x), quarter = L(splat)(L(pi_parts)[0] / 2);
    L(mask) steep = y > (SCALAR)0.5;
    struct L(arc_sine) s = L(arc_sine)(y, steep);
    L(vector) twice = s.root + s.root, rest = quarter - twice;
    L(vector) low = L(sum_rest)(quarter, -twice, rest) - (s.more + s.more) + L(pi_parts)[1] / 2;
    y = SELECT(steep, rest + low, s.root + s.more);
    return COPYSIGN(y, x);
}
ALWAYS L(vector) L(acos)(L(vector) x) {
    L(vector) y = ABS(x);
    L(mask) steep = y > (SCALAR)0.5, left = NEGATIVE(x);
    struct L(arc_sine) s = L(arc_sine)(y, steep);
    /* steep: 2 s or pi - 2 s; else pi/2 - s or pi/2 + s */
    L(vector) factor = SELECT(steep, L(splat)(2), L(splat)(1)), all = s.root * factor, more = s.more * factor;
    L(vector)
    from = SELECT(steep, SELECT(left, L(splat)(L(pi_parts)[0]), L(splat)(0)), L(splat)(L(pi_parts)[0] / 2));
    L(vector)
    from_low =
        SELECT(steep, SELECT(left, L(splat)(L(pi_parts)[1]), L(splat)(0)), L(splat)(L(pi_parts)[1] / 2));
    L(bits) flip = KEEP_BITS(steep ^ left, ~(ALL_BITS >> 1));
    flip ^= ~(ALL_BITS >> 1);
    all = AS_VECTOR(AS_BITS(all) ^ flip), more = AS_VECTOR(AS_BITS(more) ^ flip);
    L(vector) sum = from + all;
    return sum + (more + (from_low + L(sum_rest)(from, all, sum)));
}
