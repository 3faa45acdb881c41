/* Contraction as the operators above it see it: two tensors whose axes carry labels. */
#ifndef OPS_CONTRACT_CONTRACT_H
#define OPS_CONTRACT_CONTRACT_H
#include "ops/core/reach.h"
#include "ops/core/attributes.h"
#include "ops/core/batch.h"
#include "ops/core/structure.h"

/* Labels are numbers below this; CONTRACT_WINDOW + i (attributes.h) is an axis that window i of the rules
   describes. Within one tensor the labels, those that its windows step by included, are distinct. */
enum { LABELS = CONTRACT_WINDOW };
struct labelled {
    ty_tensor *x;
    uint8_t labels[TY_MAX_RANK]; /* of axis i */
};

/* What labels alone do not say. */
struct contract_rules {
    int nwindows;
    int sums; /* as in contract_attr: 0, or 1 + the dtype of the result, and the operands stay in theirs */
    struct contract_window windows[CONTRACT_WINDOWS];
};

/* Sums a * b over the labels that are not among the `rank` of the output.  Sizes of equal labels agree or one
   is 1.  Operands meet in one dtype; bool counts as i64. */
ty_tensor *contract(struct labelled a, struct labelled b, int rank, const uint8_t *output);
/* The same by rules: each window stands on one axis of a, of b or of the output. */
ty_tensor *contract_by(struct labelled a, struct labelled b, int rank, const uint8_t *output,
                       const struct contract_rules *rules);

/* Whether `label` is among the n, or steps along one of their axes. */
bool labels_step(int n, const uint8_t *labels, const struct contract_window *windows, uint8_t label);
/* ty_matmul with sums as in contract_rules. */
ty_tensor *matmul_by(ty_tensor *a, ty_tensor *b, int sums);
/* What an operand reaches: axes by labels, windows by their places (contract_gradient.c). */
void contract_reach(ty_tensor *y, int i, struct reach *r);
/* Of many examples: one more label, in front (contract_record.c). */
ty_tensor *contract_batch(const struct batch *b);
/* The gradient of op_contract (contract_gradient.c). */
ty_tensor *contract_vjp(ty_tensor *y, ty_tensor *g, int i);
#endif
