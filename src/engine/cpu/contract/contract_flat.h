/* Contractions without a matrix, which run as reductions. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_FLAT_H
#define ENGINE_CPU_CONTRACT_CONTRACT_FLAT_H
#include "engine/cpu/cpu.h"

/* The contraction as a reduction that is prepared, where it is no matrix product; else NULL, with a fault when one is
   at hand. */
struct kernel *contract_flat(struct kernel *kernel, struct arena *arena, struct fault *fault);
#endif
