/* Random orders, as composites record them. */
#ifndef OPS_RANDOM_ORDER_H
#define OPS_RANDOM_ORDER_H
#include <tyto/core.h>

/* Which elements stand at places first .. first+count-1 of a random order of n > 0 elements: i64[count]. */
ty_tensor *random_order(int64_t n, int64_t first, int64_t count, ty_tensor *key);
#endif
