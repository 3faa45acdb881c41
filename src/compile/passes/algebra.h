/* Algebraic rewrite rules. algebra_values.c has rules about numbers, algebra_shapes.c rules about shapes
   and dtypes; pass_algebra.c applies them. */
#ifndef COMPILE_PASSES_ALGEBRA_H
#define COMPILE_PASSES_ALGEBRA_H
#include "ops/core/op.h"

/* A rule for an operator. act returns the replacement of y, of a shape that broadcasts to y's, or NULL if
   the rule does not apply. */
struct algebra_row {
    const struct op *op;
    const char *name;
    ty_tensor *(*act)(ty_tensor *y);
};
#define ROW(op, act)                                                                                         \
    { op, #act, act }
extern const struct algebra_row algebra_values[], algebra_shapes[]; /* each ends with a NULL op */

/* True if x is a promise of the operator. */
static inline bool of_op(const ty_tensor *x, const struct op *op) { return x->promise && x->op == op; }
#endif
