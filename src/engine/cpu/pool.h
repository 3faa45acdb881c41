/* The loops of max pooling (pool.kernel.c): one table for each instruction set. */
#ifndef ENGINE_CPU_POOL_H
#define ENGINE_CPU_POOL_H
#include "engine/cpu/reduce.h"

struct pool_type {
    /* out[i] = the greatest of x[0][i] .. x[count-1][i]; out may be one of them. */
    void (*taps)(int64_t n, int count, const void *const *x, void *out);
    /* out[i] = the greatest of x[i*stride] .. x[i*stride + size-1]. */
    void (*slide)(int64_t n, int64_t size, int64_t stride, void *out, const void *x);
    /* Places are integers of the element's size until all is looked at. */
    void (*mark)(int64_t n, void *places, int64_t place);
    /* Where x[i*stride] is greater than best[i], or NaN first, it and `place` are kept. */
    void (*look)(int64_t n, void *best, void *places, const void *x, int64_t stride, int64_t place);
    /* out[i] = places[i] + start + i*step */
    void (*place)(int64_t n, int64_t *out, const void *places, int64_t start, int64_t step);
};
extern const struct pool_type *const pool_base[TY_DTYPES], *const pool_avx2[TY_DTYPES],
                                                               *const pool_avx512[TY_DTYPES];
#endif
