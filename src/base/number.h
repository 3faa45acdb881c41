/* Integer arithmetic on sizes and the size of a cache line, for all folders. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H
#include <stdint.h>

/* Bytes, on every supported processor.  CACHE_PAGE is also the size of a way of L1: addresses that far apart
   compete for one set. */
enum { CACHE_LINE = 64, CACHE_PAGE = 4096 };

static inline int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }
/* Round a / b up; a >= 0, b > 0. */
static inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
/* Round a up to a multiple of b; a >= 0, b > 0. */
static inline int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
#endif
