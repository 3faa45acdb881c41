/*
 * Template: folds by one operation (struct reduce_fold).  Included through fold_kinds.kernel.c, with T, V (a vector of
 * T, or T itself), WIDTH (lanes of V), VECTORS (V's that hold the lanes), LANES, MOVED(v, half) (lane k + half of v
 * moved to lane k), FOLD(name), JOIN(a, b), JOIN_VECTORS(a, b), IDENTITY and START.
 *
 * Element i of a block goes to lane i % LANES; lanes are joined by halves.  All loops add in the same tree, so bits do
 * not depend on the order in which memory is walked.  Loads are unaligned.
 */

#ifndef PRODUCTS
#define PRODUCTS 0
#endif

/* Return the LANES partial results in part[], and the initial value, combined by the reduction's operation; part[]
   is overwritten. */
static inline T FOLD(lanes)(V *part) {
    T lane[WIDTH];
    for (int half = VECTORS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) part[k] = JOIN_VECTORS(part[k], part[k + half]);
    for (int half = WIDTH / 2; half > 0; half /= 2) part[0] = JOIN_VECTORS(part[0], MOVED(part[0], half));
    memcpy(lane, part, sizeof lane);
    return JOIN(lane[0], (T)(START));
}

static inline V FOLD(loaded)(const T *x) {
    V v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* Return a vector of the first `left` elements of x, filled with the identity; whole: memory may be read to the
   vector's end. */
static inline V FOLD(rest)(const T *x, int64_t left, bool whole) {
    (void)whole;
#if VECTOR
    TYPED(mask) lane;
    V empty = (T)(IDENTITY) - (V){0}; /* -0 stays -0 */
    memcpy(&lane, TYPED(count), sizeof lane);
    if (left <= 0) return empty;
    if (whole && left < WIDTH) {
        V v = FOLD(loaded)(x);
        return PICK(lane < (MASK)left, v, empty);
    }
#endif
    T room[WIDTH];
    for (int k = 0; k < WIDTH; k++) room[k] = k < left ? x[k] : (T)(IDENTITY);
    return FOLD(loaded)(room);
}

/* Return a vector of the first `left` terms, filled with the identity. Terms are elements of x or, with factors 2,
   products with y, rounded as a MAP would round them. whole: memory may be read to the vector's end. */
static inline __attribute__((always_inline)) V FOLD(terms)(int factors, const T *x, const T *y, int64_t left,
                                                           bool whole) {
    V v = left >= WIDTH ? FOLD(loaded)(x) : FOLD(rest)(x, left, whole);
#if PRODUCTS
    if (factors == 2) {
        TYPED(mask) lane;
        V w = left >= WIDTH ? FOLD(loaded)(y) : FOLD(rest)(y, left, whole), empty = (T)(IDENTITY) - (V){0};
        memcpy(&lane, TYPED(count), sizeof lane);
        v *= w;
        if (left < WIDTH) v = left > 0 ? PICK(lane < (MASK)left, v, empty) : empty;
    }
#endif
    (void)factors, (void)y;
    return v;
}

/* Prefetch the cache line `ahead` bytes after x, and that after y unless y is x. Hardware does not follow so many
   short streams. */
static inline void FOLD(ask)(const T *x, const T *y, int64_t ahead) {
    __builtin_prefetch((const char *)x + ahead);
    if (y != x) __builtin_prefetch((const char *)y + ahead);
}

/* Folds `rows` rows of n elements at once (a constant: 1 or ABREAST), so that additions overlap. */
enum { FOLD(ABREAST) = VECTOR ? 4 : 1 };
static inline __attribute__((always_inline)) void FOLD(some_rows)(int factors, int rows, int64_t n, T *out,
                                                                  const T *x, const T *y, bool whole) {
    V part[FOLD(ABREAST)][VECTORS];
    int64_t i = LANES, ahead = rows * n * (int64_t)sizeof(T);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < VECTORS; k++) {
            int64_t at = r * n + k * WIDTH;
            if (k == 0) FOLD(ask)(x + at, y + at, ahead);
            part[r][k] = FOLD(terms)(factors, x + at, y + at, n - k * WIDTH, whole);
        }
    for (; i + LANES <= n; i += LANES)
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < VECTORS; k++) {
                int64_t at = r * n + i + k * WIDTH;
                if (k == 0) FOLD(ask)(x + at, y + at, ahead);
                V next = FOLD(terms)(factors, x + at, y + at, WIDTH, whole);
                part[r][k] = JOIN_VECTORS(part[r][k], next);
            }
    for (int r = 0; r < rows && i < n; r++)
        for (int k = 0; k < VECTORS; k++) {
            int64_t at = r * n + i + k * WIDTH;
            V next = FOLD(terms)(factors, x + at, y + at, n - i - k * WIDTH, whole);
            part[r][k] = JOIN_VECTORS(part[r][k], next);
        }
    for (int r = 0; r < rows; r++) out[r] = FOLD(lanes)(part[r]);
}

