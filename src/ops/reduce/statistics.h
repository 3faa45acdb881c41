/* What the statistics share. */
#ifndef OPS_REDUCE_STATISTICS_H
#define OPS_REDUCE_STATISTICS_H
#include "ops/core/structure.h"

/* How many elements of x make one result. */
int64_t count_reduced(ty_tensor *x, ty_axes axes);
/* Integers and bool as f64, in which a mean of them is taken: their own sum would wrap. */
ty_tensor *averaged(ty_tensor *x);
ty_axes kept(ty_axes axes);
/* x, which has size 1 on the axes of the set, without them, unless they are to be kept. */
ty_tensor *without_axes(ty_tensor *x, ty_axes axes);
/* The square root, with gradient 0 at 0. */
ty_tensor *root(ty_tensor *x);
/* log(sum) + greatest, where the sum is of exp(x - greatest); of an infinite greatest, itself.  A line of minus
   infinities has gradient 0, elsewhere the gradient of an infinite or NaN result is that of the greatest. */
ty_tensor *log_or_greatest(ty_tensor *sum, ty_tensor *greatest);
#endif
