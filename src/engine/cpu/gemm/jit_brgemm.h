/* Machine code for whole blocks: jit_brgemm.c. */
#ifndef ENGINE_CPU_GEMM_JIT_BRGEMM_H
#define ENGINE_CPU_GEMM_JIT_BRGEMM_H
#include "engine/cpu/gemm/jit_tile.h"

/* NULL: the instruction set in use has no instructions for these types, or machine code cannot be run here.
 */
const struct jit_kind *jit_kind_find(const struct brgemm_types *types);
/* Rows and vectors of the tile that a block is cut into. */
void jit_brgemm_pick(const struct jit_kind *kind, bool left_columns, int64_t rows, int64_t line,
                     int64_t columns, int64_t depth, int32_t *high, int32_t *width);
/* Writes a kernel with the signature of brgemm.run.  false: strides are too large for the instructions, or
   the code for code->room. */
bool jit_brgemm(struct jit_code *code, const struct jit_kind *kind, const struct brgemm_shape *shape);
#endif
