/* One value all over a block of memory. */
#ifndef BASE_FILL_H
#define BASE_FILL_H
#include <stddef.h>

/* Repeats the first `size` bytes (a power of two, at most 16) all through `bytes` (a multiple of size): on the
   caller, or on all threads and past the caches where that pays. */
void fill_repeat(void *data, size_t size, size_t bytes);
void fill_memory(void *data, size_t size, size_t bytes);
#endif
