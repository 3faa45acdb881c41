/*
 * Template: scans by one operation. Included through fold_kinds.kernel.c with FOLD(name), JOIN(a, b), JOIN_VECTORS(a,
 * b), IDENTITY, and ROUNDED if blocks have a tree of operations (scan.h). Elements below four bytes are scanned one by
 * one, since shuffles of their vectors are slow on some processors.
 */
#define VECTORS_PAY (VECTOR && sizeof(T) >= 4)

/* Scan columns by this loop's operation op: at each step local[k] becomes local[k] op x[k], and out[k] = before[k]
   op local[k]. Without s->out only local[] changes. */
static void FOLD(scan_columns)(const struct scan_steps *s) {
    T *restrict local = s->local;
    const T *before = s->before;
    int64_t width = s->width;
    for (int64_t i = 0; i < s->rows; i++) {
        const T *restrict x = (const T *)s->x[0] + i * s->strides[0];
        T *restrict out = s->out ? (T *)s->out + i * s->out_stride : NULL;
        if (!out) {
            for (int64_t k = 0; k < width; k++) local[k] = JOIN(local[k], x[k]);
        } else if (!before) {
            for (int64_t k = 0; k < width; k++) out[k] = local[k] = JOIN(local[k], x[k]);
        } else {
            for (int64_t k = 0; k < width; k++) {
                local[k] = JOIN(local[k], x[k]);
                out[k] = JOIN(before[k], local[k]);
            }
        }
    }
}

#if VECTOR
/* Return v with each odd group of `by` lanes, counted in scan direction, joined with the total of the group before it,
   its last lane. back: the direction is from the last lane to the first. */
static inline __attribute__((always_inline)) V FOLD(scan_joined)(V v, int by, bool back) {
    TYPED(mask) lane, place, from, odd;
    V empty = (T)(IDENTITY) - (V){0}; /* -0 stays -0 */
    memcpy(&lane, TYPED(count), sizeof lane);
    place = back ? (MASK)(WIDTH - 1) - lane : lane;
    from = (place & (MASK)(WIDTH - 2 * by)) | (MASK)(by - 1);
    from = back ? (MASK)(WIDTH - 1) - from : from;
    odd = (TYPED(mask))((place & (MASK)by) != 0);
    V total = SHUFFLE(v, from);
    total = PICK(odd, total, empty);
    return JOIN_VECTORS(total, v);
}

/* Vectors of a block. Any order gives the bits of integers, and single vectors are faster on AVX2. */
#ifdef WIDE
#define ABREAST VECTORS
#else
#define ABREAST 1
#endif
/* Scan the block v, whose vectors follow each other in scan direction, in the tree of scan.h. */
static inline __attribute__((always_inline)) void FOLD(scan_block)(V *v, bool back) {
    TYPED(mask) last = (TYPED(mask)){0} + (MASK)(back ? 0 : WIDTH - 1);
#pragma GCC unroll 4
    for (int k = 0; k < ABREAST; k++) {
        v[k] = FOLD(scan_joined)(v[k], 1, back);
        if (WIDTH > 2) v[k] = FOLD(scan_joined)(v[k], WIDTH > 2 ? 2 : 1, back);
        if (WIDTH > 4) v[k] = FOLD(scan_joined)(v[k], WIDTH > 4 ? 4 : 1, back);
        if (WIDTH > 8) v[k] = FOLD(scan_joined)(v[k], WIDTH > 8 ? 8 : 1, back);
    }
#pragma GCC unroll 2
    for (int by = 1; by < ABREAST; by *= 2)
#pragma GCC unroll 4
        for (int k = 0; k < ABREAST; k++)
            if (k & by) v[k] = JOIN_VECTORS(SHUFFLE(v[(k & -by) - 1], last), v[k]);
}

/* Scan the whole blocks of one column, backwards in memory with `back`. *s->local is the total of earlier blocks,
   before and after; with `joined` each result is combined with s->before. Return the number of elements done, a
   multiple of a block. */
