/*
 * Template: quicksort on AVX-512 vectors, for unsigned items of 4 or 8 bytes.  Parameters: T, NAME(verb), V(verb) and
 * U(verb) (the intrinsics for T), MASK, BELOW, NOT_ABOVE, NUMBERS (0, 1, ...).  Included by sort_type.kernel.c.
 *
 *   blocks     up to 8 vectors are sorted in registers by a bitonic network (K. Batcher, "Sorting networks and their
 *              applications", 1968);
 *   segments   are partitioned around a pivot by two compressions of each vector, from one buffer to the other, so
 *              that nothing is overwritten (the idea of S. Gueron, V. Krasnov, "Fast quicksort implementation using
 *              AVX instructions", 2016).
 *
 * Segments that partition badly too often are sorted by counting.
 */
enum { NAME(LANES) = 64 / sizeof(T), NAME(BLOCK) = BLOCK_VECTORS * 64 / sizeof(T) };

/* Return v after comparing lanes l and l ^ x: lanes in `upper` get the greater, the others the lesser. */
static inline __attribute__((always_inline)) __m512i NAME(stage)(__m512i v, int x, MASK upper) {
    __m512i other = V(permutexvar)(_mm512_xor_si512(NUMBERS, V(set1)(x)), v);
    return U(mask_max)(U(min)(v, other), upper, v, other);
}

/* Return the mask of lanes whose number has bit d. */
static inline MASK NAME(lanes_with)(int d) {
    uint32_t mask = 0;
    for (int l = 0; l < NAME(LANES); l++) mask |= (uint32_t)((l & d) != 0) << l;
    return (MASK)mask;
}

/* Return a bitonic vector sorted in groups of 2 * from lanes. */
static inline __attribute__((always_inline)) __m512i NAME(clean)(__m512i v, int from) {
#pragma GCC unroll 4
    for (int d = from; d > 0; d /= 2) v = NAME(stage)(v, d, NAME(lanes_with)(d));
    return v;
}

static inline __attribute__((always_inline)) __m512i NAME(sort_lanes)(__m512i v) {
#pragma GCC unroll 4
    for (int k = 2; k <= NAME(LANES); k *= 2)
        v = NAME(clean)(NAME(stage)(v, k - 1, NAME(lanes_with)(k / 2)), k / 4);
    return v;
}

/* Merge in place the sorted runs v[0 .. run - 1] and v[run .. 2 run - 1]; run is a power of 2. Items ascend along the
   lanes of a vector and on into the next vector. */
static inline __attribute__((always_inline)) void NAME(merge_runs)(__m512i *v, int run) {
    __m512i back = _mm512_xor_si512(NUMBERS, V(set1)(NAME(LANES) - 1)), upper[BLOCK_VECTORS / 2];
#pragma GCC unroll 8
    for (int i = 0; i < run; i++) {
        __m512i a = v[i], b = V(permutexvar)(back, v[2 * run - 1 - i]);
        v[i] = U(min)(a, b);
        upper[i] = U(max)(a, b);
    }
#pragma GCC unroll 8
    for (int i = 0; i < run; i++) v[run + i] = upper[i];
#pragma GCC unroll 4
    for (int d = run / 2; d > 0; d /= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < 2 * run; i++) {
            if (i & d) continue;
            __m512i a = v[i], b = v[i + d];
            v[i] = U(min)(a, b);
            v[i + d] = U(max)(a, b);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < 2 * run; i++) v[i] = NAME(clean)(v[i], NAME(LANES) / 2);
}

static inline __attribute__((always_inline)) void NAME(sort_vectors)(int count, int64_t n, const T *from,
                                                                     T *to) {
    __m512i v[BLOCK_VECTORS];
    const __m512i greatest = V(set1)(-1);
#pragma GCC unroll 16
    for (int i = 0; i < count; i++) {
        int64_t left = n - (int64_t)i * NAME(LANES);
        MASK mask = left >= NAME(LANES) ? (MASK)~0 : left > 0 ? (MASK)((1u << left) - 1) : 0;
        v[i] = NAME(sort_lanes)(V(mask_loadu)(greatest, mask, from + (left > 0 ? i * NAME(LANES) : 0)));
    }
#pragma GCC unroll 4
    for (int run = 1; run < count; run *= 2)
#pragma GCC unroll 8
        for (int i = 0; i < count; i += 2 * run) NAME(merge_runs)(v + i, run);
#pragma GCC unroll 16
    for (int i = 0; i < count; i++) {
        int64_t left = n - (int64_t)i * NAME(LANES);
        MASK mask = left >= NAME(LANES) ? (MASK)~0 : left > 0 ? (MASK)((1u << left) - 1) : 0;
        V(mask_storeu)(to + (left > 0 ? i * NAME(LANES) : 0), mask, v[i]);
    }
}

