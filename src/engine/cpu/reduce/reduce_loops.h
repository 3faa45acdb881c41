/* Loops of reductions (reduce.kernel.c), a table for each instruction set. reduce.h explains the order of sums. */
#ifndef ENGINE_CPU_REDUCE_REDUCE_LOOPS_H
#define ENGINE_CPU_REDUCE_REDUCE_LOOPS_H
#include <stdbool.h>
#include <stdint.h>
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
#endif
