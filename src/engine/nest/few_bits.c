/* FEW_BITS: a work item for each element of the product. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"

void lower_few_bits(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct few_bits_attr *attr = k->attr;
    bool zeros = k->ncore > FEW_BITS_ZEROS;
    const int64_t *codes = k->inputs[FEW_BITS_CODES].layout.shape, *a = k->inputs[FEW_BITS_A].layout.shape;
    int64_t blocks = k->inputs[FEW_BITS_SCALES].layout.shape[1], items = a[0] * codes[0];
    int slots[FEW_BITS_OPERANDS + 1];
    for (int i = 0; i < FEW_BITS_OPERANDS; i++)
        slots[i] = i < k->ncore ? lower_whole_input(l, i) : slots[FEW_BITS_SCALES];
    slots[FEW_BITS_OPERANDS] = lower_temporary(l, TY_F32, items);
    lower_call(l, (struct lower_call){.function = ALGORITHM_few_bits,
                                      .dtype = TY_F32,
                                      .items = items,
                                      .slots = slots,
                                      .nvalues = 7,
                                      .values = (uint64_t[]){(uint64_t)codes[0], (uint64_t)codes[1],
                                                             (uint64_t)a[1], (uint64_t)attr->block,
                                                             (uint64_t)blocks, (uint64_t)attr->bits, zeros}});
    lower_deliver(l, slots[FEW_BITS_OPERANDS], TY_F32);
}
