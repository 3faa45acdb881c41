/* Arithmetic on sizes that every folder needs, and the line of the caches. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H
#include <stdint.h>

/* Bytes, on every processor that there are kernels for.  A line moves between caches and memory at once.  A page
   has an entry of the TLB, and is what a way of L1 holds: lines so far apart compete for one set of it. */
enum { CACHE_LINE = 64, CACHE_PAGE = 4096 };

static inline int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }
/* Of sizes: a is not negative, b positive. */
static inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static inline int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
#endif
