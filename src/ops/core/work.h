/* Estimated work of a kernel from its shapes, for profiles and for the memory planner. */
#ifndef OPS_CORE_WORK_H
#define OPS_CORE_WORK_H
#include "ops/core/kernel.h"

struct work {
    double bytes; /* bytes of operands, each element read or written counted once */
    double flops; /* operations of elementwise programs, two per product of a contraction, one per element
                     of a reduction */
};
/* Return the estimated floating-point operations and bytes of one launch of k. */
struct work kernel_work(const struct kernel *k);
/* Return the operations of a launch of k that count against a limit: at least one for each element of the
   largest operand, broadcast elements included. */
double work_operations(const struct kernel *k);
#endif
