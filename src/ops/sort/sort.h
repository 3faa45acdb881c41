/* Helpers of sorting: ranks of lines, extremes of complex numbers, axis sizes. */
#ifndef OPS_SORT_SORT_H
#define OPS_SORT_SORT_H
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/* Record the sorting of lines along `axis`, of which ranks first .. first+count-1 are returned: values, or
   with SORT_PLACES indices. Poison on failure. */
ty_tensor *sort_ranks(ty_tensor *x, int axis, enum sort_kind kind, bool descending, int64_t first,
                      int64_t count);
/* Return amax or amin, or if `place` argmax or argmin, of complex x over these axes. Poison, in the name of
   function `name`, if a reduced axis is empty. */
ty_tensor *complex_extreme(const char *name, ty_tensor *x, ty_axes axes, bool largest, bool place);
/* Return the size of an axis, which may be negative; 0 if there is no such axis. */
int64_t axis_size(ty_tensor *x, int axis);
#endif
