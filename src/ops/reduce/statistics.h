/* Helpers of the statistics. */
#ifndef OPS_REDUCE_STATISTICS_H
#define OPS_REDUCE_STATISTICS_H
#include "ops/core/structure.h"

/* Return the number of elements of x that a reduction over these axes makes into one. */
int64_t count_reduced(ty_tensor *x, ty_axes axes);
/* Return x, cast to f64 if it is integer or bool: means are computed in f64, since integer sums would wrap. */
ty_tensor *averaged(ty_tensor *x);
/* Return the set of axes with `keep` set. */
ty_axes kept(ty_axes axes);
/* Return the square root of x, with gradient 0 at 0. */
ty_tensor *root(ty_tensor *x);
/* Return log(sum) + greatest, for sum = sum of exp(x - greatest); an infinite or NaN `greatest` itself. The
   gradient is then that of `greatest`, but 0 for -infinity. */
ty_tensor *log_or_greatest(ty_tensor *sum, ty_tensor *greatest);
#endif
