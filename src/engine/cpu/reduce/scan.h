/*
 * Internals of scans: loops of one element type (scan.kernel.c) and the plan of a kernel.
 *
 * The order of a running sum depends on shapes alone. A long axis is cut into parts of fixed length. Each part is
 * scanned from the identity, in vectors by steps of 1, 2, 4 ... lanes (Hillis & Steele, "Data parallel algorithms",
 * 1986). The total of earlier parts is joined to each result. One thread passes the parts once; several threads first
 * find the total of each part, then scan all parts, with the same bits.
 */
#ifndef ENGINE_CPU_REDUCE_SCAN_H
#define ENGINE_CPU_REDUCE_SCAN_H
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

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

enum {
    SCAN_PART = 1 << 16,   /* elements that repay a thread */
    SCAN_FEW = 16,         /* units; with fewer, the axis is cut into parts */
    FILTER_LANES = 16,     /* adjacent columns of a filter: at least two vectors of doubles */
    FILTER_STATE = 1 << 12 /* state values of a filter that stay in L1 during a unit */
};

/* How an input is read. */
struct scan_input {
    struct layout outer, inner; /* the axes before and after the scanned one, collapsed */
    int64_t stride;             /* of the scanned axis */
    bool direct;                /* used in place */
};

/* Plan of a kernel, immutable after prepare. */
struct scan_plan {
    struct cpu_store store;
    const struct scan_type *type;
    struct scan_fold fold;
    cpu_loop finish;       /* cast to the core's dtype; NULL: none */
    size_t size, out_size; /* bytes of a scanned element, and of a result before `finish` */
    bool place, reverse, exclusive;

    /* The inputs: outer * n * inner elements, row-major, as the results. */
    int ninputs;
    struct scan_input inputs[2];
    struct cpu_reader reader;
    int64_t outer, n, inner;
    int64_t sources; /* steps: n, or n - 1 if exclusive */

    /* Work: units of `width` columns of one outer index, in `parts` of `part` steps. */
    int64_t width, blocks, units, part, parts;
    int64_t group; /* not 0: outer indices that share a tile */
    int64_t tile;  /* steps read and stored at once */
    int64_t pitch; /* elements between stored steps */

    /* FILTER: order (0 for others), state values of a column, and number of outer indices that share taps. */
    int64_t order, states, share;
    size_t state; /* bytes of a state value */

    /* Offsets in one thread's scratch after the store's, and bytes of the parts' totals. */
    size_t at_read[2], at_out, at_local, at_before, at_places, at_taps, scratch;
    size_t totals;
};
/* Plan a scan in *p, but for `store`, which is ready. Return false with a fault on error. */
bool scan_plan(struct scan_plan *p, const struct kernel *kernel, struct arena *arena, struct fault *fault);
#endif
