/* Reverse mode from several results at once, for gradients of what has a body. */
#ifndef GRAD_REVERSE_H
#define GRAD_REVERSE_H
#include "array/tensor.h"

/* gradients[i]: what flows to x[i] when g[k] flows into y[k], all k together; NULL: nothing.  They belong to the
   innermost scope.  y whose dtype has no gradient are left out; nothing flows on to what was made at a level of bodies
   below `level`.  False after a fault. */
bool reverse_all(uint16_t level, int ny, ty_tensor *const *y, ty_tensor *const *g, int nx,
                 ty_tensor *const *x, ty_tensor **gradients, struct fault *fault);

/* Whether gradients flow through x: floating and complex tensors have them. */
static inline bool has_gradient(const ty_tensor *x) {
    return dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX);
}
/* Zeros of the dtype and shape of x, one element of memory: a gradient where nothing flows. */
ty_tensor *reverse_zeros(const ty_tensor *x);
#endif