static inline __attribute__((always_inline)) void FOLD(all_rows)(int factors, int64_t count, int64_t n,
                                                                 T *out, const T *x, const T *y) {
    enum { abreast = FOLD(ABREAST) };
    int64_t i = 0;
    for (; i + abreast <= count && (count - i - abreast) * n >= LANES; i += abreast)
        FOLD(some_rows)(factors, abreast, n, out + i, x + i * n, y + i * n, true);
    for (; i < count; i++)
        FOLD(some_rows)(factors, 1, n, out + i, x + i * n, y + i * n, (count - i - 1) * n >= LANES);
}

static void FOLD(rows)(int64_t count, int64_t n, void *out, const void *x) {
    FOLD(all_rows)(1, count, n, out, x, x);
}
#if PRODUCTS
static void FOLD(products)(int64_t count, int64_t n, void *out, const void *x, const void *y) {
    if (x == y) /* squares: one stream, one load each */
        FOLD(all_rows)(2, count, n, out, x, x);
    else
        FOLD(all_rows)(2, count, n, out, x, y);
}
#endif

static void FOLD(join)(int64_t n, void *a, const void *b) {
    T *restrict to = a;
    const T *restrict from = b;
    for (int64_t i = 0; i < n; i++) to[i] = JOIN(to[i], from[i]);
}

/* Combine row `to` of n elements, in place and in order, with four rows by the reduction's operation: a, and
   those that follow it `apart` elements after each other. */
static void FOLD(join_four)(int64_t n, T *restrict to, const T *restrict a, int64_t apart) {
    const T *restrict b = a + apart, *restrict c = b + apart, *restrict d = c + apart;
    for (int64_t i = 0; i < n; i++) {
        T sum = JOIN(to[i], a[i]);
        sum = JOIN(sum, b[i]);
        sum = JOIN(sum, c[i]);
        to[i] = JOIN(sum, d[i]);
    }
}

/* Return `rows` rows of WIDTH columns, `stride` elements apart, reduced to one row, with lanes in registers; empty:
   a vector of identities. */
static inline V FOLD(strip)(int64_t rows, const T *x, int64_t stride, V empty) {
    V lane[LANES], start = (V){0} + (T)(START);
    int64_t i = LANES;
    for (int k = 0; k < LANES; k++) lane[k] = k < rows ? FOLD(loaded)(x + k * stride) : empty;
    for (; i + LANES <= rows; i += LANES)
        for (int k = 0; k < LANES; k++) {
            V next = FOLD(loaded)(x + (i + k) * stride);
            lane[k] = JOIN_VECTORS(lane[k], next);
        }
    for (int k = 0; k < LANES; k++) {
        if (i + k >= rows) break;
        V next = FOLD(loaded)(x + (i + k) * stride);
        lane[k] = JOIN_VECTORS(lane[k], next);
    }
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) lane[k] = JOIN_VECTORS(lane[k], lane[k + half]);
    return JOIN_VECTORS(lane[0], start);
}

/* Reduce a block of a few rows of `width` >= WIDTH columns, `stride` elements apart from x on, to out[width].
   The last vector overlaps the one before. */
static void FOLD(few)(int64_t rows, int64_t width, void *out, const void *x, int64_t stride) {
    V empty = FOLD(rest)(x, 0, false);
    for (int64_t k = 0; k < width; k += WIDTH) {
        if (k > width - WIDTH) k = width - WIDTH;
        V sum = FOLD(strip)(rows, (const T *)x + k, stride, empty);
        memcpy((T *)out + k, &sum, sizeof sum);
    }
}

static void FOLD(columns)(int64_t first, int64_t rows, int64_t width, int lanes, void *sums, const void *x,
                          int64_t stride) {
    const T *from = x;
    int64_t i = first == 0;
    for (int64_t k = 0; i && k < width; k++) ((T *)sums)[k] = JOIN(from[k], (T)(START));
    for (; i < rows && first + i < lanes; i++)
        memcpy((T *)sums + (first + i) * width, from + i * stride, (size_t)width * sizeof(T));
    for (; i + 4 * lanes <= rows; i += 4 * lanes)
        for (int64_t k = i; k < i + lanes; k++) FOLD(join_four)
    (width, (T *)sums + ((first + k) & (lanes - 1)) * width, from + k * stride, lanes * stride);
    for (; i < rows; i++)
        FOLD(join)(width, (T *)sums + ((first + i) & (lanes - 1)) * width, from + i * stride);
}

static void FOLD(fill)(int64_t n, void *out) {
    for (int64_t i = 0; i < n; i++) ((T *)out)[i] = IDENTITY;
}
#undef PRODUCTS
#undef ROUNDED
#undef FOLD
#undef JOIN
#undef JOIN_VECTORS
#undef IDENTITY
#undef START
