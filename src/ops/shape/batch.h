/* Rules for many examples at once (ops/core/batch.h) that operators share, and what rules are made of. */
#ifndef OPS_SHAPE_BATCH_H
#define OPS_SHAPE_BATCH_H
#include "ops/core/batch.h"

/* All operands with the axis (those without it repeated), and attributes as an axis in front leaves them (field.h). */
ty_tensor *batch_shifted(const struct batch *b);
/* The same where operands broadcast from the last axis on, as those of elementwise operators: what is the same for all
   examples stays as it is. */
ty_tensor *batch_aligned(const struct batch *b);

/* Operand i with the axis in front. */
ty_tensor *batch_operand(const struct batch *b, int i);
/* The same; where it is the same for all, with an axis of size 1. */
ty_tensor *batch_leading(const struct batch *b, int i);
/* x with an axis of n in front, repeated. */
ty_tensor *batch_repeat(ty_tensor *x, int64_t n);
/* x, whose first axis is the examples', with axes of size 1 behind it, as many as make `rank` axes without it. */
ty_tensor *batch_align(ty_tensor *x, int rank);
#endif
