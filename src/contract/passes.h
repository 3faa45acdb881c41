/* The passes, one file each; passes.c puts them in order.  What each promises: the contraction computes the
   same after it, and contraction_check holds. */
#ifndef CONTRACT_PASSES_H
#define CONTRACT_PASSES_H
#include "contract/cost.h"
#include "contract/loops.h"

#define CONTRACT_PASS(name)                                                                                  \
    bool pass_contract_##name(ty_contraction *c, const struct contract_machine *m, struct fault *fault)
CONTRACT_PASS(drop);
CONTRACT_PASS(fuse);
CONTRACT_PASS(orient);
CONTRACT_PASS(identify);
CONTRACT_PASS(split);
CONTRACT_PASS(order);
CONTRACT_PASS(share);
CONTRACT_PASS(pack);
CONTRACT_PASS(fit);

/* Packing for other boxes than it was chosen for: left stays copied, or not, where that decides the order of sums. */
void contract_pack_again(ty_contraction *c, const struct contract_machine *m);
/* Parts of a dimension are multiples of this: whole register tiles, or as even as vectors allow. */
int64_t contraction_unit(const ty_contraction *c, const struct contract_machine *m, int dim, bool tiles);
/* Takes a dimension that is nobody's any more out of the list; guards and loops that name later ones follow.
 */
void contraction_forget(ty_contraction *c, int dim);
#endif
