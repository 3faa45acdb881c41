/* Pages of machine code: written first, executed afterwards, never both. */
#ifndef ENGINE_CPU_GEMM_JIT_MEMORY_H
#define ENGINE_CPU_GEMM_JIT_MEMORY_H
#include <stddef.h>

/* Code of `bytes`, copied to where it can be called; NULL where the system does not allow it or
   JIT_MOST_BYTES are used up.  The caller sees to it that one thread at a time is here. */
enum { JIT_MOST_BYTES = 32 << 20 };
const void *jit_memory_place(const void *code, size_t bytes);
/* Tests: all code so far is gone. */
void jit_memory_forget(void);
#endif
