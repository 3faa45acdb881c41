/* The passes, one file each; passes.c orders them. Each pass keeps the result of the contraction and its
   validity (contraction_check). */
#ifndef CONTRACT_PASSES_H
#define CONTRACT_PASSES_H
#include "contract/cost.h"
#include "contract/loops.h"

#define CONTRACT_PASS(name)                                                                                  \
    bool pass_contract_##name(ty_contraction *c, const struct contract_machine *m, struct fault *fault)
CONTRACT_PASS(drop);     /* removes dimensions of size 1 */
CONTRACT_PASS(fuse);     /* merges dimensions whose strides follow each other */
CONTRACT_PASS(sum);      /* chooses the order of sums, and their spans */
CONTRACT_PASS(orient);   /* chooses which operand is left */
CONTRACT_PASS(identify); /* chooses the primitive */
CONTRACT_PASS(split);    /* divides dimensions into steps: the box */
CONTRACT_PASS(order);    /* nests the loops */
CONTRACT_PASS(share);    /* shares loops among threads */
CONTRACT_PASS(pack);     /* chooses the packing of both operands */
CONTRACT_PASS(fit);      /* reduces the workspace */

/* True if the primitive reads the window of a side in place, in pieces without padding (contract_pieces.c), faster
   than from a copy. */
bool contract_window_lies(const ty_contraction *c, const struct contract_machine *m, ty_side side);
/* Return the unit of the step along dimension `dim`. It is a whole register tile if `tiles` and the box has
   no other such dimension, or a whole vector along the vector dimension, else 1. */
int64_t contraction_unit(const ty_contraction *c, const struct contract_machine *m, int dim, bool tiles);
/* Remove dimension `dim`. Guards and loops over later dimensions are renumbered; its own loops are removed. */
void contraction_forget(ty_contraction *c, int dim);
#endif
