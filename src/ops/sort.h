/* What ordering shares: ranks of lines, elements along an axis, compaction. */
#ifndef OPS_SORT_H
#define OPS_SORT_H
#include "ops/structure.h"

/* Ranks first .. first+count-1 of each line along `axis`: their values, or their places. */
ty_tensor *sort_ranks(ty_tensor *x, int axis, enum sort_kind kind, bool descending, int64_t first,
                      int64_t count);
/* Size of an axis, negative from the end; 0 where there is no such axis. */
int64_t axis_size(ty_tensor *x, int axis);
/* out[.., i, ..] = x[.., index[.., i, ..], ..]: x and index agree on all axes but `axis`. */
ty_tensor *take_along(ty_tensor *x, ty_tensor *index, int axis);
/* The adjoint: zeros of `size` on the axis, to which g's elements are added at index. */
ty_tensor *put_along(ty_tensor *g, ty_tensor *index, int axis, int64_t size);
/* The i64 places of the true elements of a bool vector, ascending.  Their number is data: evaluates promises.
 */
ty_tensor *places_of(ty_tensor *mask);
#endif
