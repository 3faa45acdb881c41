/*
 * Stores past the caches.  An output that will have left the caches before anybody reads it need not go through
 * them: an ordinary store first reads the line that it overwrites, a non-temporal one does not, so three
 * streams cross the memory bus instead of four.
 */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H
#include <stdbool.h>
#include <stddef.h>

/* Bytes of cache that one caller may count on. */
size_t cache_share(void);
/* Tests: as if there were so many; 0: what there is. */
void cache_force(size_t bytes);
/* Whether a kernel that touches `bytes` in all, inputs and outputs together, should store past the caches. */
bool cache_bypassed(size_t bytes);
/* The same of one whose stores jump from row to row. */
bool cache_jumped(size_t bytes);
/* memcpy past the caches, of any alignment; best in pieces of one or two KiB that have just been computed.
   Inside a parallel_for the bytes are visible to others when it returns; elsewhere after cache_fence. */
void cache_bypass_copy(void *to, const void *from, size_t bytes);
/* The same of `rows` rows of so many bytes; steps in bytes. */
void cache_bypass_rows(void *to, ptrdiff_t to_step, const void *from, ptrdiff_t from_step, size_t bytes,
                       size_t rows);
void cache_fence(void);
/* memcpy of what may be long. */
void cache_copy(void *to, const void *from, size_t bytes);
#endif
