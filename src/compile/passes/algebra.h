/* Algebraic rewrite rules. algebra_values.c has rules about numbers, algebra_shapes.c rules about shapes
   and dtypes; pass_algebra.c applies them. */
#ifndef COMPILE_PASSES_ALGEBRA_H
#define COMPILE_PASSES_ALGEBRA_H
#include "ops/core/op.h"

/* A rule for an operator. act returns the replacement of y, of a shape that broadcasts to y's, or NULL if
   the rule does not apply. */
struct algebra_row {
    const char *op, *name;
    ty_tensor *(*act)(ty_tensor *y);
};
#define ROW(op, act)                                                                                         \
    { op, #act, act }
extern const struct algebra_row algebra_values[], algebra_shapes[]; /* each ends with a NULL op */
#endif
