/* Contraction as the operators above it see it: two tensors whose axes carry labels. */
#ifndef OPS_CONTRACT_H
#define OPS_CONTRACT_H
#include "ops/structure.h"

/* Labels are numbers below this; within one tensor they are distinct. */
enum { LABELS = 128 };
struct labelled {
    ty_tensor *x;
    uint8_t labels[TY_MAX_RANK]; /* of axis i */
};

/* Sums a * b over the labels that are not among the `rank` of the output.  Sizes of equal labels agree or one
   is 1.  Operands meet in one dtype; bool counts as i64. */
ty_tensor *contract(struct labelled a, struct labelled b, int rank, const uint8_t *output);
#endif
