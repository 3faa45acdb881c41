/*
 * Template: masks of f32 and f64 lanes, and lanes that functions of scalars compute one by one. Parameters: those of
 * math_vector.h. Programs for devices have one lane and words in the place of this (engine/text/lane.h).
 */

ALWAYS int L(any)(L(mask) m) {
#if defined(ONE_LANE)
    return AT(m, 0) != 0;
#elif VECTOR_BYTES == 64
    return JOIN(TOP_BITS_, LANE_BITS)(m) != 0;
#elif VECTOR_BYTES == 32
    return _mm256_movemask_epi8((__m256i)m) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_epi8((__m128i)m) != 0;
#else
    JOIN(JOIN(int, LANE_BITS), _t) any = 0;
    EACH_LANE(i) any |= m[i];
    return any != 0;
#endif
}
/* Return y with f(x) in the lanes in `where`, which are rare; out of line, so that its calls do not slow other
   lanes. */
static __attribute__((noinline)) L(vector)
    L(each)(SCALAR (*f)(SCALAR), L(mask) where, L(vector) x, L(vector) y) {
    EACH_LANE(i) if (where[i]) y[i] = f(x[i]);
    return y;
}
static __attribute__((noinline)) L(vector)
    L(each_pair)(SCALAR (*f)(SCALAR, SCALAR), L(mask) where, L(vector) a, L(vector) b, L(vector) y) {
    EACH_LANE(i) if (where[i]) y[i] = f(a[i], b[i]);
    return y;
}
/* Return f(x) in each lane. Not inlined: the calls cost more anyway, and copies for each operator would be most of
   the library. */
static __attribute__((noinline)) L(vector) L(by_lanes1)(double (*f)(double), L(vector) x) {
    for (int i = 0; i < L(lanes); i++) x[i] = (SCALAR)f((double)x[i]);
    return x;
}
static __attribute__((noinline)) L(vector)
    L(by_lanes2)(double (*f)(double, double), L(vector) a, L(vector) b) {
    for (int i = 0; i < L(lanes); i++) a[i] = (SCALAR)f((double)a[i], (double)b[i]);
    return a;
}
static __attribute__((noinline)) L(vector)
    L(by_lanes3)(double (*f)(double, double, double), L(vector) a, L(vector) b, L(vector) c) {
    for (int i = 0; i < L(lanes); i++) a[i] = (SCALAR)f((double)a[i], (double)b[i], (double)c[i]);
    return a;
}
