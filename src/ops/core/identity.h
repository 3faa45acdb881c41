/* Rules of operators whose result is their first operand, in its dtype and shape: copies, leaves, barriers. */
#ifndef OPS_CORE_IDENTITY_H
#define OPS_CORE_IDENTITY_H
#include "ops/core/op.h"

/* Infer dtype and shape of the result (op->infer): those of the first operand. */
bool identity_infer(struct infer *in);
/* View rule (op->view): the layout of the operand. */
bool identity_view(const struct infer *in, const struct layout *x, struct layout *out);
/* Return the gradient (op->vjp): g itself. */
ty_tensor *identity_vjp(ty_tensor *y, ty_tensor *g, int i);
/* Return the tangent (op->jvp): that of the first operand. */
ty_tensor *identity_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
#endif
