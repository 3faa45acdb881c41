/* Choice of the register tile for a block, one rule for all kernels. */
#ifndef ENGINE_CPU_GEMM_BRGEMM_PICK_H
#define ENGINE_CPU_GEMM_BRGEMM_PICK_H
#include <stdbool.h>
#include <stdint.h>

/* The tiles that a kernel has. */
struct brgemm_tiles {
    const int *most; /* [v], v <= widest: rows of the largest tile of v vectors; 0: none */
    int widest;
    bool left_columns; /* as in brgemm_shape */
    int64_t column;    /* bytes of a one-vector column of right over all steps; 0: unknown */
};
/* Set *tile_rows and *tile_vectors to the fastest tile for a block of rows x vectors. Tiles hold whole lines of
   `line` rows; `line` divides rows. */
void brgemm_pick(const struct brgemm_tiles *tiles, int64_t rows, int64_t line, int64_t vectors,
                 int32_t *tile_rows, int32_t *tile_vectors);
#endif
