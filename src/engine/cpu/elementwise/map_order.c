#include "engine/cpu/elementwise/map_order.h"
#include <string.h>
#include "array/dense.h"
#include "ops/core/kernel/kernel_lower.h"

/* Return n copies of the operands `from` with their axes in this order, in the arena. NULL if memory runs out. */
static struct operand *turn(int n, const struct operand *from, const int *order, struct arena *arena) {
    struct operand *to = arena_array(arena, (size_t)n, sizeof *to);
    for (int i = 0; i < n && to; i++) {
        to[i] = from[i];
        if (!layout_copy(&to[i].layout, &from[i].layout, arena)) return NULL;
        for (int axis = 0; axis < from[i].layout.rank; axis++) {
            to[i].layout.shape[axis] = from[i].layout.shape[order[axis]];
            to[i].layout.strides[axis] = from[i].layout.strides[order[axis]];
        }
    }
    return to;
}

/* True if all outputs have one layout, offsets aside, and no input a guard, whose box has axes of its own. */
static bool may_turn(const struct kernel *k) {
    for (int i = 0; i < k->ninputs; i++)
        if (k->inputs[i].guard) return false;
    for (int i = 1; i < k->noutputs; i++)
        if (!layout_same_order(&k->outputs[i].layout, &k->outputs[0].layout)) return false;
    return true;
}

bool map_order(const struct kernel *kernel, struct kernel *turned, struct arena *arena) {
    int order[TY_MAX_RANK];
    *turned = *kernel;
    if (!layout_order(&kernel->outputs->layout, order) || !may_turn(kernel)) return true;
    turned->inputs = turn(kernel->ninputs, kernel->inputs, order, arena);
    turned->outputs = turn(kernel->noutputs, kernel->outputs, order, arena);
    return turned->inputs && turned->outputs;
}
