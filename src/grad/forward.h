/* Forward mode: tangents of several results at once, for tangents of what has a body. */
#ifndef GRAD_FORWARD_H
#define GRAD_FORWARD_H
#include "array/tensor.h"

/* tangents[i]: how y[i] moves when each x[k] moves by t[k], all k together; NULL: not at all, as y whose dtype has no
   gradient.  They belong to the innermost scope.  What was made at a level of bodies below `level` moves only where it is
   an x.  False after a fault. */
bool forward_all(uint16_t level, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x,
                 ty_tensor *const *t, ty_tensor **tangents, struct fault *fault);

/* How y moves when its operands move by t, by the transpose of its operator's gradient; NULL: not at all. */
ty_tensor *forward_transposed(ty_tensor *y, ty_tensor *const *t);

/* A promise of x's dtype and shape that is computed by nobody: what stands for a direction until another takes its
   place. */
ty_tensor *direction_new(const ty_tensor *x);
#endif
