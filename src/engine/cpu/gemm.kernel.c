/*
 * The micro-kernel of all contractions: a tile of sums in registers, one multiply-add per register and k.
 * Template; the includer defines
 *
 *   T                 element type          NAME(x)       name with the type's suffix
 *   ROWS              rows of a full tile   MADD(c, a, b), ADD(c, x)
 *   VECTOR_BYTES      size of a register (stays defined; the others do not)
 *
 * It is the innermost loop of Van Zee & van de Geijn, "BLIS: a framework for rapidly instantiating BLAS
 * functionality" (ACM TOMS 41, 2015), but reads both operands through vectors of steps as Matthews' TBLIS
 * does, so that a panel needs no copy where the operand already has the shape.  Each number of rows is a
 * function of its own: with rows and vectors constant the sums stay in registers.
 */
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
typedef T NAME(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));

static inline __attribute__((always_inline)) void
NAME(finish)(const struct gemm_tile *t, int rows, int vectors, NAME(vector) (*sums)[GEMM_VECTORS], bool add) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        T *c = (T *)t->c + t->rows[i];
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) {
            NAME(loose) *to = (NAME(loose) *)(c + j * LANES);
            if (add) sums[i][j] = ADD(*to, sums[i][j]);
            *to = sums[i][j];
        }
    }
}

static inline __attribute__((always_inline)) void NAME(tile)(const struct gemm_tile *t, int rows,
                                                             int vectors) {
    NAME(vector) sums[ROWS][GEMM_VECTORS], b[GEMM_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) sums[i][j] = (NAME(vector)){0};
    for (int64_t k = 0, soon = 0; k < t->depth; soon++) {
        int64_t end = k + t->soon_step < t->depth ? k + t->soon_step : t->depth;
        if (soon < t->soon_count) __builtin_prefetch((const T *)t->soon + t->soon_at[soon], 0, 2);
        if (soon < rows) {
            __builtin_prefetch((const T *)t->c + t->rows[soon], 1, 2);
            __builtin_prefetch((const T *)t->c + t->rows[soon] + LANES, 1, 2);
        }
        for (; k < end; k++) {
            const T *ak = (const T *)t->a + t->ka[k], *bk = (const T *)t->b + t->kb[k];
#pragma GCC unroll 2
            for (int j = 0; j < vectors; j++) b[j] = *(const NAME(loose) *)(bk + j * LANES);
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
                for (int j = 0; j < vectors; j++) sums[i][j] = MADD(sums[i][j], ak[i], b[j]);
        }
    }
    if (t->add)
        NAME(finish)(t, rows, vectors, sums, true);
    else
        NAME(finish)(t, rows, vectors, sums, false);
}

static inline __attribute__((always_inline)) void NAME(lane)(const struct gemm_tile *t, int vectors) {
    NAME(vector) sums[1][GEMM_VECTORS];
#pragma GCC unroll 2
    for (int j = 0; j < vectors; j++) sums[0][j] = (NAME(vector)){0};
    for (int64_t k = 0; k < t->depth; k++) {
        const T *ak = (const T *)t->a + t->ka[k], *bk = (const T *)t->b + t->kb[k];
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) {
            const NAME(loose) *x = (const NAME(loose) *)(ak + j * LANES),
                              *y = (const NAME(loose) *)(bk + j * LANES);
            sums[0][j] = MADD(sums[0][j], *x, *y);
        }
    }
    NAME(finish)(t, 1, vectors, sums, t->add);
}

static void NAME(lane_1)(const struct gemm_tile *t) { NAME(lane)(t, 1); }
static void NAME(lane_2)(const struct gemm_tile *t) { NAME(lane)(t, 2); }

#define TILE(rows)                                                                                           \
    static void NAME(tile_##rows##_1)(const struct gemm_tile *t) { NAME(tile)(t, rows, 1); }                 \
    static void NAME(tile_##rows##_2)(const struct gemm_tile *t) { NAME(tile)(t, rows, 2); }
#define TILE_ENTRY(rows) {NULL, NAME(tile_##rows##_1), NAME(tile_##rows##_2)},
#if ROWS >= 14
#define EACH(TILE)                                                                                           \
    TILE(1)                                                                                                  \
    TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7) TILE(8) TILE(9) TILE(10) TILE(11) TILE(12) TILE(13)      \
        TILE(14)
#elif ROWS >= 6
#define EACH(TILE) TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6)
#else
#define EACH(TILE) TILE(1) TILE(2) TILE(3) TILE(4)
#endif
EACH(TILE)
static gemm_tile_run *const NAME(tiles)[ROWS + 1][GEMM_VECTORS + 1] = {{NULL}, EACH(TILE_ENTRY)};

static void NAME(place)(void *out, const int64_t *rows, int64_t nrows, const int64_t *columns,
                        int64_t ncolumns, int64_t parts, const void *tile, int64_t pitch, bool add) {
    for (int64_t i = 0; i < nrows; i++)
        for (int64_t j = 0; j < ncolumns; j++) {
            T *to = (T *)out + rows[i] + columns[j];
            const T *from = (const T *)tile + i * pitch + j * parts;
            for (int64_t p = 0; p < parts; p++) to[p] = add ? (T)ADD(to[p], from[p]) : from[p];
        }
}

static void NAME(sum)(int64_t n, void *to, const void *from) {
    T *restrict y = to;
    const T *restrict x = from;
    for (int64_t i = 0; i < n; i++) y[i] = (T)ADD(y[i], x[i]);
}

#undef T
#undef NAME
#undef ROWS
#undef MADD
#undef ADD
#undef LANES
#undef TILE
#undef TILE_ENTRY
#undef EACH
