/* Forward mode: tangents of several results at once, for tangents of what has a body. */
#ifndef GRAD_FORWARD_H
#define GRAD_FORWARD_H
#include "array/tensor.h"

/* tangents[i]: how y[i] moves when each x[k] moves by t[k], all k together; NULL: not at all, as y whose dtype has no
   gradient.  They belong to the innermost scope.  False after a fault. */
bool forward_all(int ny, ty_tensor *const *y, int nx, ty_tensor *const *x, ty_tensor *const *t,
                 ty_tensor **tangents, struct fault *fault);

/* A promise of x's dtype and shape that is computed by nobody: what stands for a direction until another takes its
   place. */
ty_tensor *direction_new(const ty_tensor *x);
#endif
