/* Limit of freed memory that is kept for reuse (ty_set_cache). */
#ifndef BASE_CACHE_MOST_H
#define BASE_CACHE_MOST_H
#include <stdint.h>

/* Return the limit in bytes that the calling thread's context or TY_CACHE sets; -1: none, the automatic bound holds. */
int64_t cache_most(void);
#endif
