/*
 * Machine code for one register tile of a batch-reduce product: sums are cleared or loaded, then `depth`
 * steps of k, unrolled, and at last stored.  jit_brgemm.c puts tiles together.
 */
#ifndef ENGINE_CPU_GEMM_JIT_TILE_H
#define ENGINE_CPU_GEMM_JIT_TILE_H
#include "engine/cpu/gemm/brgemm.h"
#include "engine/cpu/jit/jit_x86.h"

/* Types that there are instructions for: lanes of 4 or 8 bytes on both sides and in out. */
struct jit_kind {
    ty_dtype left, right, out;
    int group, bytes;
    struct jit_vector_op add; /* out += left * right; or the sum of `multiply`, where there is one */
    struct jit_vector_op multiply;
    bool two_steps, left_first, right_first; /* _first: the operand that cannot be in memory */
    int needs;                               /* bits of isa_extra: instructions that not every CPU has */
};

struct jit_tile {
    const struct jit_kind *kind;
    const struct brgemm_shape *shape;
    int rows, vectors;
    int held;  /* rows of right in registers while each row of left meets them all; 0: one by one */
    int chain; /* which of the shape's sums the first term of a batch belongs to */
    int part;  /* bytes of the last vector where it is not full, else 0 */
    int back;  /* bytes that the last vector begins further left, so as to be full and end where columns do */
    bool plain;         /* one batch, no tables: left and right are used where they are, nothing is saved */
    bool fetch;         /* lines that are wanted soon are fetched between steps, or rows carried */
    bool copies;        /* what is loaded of right is stored at `copy` as well */
    int64_t right_step; /* bytes: the shape's, or of the copy that an earlier tile made */
    enum jit_register left, right, out, copy, rows_at; /* rows_at: of the table of rows */
};
enum { JIT_WIDEST = 8, JIT_MASK = 1 };
/* Of the stack: the column of lines that is fetched now, and how many there are from it on, or how many rows
   are still to be carried. */
enum { JIT_SOON = 72, JIT_SOON_LINES = 80 };

/* Bytes of the vectors that a tile computes with: no more than a single part needs. */
int jit_tile_vector(bool wide, int vectors, int part);
/* How far the last of several vectors is moved back, so as to be full: what it shares with the one before is
   the same in both.  That is done where there are no mask registers, and for sums with few steps that are
   added to out: loads wait long for masked stores that touch them. */
int jit_tile_back(bool wide, bool add, int vectors, int part);
/* Rows of the largest tile. */
int jit_tile_most(bool wide, const struct jit_kind *kind, int vectors);

void jit_tile_start(struct jit_code *code, const struct jit_tile *t, bool add);
/* All steps of one batch from left and right on; spoils RCX.  Plain tiles leave left and right as they were.
 */
void jit_tile_steps(struct jit_code *code, const struct jit_tile *t);
/* Where the shape carries: the rows that are left. */
void jit_tile_carry_rest(struct jit_code *code, const struct jit_tile *t);
void jit_tile_store(struct jit_code *code, const struct jit_tile *t);

/* Whether all of the tile is done row by row, which holds all of right and the sums of one row: with few
   steps of k most of the time goes for loads and stores of out, and as many of either as a tile has would
   wait for each other. */
bool jit_tile_by_rows(const struct jit_code *code, const struct jit_tile *t, bool add);
/* Such a tile from its beginning to its stores. */
void jit_tile_rows(struct jit_code *code, const struct jit_tile *t, bool add);
#endif
