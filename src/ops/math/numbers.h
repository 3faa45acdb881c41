/* Plain numbers: made by ty_num, ty_int or ty_complex, 0-d, weak, without a history. */
#ifndef OPS_MATH_NUMBERS_H
#define OPS_MATH_NUMBERS_H
#include "ops/core/structure.h"

/* The value of a plain number, also where x is a promise of it; NULL: x is none. */
const ty_tensor *plain_number(const ty_tensor *x);
/* -1, 0, 1: the number is below, within, above what `dtype` holds; 0 unless dtype is an integer dtype. */
int number_beyond(const ty_tensor *number, ty_dtype dtype);
/* The least (side -1) or greatest (side 1) number of an integer dtype, 0-d. */
ty_tensor *number_end(ty_dtype dtype, int side);
/* The dtype in which x is compared with `common`: where x is a plain number that the integer dtype `common` does not
   hold, one that holds both; F64 where no integer dtype does. */
ty_dtype dtype_with_number(ty_dtype common, const ty_tensor *x);
/* The dtype in which cast_to_common compares n tensors: it holds plain numbers too, where an integer dtype does. */
ty_dtype matched_dtype(int n, ty_tensor *const *x);
/* composite_open and cast_to_common at once: the result is rounded to a half float only where all operands, integers among
   them, meet in it. */
struct composite composite_open_met(const char *name, int n, ty_tensor **x, enum meeting how);
#endif
