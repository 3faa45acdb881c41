/* Results in the order of their operands (ty_columns). */
#ifndef OPS_CORE_COLUMNS_H
#define OPS_CORE_COLUMNS_H
#include "ops/core/op.h"

/* Give the result y, row-major and without a buffer so far, the order of the operands of an elementwise operator. These
   are the operands of its shape: one of them keeps its order, and the others have the same. Otherwise nothing. */
void columns_follow(ty_tensor *y, const struct infer *in);
/* Return an operand of x[n] of this shape that keeps its order, if all of this shape have the same; else NULL. */
const ty_tensor *columns_kept(int n, ty_tensor *const *x, int rank, const int64_t *shape);
/* Give y, a new value of x's shape whose elements are all equal, the order of x if x keeps it. */
void columns_adopt(ty_tensor *y, const ty_tensor *x);
#endif
