/*
 * Folding by one operation: sum, product, greatest or least.  Included by reduce.kernel.c, with T, V
 * (a vector of T, or T itself), WIDTH (lanes of V), VECTORS (V's that hold the lanes), LANES, MOVED(v, half)
 * (lane k + half of v in lane k), FOLD(name), JOIN(a, b), JOIN_VECTORS(a, b) and IDENTITY.
 *
 * Element i of a block goes to lane i % LANES; lanes are joined by halves.  Both loops do the same additions
 * in the same tree, so a sum has the same bits whichever way memory is walked.
 */

/* `n` elements into one: the lanes live in registers. */
static T FOLD(row)(int64_t n, const T *x) {
    V part[VECTORS], next;
    T lane[LANES];
    for (int k = 0; k < LANES; k++) lane[k] = IDENTITY;
    memcpy(part, lane, sizeof part);
    for (; n >= LANES; n -= LANES, x += LANES) {
        for (int k = 0; k < VECTORS; k++) {
            memcpy(&next, x + k * WIDTH, sizeof next);
            part[k] = JOIN_VECTORS(part[k], next);
        }
    }
    if (n > 0) {
        for (int k = 0; k < n; k++) lane[k] = x[k];
        for (int k = 0; k < VECTORS; k++) {
            memcpy(&next, lane + k * WIDTH, sizeof next);
            part[k] = JOIN_VECTORS(part[k], next);
        }
    }
    for (int half = VECTORS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) part[k] = JOIN_VECTORS(part[k], part[k + half]);
    for (int half = WIDTH / 2; half > 0; half /= 2) part[0] = JOIN_VECTORS(part[0], MOVED(part[0], half));
    memcpy(lane, part, sizeof *part);
    return lane[0];
}

static void FOLD(rows)(int64_t count, int64_t n, void *out, const void *x) {
    for (int64_t i = 0; i < count; i++) ((T *)out)[i] = FOLD(row)(n, (const T *)x + i * n);
}

static void FOLD(join)(int64_t n, void *a, const void *b) {
    T *restrict to = a;
    const T *restrict from = b;
    for (int64_t i = 0; i < n; i++) to[i] = JOIN(to[i], from[i]);
}

static void FOLD(columns)(int64_t first, int64_t rows, int64_t width, int lanes, void *sums, const void *x,
                          int64_t stride) {
    for (int64_t i = 0; i < rows; i++)
        FOLD(join)(width, (T *)sums + ((first + i) & (lanes - 1)) * width, (const T *)x + i * stride);
}

static void FOLD(fill)(int64_t n, void *out) {
    for (int64_t i = 0; i < n; i++) ((T *)out)[i] = IDENTITY;
}
#undef FOLD
#undef JOIN
#undef JOIN_VECTORS
#undef IDENTITY
