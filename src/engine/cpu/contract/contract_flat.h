/* Contractions without a matrix product, run as reductions. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_FLAT_H
#define ENGINE_CPU_CONTRACT_CONTRACT_FLAT_H
#include "engine/cpu/cpu.h"

/* Prepares the contraction as a reduction if it is no matrix product, and returns that kernel. Returns NULL if it
   is one; NULL with a fault on error. */
struct kernel *contract_flat(struct kernel *kernel, struct arena *arena, struct fault *fault);
#endif
