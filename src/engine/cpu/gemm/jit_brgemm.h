/* Generated machine code for whole blocks. */
#ifndef ENGINE_CPU_GEMM_JIT_BRGEMM_H
#define ENGINE_CPU_GEMM_JIT_BRGEMM_H
#include "engine/cpu/gemm/jit_tile.h"

/* Return the instructions for these types. NULL if the current instruction set has none or code cannot be run. */
const struct jit_kind *jit_kind_find(const struct brgemm_types *types);
/* Set *high and *width to the rows and vectors of the tile that a block of rows x columns is cut into. Tiles hold
   whole lines of `line` rows. depth: steps of k; 0: unknown. */
void jit_brgemm_pick(const struct jit_kind *kind, bool left_columns, int64_t rows, int64_t line,
                     int64_t columns, int64_t depth, int32_t *high, int32_t *width);
/* Write machine code with the signature of brgemm.run for a shape. Return false if strides exceed the instructions'
   offsets or the code exceeds code->room. */
bool jit_brgemm(struct jit_code *code, const struct jit_kind *kind, const struct brgemm_shape *shape);
#endif
