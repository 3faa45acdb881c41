/*
 * Copies any strided source to dense memory, block by block. copy_prepare.c turns layouts into a plan, copy.c runs
 * it, *.kernel.c hold the loops, one table per instruction set.
 */
#ifndef ENGINE_CPU_MOVE_COPY_H
#define ENGINE_CPU_MOVE_COPY_H
#include "engine/cpu/cpu.h"

/* A block of rows x columns elements of `run` bytes. Element (row j, column i) is copied from from + j*row_step +
   i*column_step to to + j*pitch + i*column_to. column_to equals run unless the output is strided. All steps are in
   bytes. */
struct cpu_block {
    int64_t rows, columns, run;
    char *to;
    int64_t pitch, column_to;
    const char *from;
    int64_t row_step, column_step;
    const char *next; /* `from` of the next block, for prefetch; NULL: none */
};
/* Copy one block. */
typedef void (*cpu_block_copy)(const struct cpu_block *b);

enum { COPY_SIZES = 5 };

/* Block copies for one instruction set. Memory is unaligned unless said. */
struct copy_kernels {
    cpu_block_copy across[COPY_SIZES];   /* row_step is one element: a transpose */
    cpu_block_copy strided[COPY_SIZES];  /* any steps */
    cpu_block_copy reversed[COPY_SIZES]; /* column_step is minus one element */
    cpu_block_copy repeated[COPY_SIZES]; /* column_step is 0 */
    cpu_block_copy apart[COPY_SIZES];    /* any steps and column_to */
    /* transpose with non-temporal stores: rows begin and end at cache lines */
    cpu_block_copy lines[COPY_SIZES];
    cpu_block_copy runs;      /* elements of any number of bytes */
    cpu_block_copy run_lines; /* elements of whole 16-byte pairs, non-temporal; NULL: none */
    bool has_lines;           /* a vector is a cache line */
};
extern const struct copy_kernels copy_base, copy_avx2, copy_avx512;
/* Return the block copies of the current instruction set. Static. */
const struct copy_kernels *cpu_copy_kernels(void);

/* Division of a copy into blocks. */
struct copy_plan {
    const struct copy_kernels *kernels;
    cpu_block_copy copy;
    int64_t run;                                  /* bytes of an element */
    int64_t rows, row_from, row_to;               /* counts; steps in bytes */
    int64_t columns, column_from, column_to;      /* columns are contiguous in the output, if any axis is */
    int64_t block_rows, block_columns, block_run; /* size of a block */
    bool rows_first; /* order of blocks: down the rows first, then along columns */
    /* number of blocks along an element, rows, columns; and their product */
    int64_t parts, down, across, around;
    int outer; /* number of axes around the blocks */
    int64_t shape[TY_MAX_RANK], from[TY_MAX_RANK], to[TY_MAX_RANK];
    int64_t base_from, base_to; /* byte offset of the first element counted */
    int64_t items, grain;
    /* non-temporal copy of a block whose output begins at a multiple of `aligned` bytes; NULL: none */
    cpu_block_copy lines;
    int64_t aligned;
    bool staged;      /* blocks are assembled in cache, then written row by row */
    bool streamed;    /* uses non-temporal stores */
    bool overlapping; /* columns of neighbouring blocks overlap, so that each block writes whole lines */
};
enum {
    COPY_STAGE = 16 << 10, /* bytes of a staged block: half the smallest L1 */
    COPY_LINE = 64,        /* bytes of a cache line */
    COPY_ROWS = 16,        /* bytes of the rows of a tile, each row a vector */
    COPY_ALIAS = 1024,     /* bytes: lines at this distance share too few sets of L1 */
    COPY_LONG = 512,       /* bytes; longer elements are written directly from the source */
};
/* Return the number of pieces of `piece` elements that cover n elements. */
static inline int64_t copy_pieces(int64_t n, int64_t piece) { return n / piece + (n % piece != 0); }

/* Plan a copy of elements of `size` bytes (1, 2, 4, 8, 16) from layout x to layout out of the same shape.
   `streamed` selects non-temporal stores. */
void cpu_copy_prepare(struct copy_plan *p, size_t size, const struct layout *x, const struct layout *out,
                      bool streamed);
/* Run a copy on `width` threads. from, to: the first elements; stage: COPY_STAGE bytes per thread, unused unless
   p->staged. */
void cpu_copy_run(const struct copy_plan *p, int width, const char *from, char *to, char *stage);
#endif
