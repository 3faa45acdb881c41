/*
 * Moving elements: any strided source into dense memory, block by block.  copy_prepare.c turns layouts into a
 * plan, copy.c runs it, *.kernel.c hold the loops, one table per instruction set.
 */
#ifndef ENGINE_CPU_MOVE_COPY_H
#define ENGINE_CPU_MOVE_COPY_H
#include "engine/cpu/cpu.h"

/* A box of rows x columns elements of `run` bytes; element (row j, column i) goes from from + j*row_step +
   i*column_step to to + j*pitch + i*column_to, which is i*run but where elements go apart.  All steps in
   bytes. */
struct cpu_block {
    int64_t rows, columns, run;
    char *to;
    int64_t pitch, column_to;
    const char *from;
    int64_t row_step, column_step;
    const char *next; /* the `from` of the next block; NULL: there is none */
};
typedef void (*cpu_block_copy)(const struct cpu_block *b);

/* Element sizes 1, 2, 4, 8, 16 as an index; -1: another. */
enum { COPY_SIZES = 5 };
int cpu_copy_size(int64_t bytes);

struct copy_kernels {
    cpu_block_copy across[COPY_SIZES];   /* row_step is one element: a transpose */
    cpu_block_copy strided[COPY_SIZES];  /* any steps */
    cpu_block_copy reversed[COPY_SIZES]; /* column_step is minus one element */
    cpu_block_copy repeated[COPY_SIZES]; /* column_step is 0 */
    cpu_block_copy apart[COPY_SIZES];    /* any steps, and any column_to */
    cpu_block_copy lines[COPY_SIZES];    /* across, past the cache: rows begin and end at lines */
    cpu_block_copy runs;                 /* elements of any number of bytes */
    cpu_block_copy run_lines;            /* elements of pairs of words, past the cache; NULL: none */
    bool has_lines;                      /* a vector is a line */
};
extern const struct copy_kernels copy_base, copy_avx2, copy_avx512;
const struct copy_kernels *cpu_copy_kernels(void);

/* How a box is cut into blocks. */
struct copy_plan {
    const struct copy_kernels *kernels;
    cpu_block_copy copy;
    int64_t run;                                  /* bytes of an element */
    int64_t rows, row_from, row_to;               /* counts, and steps in bytes */
    int64_t columns, column_from, column_to;      /* columns lie side by side in the output where any do */
    int64_t block_rows, block_columns, block_run; /* what one item does */
    bool rows_first;                     /* order of the items: down the rows, then along the columns */
    int64_t parts, down, across, around; /* blocks: along an element, the rows, the columns; in all */
    int outer;                           /* axes around the blocks */
    int64_t shape[TY_MAX_RANK], from[TY_MAX_RANK], to[TY_MAX_RANK];
    int64_t base_from, base_to; /* bytes from the first element to where the counting begins */
    int64_t items, grain;
    cpu_block_copy lines; /* past the cache, a block whose output begins at a multiple of `aligned`; NULL:
                             there is none */
    int64_t aligned;
    bool staged;      /* blocks are made in cache, then written row by row */
    bool streamed;    /* written around the cache */
    bool overlapping; /* columns of neighbouring blocks overlap, so that each block writes whole lines */
};
enum {
    COPY_STAGE = 16 << 10, /* bytes of a staged block: half of the smallest L1 */
    COPY_LINE = 64,        /* bytes of a cache line */
    COPY_ROWS = 16,        /* bytes of as many rows as a tile has, of which a row is a vector */
    COPY_ALIAS = 1024,     /* bytes: lines so far apart share sets of L1 that have no room for a block's */
    COPY_LONG = 512,       /* bytes of an element above which it is written straight from the source */
};
/* How many pieces cover n. */
static inline int64_t copy_pieces(int64_t n, int64_t piece) { return n / piece + (n % piece != 0); }

/* Plans copying elements of `size` bytes (1, 2, 4, 8, 16) from x to the strided out of the same shape, past
   the cache when `streamed`. */
void cpu_copy_prepare(struct copy_plan *p, size_t size, const struct layout *x, const struct layout *out,
                      bool streamed);
/* from, to: the first elements.  stage: COPY_STAGE bytes for each thread, not looked at unless staged. */
void cpu_copy_run(const struct copy_plan *p, int width, const char *from, char *to, char *stage);
#endif
