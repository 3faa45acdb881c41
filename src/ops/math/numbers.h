/* Plain numbers, made by ty_num, ty_int or ty_complex: 0-d, weak, without history. */
#ifndef OPS_MATH_NUMBERS_H
#define OPS_MATH_NUMBERS_H
#include "ops/core/structure.h"

/* Return the value of x, also through a promise of it, if x is a plain number: 0-d and weak. NULL if it is
   none. */
const ty_tensor *plain_number(const ty_tensor *x);
/* Return -1, 0 or 1 if the plain number is below, within or above the range of `dtype`; 0 unless that is an
   integer dtype. */
int number_beyond(const ty_tensor *number, ty_dtype dtype);
/* Return the smallest (side -1) or largest (side 1) value of an integer dtype, as a 0-d tensor of it. */
ty_tensor *number_end(ty_dtype dtype, int side);
/* Return a dtype for comparing x with operands of dtype `common`.  It differs if x is a plain number that the
   integer dtype `common` does not hold: a dtype that holds both, F64 if no integer dtype does. */
ty_dtype dtype_with_number(ty_dtype common, const ty_tensor *x);
/* Return the dtype in which cast_to_common compares n tensors, none poisoned. It holds all plain numbers, if
   an integer dtype does. */
ty_dtype matched_dtype(int n, ty_tensor *const *x);
/* Open a composite, named `name`, on n operands x[], and cast them to a common dtype by the rule `how`. The
   result is rounded to a half float only if all operands, integers included, promote to it. */
struct composite composite_open_met(const char *name, int n, ty_tensor **x, enum meeting how);
#endif
