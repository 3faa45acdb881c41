/*
 * Internals of scans: loops of one element type (scan.kernel.c) and the plan of a kernel.
 *
 * The order of a running sum depends on shapes alone. A long axis is cut into parts of fixed length. Each part is
 * scanned from the identity, and the total of earlier parts is joined to each result. One thread passes the parts once;
 * several threads first find the total of each part, then scan all parts, with the same bits.
 *
 * Reals along the last axis are scanned in blocks of 64 bytes, 16 steps of f32 or 8 of f64, on every instruction set.
 * Within a block, the total of each even group of 1, 2, 4 ... steps is joined to every result of the odd group after it
 * (Sklansky, "Conditional-sum addition logic", 1960); then the total of earlier blocks is joined to each result. Along
 * other axes, where vectors hold columns, and for complex numbers, each result is joined to the one before it.
 */
#ifndef ENGINE_CPU_REDUCE_SCAN_H
#define ENGINE_CPU_REDUCE_SCAN_H
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/reduce/scan_loops.h"

enum {
    SCAN_PART = 1 << 16,   /* elements that repay a thread */
    SCAN_FEW = 16,         /* units; with fewer, the axis is cut into parts */
    FILTER_STATE = 1 << 12 /* state values of a filter that stay in L1 during a unit */
};

/* Return the steps of a part of the scanned axis, 0 if it is not cut. The scan has `units` units of `width` columns;
   `least` elements repay a thread. */
static inline int64_t scan_steps_of_part(int64_t units, int64_t width, int64_t steps, int64_t least) {
    if (units >= SCAN_FEW || width == 0) return 0;
    int64_t part = least / width > 0 ? least / width : 1;
    while (part * width < least) part *= 2;
    return steps < 2 * part ? 0 : part;
}

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
