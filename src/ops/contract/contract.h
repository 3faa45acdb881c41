/* Contractions for use by other operators: two tensors whose axes have labels. */
#ifndef OPS_CONTRACT_CONTRACT_H
#define OPS_CONTRACT_CONTRACT_H
#include "ops/core/reach.h"
#include "ops/core/attributes.h"
#include "ops/core/batch.h"
#include "ops/core/structure.h"

/* Number of labels; CONTRACT_WINDOW + i (attributes.h) denotes an axis described by window i of the rules.  Labels
   of one tensor, including those of its windows, are distinct. */
enum { LABELS = CONTRACT_WINDOW };
struct labelled {
    ty_tensor *x;
    uint8_t labels[TY_MAX_RANK]; /* label of each axis */
};

/* Properties that labels do not express. */
struct contract_rules {
    int nwindows;
    int sums; /* as in contract_attr: 0, or 1 + the result's dtype; then the operands are not cast */
    struct contract_window windows[CONTRACT_WINDOWS];
};

/* Record the sum of a * b over the labels that are not among the output's; output[rank] labels the axes of
   the result. Sizes of equal labels agree or one is 1. Operands are cast to one dtype, bool counts as i64;
   two bool operands give bool (any of all). Poison on failure. */
ty_tensor *contract(struct labelled a, struct labelled b, int rank, const uint8_t *output);
/* Record the sum of a * b over the labels that are not among output[rank], with the windows and the dtype of
   sums of `rules`. Each window is on one axis of a, of b or of the output. Poison on failure. */
ty_tensor *contract_by(struct labelled a, struct labelled b, int rank, const uint8_t *output,
                       const struct contract_rules *rules);

/* True if `label` is among the n labels, or belongs to a window that one of them denotes. */
bool labels_step(int n, const uint8_t *labels, const struct contract_window *windows, uint8_t label);
/* Record ty_matmul(a, b); sums = 0, or 1 + the dtype of the result, in which products are then added, without
   casting the operands first. Poison on failure. */
ty_tensor *matmul_by(ty_tensor *a, ty_tensor *b, int sums);
/* Reach rule of op_contract (reach.h) for operand i of y: set *r axis by axis, from labels and windows. */
void contract_reach(ty_tensor *y, int i, struct reach *r);
/* Batch rule of op_contract: return the contraction with one more label for the leading axis, which comes
   first in the result. Poison on failure. */
ty_tensor *contract_batch(const struct batch *b);
/* Gradient rule of op_contract: return the gradient of operand i of y, where g is the gradient of y. Poison
   on failure. */
ty_tensor *contract_vjp(ty_tensor *y, ty_tensor *g, int i);
#endif
