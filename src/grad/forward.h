/* Forward mode for several outputs at once, used for tangents of operators with bodies. */
#ifndef GRAD_FORWARD_H
#define GRAD_FORWARD_H
#include "array/tensor.h"

/* Compute tangents[i], the derivative of y[i] along the directions t[k] of x[k], all k together. NULL: it
   is 0, or y[i] has no floating or complex dtype. Tangents belong to the innermost scope. Nodes of a lower
   level than `level` are constants unless they are an x. False after a fault. */
bool forward_all(uint16_t level, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x,
                 ty_tensor *const *t, ty_tensor **tangents, struct fault *fault);

/* Return the tangent of y for tangents t[] of its operands (NULL: 0), by transposing its operator's gradient
   rule. NULL: it is 0. Poison on failure. */
ty_tensor *forward_transposed(ty_tensor *y, ty_tensor *const *t);

/* Return a promise of the dtype and shape of x that cannot be computed: a placeholder for a direction, to
   be substituted later. */
ty_tensor *direction_new(const ty_tensor *x);
#endif
