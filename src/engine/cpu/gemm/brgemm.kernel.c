/*
 * Register tiles of the batch-reduce product (brgemm.h): rows x vectors of out, one function each.  Template; the
 * includer defines
 *
 *   SUM                type of sums and out      NAME(x)  name with the type's suffix
 *   LEFT, RIGHT        memory type of one step of k in a row of left, in a column of right
 *   MADD(c, a, b)      the sum c plus the products of one step
 *
 * and optionally
 *
 *   LEFT_COLUMNS       1: left has columns, as right has; 0 (default): one LEFT for a row
 *   RIGHT_SINGLE       1: right has no columns; 0 (default): it has
 *   GET_RIGHT(v)       conversion of a vector of RIGHT, before MADD; default: none
 *   MOST_1 .. MOST_4   rows of the largest tile of 1 .. 4 vectors, 0: none; limited by registers
 *
 * This is the innermost loop of Van Zee & van de Geijn, "BLIS: a framework for rapidly instantiating BLAS
 * functionality" (ACM TOMS 41, 2015).  Rows and vectors are constants, so that sums stay in registers.  Rows are
 * addressed from every fourth one by a multiple of the stride, which saves pointer registers.  Loads and stores are
 * unaligned.
 *
 * An incomplete vector without a masked store costs a branch and a call.  So the last of several vectors is moved left
 * to end at the last column; both vectors hold equal values where they overlap.
 */
#ifndef LEFT_COLUMNS
#define LEFT_COLUMNS 0
#endif
#ifndef RIGHT_SINGLE
#define RIGHT_SINGLE 0
#endif
#ifndef GET_RIGHT
#define GET_RIGHT SAME
#endif
#ifndef MOST_1
#define MOST_1 FULL_1
#define MOST_2 FULL_2
#define MOST_3 FULL_3
#define MOST_4 FULL_4
#endif
#define LANES ((int)(VECTOR_BYTES / sizeof(SUM)))
typedef SUM NAME(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef RIGHT NAME(stored) __attribute__((vector_size(VECTOR_BYTES / sizeof(SUM) * sizeof(RIGHT))));
typedef __typeof__(GET_RIGHT((NAME(stored)){0})) NAME(factor);
#define MOST_ROWS MOST_1

/* Return true if vector j of `vectors` may reach past the last column, so that only a part of it is loaded and
   stored: the last one, if alone or if masked stores exist. */
static INLINE bool NAME(is_part)(int j, int vectors) {
    return j == vectors - 1 && (vectors == 1 || PART_STORE_MASKED);
}
/* Return the byte offset of the first column of vector j, of elements of `element` bytes. A last vector that is no
   part is moved left to end at the last column. */
static INLINE int64_t NAME(first)(int j, int vectors, part last, int element) {
    bool shared = j == vectors - 1 && !NAME(is_part)(j, vectors);
    return (int64_t)(j * LANES - (shared ? part_absent(last, LANES) : 0)) * element;
}
static INLINE void NAME(load)(void *to, int element, const char *from, int j, int vectors, part last) {
    from += NAME(first)(j, vectors, last, element);
    if (NAME(is_part)(j, vectors))
        part_load(to, LANES * element, element, from, last);
    else
        __builtin_memcpy(to, from, (size_t)(LANES * element));
}

static INLINE void NAME(start)(const struct brgemm_tile *t, char *const *out, part last, int rows,
                               int vectors, NAME(vector) (*sums)[BRGEMM_VECTORS]) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) {
            sums[i][j] = (NAME(vector)){0};
            if (t->add) NAME(load)(&sums[i][j], sizeof(SUM), out[i], j, vectors, last);
        }
}

/* Return the element of right at `from` in all lanes. */
static INLINE NAME(stored) NAME(everywhere)(const char *from) {
    RIGHT x;
    __builtin_memcpy(&x, from, sizeof x);
    return (NAME(stored)){0} + x;
}

#if LEFT_COLUMNS
/* Return vector j of a row of left, which begins at `from`; the last of `vectors` is incomplete as `last` says. */
static INLINE NAME(vector) NAME(factor_of_left)(const char *from, int j, int vectors, part last) {
    NAME(vector) x;
    NAME(load)(&x, sizeof(LEFT), from, j, vectors, last);
    return x;
}
#else
static INLINE LEFT NAME(factor_of_left)(const char *from, int j, int vectors, part last) {
    LEFT x;
    (void)j, (void)vectors, (void)last;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
}
#endif

