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

/* Record the sum of a * b over the labels that are not among the `rank` of the output.  Sizes of equal labels agree
   or one is 1.  Operands are cast to one dtype; bool counts as i64. */
ty_tensor *contract(struct labelled a, struct labelled b, int rank, const uint8_t *output);
/* Like contract, with windows and sums by `rules`; each window is on one axis of a, of b or of the output. */
ty_tensor *contract_by(struct labelled a, struct labelled b, int rank, const uint8_t *output,
                       const struct contract_rules *rules);

/* True if `label` is among the n labels, or steps along an axis that is labelled as a window. */
bool labels_step(int n, const uint8_t *labels, const struct contract_window *windows, uint8_t label);
/* ty_matmul with sums as in contract_rules. */
ty_tensor *matmul_by(ty_tensor *a, ty_tensor *b, int sums);
/* Reach rule of op_contract: axes by labels, windows by indices (contract_gradient.c). */
void contract_reach(ty_tensor *y, int i, struct reach *r);
/* Batch rule of op_contract: one more label, in front (contract_record.c). */
ty_tensor *contract_batch(const struct batch *b);
/* Gradient rule of op_contract (contract_gradient.c). */
ty_tensor *contract_vjp(ty_tensor *y, ty_tensor *g, int i);
#endif
