/*
 * Registers of a tile: the row of right from 0 on, or all rows that are held; then one value of left in all
 * lanes, the product where adding is an instruction of its own, the sums.  Of sixteen registers a tile that is
 * wider than high keeps the values of left instead, in all lanes each, and one vector of right at a time: so
 * 3 x 4 vectors fit, with whole lines of right.
 */
#ifndef ENGINE_CPU_GEMM_JIT_REGISTERS_H
#define ENGINE_CPU_GEMM_JIT_REGISTERS_H
#include "engine/cpu/gemm/jit_tile.h"

/* Whether vectors of right come one at a time. */
static inline bool in_turn(bool wide, int rows, int vectors) { return !wide && rows < vectors; }
static inline bool right_in_turn(const struct jit_code *code, const struct jit_tile *t) {
    return !t->held && in_turn(code->wide, t->rows, t->vectors);
}
/* Vector j of right's row k. */
static inline int right_register(const struct jit_code *code, const struct jit_tile *t, int64_t k, int j) {
    return right_in_turn(code, t) ? t->rows : (t->held ? (int)k * t->vectors : 0) + j;
}
/* The value of left in row i. */
static inline int value_register(const struct jit_code *code, const struct jit_tile *t, int i) {
    return right_in_turn(code, t) ? i : (t->held ? t->held : 1) * t->vectors;
}
static inline int product_register(const struct jit_code *code, const struct jit_tile *t) {
    return right_in_turn(code, t) ? t->rows + 1 : value_register(code, t, 0) + 1;
}

/* Registers before the sums. */
static inline int others(bool wide, const struct jit_kind *kind, int rows, int vectors) {
    return (in_turn(wide, rows, vectors) ? rows : vectors) + 1 + kind->two_steps;
}
static inline int registers(bool wide) { return wide ? 32 : 16; }

static inline int chains_of(const struct jit_tile *t) { return t->shape->chains > 1 ? t->shape->chains : 1; }

/* Of the sums that term k of a batch belongs to. */
static inline int sum_register(const struct jit_code *code, const struct jit_tile *t, int64_t k, int i,
                               int j) {
    int chain = (int)((t->chain + k) % chains_of(t));
    if (t->held) return product_register(code, t) + t->kind->two_steps + j;
    return others(code->wide, t->kind, t->rows, t->vectors) + (chain * t->rows + i) * t->vectors + j;
}
#endif
