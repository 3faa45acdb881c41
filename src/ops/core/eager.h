/* Computing one operator at once: lower, prepare, launch, or launch alone what was prepared for the like
 * before. */
#ifndef OPS_CORE_EAGER_H
#define OPS_CORE_EAGER_H
#include "ops/core/op.h"

/* Computes in->op on in->inputs (values) into y, which is dense and has its buffer; false after a fault. */
bool eager_compute(const ty_tensor *y, const struct infer *in, struct fault *fault);
/* Forgets what the calling thread has prepared. */
void eager_trim(void);
#endif
