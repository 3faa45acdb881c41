/*
 * Template: conversions between f16 or bf16 and f32, on vectors for arithmetic and on scalars for casts. Parameters:
 * HALF(name), HALF_FLOAT, HALF_BITS (unsigned, same shape), HALF_MASK(c) (a comparison as all bits or none). Rounds
 * to nearest, ties to even; NaN stays NaN. f16 follows F. Giesen, "Float->half variants" (2016): multiplying and
 * adding powers of two lets the FPU normalise and round subnormal f16.
 */

/* Return the bits of x. */
static inline HALF_BITS HALF(to_bits)(HALF_FLOAT x) {
    union {
        HALF_FLOAT x;
        HALF_BITS bits;
    } u = {x};
    return u.bits;
}
/* Return the f32, or vector of f32, with these bits. */
static inline HALF_FLOAT HALF(of_bits)(HALF_BITS bits) {
    union {
        HALF_BITS bits;
        HALF_FLOAT x;
    } u = {bits};
    return u.x;
}
/* Return the bits of a where mask is 1, of b elsewhere. */
static inline HALF_BITS HALF(blend)(HALF_BITS mask, HALF_BITS a, HALF_BITS b) {
    return (mask & a) | (~mask & b);
}

/* Return the f16 in the low 16 bits of h as f32, exactly. */
static inline HALF_FLOAT HALF(f16_widen)(HALF_BITS h) {
    HALF_BITS magnitude = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    HALF_BITS finite = HALF(to_bits)(HALF(of_bits)(magnitude) * 0x1p112f);
    HALF_BITS special = HALF_MASK(magnitude >= 0x7c00u << 13);
    return HALF(of_bits)(HALF(blend)(special, magnitude | 0x7f800000, finite) | sign);
}
/* Return x rounded to f16, in the low 16 bits; ties to even. */
static inline HALF_BITS HALF(f16_narrow)(HALF_FLOAT x) {
    HALF_BITS bits = HALF(to_bits)(x), a = bits & 0x7fffffff;
    HALF_BITS normal = (a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13;
    HALF_BITS subnormal = HALF(to_bits)(HALF(of_bits)(a) + 0.5f) - (126u << 23);
    HALF_BITS nan = HALF_MASK(a > 0x7f800000u) & (0x200 | (a >> 13 & 0x3ff));
    HALF_BITS h = HALF(blend)(HALF_MASK(a < 113u << 23), subnormal, normal);
    h = HALF(blend)(HALF_MASK(a >= 143u << 23), 0x7c00 | nan, h);
    return h | (bits >> 16 & 0x8000);
}

/* Return the bf16 in the low 16 bits of h as f32, exactly. */
static inline HALF_FLOAT HALF(bf16_widen)(HALF_BITS h) { return HALF(of_bits)(h << 16); }
/* Return x rounded to bf16, in the low 16 bits; ties to even. */
static inline HALF_BITS HALF(bf16_narrow)(HALF_FLOAT x) {
    HALF_BITS bits = HALF(to_bits)(x);
    HALF_BITS rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return HALF(blend)(HALF_MASK((bits & 0x7fffffff) > 0x7f800000u), bits >> 16 | 64, rounded);
}
