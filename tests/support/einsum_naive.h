/* Einsum the slow way: one loop over every letter, written without a look at the library's. */
#ifndef TESTS_SUPPORT_EINSUM_NAIVE_H
#define TESTS_SUPPORT_EINSUM_NAIVE_H
#include <tyto/tyto.h>

/* Checks `got` against the sum of products over all letters: integers and bools exactly, others to 30 n eps
   of the sum of absolute products, n being the terms of each sum and the operands.  Ends the test with a
   sentence that begins with the equation and `what`. */
void einsum_check(ty_tensor *got, const char *equation, int n, ty_tensor *const *operands, const char *what);
#endif
