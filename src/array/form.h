/* Dtypes and shapes in messages, above all in those about lack of memory. */
#ifndef ARRAY_FORM_H
#define ARRAY_FORM_H
#include <tyto/core.h>
#include "base/text.h"

/* Write dtype and shape such as "f32[2,3]" to out, cut to capacity.  Returns the length written. */
size_t form_words(char *out, size_t capacity, ty_dtype dtype, int rank, const int64_t *shape);
/* Set the fault "out of memory: 11.50 GiB for f32[2,3]".  Always returns false. */
bool form_fault(struct fault *f, ty_dtype dtype, int rank, const int64_t *shape);
/* Return tensor_return(x); if x is NULL, a poisoned tensor with the sentence of form_fault. */
ty_tensor *form_return(ty_tensor *x, ty_dtype dtype, int rank, const int64_t *shape);
#endif
