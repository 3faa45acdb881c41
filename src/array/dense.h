/* Orders of the elements of a value that has no gaps: row-major, column order (the first axis is contiguous), or any
   other order of the axes. */
#ifndef ARRAY_DENSE_H
#define ARRAY_DENSE_H
#include "array/layout.h"

/* True if the elements lie without gaps in column order: the first axis has step 1, the next one steps over it, and so
   on. Always true for an empty tensor. */
bool layout_is_columns(const struct layout *l);
/* True if the elements lie without gaps in an order of the axes that is not row-major. Steps are positive. */
bool layout_is_permuted(const struct layout *l);
/* True if x and y have the same shape, and the same step on each axis of more than one element. */
bool layout_same_order(const struct layout *x, const struct layout *y);
/* Set order[rank] to the axes by descending step; axes with the same step stay in their order. Steps count without
   sign. False if that is the order that they have. */
bool layout_order(const struct layout *l, int *order);
#endif
