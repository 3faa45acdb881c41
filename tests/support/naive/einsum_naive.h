/* Einsum by one loop over every letter, written independently of the library's. */
#ifndef TESTS_SUPPORT_EINSUM_NAIVE_H
#define TESTS_SUPPORT_EINSUM_NAIVE_H
#include <tyto/tyto.h>

/* Check `got` against the sum of products over all letters. Integers and bools must be equal; others may
   differ by 30 n eps of the sum of absolute products, where n counts terms and operands. A failure's
   message begins with the equation and `what`. */
void einsum_check(ty_tensor *got, const char *equation, int n, ty_tensor *const *operands, const char *what);
#endif
