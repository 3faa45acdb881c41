/* Operands that a kernel reads dense and row-major: in place, or copied to its workspace. */
#ifndef ENGINE_CPU_ELEMENTWISE_DENSE_H
#define ENGINE_CPU_ELEMENTWISE_DENSE_H
#include "engine/cpu/cpu.h"

struct cpu_dense {
    bool copied;
    struct layout layout; /* source of the copy */
    size_t at;            /* byte offset of the copy in the workspace */
};
/* Reserve `bytes` of the kernel's workspace, aligned to 64 bytes, at *at.  False, without a fault, if sizes overflow. */
bool cpu_reserve(struct kernel *kernel, size_t bytes, size_t *at);
/* Prepare input i of a kernel, with room for a copy in its workspace if one is needed.  False, with the fault set, if
   memory runs out. */
bool cpu_dense_prepare(struct cpu_dense *d, struct kernel *kernel, int i, struct arena *arena,
                       struct fault *fault);
/* Return the address of element 0 of input i, dense, on the addresses slots[]. */
const void *cpu_dense_ready(const struct cpu_dense *d, const struct kernel *kernel, int i, void *const *slots,
                            void *workspace);
#endif
