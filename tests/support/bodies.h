/* Small functions with loops and branches, for the tables of tests. */
#ifndef TESTS_SUPPORT_BODIES_H
#define TESTS_SUPPORT_BODIES_H
#include <tyto/tyto.h>

/* Rows of x are elements: h' = h * scale + row (sin of it where `bend`); the last h and all of them, stacked. */
ty_tensor *bodies_scan(ty_tensor *x, ty_tensor *scale, bool bend, bool reverse);
/* Two products with the matrix w in each step, for the numbers of x; under a choice of what its gradient keeps. */
ty_tensor *bodies_kept(ty_tensor *x, ty_tensor *w, bool reverse, int64_t checkpoint);
/* The same without any function but add, for every dtype. */
ty_tensor *bodies_sum(ty_tensor *x);
/* Doubles x while its greatest element is below 10, at most 8 times. */
ty_tensor *bodies_while(ty_tensor *x);
/* x squared where its first element is above 0, else x * y; `later`: that is found out when it runs. */
ty_tensor *bodies_cond(ty_tensor *x, ty_tensor *y, bool later);
/* A scan over rows in each step of which another scan runs over its elements. */
ty_tensor *bodies_nested(ty_tensor *x);
/* Three times the sine of x, by a function with a rule of its own. */
ty_tensor *bodies_custom(ty_tensor *x);
/* The same, computed again for gradients. */
ty_tensor *bodies_checkpoint(ty_tensor *x);
/* The gradient of something that is computed again for it. */
ty_tensor *bodies_again(ty_tensor *x);
#endif
