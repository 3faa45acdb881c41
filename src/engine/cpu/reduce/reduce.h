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
#include "ops/core/attributes.h"

/* Loops of one operation and type. */
struct reduce_fold {
    /* Reduce `count` contiguous rows: out[i] = x[i*n] op .. op x[i*n + n-1] for i < count, with op this loop's sum,
   product, maximum or minimum; n is at most a block. */
    void (*rows)(int64_t count, int64_t n, void *out, const void *x);
    /* Combine row i < rows of `width` columns, at x + i*stride, into row (first + i) % lanes of sums, by this loop's
   operation; the first row of a lane initialises it. */
    void (*columns)(int64_t first, int64_t rows, int64_t width, int lanes, void *sums, const void *x,
                    int64_t stride);
    /* Reduce a few rows of at least type->width columns to one, by this loop's operation: out[j] = x[j] op x[stride +
   j] op ... */
    void (*few)(int64_t rows, int64_t width, void *out, const void *x, int64_t stride);
    void (*join)(int64_t n, void *a, const void *b); /* a[i] = a[i] joined b[i] */
    void (*fill)(int64_t n, void *out);              /* fills out with the identity */
};
/* Loops of argmax or argmin. */
struct reduce_place {
    /* Compare rows first, first + 1, ... of `width` columns, `stride` elements apart, with the best so far; place[j]
   becomes the row of column j's best. */
    void (*columns)(int64_t first, int64_t rows, int64_t width, void *best, int64_t *place, const void *x,
                    int64_t stride);
    /* Merge n later candidates, values and positions, into the best so far; the earlier of equals stays. */
    void (*join)(int64_t n, void *best, int64_t *place, const void *other, const int64_t *other_place);
};
/* Loops of one dtype. */
struct reduce_type {
    int lanes, width;           /* width: elements of a vector; 1: no vectors */
    struct reduce_fold fold[4]; /* indexed by enum reduce_kind, up to REDUCE_MIN */
    /* Sum products of `count` contiguous rows of n elements: out[i] = sum of x[i*n+k] * y[i*n+k] over k < n. NULL if
   the type has no such loop. */
    void (*products)(int64_t count, int64_t n, void *out, const void *x, const void *y);
    struct reduce_place arg[2]; /* argmax, argmin */
    int64_t (*find)(int64_t n, const void *x,
                    const void *value); /* return the first index of *value, which must occur */
};
/* Indexed by dtype; NULL: none (f16 and bf16 reduce as f32). */
extern const struct reduce_type *const reduce_base[TY_DTYPES], *const reduce_avx2[TY_DTYPES],
                                                                   *const reduce_avx512[TY_DTYPES];
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
    REDUCE_LEVELS = 64
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
};
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
