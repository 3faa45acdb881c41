/* The loops of resampling (resample.kernel.c): one table for each instruction set. */
#ifndef ENGINE_CPU_IMAGE_RESAMPLE_H
#define ENGINE_CPU_IMAGE_RESAMPLE_H
#include "engine/cpu/elementwise/store.h"

/* The taps of n places: tap t of place i is index[t*gap + i], which is checked, and weight[t*gap + i]. */
struct resample_taps {
    int64_t taps, gap;
    const int32_t *index;
    const void *weight;
};

/* Rows that are summed at a time, at most. */
enum { RESAMPLE_ROWS = 16 };

struct resample_type {
    /* Whether all are in 0 .. size-1. */
    bool (*inside)(int64_t n, const int32_t *index, int64_t size);
    /* out[i] = the weighted sum of x[index*step]; x has `size` places */
    void (*along)(int64_t n, const struct resample_taps *taps, void *out, const void *x, int64_t step,
                  int64_t size);
    /* Taps of pixels as taps of elements: place i*inner + c is index[i]*step + c*stride, with i's weight. */
    void (*expand)(int64_t n, int64_t inner, const int32_t *index, const void *weight, int64_t step,
                   int64_t stride, int32_t *to_index, void *to_weight);
    /* n elements of pixels that have `inner` of them, `stride` apart, from element `first` of the taps'
       pixels on: the sum over `rows` of weight[r] times what the taps make of from[r], where pixel i begins
       at from[r][index*step]; with `more` added to what is there. */
    void (*pixels)(int64_t first, int64_t n, int64_t inner, const struct resample_taps *taps, int rows,
                   const double *weight, const void *const *from, void *out, int64_t step, int64_t stride,
                   bool more);
    /* out[index] += weight * g[i*step], place by place */
    void (*add_along)(int64_t n, const struct resample_taps *taps, void *out, const void *g, int64_t step);
    /* out[index*step + k] += weight * g[k*stride] for each tap of the first place */
    void (*add_across)(int64_t n, const struct resample_taps *taps, void *out, int64_t step, const void *g,
                       int64_t stride);
    /* out[i] += g[i*step] * conj(x[index[i]*x_step]), the real part */
    void (*dot_along)(int64_t n, const int32_t *index, void *out, const void *g, int64_t step, const void *x,
                      int64_t x_step);
    /* *out += the sum of g[k*step] * conj(x[k*x_step]), the real part */
    void (*dot_across)(int64_t n, void *out, const void *g, int64_t step, const void *x, int64_t x_step);
};
/* f32, f64, c64, c128; NULL for others. */
extern const struct resample_type *const resample_base[TY_DTYPES], *const resample_avx2[TY_DTYPES],
                                                                       *const resample_avx512[TY_DTYPES];
#endif
