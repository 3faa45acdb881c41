/* Pages of machine code: first writable, then executable, never both. */
#ifndef ENGINE_CPU_JIT_JIT_MEMORY_H
#define ENGINE_CPU_JIT_JIT_MEMORY_H
#include <stddef.h>

/* A range of at most `most` bytes of code. Initialise all other fields to 0. */
struct jit_pages {
    size_t most, used,
        open; /* open: bytes of the range made writable so far; those before `used` are executable */
    char *range;
};
/* Copy `bytes` of code to executable memory and return its address. Return NULL if the system refuses or the range
   is full. Not thread-safe: the caller holds a lock. */
const void *jit_memory_place(struct jit_pages *pages, const void *code, size_t bytes);
/* Unmap all code; the pages can then be filled anew. */
void jit_memory_forget(struct jit_pages *pages);
#endif
