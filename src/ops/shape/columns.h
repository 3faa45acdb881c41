/* Column order in composites of elementwise operators. */
#ifndef OPS_SHAPE_COLUMNS_H
#define OPS_SHAPE_COLUMNS_H
#include "ops/core/op.h"

/* The order of memory of operands, for a function of several elementwise operators: a graph would make it
   row-major. */
struct columns {
    int rank, back[TY_MAX_RANK];
};
/* If the result of elementwise operators on x[n] would have the order of an operand, replace those of more than one
   element by views whose axes are in the order of memory, and return true. The views are owned by the innermost scope,
   and are poison on failure. */
bool columns_turn(struct columns *c, int n, ty_tensor **x);
/* Return y, the result of operators on the views of columns_turn, with the axes of the operands, in their order. */
ty_tensor *columns_return(const struct columns *c, ty_tensor *y);
#endif
