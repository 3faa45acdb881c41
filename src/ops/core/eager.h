/* Eager execution of one operator: lowers, prepares and launches its kernel, or launches one prepared earlier for
   an equal call. */
#ifndef OPS_CORE_EAGER_H
#define OPS_CORE_EAGER_H
#include "ops/core/op.h"

/* Compute in->op on the values in->inputs into y, which has a buffer and no element twice. False, with the fault set,
   on failure. */
bool eager_compute(const ty_tensor *y, const struct infer *in, struct fault *fault);
/* Free the kernels that the calling thread has cached. */
void eager_trim(void);
#endif
