/*
 * The contract between the contraction's loops and its kernels (gemm.kernel.c, gemm_pack.kernel.c), which are
 * compiled once per instruction set.  A kernel computes one tile, rows x columns, from
 *
 *   left   a[ka[k] + i]   i = 0 .. rows-1       packed panels (ka[k] = k * pitch) or the operand itself
 *   right  b[kb[k] + j]   j = 0 .. columns-1    packed slivers (kb[k] = k * columns) or the operand itself
 *
 * Element j of row i is always the sum over k in rising order, so neither the split into tiles nor packing
 * changes a bit.  Complex numbers are computed by the real kernels: Van Zee & Smith's 1m method
 * ("Implementing high-performance complex matrix multiplication via the 1m method", SIAM J. Sci. Comput. 42,
 * 2020): every k becomes two, packing writes (re, im) of left there and rows (re, im), (-im, re) of right.
 */
#ifndef ENGINE_CPU_GEMM_H
#define ENGINE_CPU_GEMM_H
#include "array/dtype.h"

struct gemm_tile {
    const void *a, *b;
    const int64_t *ka, *kb;
    int64_t depth;
    void *c; /* row i starts at c[rows[i]] */
    const int64_t *rows;
    bool add;         /* adds to c; else overwrites it */
    const void *soon; /* soon[soon_at[i]], i < soon_count, is wanted in the cache afterwards: one is fetched
                         every soon_step k (at least 1), so that fetching does not hold up the sums */
    const int64_t *soon_at;
    int64_t soon_count, soon_step;
};
typedef void gemm_tile_run(const struct gemm_tile *t);

/* Steps of elements, and at each how many elements from there on lie side by side. */
struct steps {
    const int64_t *at;
    const int32_t *run;
};

/* to[k * pitch + i] = from[across.at[i] + along.at[k]] for i < width, k < depth (real dtypes; complex as
   above). What lies after `width` is undefined. */
typedef void gemm_pack(void *to, int64_t pitch, const void *from, struct steps across, int64_t width,
                       struct steps along, int64_t depth);

/* c[rows[i] + columns[j] + p] = (or +=) tile[i * pitch + j * parts + p]: outputs that do not lie side by
 * side. */
typedef void gemm_place(void *c, const int64_t *rows, int64_t nrows, const int64_t *columns, int64_t ncolumns,
                        int64_t parts, const void *tile, int64_t pitch, bool add);

enum { GEMM_VECTORS = 2 };

struct gemm {
    ty_dtype inner; /* dtype of packed elements and sums */
    int rows;       /* of the largest tile */
    int lanes;      /* elements of a vector; the largest tile is GEMM_VECTORS of them wide */
    int pitch;      /* of a packed panel of left */
    int parts;      /* inner elements of one element: 2 for complex */
    bool direct;    /* operands may be read where they are: they have the inner dtype */
    gemm_tile_run *const (*tile)[GEMM_VECTORS + 1]; /* [rows][vectors] */
    gemm_tile_run *lane[GEMM_VECTORS + 1]; /* one row whose left steps with the columns: a[ka[k] + j] */
    gemm_pack *pack_left, *pack_right, *pack_lanes;
    gemm_place *place;
    void (*sum)(int64_t n, void *to, const void *from); /* to[i] += from[i] */
};

/* The kernels for a dtype, of the instruction set in use. */
const struct gemm *gemm_find(ty_dtype dtype);

extern const struct gemm gemm_base[TY_DTYPES], gemm_avx2[TY_DTYPES], gemm_avx512[TY_DTYPES];
#endif
