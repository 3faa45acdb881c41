/*
 * The primitive under all contractions: a batch-reduce matrix product on small blocks,
 *
 *   out[i][j] (+)= sum over b < batches, k < depth of left[i, k, b] * right[k, j, b]
 *
 *   left   left + left_at[b] + i * left_row + k * left_step        any strides: a packed panel (left_row one element),
 *                                                                   a row-major matrix, pixels of an image
 *   right  right + right_at[b] + k * right_step + j                 columns side by side
 *   out    out + i * out_row + j, or out + rows[i] + j              columns side by side
 *
 * With left_columns, left has the columns as well, side by side, and terms are left[i, k, j, b] *
 * right[k, j, b]: as many small problems as there are columns (an image a channel, for one).  With
 * right_single, right has none: left[i, k, j, b] * right[k, b], a filter over lines of pixels.
 *
 * Rows of left may come in lines, as pixels of a window do: row i then lies at (i / line) * left_line +
 * (i % line) * left_row, and a tile holds whole lines.
 *
 * (Georganas et al., "Harnessing deep learning via a single building block", IPDPS 2020, section II).  Each element is
 * the sum over b and then k in rising order of fused multiply-adds where the instruction set has them, starting from
 * 0 or from what is in out: neither tiles, nor the machine code that is made at run time (TY_JIT=0 turns it off), nor
 * the order of blocks changes a bit.  With `chains` there are so many sums: term n of all, in that order, belongs to
 * sum n mod chains; the first starts from out, the others from 0, and they are added to it one after the other.
 * bf16 and 8-bit kernels take `group` neighbouring k from both sides at once; pairs of bf16 are added the second first, and subnormal numbers are 0, where the CPU has an instruction for them.
 */
#ifndef ENGINE_CPU_GEMM_BRGEMM_H
#define ENGINE_CPU_GEMM_BRGEMM_H
#include "array/dtype.h"

struct brgemm_shape {
    /* as they lie: f32 f32 f32, f64.., integers alike, bf16 bf16 f32, u8 i8 i32 ... */
    ty_dtype left, right, out;
    int32_t rows, columns; /* 1 or more, BRGEMM_MOST at most */
    int32_t depth;         /* steps of k in a batch; 0: told by each call */
    int32_t group;         /* k's side by side in both operands at a step: 1; bf16, i16 2; 8-bit integers 4 */
    int64_t left_row, left_step, right_step; /* bytes; a step is of `group` k's */
    int64_t out_row;                         /* bytes; BRGEMM_ROWS: each call has a table */
    int32_t chains;          /* 0, 1: one sum; else of brgemm_chains, with a depth that is not 0 */
    int64_t line, left_line; /* rows in a line, a divisor of rows, and bytes from line to line; 0: no lines */
    int64_t copy_step; /* bytes; not 0: rows of right are copied as they are used; one batch without tables */
    bool left_columns; /* left has columns, too; a group of 1 */
    bool right_single; /* with left_columns: right has none */
    bool soon_often;   /* lines that are wanted soon are many: one is fetched at each step, not every few */
    bool carries;      /* what is wanted soon is copied instead: rows of the next columns of right */
};
/* CHAINS: sums at most; CHAINED: vectors of out at most where there are several. */
enum { BRGEMM_MOST = 128, BRGEMM_CHAINS = 4, BRGEMM_CHAINED = 4 };
#define BRGEMM_ROWS INT64_MIN

struct brgemm_call {
    const void *left, *right;
    void *out;
    const int64_t *left_at, *right_at; /* bytes to each batch; NULL: all at 0 */
    int64_t batches, depth;            /* depth: where the shape has 0 */
    const int64_t *rows;               /* bytes to each row of out, where the shape says BRGEMM_ROWS */
    int64_t add;                       /* 1: out is added to, 0: overwritten */
    void *copy;       /* where the shape has a copy_step: row k of right goes to copy + k * copy_step */
    const void *soon; /* wanted in the cache afterwards: soon_count lines, soon_step bytes apart, and, while
                         there is time, those behind each of them, soon_lines in all (0 counts as 1) */
    int64_t soon_count, soon_step, soon_lines;
    void *soon_to; /* where the shape carries: soon_count rows as wide as right's go there, as far apart as
                      those that tiles read (right_step, or copy_step); one batch without tables */
    int64_t soon_pace;  /* a row every so many steps of k, 1 or more; at the end those that are left */
    int64_t soon_after; /* bytes from a row that goes to one that is fetched, as its turn comes later */
};

/* A kernel, by value: nothing to free.  Machine code made for it stays for the process. */
struct brgemm {
    void (*run)(const struct brgemm *kernel, const struct brgemm_call *call);
    struct brgemm_shape shape;
    const void *detail; /* of the table-driven kernel, and the tile that it cuts the block into */
    int32_t tile_rows, tile_vectors;
};

/* What a kernel computes with. */
struct brgemm_types {
    ty_dtype left, right, out;
    int group;
    bool left_columns, right_single;
};
/* The fastest for operands of these dtypes, which are cast to it, and such sums: groups of the operands as
   they are or of i16, or all in the sums' dtype. */
struct brgemm_types brgemm_types_of(ty_dtype left, ty_dtype right, ty_dtype sums);

/* The best kernel for a shape; cannot fail where the dtypes are known (false: they are not). */
bool brgemm_find(struct brgemm *kernel, const struct brgemm_shape *shape);
/* The same for several shapes of one box, which are all different and have the same dtypes. */
enum { BRGEMM_TOGETHER = 16 };
bool brgemm_find_all(int n, struct brgemm *const *kernels, const struct brgemm_shape *shapes);
/* Tests: machine code from now on, or not; all that was made before is gone. */
void brgemm_force_jit(bool on);
/* Sums for each element of a product of so many rows and columns, with so many terms, all in all: where it
   has fewer elements than the processor has multiply-adds under way, each would wait for the one before.
   Blocks of one product must have the same, or their bits would depend on how it is cut. */
int32_t brgemm_chains(const struct brgemm_types *types, int64_t rows, int64_t columns, int64_t terms);
/* Where row i of left lies, from the first on: bytes. */
static inline int64_t brgemm_left_row(const struct brgemm_shape *s, int64_t i) {
    return s->line ? i / s->line * s->left_line + i % s->line * s->left_row : i * s->left_row;
}
/* Rows and columns of the register tile that suits a block of rows x columns best (multiples of it run
   fastest). The rows come in lines of so many; 1: any number of them is a tile.  depth: steps of k; 0: few.
 */
void brgemm_tile(const struct brgemm_types *types, int64_t rows, int64_t line, int64_t columns, int64_t depth,
                 int *tile_rows, int *tile_columns);
#endif
