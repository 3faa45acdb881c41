/* Counter-based random numbers: Philox with the counter (example, epoch, step, draws so far) and the seed as
   key. */
#ifndef DATA_DRAW_H
#define DATA_DRAW_H
#include <tyto/data.h>
#include "ops/random/permuted.h"

/* Values of `step` for draws outside steps: the order of an epoch, and sampling. */
#define DRAW_ORDER UINT32_C(0xffff0000)
#define DRAW_SAMPLE UINT32_C(0xffff0001)

/* Return a random integer 0..n-1, n > 0, for the counter `at`. */
uint64_t draw_below(const ty_draws *at, uint64_t n);
/* Set `order` to the random permutation of n > 0 examples in an epoch, which depends on seed and epoch
   alone. */
void draw_order(struct permuted *order, uint64_t n, uint64_t seed, uint64_t epoch);
#endif
