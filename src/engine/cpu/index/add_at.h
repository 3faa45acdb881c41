/* Elements added at positions that are known only at run time. */
#ifndef ENGINE_CPU_INDEX_ADD_AT_H
#define ENGINE_CPU_INDEX_ADD_AT_H
#include <tyto/core.h>
#include "engine/cpu/move/at_offsets.h"

/* Loops of one dtype. */
struct cpu_add {
    /* Add x[k] to out[k*step + offset of position index[k] in the plane], k < n, in ascending k. Indices outside the
   plane are skipped; step is in elements. */
    void (*at)(int64_t n, void *out, int64_t step, const struct cpu_plane *plane, const int64_t *index,
               const void *x);
};
/* Return the loops for a dtype; NULL for bool, f16 and bf16. */
const struct cpu_add *cpu_add_find(ty_dtype dtype);
#endif
