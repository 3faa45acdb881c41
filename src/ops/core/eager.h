/* Eager execution of one operator: lowers, prepares and launches its kernel, or launches one prepared earlier for
   an equal call. */
#ifndef OPS_CORE_EAGER_H
#define OPS_CORE_EAGER_H
#include "ops/core/op.h"

struct context_thread;
struct prepared;

/* Compute in->op on the values in->inputs into y, which has a buffer and no element twice. False, with the fault set,
   on failure. */
bool eager_compute(const ty_tensor *y, const struct infer *in, struct fault *fault);
/* Return the preparation of in->op by an engine of a device, owned by the caller.  All threads share it: an engine may
   be removed, and then no thread may keep its kernels.  NULL, with the fault set, on failure. */
struct prepared *eager_shared(const struct engine *engine, const ty_tensor *y, const struct infer *in,
                              struct fault *fault);
/* Launch p on the addresses of inputs and y, under the watchers that are active.  False, with the fault set, on
   failure. */
bool eager_start(struct context_thread *t, struct prepared *p, void *const *slots, void *workspace,
                 struct fault *fault);
/* As eager_compute, for a result whose buffer is in device memory alone. */
bool eager_compute_on(const ty_tensor *y, const struct infer *in, struct fault *fault);
/* Free the kernels that the calling thread has cached. */
void eager_trim(void);
#endif
