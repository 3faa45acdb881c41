/* Helpers of the statistics. */
#ifndef OPS_REDUCE_STATISTICS_H
#define OPS_REDUCE_STATISTICS_H
#include "ops/core/structure.h"

/* Return the number of elements of x that are reduced to one result. */
int64_t count_reduced(ty_tensor *x, ty_axes axes);
/* Cast integers and bool to f64, in which means are computed, since their own sums would wrap. */
ty_tensor *averaged(ty_tensor *x);
/* Return the set of axes with `keep` set. */
ty_axes kept(ty_axes axes);
/* Remove the axes of the set, which have size 1 in x, unless axes.keep. */
ty_tensor *without_axes(ty_tensor *x, ty_axes axes);
/* Return the square root of x, with gradient 0 at 0. */
ty_tensor *root(ty_tensor *x);
/* Return log(sum) + greatest, for sum = sum of exp(x - greatest); an infinite or NaN `greatest` itself.  The
   gradient is that of `greatest` in the latter case, but 0 for -infinity. */
ty_tensor *log_or_greatest(ty_tensor *sum, ty_tensor *greatest);
#endif
