/*
 * Non-temporal stores.  An ordinary store first reads the cache line that it overwrites; a non-temporal store
 * does not. So a large output that nobody reads soon is faster past the caches: three streams of memory traffic
 * instead of four.
 */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H
#include <stdbool.h>
#include <stddef.h>

/* Return the bytes of cache that one caller may assume: usually half of the last-level cache, and at most 32
   MiB. */
size_t cache_share(void);
/* Test hook: overrides the result of cache_share; 0 = the real size. */
void cache_force(size_t bytes);
/* True if a kernel that touches `bytes` in total (inputs and outputs) should use non-temporal stores.  Always false
   if the processor has none. */
bool cache_bypassed(size_t bytes);
/* True if a kernel whose stores jump from row to row and which touches `bytes` in total should use non-temporal
   stores.  Always false if the processor has none. */
bool cache_jumped(size_t bytes);
/* Copy like memcpy with non-temporal stores, any alignment; best for pieces of 1 or 2 KiB that were just
   computed. Visible to other threads after the end of the enclosing parallel_for, otherwise after
   cache_fence. */
void cache_bypass_copy(void *to, const void *from, size_t bytes);
/* Copy `rows` rows of `bytes` bytes with non-temporal stores if the processor has them; to_step and from_step
   are strides in bytes. Visible to other threads after the enclosing parallel_for or cache_fence. */
void cache_bypass_rows(void *to, ptrdiff_t to_step, const void *from, ptrdiff_t from_step, size_t bytes,
                       size_t rows);
/* Store fence: makes preceding non-temporal stores visible to other threads. */
void cache_fence(void);
/* Copy like memcpy, for large sizes; avoids a slow case of the processor's string instructions (cache.c). */
void cache_copy(void *to, const void *from, size_t bytes);
#endif
