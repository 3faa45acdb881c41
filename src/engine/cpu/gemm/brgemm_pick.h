/* Which register tile a block is cut into: one rule for all kernels. */
#ifndef ENGINE_CPU_GEMM_BRGEMM_PICK_H
#define ENGINE_CPU_GEMM_BRGEMM_PICK_H
#include <stdbool.h>
#include <stdint.h>

struct brgemm_tiles {
    const int *most; /* [v], v <= widest: rows of the largest tile that is v vectors wide; 0: there is none */
    int widest;
    bool left_columns; /* as in brgemm_shape */
    int64_t column;    /* bytes that a column of right, one vector wide, has over all steps; 0: not known */
};
/* The tile for a block of rows x vectors.  Tiles hold whole lines of rows, a divisor of rows. */
void brgemm_pick(const struct brgemm_tiles *tiles, int64_t rows, int64_t line, int64_t vectors,
                 int32_t *tile_rows, int32_t *tile_vectors);
#endif
