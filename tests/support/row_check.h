/* A row of elementwise.def on the reference and on every instruction set of the cpu. */
#ifndef TESTS_SUPPORT_ROW_CHECK_H
#define TESTS_SUPPORT_ROW_CHECK_H
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"

/* Whether the row computes in the dtype; the dtype of its operand i then. */
bool row_takes(enum row_id row, ty_dtype dtype);
ty_dtype row_operand_dtype(enum row_id row, ty_dtype dtype, int i);
/* Ends the test where an engine differs from the reference by more than the row's error column allows. */
void row_check(enum row_id row, ty_dtype dtype, ty_tensor *const *operands, const char *where);
#endif
