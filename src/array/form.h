/* Dtypes and shapes in sentences: what there was no memory for. */
#ifndef ARRAY_FORM_H
#define ARRAY_FORM_H
#include <tyto/core.h>
#include "base/text.h"

/* "f32[2,3]" into out, cut when too long; returns its length. */
size_t form_words(char *out, size_t capacity, ty_dtype dtype, int rank, const int64_t *shape);
/* Sets "out of memory: 11.50 GiB for f32[2,3]"; returns false. */
bool form_fault(struct fault *f, ty_dtype dtype, int rank, const int64_t *shape);
/* tensor_return of what tensor_new_value made; of NULL the poison that says so. */
ty_tensor *form_return(ty_tensor *x, ty_dtype dtype, int rank, const int64_t *shape);
#endif
