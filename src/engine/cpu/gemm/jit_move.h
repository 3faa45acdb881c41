/* Loads and stores of vectors of a tile: incomplete ones without touching memory behind them, and those of right that
   are widened. */
#ifndef ENGINE_CPU_GEMM_JIT_MOVE_H
#define ENGINE_CPU_GEMM_JIT_MOVE_H
#include "engine/cpu/gemm/jit_tile.h"

/* Return the bytes of a full vector. */
static inline int full(const struct jit_code *code) { return code->wide ? 64 : 32; }

/* Return true if a part of `part` bytes of a vector needs a mask or two moves. 4, 8, 16 and 32 have moves of their
   own, which forward better from the store buffer. */
static inline bool is_odd(int part) { return part && (part & (part - 1)); }
/* Return true if vector j of the tile is incomplete. */
static inline bool jit_is_part(const struct jit_tile *t, int j) { return t->part && j == t->vectors - 1; }
/* Return the address of vector j of a row that begins at `row`. The last vector may be moved left by t->back bytes. */
struct jit_at jit_vector_of(const struct jit_code *code, const struct jit_tile *t, struct jit_at row, int j);
/* Return the address of vector j of a row of right, as vector_of does. */
struct jit_at jit_vector_of_right(const struct jit_code *code, const struct jit_tile *t, struct jit_at row,
                                  int j);
/* Emit a load, or with `to_memory` a store, of vector j of a row between register `reg` and its address `at`. */
void jit_move(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at,
              bool to_memory);
/* Emit a load of register `reg` from vector j of right, of elements of 2 bytes at `at`, which become 4 bytes. */
void jit_load_widened(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at);
/* Emit a store of register `reg` to vector j of a row, whose address is `at`. The code may overwrite the register
   of left's value. */
void jit_store(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at);
#endif
