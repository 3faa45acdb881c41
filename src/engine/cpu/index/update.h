/* Combination of an element with an update: a pair of loops for each ty_scatter_mode and dtype. */
#ifndef ENGINE_CPU_INDEX_UPDATE_H
#define ENGINE_CPU_INDEX_UPDATE_H
#include <tyto/core.h>
#include <tyto/index.h>

/* Loops of one mode and dtype. */
struct cpu_update {
    /* Combine x[k] into out[k*stride], k < n. */
    void (*run)(int64_t n, void *out, int64_t stride, const void *x);
    /* Combine x[k] into out[k*step + offsets[k]], k < n, in ascending k. */
    void (*at)(int64_t n, void *out, int64_t step, const int64_t *offsets, const void *x);
};
/* Return the loops of a mode and dtype; NULL if the dtype has no such operation. f16 and bf16 can only be set. */
const struct cpu_update *cpu_update_find(ty_scatter_mode mode, ty_dtype dtype);
#endif
