/*
 * Internals of reductions: loops of one element type (reduce.kernel.c), the plan of a kernel, and functions shared by
 * reduce.c and reduce_arg.c.
 *
 * A sum is a tree that depends on shapes alone. The reduced elements of a result, row-major over the reduced axes,
 * form blocks. Element i of a block goes to lane i % lanes; lanes are joined by halves. Block sums are joined like a
 * binary counter (Higham, "The accuracy of floating point summation", 1993). Threads, memory order and fusion do not
 * change a bit.
 */
#ifndef ENGINE_CPU_REDUCE_REDUCE_H
#define ENGINE_CPU_REDUCE_REDUCE_H
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/reduce/reduce_loops.h"

/* Return the dtype's loops for the current instruction set; NULL if there are none. */
const struct reduce_type *reduce_type_find(ty_dtype dtype);

enum {
    REDUCE_LANE_ELEMENTS = 32,       /* elements of a block per lane */
    REDUCE_COLUMNS = 512,            /* results folded together down columns; their lanes stay in L1 */
    REDUCE_FEW = 64,                 /* rows read side by side: as many streams as memory follows */
    REDUCE_LONG_TILE = 8 * CPU_TILE, /* elements read at once if memory is used in place */
    REDUCE_SETTLED = 128,            /* elements; shorter rows are folded, as stopping early does not pay */
    REDUCE_ARG_PART = 512, /* elements of a part; the extreme is found first, then its index in one part */
    REDUCE_UNIT = 1 << 16, /* elements that repay a thread */
    REDUCE_UNITS = 64,     /* units of one long reduction at most */
    REDUCE_LEVELS = 64,
    REDUCE_STRIP_LEAST = 8,       /* rows below which strips do not pay */
    REDUCE_STRIP_BYTES = 1 << 20, /* largest strip: it has to stay in the second-level cache */
};

/* Reading of an input whose outermost axis of the iteration is contiguous, such as all of a matrix in column order. A
   strip has as many rows, along that axis, as a cache line has elements. It is copied to scratch row by row, so that
   each line of memory is fetched once. */
struct reduce_strip {
    int64_t rows, inner,
        pitch;   /* rows: 0: no strips; inner: elements of a row; pitch: distance of rows in scratch */
    size_t size; /* bytes of an element of the input */
    int slot;
    struct layout walk; /* iteration order over the input, merged */
    size_t at, at_values;
};

/* Plan of a kernel, immutable after prepare. */
struct reduce_plan {
    struct cpu_store store;
    const struct reduce_type *type;
    struct reduce_fold fold;
    struct cpu_body *values;
    cpu_loop start, finish; /* casts into and out of the working dtype; NULL: none */
    size_t size;            /* bytes of an element of the working dtype */
    int place;              /* -1: no arg*; 0: argmax, 1: argmin */
    int settled;            /* a result that no further element changes (any, all); -1: none */
    int empty;              /* byte that fills the result of an empty reduction; -1: use `fill` */

    /* Iteration: outer * reduced * inner elements, row-major; outer * inner results. */
    int64_t outer, reduced, inner;
    bool down; /* walk down columns (inner > 1, or a single reduced element); else along rows */
    int lanes;
    int64_t block;

    /* Work: units of `width` results (rows: of outer; columns: of inner), each cut into `parts` of `part`
       elements. */
    int64_t width, units_a_row, units, part, parts;

    /* Direct reading of one input, or of two that are multiplied (pair), if contiguous along the last axis. tile:
       elements read at once. */
    bool direct, pair;
    struct reduce_strip strip;
    int slot[2];
    int64_t tile;
    struct layout walk[2];   /* iteration order over the inputs, merged */
    int64_t run, run_stride; /* columns: number of evenly spaced reduced rows, and their stride */

    /* Offsets in one thread's scratch after the store's, and bytes of partial results. */
    size_t at_values, at_cast, at_lanes, at_levels, at_result, at_places, scratch;
    size_t partial, partials;
};

/* Plan a reduction in *p, but for `store`: axes, loops, units of work. Return false with a fault on error. */
bool reduce_plan(struct reduce_plan *p, const struct kernel *kernel, struct arena *arena,
                 struct fault *fault);

/* State of one thread. */
struct reduce_thread {
    const struct reduce_plan *plan;
    void *const *slots;
    char *scratch;
    int64_t *strip; /* index of the strip in scratch; -1: none */
};
/* Return elements start .. start+n-1 of the iteration (n <= tile), of the input's dtype, by strips. */
const char *reduce_strip_values(const struct reduce_thread *t, int64_t start, int64_t n);
/* Return elements start .. start+n-1 of the iteration (n <= tile), contiguous, in the working dtype: in place or in
   scratch. */
const char *reduce_values(const struct reduce_thread *t, int64_t start, int64_t n);
/* Return at most *rows rows of n columns, from element `start` of the iteration on, in the working dtype. Set *rows
   to the number read and *stride to their distance in elements. */
const char *reduce_rows(const struct reduce_thread *t, int64_t start, int64_t n, int64_t *rows,
                        int64_t *stride);

/* Part of a unit: results first .. first+width-1 over reduced elements begin .. end-1, written to `result` (and
   `places`). */
struct reduce_unit {
    int64_t row, first, width, begin, end; /* row: outer index, when walking down columns */
    char *result;
    int64_t *places;
};
/* Find the extremes of a part of a unit and their indices, into u->result and u->places. */
void reduce_unit_arg(const struct reduce_thread *t, const struct reduce_unit *u);

/* A binary counter of block sums, each of `width` results. */
struct reduce_tree {
    const struct reduce_plan *plan;
    char *levels;
    int64_t width, count;
};
#endif
