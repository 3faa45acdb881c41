/*
 * Inside the scans: the loops of one element type (scan.kernel.c) and the plan of one kernel.
 *
 * What a running sum is made of depends on shape alone.  A long axis is cut into parts of fixed length; each
 * part is scanned from nothing, in vectors that are scanned by steps of 1, 2, 4 ... lanes (Hillis & Steele,
 * "Data parallel algorithms", 1986), and what came before the part is joined to each result.  One thread goes
 * through the parts once; several first find what each part comes to, then scan all of them: the same bits.
 */
#ifndef ENGINE_CPU_REDUCE_SCAN_H
#define ENGINE_CPU_REDUCE_SCAN_H
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

/* Some steps of a scan over `width` columns side by side.  Pointers are to the first step in the direction of
   the scan, strides (in elements) lead to the next. */
struct scan_steps {
    int64_t rows, width;
    const void *before; /* joined to each result: `width` values; NULL: nothing */
    void *local;        /* the state, `width` values */
    void *out;          /* NULL: only the state is wanted */
    int64_t out_stride;
    const void *x[2];
    int64_t strides[2];
    int64_t *places;  /* arg*: the state's other half; out is of places then */
    const void *taps; /* FILTER: order + 1 coefficients of each side (scan_filter.kernel.c) */
    int64_t order;
    int64_t first, step;
};
typedef void (*scan_loop)(const struct scan_steps *s);

struct scan_fold {
    scan_loop columns; /* any width */
    scan_loop row[2];  /* width 1, out and x a stride of 1 or -1: forwards, backwards */
    void (*fill)(int64_t n, void *out);
    void (*join)(int64_t n, void *a, const void *b); /* into a */
    void (*take)(int64_t n, void *taps, const void *from,
                 bool negative); /* FILTER: n coefficients into taps */
    size_t state;                /* FILTER: bytes of a number of the state, and of a tap; 0: an element's */
};
/* Unused fields are NULL: arg*, LINEAR and FILTER have no rows and nothing to join. */
struct scan_type {
    struct scan_fold fold[4]; /* by enum scan_kind, up to SCAN_MIN */
    struct scan_fold arg[2];  /* SCAN_ARGMAX, SCAN_ARGMIN */
    struct scan_fold linear;
    struct scan_fold filter; /* of floating and complex types */
};
/* By dtype; NULL: none (bool scans as u8, f16 and bf16 as f32). */
extern const struct scan_type *const scan_base[TY_DTYPES], *const scan_avx2[TY_DTYPES],
                                                               *const scan_avx512[TY_DTYPES];

enum {
    SCAN_PART = 1 << 16,   /* elements that are worth being one thread's unit of work */
    SCAN_FEW = 16,         /* with fewer units than that the axis is cut into parts */
    FILTER_LANES = 16,     /* columns that a filter takes side by side: two vectors of doubles at least */
    FILTER_STATE = 1 << 12 /* numbers of a filter's state that stay in L1 while a unit is filtered */
};

struct scan_input {
    struct layout outer, inner; /* the axes before and after, collapsed */
    int64_t stride;             /* of the axis */
    bool direct;                /* used where it lies */
};

struct scan_plan {
    struct cpu_store store;
    const struct scan_type *type;
    struct scan_fold fold;
    cpu_loop finish;       /* to the core's dtype; NULL: none needed */
    size_t size, out_size; /* of an element that is scanned, and of a result before `finish` */
    bool place, reverse, exclusive;

    /* The inputs: outer * n * inner elements, row-major, as the results. */
    int ninputs;
    struct scan_input inputs[2];
    struct cpu_reader reader;
    int64_t outer, n, inner;
    int64_t sources; /* steps: n, or one less when exclusive */

    /* Work: units of `width` columns of one outer index, in `parts` of `part` steps. */
    int64_t width, blocks, units, part, parts;
    int64_t group; /* > 0: so many outer indices fill a tile together */
    int64_t tile;  /* steps that are read and stored at once */
    int64_t pitch; /* of stored steps */

    /* FILTER: its order (0 of the others), numbers of state for a column, and how many outer indices share taps. */
    int64_t order, states, share;
    size_t state; /* bytes of a number of the state */

    /* One thread's scratch, as offsets behind the store's; and bytes of what parts come to. */
    size_t at_read[2], at_out, at_local, at_before, at_places, at_taps, scratch;
    size_t totals;
};
/* Fills everything but store, which is ready. */
bool scan_plan(struct scan_plan *p, const struct kernel *kernel, struct arena *arena, struct fault *fault);
#endif
