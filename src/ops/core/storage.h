/* Dtypes for storage in operators.  Conversions from and to them are composites of elementwise operators on bits, which
   src/ops/math/storage.c defines; they are declared here for ty_cast. */
#ifndef OPS_CORE_STORAGE_H
#define OPS_CORE_STORAGE_H
#include "array/tensor.h"

struct storage {
    /* Convert x, which is not poisoned, to `dtype`; one of both dtypes is for storage.  `options` as of ty_cast_by. */
    ty_tensor *(*cast)(ty_tensor *x, ty_dtype dtype, const ty_cast_options *options);
    /* Return the codes of x, which has a dtype for storage: u8 of its shape, each with the bits of one number. */
    ty_tensor *(*codes)(ty_tensor *x);
    /* Return the numbers of a dtype for storage with these codes, whose higher bits are 0. */
    ty_tensor *(*of_codes)(ty_tensor *codes, ty_dtype dtype);
};
extern const struct storage storage;

/* True if d is a dtype of integers of 4 or 2 bits. */
static inline bool dtype_stored_integer(ty_dtype d) { return dtype_stored(d) && d >= TY_I4; }
/* Return a dtype of operators that holds all numbers of d: d itself, or another one of a dtype for storage. */
static inline ty_dtype dtype_widened(ty_dtype d) {
    return !dtype_stored(d) ? d : dtype_stored_integer(d) ? TY_I8 : TY_F32;
}
#endif
