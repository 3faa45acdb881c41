/* Operands for tests: values of every dtype in every layout. */
#ifndef TESTS_SUPPORT_SAMPLE_H
#define TESTS_SUPPORT_SAMPLE_H
#include "array/dtype.h"

/* Layouts.  All but the last three have the shape [3,5] or broadcast to it. */
enum sample_layout {
    LAYOUT_CONTIGUOUS,
    LAYOUT_STRIDED,
    LAYOUT_NEGATIVE,
    LAYOUT_BROADCAST,
    LAYOUT_SIZE_ONE,
    LAYOUT_TRANSPOSED,
    LAYOUT_OFFSET,
    LAYOUT_WINDOW,
    LAYOUT_SCALAR,
    LAYOUT_EMPTY,
    LAYOUT_LONG,
    LAYOUTS
};
/* Return the name of a layout. */
const char *sample_layout_name(enum sample_layout layout);

/* Write n random elements. Integers lie in [low, high], negative ones mirrored if the dtype has none;
   reals lie in [low, high). Complex numbers have a real part in [low, high) and an imaginary part in
   [-high, high). */
void sample_fill(ty_dtype dtype, void *out, int64_t n, double low, double high);
/* Write n elements: random bits, special values, and random elements as by sample_fill. */
void sample_fill_all(ty_dtype dtype, void *out, int64_t n, double low, double high);
/* Return a contiguous random tensor. */
ty_tensor *sample_shape(ty_dtype dtype, int rank, const int64_t *shape, double low, double high);
/* Return a random tensor in a layout; LAYOUT_EMPTY has the shape [0,5], LAYOUT_LONG [2500]. */
ty_tensor *sample(ty_dtype dtype, enum sample_layout layout, double low, double high);
/* Greatest number of special values. */
enum { SAMPLE_SPECIALS = 24 };
/* Write special values of a dtype: extremes, zeros of both signs, NaN, infinities, denormals; complex ones are
   finite.  Returns their number. */
int sample_specials(ty_dtype dtype, void *out);
#endif
