/* Template: joins elements of one type: T, NAME(verb), JOIN(a, b). Included by pool.kernel.c. */

static inline void NAME(fold)(int64_t n, const T *a, const T *b, const T *c, T *out) {
#if !defined(__clang__)
#pragma GCC ivdep /* out may equal a: the same element is read and written */
#endif
    for (int64_t i = 0; i < n; i++) {
        T both = JOIN(a[i], b[i]);
        out[i] = JOIN(both, c[i]);
    }
}

static inline void NAME(fold_one)(int64_t n, const T *a, const T *b, T *out) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < n; i++) out[i] = JOIN(a[i], b[i]);
}

/* Set out[i] = x[0][i] op .. op x[count-1][i], i < n, op maximum or sum, two more rows at a time. Rows are short
   enough for L1 to hold the result. */
static void NAME(taps)(int64_t n, int count, const void *const *x, void *out) {
    const void *so_far = x[0];
    int t = 1;
    for (; t + 1 < count; t += 2, so_far = out) NAME(fold)(n, so_far, x[t], x[t + 1], out);
    if (t < count)
        NAME(fold_one)(n, so_far, x[t], out);
    else if (so_far != out)
        memcpy(out, so_far, (size_t)n * sizeof(T));
}

/* Pool n windows of `size` taps of x into out: windows are `stride`, taps `step` and results `apart` elements
   apart. With constant distances compilers vectorise the loop over windows. */
static inline void NAME(slide_by)(int64_t n, int64_t size, int64_t stride, int64_t step, int64_t apart,
                                  T *restrict out, const T *restrict x) {
    for (int64_t i = 0; i < n; i++) out[i * apart] = x[i * stride];
    for (int64_t t = 1; t < size; t++)
        for (int64_t i = 0; i < n; i++) out[i * apart] = JOIN(out[i * apart], x[i * stride + t * step]);
}

/* Pool n adjacent windows of `size` taps, `step` elements apart from x on, into out[n]. */
static inline void NAME(slide_even)(int64_t n, int64_t size, int64_t step, T *restrict out,
                                    const T *restrict x) {
    int64_t t = 3;
    if (size == 1)
        memcpy(out, x, (size_t)n * sizeof(T));
    else if (size == 2)
        NAME(fold_one)(n, x, x + step, out);
    else
        NAME(fold)(n, x, x + step, x + 2 * step, out);
    for (; t + 1 < size; t += 2) NAME(fold)(n, out, x + t * step, x + (t + 1) * step, out);
    if (t < size) NAME(fold_one)(n, out, x + t * step, out);
}

#ifdef BITS
/* Set one vector of out to a op b, or a op b op c if `three`, op maximum or sum. Not unrolled, since compilers
   would process single lanes. */
static inline __attribute__((always_inline)) void
NAME(join_lanes)(bool three, const T *restrict a, const T *restrict b, const T *restrict c, T *restrict out) {
    if (three) {
#pragma GCC unroll 1
        for (int k = 0; k < LANES; k++) {
            T both = JOIN(a[k], b[k]);
            out[k] = JOIN(both, c[k]);
        }
    } else {
#pragma GCC unroll 1
        for (int k = 0; k < LANES; k++) out[k] = JOIN(a[k], b[k]);
    }
}

/* Pool n >= LANES windows of two taps of x, or three, with stride two, into out[n]. The vector of a tap consists
   of the even or odd lanes of two vectors of x. Reading from one element earlier avoids reads past the last
   window. The last vector of results overlaps the one before. */
static inline __attribute__((always_inline)) void NAME(slide_vectors)(int64_t n, bool three, T *restrict out,
                                                                      const T *restrict x) {
    typedef NAMED(vector, TYPE) vector;
    for (int64_t i = 0; i < n; i += LANES) {
        int64_t at = i + LANES <= n ? i : n - LANES;
        T first[LANES] __attribute__((aligned(VECTOR_BYTES))),
            second[LANES] __attribute__((aligned(VECTOR_BYTES))),
            third[LANES] __attribute__((aligned(VECTOR_BYTES)));
        *(vector *)first = NAMED(lanes, TYPE)(x + 2 * at, 0);
        *(vector *)second = NAMED(lanes, TYPE)(x + 2 * at, 1);
        *(vector *)third = three ? NAMED(lanes, TYPE)(x + 2 * at + 1, 1) : *(vector *)second;
        NAME(join_lanes)(three, first, second, third, out + at);
    }
}

/* Set out[i] to the maximum or sum (JOIN) of x[2i .. 2i + size) for i < n; n < LANES, size 2 or 3. Works in copies
   of x and out that full vectors may read and write. */
static __attribute__((noinline)) void NAME(slide_few)(int64_t n, int64_t size, T *out, const T *x) {
    T from[2 * LANES + 1] = {0}, to[LANES];
    memcpy(from, x, (size_t)(2 * (n - 1) + size) * sizeof(T));
    NAME(slide_vectors)(LANES, size == 3, to, from);
    memcpy(out, to, (size_t)n * sizeof(T));
}

static void NAME(slide_two)(int64_t n, int64_t size, T *restrict out, const T *restrict x) {
    if (size != 2 && size != 3)
        NAME(slide_by)(n, size, 2, 1, 1, out, x);
    else if (n < LANES)
        NAME(slide_few)(n, size, out, x);
    else if (size == 3)
        NAME(slide_vectors)(n, true, out, x);
    else
        NAME(slide_vectors)(n, false, out, x);
}
#else
static void NAME(slide_two)(int64_t n, int64_t size, T *restrict out, const T *restrict x) {
    NAME(slide_by)(n, size, 2, 1, 1, out, x);
}
#endif

static void NAME(slide)(int64_t n, int64_t w, int64_t size, int64_t stride, int64_t dilation, void *out,
                        const void *x) {
    enum { FEW = 8 };
    const T *from = x;
    T *to = out;
    if (stride == 1 || n == 1)
        NAME(slide_even)(n * w, size, dilation * w, to, from);
    else if (w == 1 && stride == 2 && dilation == 1)
        NAME(slide_two)(n, size, to, from);
    else if (w < FEW)
        for (int64_t c = 0; c < w; c++)
            NAME(slide_by)(n, size, stride * w, dilation * w, w, to + c, from + c);
    else
        for (int64_t j = 0; j < n; j++)
            NAME(slide_even)(w, size, dilation * w, to + j * w, from + j * stride * w);
}
#undef NAME
#undef JOIN
