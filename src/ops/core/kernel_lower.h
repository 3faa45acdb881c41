/* From an operator to the kernel that computes it: shared by eager execution and the compiler. */
#ifndef OPS_CORE_KERNEL_LOWER_H
#define OPS_CORE_KERNEL_LOWER_H
#include "base/arena.h"
#include "ops/core/op.h"

/*
 * Fills `kernel` for `op` on inputs (operands with the layouts of the values) and one dense output of
 * `dtype`, `shape`.  Broadcasts the inputs of MAP; gives MAP its one-instruction program.  All memory from
 * `arena`. False with a fault: no memory, or not what the kind takes (kernel_check).
 */
bool kernel_lower(struct kernel *kernel, const struct op *op, const void *attr, size_t attr_bytes,
                  int ninputs, const struct operand *inputs, const struct operand *output,
                  struct arena *arena, struct fault *fault);
/* A copy of a layout with storage from the arena; false: no memory. */
bool layout_copy(struct layout *out, const struct layout *from, struct arena *arena);
#endif
