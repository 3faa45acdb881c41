/*
 * Many examples at once: an operator of one example becomes one of n, whose operands have an axis of n more in front.
 * The rules stand with the operators (op->batch, op->batch_results), those that many share in ops/shape/batch.h;
 * src/grad/batch.c walks graphs by them.
 */
#ifndef OPS_CORE_BATCH_H
#define OPS_CORE_BATCH_H
#include "ops/core/op.h"

struct batch {
    ty_tensor *y;        /* the operator as it stands for one example */
    ty_tensor *const *x; /* what its operands have become */
    const bool *batched; /* x[i] has an axis of n in front; the others are of the shape they had */
    int64_t n;
};

/* The rule of operators whose one operand gets the axis: attributes are as an axis in front leaves them (field.h). */
ty_tensor *batch_single(const struct batch *b);
/* The same with operands x in place of b->x. */
ty_tensor *batch_record(const struct batch *b, ty_tensor *const *x);
/* Poison for an operator that cannot be batched, with the reason. */
ty_tensor *batch_refused(const struct batch *b, const char *reason);
#endif
