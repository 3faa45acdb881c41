/* The passes, one file each; passes.c orders them. Each pass keeps the result of the contraction and its
   validity (contraction_check). */
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

/* Chooses the packing anew for changed boxes. If the packing of left decides the order of summation, left
   stays copied or in place as it was. */
void contract_pack_again(ty_contraction *c, const struct contract_machine *m);
/* Returns the unit for parts of a dimension: whole register tiles if `tiles`, else whole vectors along the
   vector dimension. */
int64_t contraction_unit(const ty_contraction *c, const struct contract_machine *m, int dim, bool tiles);
/* Removes a dimension. Guards and loops over later dimensions are renumbered; its own loops are removed. */
void contraction_forget(ty_contraction *c, int dim);
#endif
