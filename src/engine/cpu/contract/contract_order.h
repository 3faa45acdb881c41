/* The order in which an epilogue (elementwise/body.h) processes the sums of a part of the result. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_ORDER_H
#define ENGINE_CPU_CONTRACT_CONTRACT_ORDER_H
#include "engine/cpu/contract/contract_plan.h"

/* The elements of a part of the result as a box with axes of its own, outermost first. */
struct contract_order {
    int n;
    int64_t size[TY_MAX_RANK], step[TY_MAX_RANK]; /* step: elements of the dense result */
    int64_t start;                                /* first element of the part in the dense result */
};
/* Set o to the elements of c, in the order of the dense result; `start` is the first one. False if they have too many
   axes, or there are none. c must be as lowered. */
bool contract_order_of(const ty_contraction *c, int64_t start, struct contract_order *o);
/* Let the epilogue of kernel k process the sums of plan p, whose elements are *o. If its runs of out would be short,
   its order keeps the boxes of the plan together. `apart`: other elements of the result lie between those of o. out:
   layout of the dense result. False with a fault on error. */
bool contract_order_body(struct contract_plan *p, const struct kernel *k, const struct layout *out,
                         const struct contract_order *o, bool apart, struct arena *arena,
                         struct fault *fault);
#endif
