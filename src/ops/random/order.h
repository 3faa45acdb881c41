/* Random permutations, for composites. */
#ifndef OPS_RANDOM_ORDER_H
#define OPS_RANDOM_ORDER_H
#include <tyto/core.h>

/* Return elements first .. first+count-1 of a random permutation of 0 .. n-1, n > 0: i64[count]. The
   permutation depends on n and the key only. Poison on failure. */
ty_tensor *random_order(int64_t n, int64_t first, int64_t count, ty_tensor *key);
#endif
