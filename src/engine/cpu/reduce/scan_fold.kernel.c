/*
 * Template: scans by one operation. Included through fold_kinds.kernel.c with FOLD(name), JOIN(a, b), JOIN_VECTORS(a,
 * b) and IDENTITY. Elements below four bytes are scanned one by one, since shuffles of their vectors are slow on some
 * processors.
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
/* Return v with each lane combined with the one `by` lanes earlier in scan direction; the first `by` lanes in
   that direction stay. back: the direction is from the last lane to the first. */
static inline V FOLD(scan_joined)(V v, int by, bool back) {
    TYPED(mask) lane, inside;
    V empty = (T)(IDENTITY) - (V){0}; /* -0 stays -0 */
    memcpy(&lane, TYPED(count), sizeof lane);
    inside = (TYPED(mask))(back ? lane < (MASK)(WIDTH - by) : lane >= (MASK)by);
    V earlier = SHUFFLE(v, (back ? lane + (MASK)by : lane - (MASK)by) & (WIDTH - 1));
    earlier = PICK(inside, earlier, empty);
    return JOIN_VECTORS(earlier, v);
}

static inline V FOLD(scan_vector)(V v, bool back) {
    v = FOLD(scan_joined)(v, 1, back);
    if (WIDTH > 2) v = FOLD(scan_joined)(v, WIDTH > 2 ? 2 : 1, back);
    if (WIDTH > 4) v = FOLD(scan_joined)(v, WIDTH > 4 ? 4 : 1, back);
    if (WIDTH > 8) v = FOLD(scan_joined)(v, WIDTH > 8 ? 8 : 1, back);
    return v;
}

/* Scan one column by whole vectors, backwards in memory with `back`. *local is the state, before and after; each
   result is combined with `before`. Return the number of elements done, a multiple of WIDTH. */
static inline int64_t FOLD(scan_vectors)(const struct scan_steps *s, T before, T *local, bool back) {
    V all = *local - (V){0}, first = before - (V){0}, v, y;
    TYPED(mask) last = (TYPED(mask)){0} + (MASK)(back ? 0 : WIDTH - 1);
    int64_t i = 0;
    for (; i + WIDTH <= s->rows; i += WIDTH) {
        int64_t at = back ? -i - (WIDTH - 1) : i;
        memcpy(&v, (const T *)s->x[0] + at, sizeof v);
        v = FOLD(scan_vector)(v, back);
        y = JOIN_VECTORS(all, v);
        all = JOIN_VECTORS(all, SHUFFLE(v, last));
        if (!s->out) continue;
        y = JOIN_VECTORS(first, y);
        memcpy((T *)s->out + at, &y, sizeof y);
    }
    *local = all[0];
    return i;
}
#endif

static inline void FOLD(scan_row)(const struct scan_steps *s, bool back) {
    T local = *(const T *)s->local, before = s->before ? *(const T *)s->before : (T)(IDENTITY);
    int64_t i = 0;
#if VECTOR
    if (VECTORS_PAY) i = FOLD(scan_vectors)(s, before, &local, back);
#endif
    for (; i < s->rows; i++) {
        int64_t at = back ? -i : i;
        local = JOIN(local, ((const T *)s->x[0])[at]);
        if (s->out) ((T *)s->out)[at] = JOIN(before, local);
    }
    *(T *)s->local = local;
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
#undef PRODUCTS
#undef FOLD
#undef JOIN
#undef JOIN_VECTORS
#undef IDENTITY
#undef START
