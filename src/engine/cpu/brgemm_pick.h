/* Which register tile a block is cut into: one rule for all kernels. */
#ifndef ENGINE_CPU_BRGEMM_PICK_H
#define ENGINE_CPU_BRGEMM_PICK_H
#include <stdint.h>

/* The tile for a block of rows x vectors.  most[v], v <= widest: rows of the largest tile that is v vectors
   wide; 0: there is none.  Tiles hold whole lines of rows, a divisor of rows. */
void brgemm_pick(const int *most, int widest, int64_t rows, int64_t line, int64_t vectors, int32_t *tile_rows,
                 int32_t *tile_vectors);
#endif
