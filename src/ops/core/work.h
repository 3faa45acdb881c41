/* How much a kernel does, told from its shapes: what a profile and the plan of a budget hold against time. */
#ifndef OPS_CORE_WORK_H
#define OPS_CORE_WORK_H
#include "ops/core/kernel.h"

struct work {
    double bytes; /* of operands: each element that is read or written, once */
    double
        flops; /* operations of elementwise programs, two for each product of a contraction, one for each element that
                     is folded */
};
struct work kernel_work(const struct kernel *k);
/* Operations for a limit: flops, but at least one for each element of the largest operand, repeated ones too. */
double work_operations(const struct kernel *k);
#endif
