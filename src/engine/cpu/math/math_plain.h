/*
 * Template: functions of f32 and f64 lanes that need no constants, no doubles and no other function. Parameters: those
 * of math_float.h.
 */
ALWAYS L(vector) L(abs)(L(vector) x) { return AS_VECTOR(AS_BITS(x) & (ALL_BITS >> 1)); }
ALWAYS L(vector) L(copysign)(L(vector) a, L(vector) b) {
    L(bits) magnitude = ALL_BITS >> 1;
    return AS_VECTOR((AS_BITS(a) & magnitude) | (AS_BITS(b) & ~magnitude));
}
/* Return the sign of x: 1 or -1; for zeros and NaN x + 0, which is +0 or NaN. */
ALWAYS L(vector) L(sign)(L(vector) x) {
    return SELECT(x > 0, L(splat)(1), SELECT(x < 0, L(splat)(-1), x + 0));
}
ALWAYS L(mask) L(isinf)(L(vector) x) { return ABS(x) == L(splat)((SCALAR)INFINITY); }
ALWAYS L(mask) L(isfinite)(L(vector) x) { return ABS(x) < L(splat)((SCALAR)INFINITY); }

/* Return x rounded to the nearest integer, ties to even: adding and subtracting WHOLE lets the FPU round. */
ALWAYS L(vector) L(round)(L(vector) x) {
#if defined(ROUND_LANES)
    return ROUND_LANES(x);
#elif VECTOR_BYTES > 16 /* one instruction */
    return (L(vector))NATIVE(ROUND_TO)((NATIVE_TYPE)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    L(vector) magnitude = ABS(x), whole = (magnitude + WHOLE) - WHOLE;
    return SELECT(magnitude < WHOLE, COPYSIGN(whole, x), x);
#endif
}
ALWAYS L(vector) L(floor)(L(vector) x) {
#if defined(FLOOR_LANES)
    return FLOOR_LANES(x);
#elif VECTOR_BYTES > 16
    return (L(vector))NATIVE(ROUND_TO)((NATIVE_TYPE)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#else
    L(vector) near = ROUND(x);
    return SELECT(near > x, near - 1, near);
#endif
}
ALWAYS L(vector) L(ceil)(L(vector) x) { return -FLOOR(-x); }
ALWAYS L(vector) L(trunc)(L(vector) x) { return COPYSIGN(FLOOR(ABS(x)), x); }

ALWAYS L(vector) L(sqrt)(L(vector) x) {
#ifdef NATIVE
    return (L(vector))NATIVE(sqrt)((NATIVE_TYPE)x);
#else
    EACH_LANE(i) AT(x, i) = LIBM(sqrt)(AT(x, i));
    return x;
#endif
}

#if HAS_FMA
/* Return a * b + c, rounded once. */
ALWAYS L(vector) L(fma)(L(vector) a, L(vector) b, L(vector) c) { return MADD(a, b, c); }
#endif
ALWAYS L(vector) L(div)(L(vector) a, L(vector) b) { return a / b; }
ALWAYS L(vector) L(recip)(L(vector) x) { return 1 / x; }
ALWAYS L(mask) L(signbit)(L(vector) x) { return NEGATIVE(x); }
