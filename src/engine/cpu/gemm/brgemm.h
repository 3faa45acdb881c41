/*
 * Batch-reduce matrix product on small blocks, the primitive of all contractions:
 *
 *   out[i][j] (+)= sum over b < batches, k < depth of left[i, k, b] * right[k, j, b]
 *
 *   left   left + left_at[b] + i * left_row + k * left_step         any strides: packed panel, row-major matrix, image
 *   right  right + right_at[b] + k * right_step + j                 columns contiguous
 *   out    out + i * out_row + j, or out + rows[i] + j              columns contiguous
 *
 * With left_columns, left has contiguous columns, too, and terms are left[i, k, j, b] * right[k, j, b]; each column is
 * a problem of its own (for instance the image of a channel).  With right_single, right has none: terms are
 * left[i, k, j, b] * right[k, b], a filter over lines of pixels.
 *
 * Rows of left may come in lines, as pixels of a window do: row i then begins at (i / line) * left_line +
 * (i % line) * left_row, and a tile holds whole lines.
 *
 * (Georganas et al., "Harnessing deep learning via a single building block", IPDPS 2020, section II.)  Each element
 * sums over b, then k, in ascending order.  It uses fused multiply-adds if the instruction set has them, and starts
 * from 0 or from out.  Tiles, generated code (TY_JIT=0 turns it off) and the order of blocks do not change a bit.
 *
 * With `chains` each element has several sums: term n of a call belongs to sum n mod chains.  The first starts from
 * out, the others from 0; they are added to it one by one.
 *
 * Right of f16 or bf16 is widened to f32 as it is read; left and out then have f32.
 *
 * 8- and 16-bit integer kernels take `group` adjacent k of both operands at a step.  Their sums are exact modulo 2^32.
 */
#ifndef ENGINE_CPU_GEMM_BRGEMM_H
#define ENGINE_CPU_GEMM_BRGEMM_H
#include "array/dtype.h"
#include "engine/cpu/jit/jit_call.h"

/* A block; the key of a kernel. */
struct brgemm_shape {
    /* dtypes in memory: f32 f32 f32, f64.., equal integers, f32 bf16 f32, u8 i8 i32 ... */
    ty_dtype left, right, out;
    int32_t rows, columns; /* 1 .. BRGEMM_MOST */
    int32_t depth;         /* steps of k in a batch; 0: given by each call */
    int32_t group;         /* adjacent k of a step in both operands: 1; 2 for i16; 4 for 8-bit integers */
    int64_t left_row, left_step, right_step; /* bytes; a step covers `group` k's */
    int64_t out_row;                         /* bytes; BRGEMM_ROWS: each call has a table */
    int32_t chains; /* sums of an element, at most BRGEMM_CHAINS; 0: 1. With several, depth is not 0 */
    /* rows of a line, which divides `rows`; bytes from line to line; line 0: no lines */
    int64_t line, left_line;
    /* bytes; not 0: rows of right are copied as they are used, with one batch and no tables */
    int64_t copy_step;
    bool left_columns; /* left has columns, too; group is 1 */
    bool right_single; /* right has no columns; needs left_columns */
    bool soon_often;   /* prefetch a line at each step, not every few steps */
    bool carries;      /* rows of right at `soon` are copied, not prefetched */
};
/* MOST: rows or columns of a block; CHAINS: most sums of an element (contract/narrow.h chooses). */
enum { BRGEMM_MOST = 128, BRGEMM_CHAINS = 4 };
#define BRGEMM_ROWS INT64_MIN

/* The operands of one call. */
struct brgemm_call {
    const void *left, *right;
    void *out;
    const int64_t *left_at, *right_at; /* byte offset of each batch; NULL: all 0 */
    int64_t batches, depth;            /* depth: used if the shape's is 0 */
    const int64_t *rows;               /* byte offset of each row of out, for BRGEMM_ROWS */
    int64_t add;                       /* 1: add to out, 0: overwrite it */
    void *copy;                        /* for copy_step: row k of right goes to copy + k * copy_step */
    /* lines to prefetch: soon_count, soon_step bytes apart; then, if time remains, the lines behind each of them,
       soon_lines in all (0 counts as 1) */
    const void *soon;
    int64_t soon_count, soon_step, soon_lines;
    /* for `carries`: destination of soon_count rows as wide as right's, spaced as the rows that tiles read
       (right_step or copy_step); one batch, no tables */
    void *soon_to;
    int64_t soon_pace;  /* steps of k per carried row, at least 1; the rest is copied at the end */
    int64_t soon_after; /* bytes from a carried row to the row prefetched for later */
};

/* A kernel, by value: nothing to free. Its generated code stays until the process ends. */
struct brgemm {
    /* Run the kernel for one call; thread-safe. */
    void(JIT_CALL *run)(const struct brgemm *kernel, const struct brgemm_call *call);
    struct brgemm_shape shape;
    const void *detail; /* detail: table entry of a table-driven kernel; tile_: its tile */
    int32_t tile_rows, tile_vectors;
};

/* Types that a kernel computes with. */
struct brgemm_types {
    ty_dtype left, right, out;
    int group;
    bool left_columns, right_single;
};
/* Return the types of the fastest kernel for these dtypes of operands and sums; the caller casts operands to them.
   Only grouped kernels take the operands as they are or as i16; otherwise all have the dtype of the sums. */
struct brgemm_types brgemm_types_of(ty_dtype left, ty_dtype right, ty_dtype sums);

/* Return true if kernels read right of this dtype and widen its elements to `sums`, the dtype of left and of sums. */
bool brgemm_widens(ty_dtype right, ty_dtype sums);

/* Set *kernel to the best kernel for a shape. Return false only if none exists for the dtypes. */
bool brgemm_find(struct brgemm *kernel, const struct brgemm_shape *shape);
enum { BRGEMM_TOGETHER = 16 };
/* Set *kernels[i] to the best kernel for shapes[i], i < n <= BRGEMM_TOGETHER; all shapes have equal dtypes. Return
   false if no kernel exists for the dtypes. */
bool brgemm_find_all(int n, struct brgemm *const *kernels, const struct brgemm_shape *shapes);
/* Test hook: turn generated code on or off. All code generated before becomes invalid, so nothing may use it any
   more. */
void brgemm_force_jit(bool on);
/* Return the byte offset of row i of left (0-based); rows may come in lines of s->line rows. */
static inline int64_t brgemm_left_row(const struct brgemm_shape *s, int64_t i) {
    return s->line ? i / s->line * s->left_line + i % s->line * s->left_row : i * s->left_row;
}
/* Set the rows and columns of the best register tile for a block of rows x columns; multiples of it run fastest.
   Tiles hold whole lines of `line` rows; 1: any number. depth: steps of k; 0: few. */
void brgemm_tile(const struct brgemm_types *types, int64_t rows, int64_t line, int64_t columns, int64_t depth,
                 int *tile_rows, int *tile_columns);
#endif
