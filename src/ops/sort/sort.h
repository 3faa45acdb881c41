/* Helpers of sorting: ranks of lines, extremes of complex numbers, axis sizes. */
#ifndef OPS_SORT_SORT_H
#define OPS_SORT_SORT_H
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/* Return ranks first .. first+count-1 of each line along `axis`, by value or by index. */
ty_tensor *sort_ranks(ty_tensor *x, int axis, enum sort_kind kind, bool descending, int64_t first,
                      int64_t count);
/* Return amax, amin or, if `place`, argmax, argmin of complex x over axes that it has. */
ty_tensor *complex_extreme(const char *name, ty_tensor *x, ty_axes axes, bool largest, bool place);
/* Return the size of an axis, which may be negative; 0 if there is no such axis. */
int64_t axis_size(ty_tensor *x, int axis);
#endif
