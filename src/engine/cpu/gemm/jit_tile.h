/*
 * Machine code for one register tile of a batch-reduce product: clear or load the sums, `depth` unrolled steps of k,
 * store. jit_brgemm.c combines tiles.
 */
#ifndef ENGINE_CPU_GEMM_JIT_TILE_H
#define ENGINE_CPU_GEMM_JIT_TILE_H
#include "engine/cpu/gemm/brgemm.h"
#include "engine/cpu/jit/jit_x86.h"

/* Instructions for one combination of types; lanes have 4 or 8 bytes on both sides and in out. */
struct jit_kind {
    ty_dtype left, right, out;
    int group, bytes;
    struct jit_vector_op add; /* out += left * right, or out += product if `multiply` is used */
    struct jit_vector_op multiply;
    bool two_steps, left_first, right_first; /* _first: this operand cannot be in memory */
    int needs;                               /* bits of isa_extra: optional instructions */
    /* right has 2 bytes, in lanes of 4: a load that widens it, then a shift to the left by so many bits */
    struct jit_vector_op widen;
    int shift;
};

/* A tile to be emitted. */
struct jit_tile {
    const struct jit_kind *kind;
    const struct brgemm_shape *shape;
    int rows, vectors;
    int held;           /* rows of right held in registers while each row of left uses them; 0: none */
    int chain;          /* index of the sum that the first term of a batch adds to */
    int part;           /* bytes of an incomplete last vector, else 0 */
    int back;           /* bytes that the last vector moves left, to be full and end at the last column */
    bool plain;         /* one batch, no tables: left and right are used directly, nothing is saved */
    bool fetch;         /* prefetch lines, or carry rows, between steps */
    bool copies;        /* loaded rows of right are also stored at `copy` */
    int64_t right_step; /* bytes: the shape's, or that of an earlier tile's copy */
    enum jit_register left, right, out, copy, rows_at; /* rows_at: the table of rows */
};
/* Return the bytes of out per byte of right, in a row of columns. */
static inline int jit_tile_widening(const struct jit_kind *kind) { return kind->widen.opcode ? 2 : 1; }

enum { JIT_WIDEST = 8, JIT_MASK = 1 };
/* Stack offsets: the current column of lines to prefetch, and the number of columns left, or of rows left to
   carry. */
enum { JIT_SOON = 72, JIT_SOON_LINES = 80 };

/* Return the bytes of the vectors that a tile computes with: 64 if `wide`, else 32. If one vector of `part` bytes
   is all, 16 or 32 may suffice. part 0: full vectors. */
int jit_tile_vector(bool wide, int vectors, int part);
/* Return the bytes that the last of several vectors moves left to be full; 0: it stays. part: bytes that it has, 0:
   all; `add`: sums start from out. The overlap has equal values in both. Used without mask registers, and for few
   steps added to out, since loads wait long for masked stores. */
int jit_tile_back(bool wide, bool add, int vectors, int part);
/* Return the most rows of a tile `vectors` wide whose operands and sums, `chains` per element (0: 1), fit the
   registers; 0 if none does. */
int jit_tile_most(bool wide, const struct jit_kind *kind, int vectors, int chains);

/* Emit the start of the sums: load them from out (`add`), or clear them. */
void jit_tile_start(struct jit_code *code, const struct jit_tile *t, bool add);
/* Emit all steps of one batch, whose operands begin at the registers t->left and t->right; the code overwrites RCX.
   Plain code keeps left and right. */
void jit_tile_steps(struct jit_code *code, const struct jit_tile *t);
/* Emit copies of the rows of right for later calls that have not been made between steps. */
void jit_tile_carry_rest(struct jit_code *code, const struct jit_tile *t);
/* Emit stores of all sums to out. */
void jit_tile_store(struct jit_code *code, const struct jit_tile *t);

/* Return true if the tile is computed row by row, with all of right and one row of sums in registers. With few
   steps of k loads and stores of out dominate, and a whole tile of them would wait for each other. `add`: sums
   start from out. */
bool jit_tile_by_rows(const struct jit_code *code, const struct jit_tile *t, bool add);
/* Emit a tile that is computed row by row, with its loads of sums (`add`) and its stores. */
void jit_tile_rows(struct jit_code *code, const struct jit_tile *t, bool add);
#endif
