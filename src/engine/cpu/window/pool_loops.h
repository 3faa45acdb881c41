/* Loops of pooling (pool.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_WINDOW_POOL_LOOPS_H
#define ENGINE_CPU_WINDOW_POOL_LOOPS_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/core.h>

/* Loops of one operation, maximum or sum; "joined" is that operation. */
struct pool_loops {
    /* Set out[i] = x[0][i] op .. op x[count-1][i], i < n, op maximum or sum; out may equal x[0]. */
    void (*taps)(int64_t n, int count, const void *const *x, void *out);
    /* Set out[j*w + c] to the maximum or sum over t < size of x[(j*stride + t*dilation)*w + c]; n pixels j of w
   elements c. */
    void (*slide)(int64_t n, int64_t w, int64_t size, int64_t stride, int64_t dilation, void *out,
                  const void *x);
};

/* Loops of argmax. Until the end positions are integers of the element's size; the greatest integer means none. */
struct pool_places {
    void (*mark)(int64_t n, void *places, int64_t place); /* fills n positions; -1: none */
    /* Set best[i] = x[i] and places[i] = place, i < n, if x[i] is greater than best[i], or if it is NaN and best[i] is
   not. */
    void (*look)(int64_t n, void *best, void *places, const void *x, int64_t place);
    /* Add first + j to places[j*w + c], for n pixels j of w elements c. */
    void (*number)(int64_t n, int64_t w, void *places, int64_t first);
    /* Set best[j*w + c] to the extreme over t < size of x[(j*stride + t*dilation)*w + c], for n pixels j of w elements
   c, and places[] to its position. Of equal elements the lowest position wins. */
    void (*slide)(int64_t n, int64_t w, int64_t size, int64_t stride, int64_t dilation, void *best,
                  void *places, const void *x, const void *x_places);
    /* Convert n positions to int64; -1 for none. */
    void (*finish)(int64_t n, int64_t *out, const void *places);
};

/* Loops of one element type. */
struct pool_type {
    struct pool_loops max, sum; /* members are NULL if the type has no such loops */
    void (*divide)(int64_t n, void *x, double by);
    /* Add x[j*w + c] to out[j*stride*w + c], for n pixels j of w elements c. */
    void (*spread)(int64_t n, int64_t w, int64_t stride, void *out, const void *x);
    struct pool_places places;
};
extern const struct pool_type *const pool_base[TY_DTYPES], *const pool_avx2[TY_DTYPES],
                                                               *const pool_avx512[TY_DTYPES];
#endif
