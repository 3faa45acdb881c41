/* Contractions without a matrix product, run as reductions. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_FLAT_H
#define ENGINE_CPU_CONTRACT_CONTRACT_FLAT_H
#include "engine/cpu/cpu.h"

/* Return the contraction as a reduction kernel in the arena, not prepared, if it is no matrix product.  NULL without a
   fault if it is one; NULL with a fault if memory runs out. */
struct kernel *contract_as_reduction(const struct kernel *kernel, struct arena *arena, struct fault *fault);
/* Prepare the contraction as a reduction if it is no matrix product, and return the kernel of that reduction, in
   the arena. Return NULL without a fault if it is a matrix product; NULL with a fault on error. */
struct kernel *contract_flat(struct kernel *kernel, struct arena *arena, struct fault *fault);
#endif
