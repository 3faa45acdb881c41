/*
 * Matrix by vector with K contiguous in both operands: out[i] (+)= sum over k, j of left[i, k, j] * right[k, j].
 * Vectors run along j and lanes are added at the end.  Four rows share the loads of right; each row has two vector
 * sums, whatever the number of rows, so its bits do not depend on its neighbours.  Loads are unaligned; an incomplete
 * vector at the end of j is loaded with zeros.  This is level 2 of the BLAS (Dongarra, Du Croz, Hammarling, Hanson, ACM
 * TOMS 14, 1988), bound by one read of the matrix.  Template; the includer defines
 *
 *   T, NAME(x)     element type and names      MADD(a, b, c)   a * b + c of vectors
 */
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
typedef T NAME(along) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(along_loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));

/* Return the sum of all lanes of x, by adding halves. */
static inline __attribute__((always_inline)) T NAME(across)(NAME(along) x) {
    T lane[LANES];
    memcpy(lane, &x, sizeof x);
#pragma GCC unroll 6
    for (int half = LANES / 2; half > 0; half /= 2)
#pragma GCC unroll 32
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0];
}

/* Compute out[row] .. out[row + rows - 1] of matrix by vector, or add to them if t->add. `rows` is 1 or 4; a
   constant, so that loops unroll. */
static inline __attribute__((always_inline)) void NAME(dot_tile)(const struct lanes_call *t, int64_t row,
                                                                 const int rows) {
    NAME(along) sums[4][2];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) sums[i][0] = sums[i][1] = (NAME(along)){0};
    for (int64_t k = 0; k < t->depth; k++) {
        const T *right = (const T *)(t->right + t->right_at[k]), *left[4];
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) left[i] = (const T *)(t->left + t->left_rows[row + i] + t->left_at[k]);
        int64_t j = 0;
        for (; j + 2 * LANES <= t->columns; j += 2 * LANES) {
            NAME(along) y = *(const NAME(along_loose) *)(right + j);
            NAME(along) z = *(const NAME(along_loose) *)(right + j + LANES);
#pragma GCC unroll 4
            for (int i = 0; i < rows; i++) {
                sums[i][0] = MADD(*(const NAME(along_loose) *)(left[i] + j), y, sums[i][0]);
                sums[i][1] = MADD(*(const NAME(along_loose) *)(left[i] + j + LANES), z, sums[i][1]);
            }
        }
        if (j + LANES <= t->columns) {
            NAME(along) y = *(const NAME(along_loose) *)(right + j);
#pragma GCC unroll 4
            for (int i = 0; i < rows; i++)
                sums[i][0] = MADD(*(const NAME(along_loose) *)(left[i] + j), y, sums[i][0]);
            j += LANES;
        }
        if (j == t->columns) continue;
        part last = part_of((int)(t->columns - j), sizeof(T));
        NAME(along) x, y;
        part_load(&y, VECTOR_BYTES, sizeof(T), right + j, last);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            part_load(&x, VECTOR_BYTES, sizeof(T), left[i] + j, last);
            sums[i][1] = MADD(x, y, sums[i][1]);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        T *out = (T *)(t->out + t->out_rows[row + i]), sum = NAME(across)(sums[i][0] + sums[i][1]);
        *out = t->add ? *out + sum : sum;
    }
}

/* Compute out[i] (+)= sum over k, j of left[i, k, j] * right[k, j] for all rows i, four at a time, then one by one. */
static void NAME(dots)(const struct lanes_call *t) {
    int64_t row = 0;
    for (; row + 4 <= t->rows; row += 4) NAME(dot_tile)(t, row, 4);
    for (; row < t->rows; row++) NAME(dot_tile)(t, row, 1);
}

#undef T
#undef NAME
#undef MADD
#undef LANES
