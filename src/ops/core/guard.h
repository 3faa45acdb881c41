/* Guards: a box of a kernel's index space, inside of which an operand has elements; outside it reads as 0.  So
   padding, gradients of slices, and concatenation are only layouts, with no kernel that copies. */
#ifndef OPS_CORE_GUARD_H
#define OPS_CORE_GUARD_H
#include "base/arena.h"
#include "ops/core/kernel/kernel.h"

/* Return the layout of the elements inside of x's guard, which are the memory that x accesses; without a
   guard x's own layout. The result may lie in *room. */
const struct layout *operand_inside(const struct operand *x, struct layout_room *room);
/* True if both guards, of `rank` axes, contain the same elements and treat the outside alike; NULL is no
   guard. */
bool guard_equal(int rank, const struct guard *a, const struct guard *b);
/* Return the first axis along which x's guard excludes elements; x's rank if there is none. */
int guard_axis(const struct operand *x);
/* Copy a guard of `rank` axes into the arena, permuted: axis i of the copy is axis order[i] of g; order NULL
   keeps them. NULL if memory runs out. */
struct guard *guard_copy(int rank, const int *order, const struct guard *g, struct arena *arena);
/* Compute the guard of x after a reshape to `shape` (equal number of elements) into *out, whose arrays have
   `rank` elements. False if it is no box in that shape. x must have a guard. */
bool guard_reshape(const struct operand *x, int rank, const int64_t *shape, struct guard *out);
#endif
