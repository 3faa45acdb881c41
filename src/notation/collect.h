/* Rules that write sums of products with fewer signs. */
#ifndef NOTATION_COLLECT_H
#define NOTATION_COLLECT_H
#include "array/tensor.h"

/* Rewrite rule for sums and differences: like terms are joined, factors and denominators of all terms stand once.  NULL if
   the sum is not shorter so. */
ty_tensor *collect_terms(void *context, ty_tensor *y);
/* Rewrite rule for products: that of a sum and a difference, of which one part is a number, becomes a difference of
   squares.  NULL for other products. */
ty_tensor *multiply_sums(void *context, ty_tensor *y);
#endif
