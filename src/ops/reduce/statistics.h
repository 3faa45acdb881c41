/* What the statistics share. */
#ifndef OPS_REDUCE_STATISTICS_H
#define OPS_REDUCE_STATISTICS_H
#include "ops/core/structure.h"

/* How many elements of x make one result. */
int64_t count_reduced(ty_tensor *x, ty_axes axes);
/* 16-bit floats are summed as f32: their own sum would overflow or stand still. */
ty_tensor *widened(ty_tensor *x);
/* Back to the dtype that the caller's x computes in. */
ty_tensor *narrowed(ty_tensor *result, ty_tensor *x);
ty_axes kept(ty_axes axes);
/* x, which has size 1 on the axes of the set, without them, unless they are to be kept. */
ty_tensor *without_axes(ty_tensor *x, ty_axes axes);
#endif
