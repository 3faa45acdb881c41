/* zlib's allocator hooks, so that its memory comes from base/alloc.h. */
#ifndef IO_ZLIB_MEMORY_H
#define IO_ZLIB_MEMORY_H
#include "base/alloc.h"

/* Allocate n elements of `size` bytes; NULL without memory. `context` is ignored. */
static inline void *zlib_alloc(void *context, unsigned n, unsigned size) {
    (void)context;
    return mem_array(n, size);
}
/* Free memory of zlib_alloc; NULL is ignored. */
static inline void zlib_free(void *context, void *memory) {
    (void)context;
    mem_free(memory);
}
#endif
