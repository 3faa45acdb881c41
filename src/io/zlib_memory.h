/* zlib's allocator hooks, so that its memory comes from base/alloc.h. */
#ifndef IO_ZLIB_MEMORY_H
#define IO_ZLIB_MEMORY_H
#include "base/alloc.h"

static inline void *zlib_alloc(void *context, unsigned n, unsigned size) {
    (void)context;
    return mem_array(n, size);
}
static inline void zlib_free(void *context, void *memory) {
    (void)context;
    mem_free(memory);
}
#endif
