/* A graph for many values of its leaves at once. */
#ifndef GRAD_BATCH_H
#define GRAD_BATCH_H
#include "array/tensor.h"

/* out[i]: y[i] computed with batched[k] in the place of each x[k], which has one more leading axis of length n; so has each
   out[i], whether it depends on an x or not.  They belong to the innermost scope.  False after a fault. */
bool batch_all(int ny, ty_tensor *const *y, int nx, ty_tensor *const *x, ty_tensor *const *batched, int64_t n,
               ty_tensor **out, struct fault *fault);
#endif
