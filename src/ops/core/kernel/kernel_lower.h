/* Lowering of an operator to its kernel, for eager execution and for the compiler. */
#ifndef OPS_CORE_KERNEL_LOWER_H
#define OPS_CORE_KERNEL_LOWER_H
#include "base/arena.h"
#include "ops/core/op.h"

/* Fill *kernel for `op` on ninputs operands and one dense output; layouts are those of values. MAP's inputs
   are broadcast, and it gets a program of one instruction. All memory comes from `arena`. False, with the
   fault set, if memory runs out or kernel_check fails. */
bool kernel_lower(struct kernel *kernel, const struct op *op, const void *attr, size_t attr_bytes,
                  int ninputs, const struct operand *inputs, const struct operand *output,
                  struct arena *arena, struct fault *fault);
/* Set *out to a copy of `from` in the arena. False if memory runs out; *out is then unchanged. */
bool layout_copy(struct layout *out, const struct layout *from, struct arena *arena);
#endif
