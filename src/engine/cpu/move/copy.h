/*
 * Copies any strided source to dense memory, block by block. copy_prepare.c turns layouts into a plan, copy.c runs
 * it, *.kernel.c hold the loops, one table per instruction set.
 */
#ifndef ENGINE_CPU_MOVE_COPY_H
#define ENGINE_CPU_MOVE_COPY_H
#include "engine/cpu/cpu.h"
#include "engine/cpu/move/copy_blocks.h"

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
    /* If times > 0: a row is `unit` elements of `size` bytes, `unit_from` bytes apart in the source, each repeated `each`
       times, and all of that `times` times. */
    int64_t times, unit, unit_from, each, size;
};
/* Plan a copy of elements of `size` bytes (1, 2, 4, 8, 16) from layout x to layout out of the same shape.
   `streamed` selects non-temporal stores. */
void cpu_copy_prepare(struct copy_plan *p, size_t size, const struct layout *x, const struct layout *out,
                      bool streamed);
/* Plan a copy that repeats short rows and each of their elements, which is made in two steps: the elements are repeated in
   the stage, then the rows in the output. False if it is no such copy. */
bool cpu_copy_prepare_twice(struct copy_plan *p, size_t size, const struct layout *x,
                            const struct layout *out);
/* Run a copy on `width` threads. from, to: the first elements; stage: COPY_STAGE bytes per thread, unused unless
   p->staged. */
void cpu_copy_run(const struct copy_plan *p, int width, const char *from, char *to, char *stage);
#endif
