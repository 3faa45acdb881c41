/*
 * The table-driven kernels of brgemm.h: for each element type and instruction set a function for each
 * register tile. brgemm_table.c cuts a block into tiles and calls them; brgemm.kernel.c makes them.
 */
#ifndef ENGINE_CPU_GEMM_BRGEMM_TABLE_H
#define ENGINE_CPU_GEMM_BRGEMM_TABLE_H
#include "engine/cpu/gemm/brgemm.h"

enum { BRGEMM_VECTORS = 4 }; /* a tile is so many vectors wide at most */

/* One tile of a call: its corner of left, right and out, and of the table of rows. */
struct brgemm_tile {
    const char *left, *right;
    char *out;
    const int64_t *rows; /* NULL: out_row */
    const int64_t *left_at, *right_at;
    int64_t batches, depth, left_row, left_step, right_step, out_row;
    int32_t last; /* columns of the last vector */
    bool add;
};
typedef void brgemm_tile_run(const struct brgemm_tile *tile);

struct brgemm_kernels {
    ty_dtype left, right, out;
    int group, lanes;
    bool left_columns, right_single;
    int right_bytes, out_bytes;   /* of a vector's worth of columns */
    int most[BRGEMM_VECTORS + 1]; /* rows of the largest tile that is so many vectors wide */
    brgemm_tile_run *const *tile[BRGEMM_VECTORS + 1]; /* [rows] */
};

extern const struct brgemm_kernels brgemm_base[], brgemm_avx2[], brgemm_avx512[], brgemm_avx512bf16[1],
    brgemm_neondot[2], brgemm_neoni8mm[2];
extern const int brgemm_count_base, brgemm_count_avx2, brgemm_count_avx512;

/* NULL: there are none for these types. */
const struct brgemm_kernels *brgemm_kernels_find(const struct brgemm_types *types);
/* The same, of those that need an instruction which only some CPUs have. */
const struct brgemm_kernels *brgemm_extra_find(const struct brgemm_types *types);
/* As brgemm_find, of the table. */
bool brgemm_table_find(struct brgemm *kernel, const struct brgemm_shape *shape);
#endif
