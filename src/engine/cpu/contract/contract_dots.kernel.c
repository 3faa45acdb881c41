/*
 * Matrix by vector with K contiguous in both operands: out[i] (+)= sum over k, j of left[i, k, j] * right[k, j].
 * Vectors run along j, and lanes are added at the end. The order of sums is the same for every instruction set: each
 * row has two sums of 64 bytes, whatever the bytes of a register. Term j, of any k, belongs to lane j modulo the lanes
 * of both. Rows share the loads of right, as many as registers hold sums of. Loads are unaligned; an incomplete vector
 * at the end of j is loaded with zeros. This is level 2 of the BLAS (Dongarra, Du Croz, Hammarling, Hanson, ACM TOMS
 * 14, 1988), bound by one read of the matrix. Template; the includer defines
 *
 *   T, NAME(x)     element type and names      MADD(a, b, c)   a * b + c of vectors
 *
 * and optionally
 *
 *   STORED         type of left's elements     WIDEN(v)        a vector of them as one of T
 */
#ifndef STORED
#define STORED T
#define WIDEN(v) (v)
#endif
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
#define PARTS ((int)(64 / sizeof(NAME(along)))) /* registers of a sum */
#if VECTOR_BYTES == 64
#define TOGETHER 4
#elif VECTOR_BYTES == 32 || defined(__aarch64__) /* 12 of 16 registers, 24 of 32 */
#define TOGETHER 3
#else
#define TOGETHER 1
#endif
/* Bytes whose lanes are added singly: with AVX2 the compiler does so for several rows at once. */
#define SINGLY (VECTOR_BYTES == 32 ? 32 : 16)
typedef T NAME(along) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(along_loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
typedef STORED NAME(stored) __attribute__((vector_size(VECTOR_BYTES / sizeof(T) * sizeof(STORED))));

/* Set *to to the sum of both halves of *from, which is twice as large. */
#define HALVE(to, from)                                                                                      \
    do {                                                                                                     \
        __typeof__(*(to)) upper;                                                                             \
        memcpy(to, from, sizeof upper);                                                                      \
        memcpy(&upper, (const char *)(from) + sizeof upper, sizeof upper);                                   \
        *(to) += upper;                                                                                      \
    } while (0)

/* Return the sum of all lanes of both sums: first that of equal lanes, then of halves. */
static inline __attribute__((always_inline)) T NAME(across)(NAME(along) (*sums)[PARTS]) {
    T half __attribute__((vector_size(32))), quarter __attribute__((vector_size(16))),
        lane[SINGLY / sizeof(T)];
#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++) sums[0][p] += sums[1][p];
    HALVE(&half, sums[0]);
    HALVE(&quarter, &half);
    memcpy(lane, SINGLY == sizeof half ? (const void *)&half : &quarter, sizeof lane);
#pragma GCC unroll 3
    for (int n = (int)(sizeof lane / sizeof *lane) / 2; n > 0; n /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < n; i++) lane[i] += lane[i + n];
    return lane[0];
}

/* Prefetch the lines that lie `ahead` bytes behind those of one step of a row, both sums of all its lanes. Rows are
   too short for the hardware to follow, and as many as are computed together take turns. Without it, 768 bf16 from
   memory took 2.0 times as long; with it f32 in cache takes 1.05 times as long, and into L2 alone 1.5 (Xeon, 256 x
   256). */
static inline __attribute__((always_inline)) void NAME(fetch)(const STORED *row, int64_t ahead) {
    enum { STEP = 2 * 64 / sizeof(T) * sizeof(STORED) };
#pragma GCC unroll 4
    for (int at = 0; at < STEP; at += CACHE_LINE) __builtin_prefetch((const char *)row + ahead + at, 0, 3);
}

/* Add the terms at left[i][0 ..] * right[0 ..], one full register, to part `at` of both sums of `rows` rows. */
static inline __attribute__((always_inline)) void NAME(dot_step)(NAME(along) (*sums)[2][PARTS],
                                                                 const STORED *const *left, const T *right,
                                                                 int64_t j, int at, int rows) {
    NAME(along) y = *(const NAME(along_loose) *)(right + j);
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        NAME(stored) x;
        memcpy(&x, left[i] + j, sizeof x);
        sums[i][at / PARTS][at % PARTS] = MADD(WIDEN(x), y, sums[i][at / PARTS][at % PARTS]);
    }
}

