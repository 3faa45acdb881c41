/* Filling memory with a repeated value. */
#ifndef BASE_FILL_H
#define BASE_FILL_H
#include <stddef.h>

/* Fill `bytes` bytes with copies of the first `size` bytes of data, on the calling thread.  `size` is a power
   of two, at most 16; `bytes` is a multiple of it. */
void fill_repeat(void *data, size_t size, size_t bytes);
/* Fill `bytes` bytes with copies of the first `size` bytes of data; `size` is a power of two, at most 16,
   that divides `bytes`. Large blocks are filled by all threads, with non-temporal stores where that pays. */
void fill_memory(void *data, size_t size, size_t bytes);
#endif
