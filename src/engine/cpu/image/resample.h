/* Loops of resampling (resample.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_IMAGE_RESAMPLE_H
#define ENGINE_CPU_IMAGE_RESAMPLE_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/core.h>

/* Taps of n positions: tap t of position i has index[t*gap + i], already checked, and weight[t*gap + i]. */
struct resample_taps {
    int64_t taps, gap;
    const int32_t *index;
    const void *weight;
};

/* ROWS: most rows summed at once. SHORT: elements of a run below which loops run along positions. LANES: sums of an
   element of DOT whose terms alternate, in other runs. */
enum { RESAMPLE_ROWS = 16, RESAMPLE_SHORT = 16, RESAMPLE_LANES = 16 };

/* Loops of one element type. Steps and strides are in elements. */
struct resample_type {
    /* Return true if all n indices are in 0 .. size-1. */
    bool (*inside)(int64_t n, const int32_t *index, int64_t size);
    /* Set out[i] = sum over taps of weight * x[index*step], for n positions i; x has `size` positions. */
    void (*along)(int64_t n, const struct resample_taps *taps, void *out, const void *x, int64_t step,
                  int64_t size);
    /* Expand taps of n pixels to taps of elements: position i*inner + c, c < inner, gets index[i]*step + c*stride and
   the weight of i. */
    void (*expand)(int64_t n, int64_t inner, const int32_t *index, const void *weight, int64_t step,
                   int64_t stride, int32_t *to_index, void *to_weight);
    /* Sum n elements of pixels with `inner` elements, `stride` apart, from element `first` on. Each is the sum over
   `rows` r of weight[r] times the taps' sum in from[r]; pixel i of from[r] begins at index*step. `more`: add to
   out. */
    void (*pixels)(int64_t first, int64_t n, int64_t inner, const struct resample_taps *taps, int rows,
                   const double *weight, const void *const *from, void *out, int64_t step, int64_t stride,
                   bool more);
    /* Add weight * g[i*step] to out[index], for each tap of each position i < n, in ascending i. */
    void (*add_along)(int64_t n, const struct resample_taps *taps, void *out, const void *g, int64_t step);
    /* Add weight * g[k*stride] to out[index*step + k], for k < n and each tap of the first position. */
    void (*add_across)(int64_t n, const struct resample_taps *taps, void *out, int64_t step, const void *g,
                       int64_t stride);
    /* Add Re(g[i*step] * conj(x[index[i]*x_step])) to out[i], for i < n. */
    void (*dot_along)(int64_t n, const int32_t *index, void *out, const void *g, int64_t step, const void *x,
                      int64_t x_step);
    /* Add to *out the sum over k < n of Re(g[k*step] * conj(x[k*x_step])). */
    void (*dot_across)(int64_t n, void *out, const void *g, int64_t step, const void *x, int64_t x_step);
};
/* Indexed by dtype: f32, f64, c64, c128; NULL for others. */
extern const struct resample_type *const resample_base[TY_DTYPES], *const resample_avx2[TY_DTYPES],
                                                                       *const resample_avx512[TY_DTYPES];
#endif
