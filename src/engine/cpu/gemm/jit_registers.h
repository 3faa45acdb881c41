/*
 * Register allocation of a tile. First the row of right, or all rows that are held; then a broadcast of left; then
 * the product if addition is a separate instruction; then the sums. With 16 registers a tile that is wider than high
 * holds broadcasts of left and loads one vector of right at a time. So 3 x 4 vectors fit, with whole lines of right.
 */
#ifndef ENGINE_CPU_GEMM_JIT_REGISTERS_H
#define ENGINE_CPU_GEMM_JIT_REGISTERS_H
#include "engine/cpu/gemm/jit_tile.h"

/* Return true if a tile of rows x vectors loads vectors of right one at a time: it is wider than high, and there
   are only 16 registers (not `wide`). */
static inline bool in_turn(bool wide, int rows, int vectors) { return !wide && rows < vectors; }
/* Return true if tile t loads vectors of right one at a time, into one register. */
static inline bool right_in_turn(const struct jit_code *code, const struct jit_tile *t) {
    return !t->held && in_turn(code->wide, t->rows, t->vectors);
}
/* Return the register (0-based) of vector j of right's row k. */
static inline int right_register(const struct jit_code *code, const struct jit_tile *t, int64_t k, int j) {
    return right_in_turn(code, t) ? t->rows : (t->held ? (int)k * t->vectors : 0) + j;
}
/* Return the register of left's value in row i, in all its lanes. */
static inline int value_register(const struct jit_code *code, const struct jit_tile *t, int i) {
    return right_in_turn(code, t) ? i : (t->held ? t->held : 1) * t->vectors;
}
/* Return the register of a product before it is added, for types whose multiply and add are two instructions. */
static inline int product_register(const struct jit_code *code, const struct jit_tile *t) {
    return right_in_turn(code, t) ? t->rows + 1 : value_register(code, t, 0) + 1;
}

/* Return the number of registers that a tile of rows x vectors needs besides its sums; the sums follow them. */
static inline int others(bool wide, const struct jit_kind *kind, int rows, int vectors) {
    return (in_turn(wide, rows, vectors) ? rows : vectors) + 1 + kind->two_steps;
}
/* Return the number of vector registers: 32 with AVX-512 (wide), else 16. */
static inline int registers(bool wide) { return wide ? 32 : 16; }

/* Return the number of sums for each element of the tile, at least 1. */
static inline int chains_of(const struct jit_tile *t) { return t->shape->chains > 1 ? t->shape->chains : 1; }

/* Return the register of the sum that term k of a batch adds to, for row i and vector j. */
static inline int sum_register(const struct jit_code *code, const struct jit_tile *t, int64_t k, int i,
                               int j) {
    int chain = (int)((t->chain + k) % chains_of(t));
    if (t->held) return product_register(code, t) + t->kind->two_steps + j;
    return others(code->wide, t->kind, t->rows, t->vectors) + (chain * t->rows + i) * t->vectors + j;
}
#endif
