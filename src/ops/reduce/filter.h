/* The linear filter as the functions above see it (ty_filter divides by a[0] first). */
#ifndef OPS_REDUCE_FILTER_H
#define OPS_REDUCE_FILTER_H
#include "array/tensor.h"

/* y[i] = sum over j of b[j] x[i-j] - sum over j of a[j] y[i-1-j] along `axis` of x, from rest; reverse: from the end.
   b and a are of x's dtype, floating or complex; their last axis has 1..FILTER_MOST coefficients, and the axes before that
   are leading axes of x, all of them before `axis`. */
ty_tensor *filter_record(ty_tensor *x, ty_tensor *b, ty_tensor *a, int axis, bool reverse);
#endif
