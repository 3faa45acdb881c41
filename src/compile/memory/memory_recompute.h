/* Recomputation: running kernels twice to reduce the peak of live memory (memory_recompute.c). */
#ifndef COMPILE_MEMORY_MEMORY_RECOMPUTE_H
#define COMPILE_MEMORY_MEMORY_RECOMPUTE_H
#include "compile/memory/memory_plan.h"

/* Copy prepared kernels, so that results need not stay in memory, until the plan fits `bytes` or no copy
   helps, and make the plan again. Add the number of copies to *copies. A larger budget uses a prefix of the
   copies of a smaller one. The caller prepares the copies. False after a fault. */
bool memory_recompute(struct memory_plan *p, struct flow *f, const ty_compile_options *options, int64_t bytes,
                      int64_t *copies, struct fault *fault);
#endif
