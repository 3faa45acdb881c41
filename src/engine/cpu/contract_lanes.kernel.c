/*
 * Where C is innermost in all three operands, a vector holds as many problems as it has lanes: a tile of rows times
 * vectors of sums, one load of right for all its rows.  Columns that fill no vector are done by one more vector that
 * overlaps the last; where there is not even one, through a copy of a few elements.  Template; the includer defines
 *
 *   T, NAME(x)     element type and names        VECTOR_BYTES   size of a register (stays defined)
 */
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
typedef T NAME(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));

static inline __attribute__((always_inline)) void NAME(lane_tile)(const struct lanes_call *t, int64_t row, int64_t at,
                                                                  const int rows, const int vectors) {
    NAME(vector) sums[4][4], y[4];
    const char *left[4];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        left[i] = t->left + t->left_rows[row + i] + at;
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) {
            sums[i][j] = (NAME(vector)){0};
            if (t->add) sums[i][j] = *(const NAME(loose) *)(t->out + t->out_rows[row + i] + at + j * VECTOR_BYTES);
        }
    }
    for (int64_t k = 0; k < t->depth; k++) {
        const char *right = t->right + t->right_at[k] + at;
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) y[j] = *(const NAME(loose) *)(right + j * VECTOR_BYTES);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++)
                sums[i][j] += *(const NAME(loose) *)(left[i] + t->left_at[k] + j * VECTOR_BYTES) * y[j];
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            *(NAME(loose) *)(t->out + t->out_rows[row + i] + at + j * VECTOR_BYTES) = sums[i][j];
}

/* A column of vectors, all rows. */
static inline __attribute__((always_inline)) void NAME(lane_column)(const struct lanes_call *t, int64_t at,
                                                                    const int vectors) {
    int64_t row = 0;
    for (; row + 4 <= t->rows; row += 4) NAME(lane_tile)(t, row, at, 4, vectors);
    for (; row < t->rows; row++) NAME(lane_tile)(t, row, at, 1, vectors);
}

/* Columns that fill no vector, in the same order of sums. */
static void NAME(lane_rest)(const struct lanes_call *t, int64_t from) {
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = from; j < t->columns; j++) {
            T *out = (T *)(t->out + t->out_rows[i]) + j, sum = t->add ? *out : 0;
            for (int64_t k = 0; k < t->depth; k++)
                sum += ((const T *)(t->left + t->left_rows[i] + t->left_at[k]))[j] *
                       ((const T *)(t->right + t->right_at[k]))[j];
            *out = sum;
        }
}

static void NAME(lanes)(const struct lanes_call *t) {
    int64_t j = 0;
    for (; j + 4 * LANES <= t->columns; j += 4 * LANES) NAME(lane_column)(t, j * (int64_t)sizeof(T), 4);
    for (; j + 2 * LANES <= t->columns; j += 2 * LANES) NAME(lane_column)(t, j * (int64_t)sizeof(T), 2);
    for (; j + LANES <= t->columns; j += LANES) NAME(lane_column)(t, j * (int64_t)sizeof(T), 1);
    if (j < t->columns && j && !t->add)
        NAME(lane_column)(t, (t->columns - LANES) * (int64_t)sizeof(T), 1);
    else if (j < t->columns)
        NAME(lane_rest)(t, j);
}

#undef T
#undef NAME
#undef LANES