/* Sort n <= BLOCK items of `from` into `to`. */
static void NAME(sort_block)(int64_t n, const T *from, T *to) {
    if (n <= NAME(LANES))
        NAME(sort_vectors)(1, n, from, to);
    else if (n <= 2 * NAME(LANES))
        NAME(sort_vectors)(2, n, from, to);
    else if (n <= 4 * NAME(LANES))
        NAME(sort_vectors)(4, n, from, to);
    else
        NAME(sort_vectors)(BLOCK_VECTORS, n, from, to);
}

/* Partition n items of `from`: those below the pivot (with equals_too: not above it) go to the front of to[n],
   the others to its back. Return the number in front. Whole vectors may be stored in front, as there is room for
   all items to come. A request to stop leaves out the rest. */
static int64_t NAME(part)(int64_t n, const T *from, T *to, T pivot, bool equals_too) {
    T *front = to, *back = to + n;
    const __m512i p = V(set1)((int64_t)pivot);
    for (int64_t begin = 0, edge; begin < n && !(begin && stop_cut()); begin = edge) {
        edge = n - begin < SORT_PIECE ? n : begin + SORT_PIECE;
        for (int64_t i = begin; i < edge; i += NAME(LANES)) {
            bool whole = n - i >= NAME(LANES);
            MASK present = whole ? (MASK)~0 : (MASK)((1u << (n - i)) - 1);
            __m512i x = V(maskz_loadu)(present, from + i);
            MASK low = equals_too ? NOT_ABOVE(x, p) : BELOW(x, p);
            low &= present;
            MASK high = (MASK)(present & ~low);
            int lows = __builtin_popcount(low), highs = __builtin_popcount(high);
            if (whole)
                V(storeu)(front, V(maskz_compress)(low, x));
            else
                V(mask_storeu)(front, (MASK)((1u << lows) - 1), V(maskz_compress)(low, x));
            front += lows;
            back -= highs;
            V(mask_storeu)(back, (MASK)((1u << highs) - 1), V(maskz_compress)(high, x));
        }
    }
    return front - to;
}

static T NAME(pivot)(int64_t n, const T *a) {
    T sample[4 * NAME(LANES)];
    int samples = n < 16 * NAME(BLOCK) ? NAME(LANES) : 4 * NAME(LANES);
    int64_t step = n / samples;
    for (int i = 0; i < samples; i++) sample[i] = a[step * i + step / 2];
    NAME(sort_block)(samples, sample, sample);
    return sample[samples / 2];
}

struct NAME(segment) {
    int64_t start, n;
    bool other; /* the segment is in b */
    int depth;  /* partitions left before counting */
};

/* Sort n items at a by quicksort; the result is in a, b is a buffer. Segments that partition badly are sorted by
   counting. */
static void NAME(sort_quickly)(int64_t n, T *a, T *b, const struct sort_job *job) {
    struct NAME(segment) stack[256];
    int top = 0;
    int64_t since = 0; /* items moved since the last look for requests to stop */
    stack[top++] = (struct NAME(segment)){0, n, false, 2 * (64 - __builtin_clzll((uint64_t)n))};
    while (top > 0) {
        struct NAME(segment) s = stack[--top];
        if ((since += s.n) > SORT_PIECE) {
            if (stop_cut()) return;
            since = 0;
        }
        T *from = (s.other ? b : a) + s.start, *to = (s.other ? a : b) + s.start, *out = a + s.start;
        if (s.n <= NAME(BLOCK)) {
            NAME(sort_block)(s.n, from, out);
            continue;
        }
        if (s.depth == 0) {
            T *sorted = NAME(sort_counting)(s.n, from, to, job);
            if (sorted != out) memcpy(out, sorted, (size_t)s.n * sizeof(T));
            continue;
        }
        T pivot = NAME(pivot)(s.n, from);
        int64_t low = NAME(part)(s.n, from, to, pivot, false);
        if (low == 0) { /* the pivot is the least item: its equals are done */
            low = NAME(part)(s.n, from, to, pivot, true);
            for (int64_t i = 0; i < low; i++) out[i] = pivot;
        } else {
            stack[top++] = (struct NAME(segment)){s.start, low, !s.other, s.depth - 1};
        }
        if (low < s.n) stack[top++] = (struct NAME(segment)){s.start + low, s.n - low, !s.other, s.depth - 1};
    }
}
