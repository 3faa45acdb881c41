/* The linear filter as other operators record it (ty_filter divides by a[0] first). */
#ifndef OPS_REDUCE_FILTER_H
#define OPS_REDUCE_FILTER_H
#include "array/tensor.h"

/* Record y[i] = sum over j of b[j] x[i-j] - sum over j of a[j] y[i-1-j] along `axis` of x, with zeros before
   the start; reverse: from the end. b and a are of x's dtype, floating or complex. Their last axis has
   1..FILTER_MOST coefficients; the axes before it are leading axes of x, all before `axis`. Poison on
   failure. */
ty_tensor *filter_record(ty_tensor *x, ty_tensor *b, ty_tensor *a, int axis, bool reverse);
#endif
