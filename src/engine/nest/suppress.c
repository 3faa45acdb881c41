/* SUPPRESS: a work item for each image and class. */
#include "engine/cpu/math/number_bits.h"
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"

void lower_suppress(struct lowering *l) {
    enum { EDGES = 5 }; /* of a kept box: two corners, and its area */
    const struct suppress_attr *attr = l->k->attr;
    const int64_t *shape = l->k->inputs[1].layout.shape;
    int64_t items = shape[0] * shape[1];
    uint64_t values[] = {(uint64_t)shape[1], (uint64_t)shape[2], (uint64_t)attr->most,
                         bits_of_f64(attr->overlap), bits_of_f64(attr->score)};
    int boxes = lower_whole_input(l, 0), scores = lower_whole_input(l, 1), order = lower_whole_input(l, 2);
    int out = lower_temporary(l, TY_I64, items * attr->most), status = lower_temporary(l, TY_I64, items);
    int kept = lower_temporary(l, TY_F64, items * attr->most * EDGES);
    lower_call(l, (struct lower_call){.function = ALGORITHM_suppress,
                                      .dtype = TY_F64,
                                      .items = items,
                                      .slots = (int[]){boxes, scores, order, out, kept, status},
                                      .nvalues = 5,
                                      .values = values});
    lower_check_status(l, "check the order", status, items);
    lower_deliver(l, out, TY_I64);
}
