/* Small functions with loops and branches, for the tables of tests. */
#ifndef TESTS_SUPPORT_BODIES_H
#define TESTS_SUPPORT_BODIES_H
#include <tyto/tyto.h>

/* Scan over the rows of x: h' = h * scale + row, or with `bend` its sine.  Returns the last h and all of them,
   stacked. */
ty_tensor *bodies_scan(ty_tensor *x, ty_tensor *scale, bool bend, bool reverse);
/* Scan over the elements of x with two products by the matrix w in each step; `checkpoint` is that of ty_scan_spec. */
ty_tensor *bodies_kept(ty_tensor *x, ty_tensor *w, bool reverse, int64_t checkpoint);
/* Scan over the rows of x with additions alone, for every dtype. */
ty_tensor *bodies_sum(ty_tensor *x);
/* Double x while its greatest element is below 10, at most 8 times. */
ty_tensor *bodies_while(ty_tensor *x);
/* Return x squared if its first element is above 0, else x * y. `later`: the condition is a promise. */
ty_tensor *bodies_cond(ty_tensor *x, ty_tensor *y, bool later);
/* Scan over the rows of x, with an inner scan over the elements in each step. */
ty_tensor *bodies_nested(ty_tensor *x);
/* Return 3 sin(x), by a function with a custom derivative. */
ty_tensor *bodies_custom(ty_tensor *x);
/* Return 3 sin(x), by a function that is called with values (ty_call). */
ty_tensor *bodies_call(ty_tensor *x);
/* Return 3 sin(x), computed again for gradients (ty_checkpoint). */
ty_tensor *bodies_checkpoint(ty_tensor *x);
/* Return the gradient of a function under ty_checkpoint, which computes it again for the gradient. */
ty_tensor *bodies_again(ty_tensor *x);
#endif
