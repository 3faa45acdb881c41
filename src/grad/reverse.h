/* Reverse mode for several outputs at once, used for gradients of operators with bodies. */
#ifndef GRAD_REVERSE_H
#define GRAD_REVERSE_H
#include "array/tensor.h"

/* Compute gradients[i], the gradient by x[i] for incoming gradients g[k] of y[k], all k together. NULL:
   it is 0. Gradients belong to the innermost scope. y of other than floating or complex dtypes are
   skipped, and gradients do not flow through nodes of a lower level than `level`. False after a fault. */
bool reverse_all(uint16_t level, int ny, ty_tensor *const *y, ty_tensor *const *g, int nx,
                 ty_tensor *const *x, ty_tensor **gradients, struct fault *fault);

/* True if x is floating or complex and so has a gradient. */
static inline bool has_gradient(const ty_tensor *x) {
    return dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX);
}
/* Return zeros of the dtype and shape of x, broadcast from one element of memory. */
ty_tensor *reverse_zeros(const ty_tensor *x);
#endif
