/* Rows of algebra: an operator, and what it becomes.  algebra_values.c holds those about numbers,
   algebra_shapes.c those about shapes and dtypes; pass_algebra.c applies them. */
#ifndef COMPILE_PASSES_ALGEBRA_H
#define COMPILE_PASSES_ALGEBRA_H
#include "ops/core/op.h"

/* `act` gives what y becomes, of any shape that broadcasts to y's; NULL: the side condition does not hold. */
struct algebra_row {
    const char *op, *name;
    ty_tensor *(*act)(ty_tensor *y);
};
#define ROW(op, act)                                                                                         \
    { op, #act, act }
extern const struct algebra_row algebra_values[], algebra_shapes[]; /* each ends with a NULL op */
#endif
