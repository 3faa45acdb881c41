/* Comparison of an entry of elementwise.def on the reference with every instruction set of the cpu engine. */
#ifndef TESTS_SUPPORT_ROW_CHECK_H
#define TESTS_SUPPORT_ROW_CHECK_H
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"

/* Return true if the entry supports the dtype. */
bool row_takes(enum row_id row, ty_dtype dtype);
/* Return the dtype of operand i if the entry computes in `dtype`. */
ty_dtype row_operand_dtype(enum row_id row, ty_dtype dtype, int i);
/* Fail the test if an engine differs from the reference by more than the entry's error column allows. */
void row_check(enum row_id row, ty_dtype dtype, ty_tensor *const *operands, const char *where);
#endif
