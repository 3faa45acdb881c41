/* Aligned blocks for allocators and devices of tests, whose failures no test counts. */
#ifndef SUPPORT_ALIGNED_H
#define SUPPORT_ALIGNED_H
#include "base/memory/system_memory.h"

/* Allocate bytes at an alignment; NULL if memory runs out.  Free with aligned_free. */
static inline void *aligned_new(size_t alignment, size_t bytes) {
    void *memory = NULL;
    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}
static inline void aligned_free(void *memory) { release_aligned(memory); }
#endif
