/* Loops of scans (scan.kernel.c), a table for each instruction set. scan.h explains the order of sums. */
#ifndef ENGINE_CPU_REDUCE_SCAN_LOOPS_H
#define ENGINE_CPU_REDUCE_SCAN_LOOPS_H
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include "ops/core/attributes.h"

enum { FILTER_LANES = 16 }; /* adjacent columns of a filter: at least two vectors of doubles */

/* Some steps of a scan over `width` adjacent columns. Pointers lead to the first step in scan direction; strides
   (in elements) lead to the next. */
struct scan_steps {
    int64_t rows, width;
    const void *before; /* `width` values joined to each result; NULL: none */
    void *local;        /* the state, `width` values */
    void *out;          /* NULL: updates the state only */
    int64_t out_stride;
    const void *x[2];
    int64_t strides[2];
    int64_t *places;  /* arg*: the state's indices; then out holds indices */
    const void *taps; /* FILTER: order + 1 coefficients of each side (scan_filter.kernel.c) */
    int64_t order;
    int64_t first, step;
};
/* Scan the rows of s and update its state. */
typedef void (*scan_loop)(const struct scan_steps *s);

/* Loops of one operation and type. */
struct scan_fold {
    scan_loop columns; /* any width */
    scan_loop row[2];  /* width 1, out and x with stride 1 or -1: forwards, backwards */
    void (*fill)(int64_t n, void *out);
    void (*join)(int64_t n, void *a, const void *b); /* a[i] = a[i] joined b[i] */
    void (*take)(int64_t n, void *taps, const void *from,
                 bool negative); /* FILTER: converts n coefficients to taps, negated if `negative` */
    size_t state;                /* FILTER: bytes of a state value and of a tap; 0: those of an element */
};
/* Unused fields are NULL: arg*, LINEAR and FILTER have no row loops and no join. */
struct scan_type {
    struct scan_fold fold[4]; /* indexed by enum scan_kind, up to SCAN_MIN */
    struct scan_fold arg[2];  /* argmax, argmin */
    struct scan_fold linear;
    struct scan_fold filter; /* floating and complex types only */
};
/* Indexed by dtype; NULL: none (bool scans as u8, f16 and bf16 as f32). */
extern const struct scan_type *const scan_base[TY_DTYPES], *const scan_avx2[TY_DTYPES],
                                                               *const scan_avx512[TY_DTYPES];
#endif
