/* Sparse weighted sums along an axis, as other operators record them, and the filters of interpolation. */
#ifndef OPS_IMAGE_RESAMPLE_H
#define OPS_IMAGE_RESAMPLE_H
#include <tyto/image.h>
#include "ops/core/structure.h"

/*
 * out[b.., o.., i, c..] = sum over t of weight[b.., t, i] * x[b.., o.., index[b.., t, i], c..], where i
 * stands on `axis` and the first `batch` axes of all are shared (index and weight may have size 1 there).  x
 * f32, f64, c64, c128; index i32, checked when it is computed; weight of x's dtype or of its real part's.
 * Gradients flow to x and weight, at any order.
 */
ty_tensor *resample_read(ty_tensor *x, ty_tensor *index, ty_tensor *weight, int axis, int batch);
/* The same along n <= RESAMPLE_AXES neighbouring axes from `axis` on, without batches: index[k] and weight[k] are
   those of axis + k.  One pass over x, in which each element is made of the product of the axes' taps. */
ty_tensor *resample_read_axes(ty_tensor *x, int n, ty_tensor *const *index, ty_tensor *const *weight,
                              int axis);
/* The dtype that a tensor of `dtype` is resampled in: f32 for f16 and bf16. */
ty_dtype resample_dtype(ty_dtype dtype);

/* What the cubic filter's coefficient is where none is given. */
#define CUBIC_COEFFICIENT (-0.75)

/* What the result's axes of an interpolation have to do with x's. */
struct interpolated_axis {
    int64_t before, after;
    double scale;
    bool by_size;      /* the scale is after / before */
    double start, end; /* of the region, in parts of the axis */
};
/* Place i of the result among x's elements. */
double interpolated_place(const struct interpolated_axis *axis, ty_coordinates coordinates, int64_t i);
/* Whether the place lies outside of x, which matters to TY_CROP_AND_RESIZE alone. */
bool interpolated_outside(const struct interpolated_axis *axis, ty_coordinates coordinates, int64_t i);
/* How many elements a place is made of. */
int64_t interpolation_taps(const struct interpolated_axis *axis, const ty_interpolation *options);
/* Fills the index (and unless nearest the weights) of every place: tap t of place i at [t * after + i]. */
void interpolation_fill(const struct interpolated_axis *axis, const ty_interpolation *options, int32_t *index,
                        double *weight);
#endif
