/*
 * Guards: a box of what a kernel runs over, inside of which an operand has its elements.  So padding, the places that
 * slices come from, and concatenation are layouts: an operand that is read at a distance, and no kernel that copies.
 */
#ifndef OPS_CORE_GUARD_H
#define OPS_CORE_GUARD_H
#include "base/arena.h"
#include "ops/core/kernel.h"

/* What an operand reaches in memory: its layout inside of its guard. */
const struct layout *operand_inside(const struct operand *x, struct layout_room *room);
/* Whether both are inside at the same places, and the same outside. */
bool guard_equal(int rank, const struct guard *a, const struct guard *b);
/* The first axis along which x is not everywhere inside; its rank: there is none. */
int guard_axis(const struct operand *x);
/* With its axes, of `rank`, in another order: axis i is axis order[i] of g.  order NULL: as they are.  NULL: no memory. */
struct guard *guard_copy(int rank, const int *order, const struct guard *g, struct arena *arena);
/* The guard of operand x where it is seen in another shape of as many elements, into `out`, which has room for `rank` axes;
   false: no box says it. */
bool guard_reshape(const struct operand *x, int rank, const int64_t *shape, struct guard *out);
#endif
