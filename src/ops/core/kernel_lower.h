/* Lowering of an operator to its kernel, for eager execution and for the compiler. */
#ifndef OPS_CORE_KERNEL_LOWER_H
#define OPS_CORE_KERNEL_LOWER_H
#include "base/arena.h"
#include "ops/core/op.h"

/* Fill `kernel` for `op` on inputs (operands with the layouts of values) and one dense output.  Broadcasts the
   inputs of MAP and gives it a program of one instruction.  All memory comes from `arena`.  False and fault set if
   memory runs out or kernel_check fails. */
bool kernel_lower(struct kernel *kernel, const struct op *op, const void *attr, size_t attr_bytes,
                  int ninputs, const struct operand *inputs, const struct operand *output,
                  struct arena *arena, struct fault *fault);
/* Copy a layout into the arena.  False if memory runs out. */
bool layout_copy(struct layout *out, const struct layout *from, struct arena *arena);
#endif
