/*
 * Template: binary search of four vectors of values at once on AVX-512, in contiguous lines. Parameters: T (uint32_t
 * or uint64_t), V(verb) its intrinsic, GATHER, BELOW, SAME, NONE (is zero), MASK, NAME(verb). Included by
 * search.kernel.c.
 */

/* Return the keys of a vector of elements, given their bits. `floating`: they are floats; flip: bits that turn
   an integer into its key; infinity: bits of infinity. */
static inline __attribute__((always_inline)) __m512i NAME(keys)(__m512i bits, bool floating, __m512i infinity,
                                                                __m512i flip) {
    if (!floating) return _mm512_xor_si512(bits, flip);
    const __m512i ones = V(set1)(-1), sign = V(slli)(ones, 8 * sizeof(T) - 1);
    __m512i size = _mm512_andnot_si512(sign, bits), turned = V(srai)(bits, 8 * sizeof(T) - 1);
    __m512i key = _mm512_xor_si512(bits, _mm512_or_si512(turned, sign));
    key = V(mask_mov)(key, NONE(size), sign);
    return V(mask_mov)(key, BELOW(infinity, size), ones);
}

static inline __attribute__((always_inline)) void NAME(vectors)(const struct search_line *line, bool floating,
                                                                const T *x, int64_t *out) {
    enum { LANES = 64 / sizeof(T), VECTORS = 4 };
    const T *sorted = line->sorted;
    const __m512i infinity = V(set1)((int64_t)line->order.infinity),
                  flip = V(set1)((int64_t)line->order.flip);
    const __m512i ones = V(set1)(-1), all = V(set1)(line->n), step = V(set1)(line->right);
    __m512i want[VECTORS], at[VECTORS];
    MASK greatest[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        want[i] = NAME(keys)(_mm512_loadu_si512(x + i * LANES), floating, infinity, flip);
        greatest[i] = line->right ? SAME(want[i], ones) : 0;
        want[i] = V(add)(want[i], step);
        at[i] = _mm512_setzero_si512();
    }
    for (int64_t n = line->n; n > 0; n /= 2) {
        __m512i rest = V(set1)(n - n / 2);
        for (int i = 0; i < VECTORS; i++) {
            __m512i key = NAME(keys)(GATHER(at[i], sorted + n / 2), floating, infinity, flip);
            at[i] = V(mask_add)(at[i], BELOW(key, want[i]), at[i], rest);
        }
    }
    for (int i = 0; i < VECTORS; i++) {
        T places[LANES];
        _mm512_storeu_si512(places, V(mask_mov)(at[i], greatest[i], all));
        for (int l = 0; l < LANES; l++) out[i * LANES + l] = (int64_t)places[l];
    }
}

static void NAME(search)(const struct search_line *line, int64_t n, int64_t *out, const void *x) {
    enum { GROUP = 4 * 64 / sizeof(T) };
    const T *from = x;
    int64_t i = 0;
    bool fits = line->stride == 1 && line->n <= INT32_MAX;
    for (; fits && i + GROUP <= n; i += GROUP) {
        if (line->order.floating)
            NAME(vectors)(line, true, from + i, out + i);
        else
            NAME(vectors)(line, false, from + i, out + i);
    }
    if (i < n) NAME(search_each)(line, n - i, out + i, from + i);
}
