/*
 * Template: integer lanes (and boolean). Parameters: those of math_vector.h, included before, and ONES (all bits that
 * a value may have). All operands are defined: division by zero gives 0, the least number divided by -1 wraps, shifts
 * outside 0..bits-1 shift all bits out. No instruction set divides integer vectors, so compilers do it lane by lane.
 */

static inline L(vector) L(fma)(L(vector) a, L(vector) b, L(vector) c) {
    return (L(vector))(WRAPPING(a) * WRAPPING(b) + WRAPPING(c));
}
static inline L(vector) L(floor)(L(vector) x) { return x; }
static inline L(vector) L(ceil)(L(vector) x) { return x; }
static inline L(vector) L(trunc)(L(vector) x) { return x; }
static inline L(vector) L(round)(L(vector) x) { return x; }
static inline L(mask) L(isinf)(L(vector) x) {
    (void)x;
    return NOWHERE;
}
static inline L(mask) L(isfinite)(L(vector) x) {
    (void)x;
    return EVERYWHERE;
}

/* Return the mask of lanes below zero; always empty for unsigned types. */
static inline L(mask) L(below_zero)(L(vector) x) { return (SCALAR)-1 < (SCALAR)1 ? NEGATIVE(x) : NOWHERE; }
static inline L(vector) L(abs)(L(vector) x) { return SELECT(L(below_zero)(x), L(neg)(x), x); }
static inline L(vector) L(sign)(L(vector) x) {
    return MINUS_ONES(L(below_zero)(x)) | KEEP(x != 0, L(splat)(1));
}
static inline L(vector) L(bitnot)(L(vector) x) { return x ^ ONES; }

/* Return a / b rounded toward minus infinity; 0 if b is 0. */
static inline L(vector) L(floordiv)(L(vector) a, L(vector) b) {
    L(mask) minus_one = L(below_zero)(b) & (b == (SCALAR)-1);
    L(vector) divisor = SELECT(minus_one | (b == 0), L(splat)(1), b);
    L(vector) q = (L(vector))(a / divisor), r = (L(vector))(a - q * divisor);
    q += MINUS_ONES((r != 0) & (L(below_zero)(r) ^ L(below_zero)(divisor)));
    return SELECT(b == 0, L(splat)(0), SELECT(minus_one, L(neg)(a), q));
}
/* Return the remainder of a / b with the sign of b; 0 if b is 0. */
static inline L(vector) L(mod)(L(vector) a, L(vector) b) {
    return SELECT(b == 0, L(splat)(0), (L(vector))(WRAPPING(a) - WRAPPING(b) * WRAPPING(L(floordiv)(a, b))));
}

static inline L(vector) L(shiftleft)(L(vector) a, L(vector) b) {
    L(bits) inside = (L(bits))b & (LANE_BITS - 1);
    return SELECT((L(bits))b < LANE_BITS, (L(vector))((L(bits))a << inside), L(splat)(0));
}
static inline L(vector) L(shiftright)(L(vector) a, L(vector) b) {
    L(vector) inside = b & (LANE_BITS - 1);
    return SELECT((L(bits))b < LANE_BITS, a >> inside, MINUS_ONES(L(below_zero)(a)));
}

/* Return base^exponent modulo 2^64, by squaring; its low bits are the result in any type. */
static inline uint64_t L(power)(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}
/* Return a^b, wrapping. Negative powers are 1/a^n rounded toward zero: 0 except for a = 1 and a = -1. A negative
   power of 0, which is undefined, gives 0. */
static inline L(vector) L(pow)(L(vector) a, L(vector) b) {
    L(mask) inverse = L(below_zero)(b);
    L(vector) unit = SELECT((b & 1) == 0, L(splat)(1), a), y;
    EACH_LANE(i) AT(y, i) = (SCALAR)L(power)((uint64_t)AT(a, i), AT(inverse, i) ? 0 : (uint64_t)AT(b, i));
    L(mask) is_unit = (a == 1) | (L(below_zero)(a) & (a == (SCALAR)-1));
    return SELECT(inverse, SELECT(is_unit, unit, L(splat)(0)), y);
}

/* Return the remainder of a / b rounded toward zero, as in C. 0 if b is 0 or -1. */
static inline L(vector) L(fmod)(L(vector) a, L(vector) b) {
    L(mask) none = (b == 0) | (L(below_zero)(b) & (b == (SCALAR)-1));
    L(vector) divisor = SELECT(none, L(splat)(1), b);
    return (L(vector))(a - divisor * (a / divisor));
}

static inline L(mask) L(signbit)(L(vector) x) { return L(below_zero)(x); }

/* Return the number of 1 bits of the absolute value, as NumPy does: count pairs, fours, bytes, then all bytes by
   one multiplication. */
static inline L(vector) L(bit_count)(L(vector) x) {
    const L(bits) all = ALL_BITS, pairs = all / 3, fours = all / 15, bytes = all / 255;
    L(bits) v = (L(bits))L(abs)(x);
    v -= (v >> 1) & pairs;
    v = (v & (fours * 3)) + ((v >> 2) & (fours * 3));
    v = (v + (v >> 4)) & (bytes * 15);
    return (L(vector))((L(bits))(v * bytes) >> (LANE_BITS - 8));
}

/* Return the greatest common divisor of the absolute values, by Euclid's algorithm; gcd(0, 0) is 0. */
OUTSIDE L(vector) L(gcd)(L(vector) a, L(vector) b) {
    L(bits) x = (L(bits))L(abs)(a), y = (L(bits))L(abs)(b);
    EACH_LANE(i) while (AT(y, i) != 0) {
        uint64_t rest = AT(x, i) % AT(y, i);
        AT(x, i) = AT(y, i);
        AT(y, i) = (JOIN(JOIN(uint, LANE_BITS), _t))rest;
    }
    return (L(vector))x;
}
static inline L(vector) L(lcm)(L(vector) a, L(vector) b) {
    L(bits) divisor = (L(bits))L(gcd)(a, b), x = (L(bits))L(abs)(a);
    divisor = (L(bits))SELECT(divisor == 0, L(splat)(1), (L(vector))divisor);
    return (L(vector))(WRAPPING((L(vector))(x / divisor)) * WRAPPING(L(abs)(b)));
}