/* Add the terms from j on, fewer than two sums have lanes, to the sums of `rows` rows. */
static inline __attribute__((always_inline)) void NAME(dot_rest)(const struct lanes_call *t,
                                                                 NAME(along) (*sums)[2][PARTS],
                                                                 const STORED *const *left, const T *right,
                                                                 int64_t j, int rows) {
#pragma GCC unroll 8
    for (int at = 0; at < 2 * PARTS; at++, j += LANES) {
        if (j >= t->columns) return;
        if (j + LANES <= t->columns) {
            NAME(dot_step)(sums, left, right, j, at, rows);
            continue;
        }
        part last = part_of((int)(t->columns - j), sizeof(T));
        NAME(stored) x;
        NAME(along) y;
        part_load(&y, VECTOR_BYTES, sizeof(T), right + j, last);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            part_load(&x, sizeof x, sizeof(STORED), left[i] + j, last);
            sums[i][at / PARTS][at % PARTS] = MADD(WIDEN(x), y, sums[i][at / PARTS][at % PARTS]);
        }
    }
}

/* Compute out[row] .. out[row + rows - 1] of matrix by vector, or add to them if t->add. `rows` is a constant, at most
   TOGETHER, so that loops unroll. */
static inline __attribute__((always_inline)) void NAME(dot_tile)(const struct lanes_call *t, int64_t row,
                                                                 const int rows) {
    NAME(along) sums[TOGETHER][2][PARTS];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int at = 0; at < 2 * PARTS; at++) sums[i][at / PARTS][at % PARTS] = (NAME(along)){0};
    int64_t ahead = row + rows < t->rows ? t->left_rows[row + rows] - t->left_rows[row] : 0;
    for (int64_t k = 0; k < t->depth; k++) {
        const T *right = (const T *)(t->right + t->right_at[k]);
        const STORED *left[TOGETHER];
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++)
            left[i] = (const STORED *)(t->left + t->left_rows[row + i] + t->left_at[k]);
        int64_t j = 0;
        for (; j + 2 * PARTS * LANES <= t->columns; j += 2 * PARTS * LANES) {
#pragma GCC unroll 4
            for (int i = 0; i < rows; i++) NAME(fetch)(left[i] + j, ahead);
#pragma GCC unroll 8
            for (int at = 0; at < 2 * PARTS; at++)
                NAME(dot_step)(sums, left, right, j + at * LANES, at, rows);
        }
        NAME(dot_rest)(t, sums, left, right, j, rows);
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        T *out = (T *)(t->out + t->out_rows[row + i]), sum = NAME(across)(sums[i]);
        *out = t->add ? *out + sum : sum;
    }
}

/* Compute out[i] (+)= sum over k, j of left[i, k, j] * right[k, j] for all rows i, TOGETHER at a time; then those that
   are left, in pairs if registers suffice. */
static void NAME(dots)(const struct lanes_call *t) {
    int64_t row = 0;
    for (; row + TOGETHER <= t->rows; row += TOGETHER) NAME(dot_tile)(t, row, TOGETHER);
#if TOGETHER > 1
    for (; row + 2 <= t->rows; row += 2) NAME(dot_tile)(t, row, 2);
    if (row < t->rows) NAME(dot_tile)(t, row, 1);
#endif
}

#undef T
#undef NAME
#undef MADD
#undef STORED
#undef WIDEN
#undef LANES
#undef PARTS
#undef TOGETHER
#undef SINGLY
#undef HALVE
