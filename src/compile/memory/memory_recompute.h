/* Running kernels twice, so that less is alive at once (memory_recompute.c). */
#ifndef COMPILE_MEMORY_MEMORY_RECOMPUTE_H
#define COMPILE_MEMORY_MEMORY_RECOMPUTE_H
#include "compile/memory/memory_plan.h"

/* Copies kernels, which are prepared, until the plan takes `bytes` or fewer or no copy helps; makes the plan anew.
   Adds the number of copies to *copies.  What fits `bytes` is reached by the first so many copies of those that
   fit fewer.  Copies are to be prepared.  False after a fault. */
bool memory_recompute(struct memory_plan *p, struct flow *f, const ty_compile_options *options, int64_t bytes,
                      int64_t *copies, struct fault *fault);
#endif
