/*
 * Layouts through boxes. The position of an element in a dense block is written in mixed radix, one digit per
 * axis of the collapsed box. A step along an operand's axis changes each digit by a constant. As long as no
 * digit leaves its range, strides in the larger block express the same steps.
 */
#include <string.h>
#include "compile/flow/flow.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"

/* A mixed-radix position and the range of its digits. */
struct digits {
    int rank;
    int64_t size[TY_MAX_RANK], weight[TY_MAX_RANK]; /* range of each digit; weight of each digit */
    int64_t low[TY_MAX_RANK], high[TY_MAX_RANK];    /* least and greatest value reached */
};

/* Set *d, the digits of a position in a box, to position 0: sizes and weights of the digits, one for each
   axis, are the box's, and their ranges low and high are 0. */
static void digits_of(struct digits *d, const struct layout *box) {
    d->rank = box->rank;
    int64_t weight = 1;
    for (int i = box->rank - 1; i >= 0; i--) {
        d->size[i] = box->shape[i];
        d->weight[i] = weight;
        weight *= box->shape[i];
    }
    memset(d->low, 0, sizeof d->low);
    memset(d->high, 0, sizeof d->high);
}

/* Return the stride, in elements of the larger block, of n elements of the box, which may be negative. Its
   digits are added `count` times to the ranges of *d. */
static int64_t move(struct digits *d, const struct layout *box, int64_t n, int64_t count) {
    int64_t step = 0, sign = n < 0 ? -1 : 1, left = n * sign;
    for (int i = 0; i < d->rank; i++) {
        int64_t digit = left / d->weight[i];
        left -= digit * d->weight[i];
        step += sign * digit * box->strides[i];
        *(sign < 0 ? &d->low[i] : &d->high[i]) += sign * digit * count;
    }
    return step;
}

bool box_layout(const struct layout *box, const struct layout *x, struct layout_room *out) {
    struct layout_room room;
    struct layout *collapsed = layout_room_init(&room, box->rank ? box->rank : 1),
                  *y = layout_room_init(out, x->rank);
    struct digits d;
    layout_broadcast(box, box->rank, box->shape, collapsed);
    if (layout_collapse(1, &collapsed) == 0) {
        collapsed->rank = 1;
        collapsed->shape[0] = collapsed->strides[0] = 1;
    }
    digits_of(&d, collapsed);
    memcpy(y->shape, x->shape, sizeof *y->shape * (size_t)x->rank);
    y->offset = box->offset + move(&d, collapsed, x->offset, 1);
    for (int i = 0; i < d.rank; i++) d.low[i] = d.high[i];
    bool empty = false;
    for (int i = 0; i < x->rank; i++) {
        empty = empty || x->shape[i] == 0;
        y->strides[i] = x->shape[i] > 1 ? move(&d, collapsed, x->strides[i], x->shape[i] - 1) : 0;
    }
    bool inside = true;
    for (int i = 0; i < d.rank; i++) inside = inside && d.low[i] >= 0 && d.high[i] < d.size[i];
    return inside || empty;
}

bool operand_box(const struct layout *box, const struct operand *x, struct layout_room *out) {
    struct layout_room room;
    if (!box_layout(box, operand_inside(x, &room), out)) return false;
    for (int i = 0; x->guard && i < x->layout.rank; i++) {
        out->layout.shape[i] = x->layout.shape[i];
        out->layout.offset -= x->guard->low[i] * out->layout.strides[i];
    }
    return true;
}

bool flow_touches_boxes(const struct flow *f, const struct kernel *k) {
    bool touches = false;
    for (int i = 0; i < k->ninputs; i++) touches = touches || f->blocks[k->inputs[i].slot].whole >= 0;
    for (int i = 0; i < k->noutputs; i++) touches = touches || f->blocks[k->outputs[i].slot].whole >= 0;
    return touches;
}

/* ---- laying boxes ---- */

/* Rewrite, in place, those of n operands that are in boxes as operands of the larger blocks. False, with the
   fault set, on failure. */
static bool lay_operands(struct flow *f, int n, struct operand *operands, struct fault *fault) {
    for (int i = 0; i < n; i++) {
        const struct block *b = &f->blocks[operands[i].slot];
        struct layout_room room;
        if (b->whole < 0) continue;
        if (!operand_box(&b->box, &operands[i], &room))
            return fault_set(fault, E_INTERNAL, "boxes: an operand does not lie in block %d as its box says",
                             b->whole);
        if (!layout_copy(&operands[i].layout, &room.layout, &f->arena))
            return fault_memory(fault, sizeof room);
        operands[i].slot = b->whole;
    }
    return true;
}

bool flow_lay_boxes(struct flow *f, struct fault *fault) {
    int kept = 0;
    for (int k = 0; k < f->nkernels; k++) {
        struct kernel *kernel = &f->kernels[k];
        if (kernel->kind == KERNEL_NONE) continue;
        if (!lay_operands(f, kernel->ninputs, kernel->inputs, fault) ||
            !lay_operands(f, kernel->noutputs, kernel->outputs, fault))
            return false;
        f->kernels[kept++] = *kernel;
    }
    f->nkernels = kept;
    return flow_index(f, fault);
}
