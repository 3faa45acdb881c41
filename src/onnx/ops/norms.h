/* Normalisations that several rows share. */
#ifndef ONNX_OPS_NORMS_H
#define ONNX_OPS_NORMS_H
#include "onnx/call.h"

/* A normalisation over the axes from `axis` on. */
struct layer_norm {
    int axis;
    bool centred; /* subtract the mean */
    double epsilon;
    ty_tensor *mean, *scale; /* results; mean NULL unless centred; scale: 1 / sqrt(variance + epsilon) */
};
/* Normalise `wide`, of the dtype in which to compute, round to `dtype`, multiply by gamma and add beta (NULL: none).
   Sets mean and scale. */
ty_tensor *onnx_layer_norm(struct layer_norm *l, ty_tensor *wide, ty_dtype dtype, ty_tensor *gamma,
                           ty_tensor *beta);
/* Normalise each group of channels of x (N,C,..), whose number `groups` divides. */
ty_tensor *onnx_group_norm(ty_tensor *x, int64_t groups, double epsilon);

#endif
