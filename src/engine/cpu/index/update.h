/* What becomes of an element that is written to: one pair of loops for each ty_scatter_mode and dtype. */
#ifndef ENGINE_CPU_INDEX_UPDATE_H
#define ENGINE_CPU_INDEX_UPDATE_H
#include <tyto/core.h>
#include <tyto/index.h>

struct cpu_update {
    /* out[k*stride] takes x[k] */
    void (*run)(int64_t n, void *out, int64_t stride, const void *x);
    /* out[k*step + offsets[k]] takes x[k], in order */
    void (*at)(int64_t n, void *out, int64_t step, const int64_t *offsets, const void *x);
};
/* NULL: the elements of that dtype do not add, multiply or compare; f16 and bf16 can only be set. */
const struct cpu_update *cpu_update_find(ty_scatter_mode mode, ty_dtype dtype);
#endif