static inline __attribute__((always_inline)) int64_t FOLD(scan_blocks)(const struct scan_steps *s, bool back,
                                                                       bool joined) {
    T *local = s->local, before = joined ? *(const T *)s->before : (T)(IDENTITY);
    V all = *local - (V){0}, first = before - (V){0}, v[ABREAST], y;
    TYPED(mask) last = (TYPED(mask)){0} + (MASK)(back ? 0 : WIDTH - 1);
    int64_t i = 0;
    for (; i + ABREAST * WIDTH <= s->rows; i += ABREAST * WIDTH) {
        V earlier = all;
#pragma GCC unroll 4
        for (int k = 0; k < ABREAST; k++) {
            int64_t at = i + k * WIDTH;
            memcpy(&v[k], (const T *)s->x[0] + (back ? -at - (WIDTH - 1) : at), sizeof v[k]);
        }
        FOLD(scan_block)(v, back);
        all = JOIN_VECTORS(all, SHUFFLE(v[ABREAST - 1], last));
        if (!s->out) continue;
#pragma GCC unroll 4
        for (int k = 0; k < ABREAST; k++) {
            int64_t at = i + k * WIDTH;
            y = JOIN_VECTORS(earlier, v[k]);
            if (joined) y = JOIN_VECTORS(first, y);
            memcpy((T *)s->out + (back ? -at - (WIDTH - 1) : at), &y, sizeof y);
        }
    }
    *local = all[0];
    return i;
}
#endif

#ifdef ROUNDED
/* Scan the steps of one column from i on, fewer than LANES, by the tree of a block. */
static inline void FOLD(scan_last)(const struct scan_steps *s, int64_t i) {
    T before = s->before ? *(const T *)s->before : (T)(IDENTITY), all = *(const T *)s->local, level[4];
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++, i++) {
        if (i >= s->rows) return;
        T v = ((const T *)s->x[0])[i * s->strides[0]];
#pragma GCC unroll 4
        for (int l = 0; 1 << l < LANES; l++)
            if (k >> l & 1)
                v = JOIN(level[l], v);
            else
                level[l] = v;
        v = JOIN(all, v);
        if (s->out) ((T *)s->out)[i * s->out_stride] = JOIN(before, v);
    }
}
#endif

static inline __attribute__((always_inline)) void FOLD(scan_row)(const struct scan_steps *s, bool back) {
    int64_t i = 0;
#if VECTOR
    if (VECTORS_PAY) i = s->before ? FOLD(scan_blocks)(s, back, true) : FOLD(scan_blocks)(s, back, false);
#endif
#ifdef ROUNDED
    FOLD(scan_last)(s, i);
#else
    T local = *(const T *)s->local, before = s->before ? *(const T *)s->before : (T)(IDENTITY);
    for (; i < s->rows; i++) {
        int64_t at = back ? -i : i;
        local = JOIN(local, ((const T *)s->x[0])[at]);
        if (s->out) ((T *)s->out)[at] = JOIN(before, local);
    }
    *(T *)s->local = local;
#endif
}
static void FOLD(scan_forwards)(const struct scan_steps *s) { FOLD(scan_row)(s, false); }
static void FOLD(scan_backwards)(const struct scan_steps *s) { FOLD(scan_row)(s, true); }

static void FOLD(scan_join)(int64_t n, void *a, const void *b) {
    T *to = a;
    const T *from = b;
    for (int64_t i = 0; i < n; i++) to[i] = JOIN(to[i], from[i]);
}

static void FOLD(scan_fill)(int64_t n, void *out) {
    for (int64_t i = 0; i < n; i++) ((T *)out)[i] = IDENTITY;
}
#undef VECTORS_PAY
#undef ABREAST
#undef PRODUCTS
#undef ROUNDED
#undef FOLD
#undef JOIN
#undef JOIN_VECTORS
#undef IDENTITY
#undef START
