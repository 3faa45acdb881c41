/* Tensors in words from which a case can be repeated: dtype, shape, strides, offset, and the values of small ones. */
#ifndef TESTS_SUPPORT_EXPLAIN_H
#define TESTS_SUPPORT_EXPLAIN_H
#include <tyto/tyto.h>

/* A line (and the values, when there are few) for `x` at the end of the text in out[size]. */
void explain_tensor(char *out, size_t size, const char *name, ty_tensor *x);
#endif
