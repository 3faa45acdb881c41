/* Loops over index tensors (index.kernel.c). */
#ifndef ENGINE_CPU_INDEX_INDEX_LOOPS_H
#define ENGINE_CPU_INDEX_INDEX_LOOPS_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/core.h>

/* Loops over n contiguous indices of one dtype (index.kernel.c); a table for each instruction set. */
struct cpu_index_loops {
    /* Return true if all n indices are in -size .. size-1. */
    bool (*inside)(int64_t n, const void *x, int64_t size);
    /* Add stride * x[k] to out[k], k < n; size is added to negative indices first. */
    void (*add)(int64_t n, int64_t *out, const void *x, int64_t size, int64_t stride);
};
extern const struct cpu_index_loops index_base[TY_DTYPES], index_avx2[TY_DTYPES], index_avx512[TY_DTYPES];
#endif
