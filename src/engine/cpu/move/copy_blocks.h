/* Copies of blocks (copy.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_MOVE_COPY_BLOCKS_H
#define ENGINE_CPU_MOVE_COPY_BLOCKS_H
#include <stdbool.h>
#include <stdint.h>

enum {
    COPY_STAGE = 16 << 10, /* bytes of a staged block: half the smallest L1 */
    COPY_LINE = 64,        /* bytes of a cache line */
    COPY_ROWS = 16,        /* bytes of the rows of a tile, each row a vector */
    COPY_ALIAS = 1024,     /* bytes: lines at this distance share too few sets of L1 */
    COPY_LONG = 512,       /* bytes; longer elements are written directly from the source */
};

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

/* Return the number of pieces of `piece` elements that cover n elements. */
static inline int64_t copy_pieces(int64_t n, int64_t piece) { return n / piece + (n % piece != 0); }
#endif
