/* Pages of machine code: written first, executed afterwards, never both. */
#ifndef ENGINE_CPU_JIT_JIT_MEMORY_H
#define ENGINE_CPU_JIT_JIT_MEMORY_H
#include <stddef.h>

/* At most so many bytes of code, of one kind; zeros otherwise. */
struct jit_pages {
    size_t most, used,
        open; /* open: bytes of the range that were opened for writing so far; those before `used` are closed */
    char *range;
};
/* Code of `bytes`, copied to where it can be called; NULL where the system does not allow it or all are used up.  The
   caller sees to it that one thread at a time is here. */
const void *jit_memory_place(struct jit_pages *pages, const void *code, size_t bytes);
/* All code so far is gone. */
void jit_memory_forget(struct jit_pages *pages);
#endif
