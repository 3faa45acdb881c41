/* Indices of gather and scatter: read once, checked before anything is written, negative ones resolved. */
#ifndef ENGINE_CPU_INDEX_H
#define ENGINE_CPU_INDEX_H
#include "engine/cpu/store.h"

struct cpu_index {
    struct cpu_body *values;
    cpu_loop cast; /* to i64; NULL: is one */
    struct layout layout;
    int64_t count, size;   /* how many; each is in -size .. size-1 */
    bool large;            /* u64: no negative ones, but some beyond i64 */
    size_t scratch, bytes; /* of workspace: while reading, and for the indices */
};
/* bytes and scratch are multiples of 64. */
bool cpu_index_prepare(struct cpu_index *x, const struct operand *index, int64_t size, struct arena *arena,
                       struct fault *fault);
/* count indices in 0 .. size-1, row-major, to `out`; false with a fault that names the first one outside. */
bool cpu_index_read(const struct cpu_index *x, const struct kernel *kernel, void *const *slots, void *scratch,
                    int64_t *out, struct fault *fault);

/* The axes before and after the indexed one: the output of gather, g of scatter is outer x count x inner. */
struct cpu_around {
    struct layout outer, inner; /* in x of gather, g of scatter: collapsed */
    int64_t stride;             /* of the axis in x of gather */
};
/* Collapses x's axes 0 .. axis-1 and `after` .. rank-1. */
bool cpu_around_prepare(struct cpu_around *a, const struct layout *x, int axis, int after,
                        struct arena *arena, struct fault *fault);
#endif
