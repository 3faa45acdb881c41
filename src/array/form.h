/* Dtypes and shapes in messages, above all in those about lack of memory. */
#ifndef ARRAY_FORM_H
#define ARRAY_FORM_H
#include <tyto/core.h>
#include "base/text.h"

/* Write dtype and shape, such as "f32[2,3]", to out, cut to `capacity` bytes with the final zero. Return the
   length written. */
size_t form_words(char *out, size_t capacity, ty_dtype dtype, int rank, const int64_t *shape);
/* Set the fault "out of memory: 11.50 GiB for f32[2,3]", where the size is that of a tensor of this dtype and
   shape. Always return false. */
bool form_fault(struct fault *f, ty_dtype dtype, int rank, const int64_t *shape);
/* Give the new tensor x to the innermost scope and return it. If x is NULL, return a poisoned tensor "out of
   memory: ..." that names dtype and shape. */
ty_tensor *form_return(ty_tensor *x, ty_dtype dtype, int rank, const int64_t *shape);
#endif
