/* Sparse weighted sums along an axis, for other operators, and the filters of interpolation. */
#ifndef OPS_IMAGE_RESAMPLE_H
#define OPS_IMAGE_RESAMPLE_H
#include <tyto/image.h>
#include "ops/core/structure.h"

/* Record out[b.., o.., i, c..] = sum over t of weight[b.., t, i] * x[b.., o.., index[b.., t, i], c..]. i is
   on `axis`; the first `batch` axes of all are shared (index and weight may have size 1 there). x: f32, f64,
   c64, c128; index: i32, checked at run time; weight: the real dtype of x. Gradients flow to x and weight, to
   any order. Poison on failure. */
ty_tensor *resample_read(ty_tensor *x, ty_tensor *index, ty_tensor *weight, int axis, int batch);
/* Record resample_read along n <= RESAMPLE_AXES neighbouring axes from `axis` on, without batch axes, in one
   pass over x. index[k] and weight[k], [taps, elements], belong to axis + k; each result is a sum over all
   combinations of taps. Poison on failure. */
ty_tensor *resample_read_axes(ty_tensor *x, int n, ty_tensor *const *index, ty_tensor *const *weight,
                              int axis);
/* Return the dtype in which a tensor of `dtype` is resampled: f32 for f16 and bf16, else itself. */
ty_dtype resample_dtype(ty_dtype dtype);

/* Default coefficient of the cubic filter. */
#define CUBIC_COEFFICIENT (-0.75)

/* Relation of an interpolated axis to the axis of x. */
struct interpolated_axis {
    int64_t before, after;
    double scale;
    bool by_size;      /* the scale is after / before */
    double start, end; /* of the region, as fractions of the axis */
};
/* True if result element i lies outside of x along the axis; only with TY_CROP_AND_RESIZE. */
bool interpolated_outside(const struct interpolated_axis *axis, ty_coordinates coordinates, int64_t i);
/* Return the number of elements of x along the axis that a result element is made of. */
int64_t interpolation_taps(const struct interpolated_axis *axis, const ty_interpolation *options);
/* Fill the indices and, unless sampling is nearest, the weights of an axis: tap t of element i at [t * after
   + i]. */
void interpolation_fill(const struct interpolated_axis *axis, const ty_interpolation *options, int32_t *index,
                        double *weight);
#endif
