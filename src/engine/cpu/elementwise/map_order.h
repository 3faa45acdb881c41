/* Order of the axes in which a MAP visits elements. */
#ifndef ENGINE_CPU_ELEMENTWISE_MAP_ORDER_H
#define ENGINE_CPU_ELEMENTWISE_MAP_ORDER_H
#include "base/arena.h"
#include "ops/core/kernel/kernel.h"

/* Set *turned to the kernel with its axes in the order of the outputs' memory, or to the kernel itself if that is
   row-major or the outputs differ.  The axes of a MAP are alike, so the elements are the same.  False if memory runs
   out. */
bool map_order(const struct kernel *kernel, struct kernel *turned, struct arena *arena);
#endif
