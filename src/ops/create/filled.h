/* Tensors of one number. */
#ifndef OPS_CREATE_FILLED_H
#define OPS_CREATE_FILLED_H
#include <tyto/core.h>

/* Return a tensor whose elements are `value`.  Poison, in the name of function `name`, if dtype or shape is invalid or the
   value does not fit. */
ty_tensor *filled(const char *name, ty_dtype dtype, int rank, const int64_t *shape, double value);
#endif
