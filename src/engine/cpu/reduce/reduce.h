/*
 * Inside the reductions: the loops of one element type (reduce.kernel.c), the plan of one kernel, and the
 * parts that reduce.c and reduce_arg.c share.
 *
 * A sum is a tree that shape alone determines.  The reduced elements of one result, counted row-major over
 * the reduced axes, make blocks; element i of a block goes to lane i % lanes, the lanes are joined by halves,
 * and block sums are joined as a binary counter counts (Higham, "The accuracy of floating point summation",
 * 1993).  Neither threads, nor the way memory is walked, nor what is fused change a bit.
 */
#ifndef ENGINE_CPU_REDUCE_REDUCE_H
#define ENGINE_CPU_REDUCE_REDUCE_H
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

struct reduce_fold {
    /* out[i] = x[i*n] joined .. x[i*n+n-1], for n up to a block. */
    void (*rows)(int64_t count, int64_t n, void *out, const void *x);
    /* Joins row i of `width` columns (stride apart) into lane (first + i) % lanes of sums; the first of a
       lane makes it. */
    void (*columns)(int64_t first, int64_t rows, int64_t width, int lanes, void *sums, const void *x,
                    int64_t stride);
    /* The same and the lanes joined, for a few rows of type->width columns or more. */
    void (*few)(int64_t rows, int64_t width, void *out, const void *x, int64_t stride);
    void (*join)(int64_t n, void *a, const void *b); /* into a */
    void (*fill)(int64_t n, void *out);              /* with what joining does not change */
};
struct reduce_place {
    void (*columns)(int64_t first, int64_t rows, int64_t width, void *best, int64_t *place, const void *x,
                    int64_t stride);
    void (*join)(int64_t n, void *best, int64_t *place, const void *other, const int64_t *other_place);
};
struct reduce_type {
    int lanes, width;           /* width: elements of a vector; 1: there are none */
    struct reduce_fold fold[4]; /* by enum reduce_kind, up to REDUCE_MIN */
    /* As REDUCE_SUM's rows, of products of x and y; NULL: there is none. */
    void (*products)(int64_t count, int64_t n, void *out, const void *x, const void *y);
    struct reduce_place arg[2]; /* REDUCE_ARGMAX, REDUCE_ARGMIN */
    int64_t (*find)(int64_t n, const void *x,
                    const void *value); /* the first place of a value that is there */
};
/* By dtype; NULL: none (f16 and bf16 reduce as f32). */
extern const struct reduce_type *const reduce_base[TY_DTYPES], *const reduce_avx2[TY_DTYPES],
                                                                   *const reduce_avx512[TY_DTYPES];
/* Of the instruction set in use. */
const struct reduce_type *reduce_type_find(ty_dtype dtype);

enum {
    REDUCE_LANE_ELEMENTS = 32,       /* of a block that go to one lane */
    REDUCE_COLUMNS = 512,            /* results that walk down together: their lanes stay in L1 */
    REDUCE_FEW = 64,                 /* rows that are read side by side: memory follows that many streams */
    REDUCE_LONG_TILE = 8 * CPU_TILE, /* read at once where memory can be used as it lies */
    REDUCE_SETTLED = 128,            /* elements of a row that may end early: fewer are folded faster */
    REDUCE_ARG_PART = 512,           /* whose extremes are found before the place is, in one of them */
    REDUCE_UNIT = 1 << 16,           /* elements that are worth being one thread's unit of work */
    REDUCE_UNITS = 64,               /* units that a long reduction is cut into, at most */
    REDUCE_LEVELS = 64
};

struct reduce_plan {
    struct cpu_store store;
    const struct reduce_type *type;
    struct reduce_fold fold;
    struct cpu_body *values;
    cpu_loop start, finish; /* casts into and out of the dtype that is reduced in; NULL: none needed */
    size_t size;            /* of an element of that dtype */
    int place;              /* -1: no arg*; 0 argmax, 1 argmin */
    int settled;            /* a result that no further element changes (any, all); -1: none is */
    int empty;              /* an empty reduction is made of this byte; -1: what `fill` says */

    /* Iteration: outer * reduced * inner, row-major; results are outer * inner. */
    int64_t outer, reduced, inner;
    bool down; /* inner > 1 or a reduction of 1: walk down columns; else along rows */
    int lanes;
    int64_t block;

    /* Work: units of `width` results (rows: of outer; columns: of inner), each cut into `parts` of `part`. */
    int64_t width, units_a_row, units, part, parts;

    /* Direct reading of one input (pair: of two that are multiplied) that lies contiguous along the last axis
       (tile: elements read at once). */
    bool direct, pair;
    int slot[2];
    int64_t tile;
    struct layout walk[2];   /* the iteration over them, merged */
    int64_t run, run_stride; /* columns: reduced rows that are evenly apart, and how far */

    /* One thread's scratch, as offsets behind the store's; and bytes of partial results. */
    size_t at_values, at_cast, at_lanes, at_levels, at_result, at_places, scratch;
    size_t partial, partials;
};

/* Fills everything but store: axes, loops, units. */
bool reduce_plan(struct reduce_plan *p, const struct kernel *kernel, struct arena *arena,
                 struct fault *fault);

/* What one thread works with. */
struct reduce_thread {
    const struct reduce_plan *plan;
    void *const *slots;
    char *scratch;
};
/* Elements start .. start+n-1 of the iteration (n <= tile), contiguous, in the dtype that is reduced in. */
const char *reduce_values(const struct reduce_thread *t, int64_t start, int64_t n);
/* The same for up to *rows rows of n columns; *rows becomes what was read, *stride how far they are apart. */
const char *reduce_rows(const struct reduce_thread *t, int64_t start, int64_t n, int64_t *rows,
                        int64_t *stride);

/* A unit's part: results first .. first+width-1 over reduced elements begin .. end-1, into result (and
 * places). */
struct reduce_unit {
    int64_t row, first, width, begin, end; /* row: of outer, when walking down */
    char *result;
    int64_t *places;
};
void reduce_unit_fold(const struct reduce_thread *t, const struct reduce_unit *u);
void reduce_unit_arg(const struct reduce_thread *t, const struct reduce_unit *u);

/* The binary counter: pushes `width` block sums, then joins what is there into `result`. */
struct reduce_tree {
    const struct reduce_plan *plan;
    char *levels;
    int64_t width, count;
};
void reduce_push(struct reduce_tree *tree, const void *sums);
void reduce_take(struct reduce_tree *tree, void *result);
#endif
