/* Batch rules that operators share (ops/core/batch.h), and helpers for writing rules. */
#ifndef OPS_SHAPE_BATCH_H
#define OPS_SHAPE_BATCH_H
#include "ops/core/batch.h"

/* Batch rule that gives every operand the leading axis (repeated if it had none), adapts the attributes
   (field.h) and records the operator. */
ty_tensor *batch_shifted(const struct batch *b);
/* Batch rule for operands that broadcast from the last axis on, as those of elementwise operators. Operands
   that are equal for all examples stay as they are. */
ty_tensor *batch_aligned(const struct batch *b);

/* Return operand i with the leading axis, repeated if it had none. */
ty_tensor *batch_operand(const struct batch *b, int i);
/* Return operand i with the leading axis, of size 1 if it had none. */
ty_tensor *batch_leading(const struct batch *b, int i);
/* Return x repeated along a new leading axis of size n. */
ty_tensor *batch_repeat(ty_tensor *x, int64_t n);
/* Return x with axes of size 1 inserted behind its leading axis, so that it has `rank` axes not counting that
   one. Poison stays poison. */
ty_tensor *batch_align(ty_tensor *x, int rank);
#endif
