/* Descriptions of tensors that allow a case to be repeated: dtype, shape, strides, offset, and the values of small
   ones. */
#ifndef TESTS_SUPPORT_EXPLAIN_H
#define TESTS_SUPPORT_EXPLAIN_H
#include <tyto/tyto.h>

/* Append a line about `x`, with its values if they are few, to the text in out[size]. */
void explain_tensor(char *out, size_t size, const char *name, ty_tensor *x);
#endif
