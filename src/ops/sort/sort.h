/* What ordering shares: ranks of lines, elements along an axis, compaction. */
#ifndef OPS_SORT_SORT_H
#define OPS_SORT_SORT_H
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/* Ranks first .. first+count-1 of each line along `axis`: their values, or their places. */
ty_tensor *sort_ranks(ty_tensor *x, int axis, enum sort_kind kind, bool descending, int64_t first,
                      int64_t count);
/* amax, amin, argmax, argmin of complex x over axes that it has. */
ty_tensor *complex_extreme(const char *name, ty_tensor *x, ty_axes axes, bool largest, bool place);
/* Size of an axis, negative from the end; 0 where there is no such axis. */
int64_t axis_size(ty_tensor *x, int axis);
#endif
