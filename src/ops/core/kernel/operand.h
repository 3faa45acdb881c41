/* Operands of a kernel by number: inputs, then outputs. */
#ifndef OPS_CORE_KERNEL_OPERAND_H
#define OPS_CORE_KERNEL_OPERAND_H
#include "ops/core/kernel/kernel.h"

/* Return operand i of k, 0 <= i < ninputs + noutputs. */
static inline struct operand *kernel_operand(const struct kernel *k, int i) {
    return i < k->ninputs ? &k->inputs[i] : &k->outputs[i - k->ninputs];
}
#endif