static INLINE void NAME(step)(const char *const *left, int64_t left_row, const char *right, part last,
                              int rows, int vectors, NAME(vector) (*sums)[BRGEMM_VECTORS]) {
    NAME(factor) b[BRGEMM_VECTORS];
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++) {
        NAME(stored) v;
        if (RIGHT_SINGLE)
            v = NAME(everywhere)(right);
        else
            NAME(load)(&v, sizeof(RIGHT), right, j, vectors, last);
        b[j] = GET_RIGHT(v);
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            sums[i][j] = MADD(sums[i][j],
                              NAME(factor_of_left)(left[i / 4] + i % 4 * left_row, j, vectors, last), b[j]);
}

/* Add all terms, of t->batches batches of t->depth steps, to sums[row][vector] of a tile of rows x vectors. `last`
   describes the columns of the last vector. */
static INLINE void NAME(sum)(const struct brgemm_tile *t, part last, int rows, int vectors,
                             NAME(vector) (*sums)[BRGEMM_VECTORS]) {
    enum { GROUPS = (MOST_ROWS + 3) / 4 };
    for (int64_t b = 0; b < t->batches; b++) {
        const char *left[GROUPS], *right = t->right + (t->right_at ? t->right_at[b] : 0);
#pragma GCC unroll 4
        for (int i = 0; i < (rows + 3) / 4; i++)
            left[i] = t->left + (t->left_at ? t->left_at[b] : 0) + 4 * i * t->left_row;
        for (int64_t k = 0; k < t->depth; k++) {
            NAME(step)(left, t->left_row, right, last, rows, vectors, sums);
#pragma GCC unroll 4
            for (int i = 0; i < (rows + 3) / 4; i++) left[i] += t->left_step;
            right += t->right_step;
        }
    }
}

#if PART_STORE_MASKED
static INLINE void NAME(store)(const struct brgemm_tile *t, char *const *out, part last, int rows,
                               int vectors, NAME(vector) (*sums)[BRGEMM_VECTORS]) {
    (void)t;
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) {
            char *to = out[i] + j * VECTOR_BYTES;
            if (NAME(is_part)(j, vectors))
                part_store(to, VECTOR_BYTES, sizeof(SUM), &sums[i][j], last);
            else
                __builtin_memcpy(to, &sums[i][j], VECTOR_BYTES);
        }
}
#else
static INLINE void NAME(store)(const struct brgemm_tile *t, char *const *out, part last, int rows,
                               int vectors, NAME(vector) (*sums)[BRGEMM_VECTORS]) {
    if (vectors == 1 && t->last < LANES) {
        NAME(vector) all[MOST_ROWS]; /* lets the sums stay in registers until here */
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) all[i] = sums[i][0];
        part_store_rows(t->out, t->rows, t->out_row, all, rows, t->last * (int)sizeof(SUM));
        return;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            __builtin_memcpy(out[i] + NAME(first)(j, vectors, last, sizeof(SUM)), &sums[i][j], VECTOR_BYTES);
}
#endif

static INLINE void NAME(tile)(const struct brgemm_tile *t, int rows, int vectors) {
    NAME(vector) sums[MOST_ROWS][BRGEMM_VECTORS];
    char *out[MOST_ROWS];
    part last = part_of(t->last, sizeof(SUM));
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) out[i] = t->out + (t->rows ? t->rows[i] : i * t->out_row);
    NAME(start)(t, out, last, rows, vectors, sums);
    if (vectors == 1 && !part_masked(VECTOR_BYTES, sizeof(SUM)) && t->last == LANES)
        NAME(sum)(t, part_of(LANES, sizeof(SUM)), rows, vectors, sums); /* known to be full: no branches */
    else
        NAME(sum)(t, last, rows, vectors, sums);
    NAME(store)(t, out, last, rows, vectors, sums);
}

#define TILE(rows, vectors)                                                                                  \
    static void NAME(tile_##rows##_##vectors)(const struct brgemm_tile *t) { NAME(tile)(t, rows, vectors); }
#define ENTRY(rows, vectors) NAME(tile_##rows##_##vectors),
#define ALL(most, vectors)                                                                                   \
    UP_TO(most)                                                                                              \
    (TILE, vectors) static brgemm_tile_run *const NAME(tiles_##vectors)[] = {NULL,                           \
                                                                             UP_TO(most)(ENTRY, vectors)};
ALL(MOST_1, 1)
ALL(MOST_2, 2)
ALL(MOST_3, 3)
ALL(MOST_4, 4)

enum {
    NAME(lanes) = LANES,
    NAME(right_bytes) = sizeof(NAME(stored)),
    NAME(left_columns) = LEFT_COLUMNS,
    NAME(right_single) = RIGHT_SINGLE
};

#undef SUM
#undef NAME
#undef LEFT
#undef LEFT_COLUMNS
#undef RIGHT_SINGLE
#undef RIGHT
#undef GET_RIGHT
#undef MADD
#undef MOST_1
#undef MOST_2
#undef MOST_3
#undef MOST_4
#undef MOST_ROWS
#undef LANES
#undef TILE
#undef ENTRY
#undef ALL
