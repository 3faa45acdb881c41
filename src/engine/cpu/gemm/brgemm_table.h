/*
 * Table-driven kernels of brgemm.h: a function for each register tile, element type and instruction set.
 * brgemm_table.c cuts a block into tiles and calls them; brgemm.kernel.c is their template.
 */
#ifndef ENGINE_CPU_GEMM_BRGEMM_TABLE_H
#define ENGINE_CPU_GEMM_BRGEMM_TABLE_H
#include "engine/cpu/gemm/brgemm.h"

enum { BRGEMM_VECTORS = 4 }; /* widest tile, in vectors */

/* One tile of a call, with the addresses of its corner. */
struct brgemm_tile {
    const char *left, *right;
    char *out;
    const int64_t *rows; /* byte offsets of rows; NULL: out_row */
    const int64_t *left_at, *right_at;
    int64_t batches, depth, left_row, left_step, right_step, out_row;
    int32_t last; /* columns of the last vector */
    bool add;
};
/* Compute one tile. */
typedef void brgemm_tile_run(const struct brgemm_tile *tile);

/* The tiles for one combination of types. */
struct brgemm_kernels {
    ty_dtype left, right, out;
    int group, lanes;
    bool left_columns, right_single;
    int right_bytes, out_bytes;                       /* bytes of a vector of columns */
    int most[BRGEMM_VECTORS + 1];                     /* [v]: rows of the largest tile of v vectors */
    brgemm_tile_run *const *tile[BRGEMM_VECTORS + 1]; /* [vectors][rows] */
};

extern const struct brgemm_kernels brgemm_base[], brgemm_avx2[], brgemm_avx512[], brgemm_neondot[2],
    brgemm_neoni8mm[2];
extern const int brgemm_count_base, brgemm_count_avx2, brgemm_count_avx512;

/* Return the table-driven kernels for these types; NULL if there are none. */
const struct brgemm_kernels *brgemm_kernels_find(const struct brgemm_types *types);
/* Return the table-driven kernels for these types that use optional CPU instructions which this CPU has; NULL if
   there are none. */
const struct brgemm_kernels *brgemm_extra_find(const struct brgemm_types *types);
/* Set *kernel to a table-driven kernel for a shape. Return false if there is none for the dtypes. */
bool brgemm_table_find(struct brgemm *kernel, const struct brgemm_shape *shape);
#endif
