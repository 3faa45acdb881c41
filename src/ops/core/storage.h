/* Conversion from and to dtypes for storage: composites of elementwise operators on bits, which src/ops/math/storage.c
   defines.  Declared here for ty_cast. */
#ifndef OPS_CORE_STORAGE_H
#define OPS_CORE_STORAGE_H
#include "array/tensor.h"

struct storage {
    /* Convert x, which is not poisoned, to `dtype`; one of both dtypes is for storage.  `options` as of ty_cast_by. */
    ty_tensor *(*cast)(ty_tensor *x, ty_dtype dtype, const ty_cast_options *options);
};
extern const struct storage storage;
#endif
