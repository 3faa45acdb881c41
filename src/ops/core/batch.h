/* Batching: an operator on one example becomes one on n examples, whose operands have a leading axis of size n.
   Operators have their own rules (op->batch, op->batch_results); ops/shape/batch.h has shared rules.
   src/grad/batch.c walks graphs with them. */
#ifndef OPS_CORE_BATCH_H
#define OPS_CORE_BATCH_H
#include "ops/core/op.h"

struct batch {
    ty_tensor *y;        /* the operator as recorded for one example */
    ty_tensor *const *x; /* its operands after batching */
    const bool *batched; /* x[i] has a leading axis of size n; others keep their shape */
    int64_t n;
};

/* Batch rule for operators with one operand: record the operator on b->x, with its attributes adapted to the
   leading axis (field.h). Poison on failure. */
ty_tensor *batch_single(const struct batch *b);
/* Record the operator of b->y on operands x[], of which operand 0 has the leading axis; attributes are
   adapted to it. Poison on failure. */
ty_tensor *batch_record(const struct batch *b, ty_tensor *const *x);
/* Return a poisoned tensor for an operator that cannot be batched, with `reason` in its sentence. */
ty_tensor *batch_refused(const struct batch *b, const char *reason);
#endif
