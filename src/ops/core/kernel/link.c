/* Links between axes of operands and of outputs, by kind. */
#include "ops/core/kernel/link.h"
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/number.h"
#include "ops/core/attributes.h"
#include "ops/core/guard.h"

/* ---- kinds ---- */

static const struct axis_link apart = {.axis = -1};

/* Return the axis of the outputs that the core's label has; -1: none. */
static int output_axis(const struct contract_attr *a, int label) {
    const uint8_t *out = a->labels + a->ra + a->rb;
    for (int i = 0; i < a->ro; i++)
        if (out[i] == label) return i;
    return -1;
}

/* Return the link of an axis of input i that has the indices of an axis of the outputs, unless that is -1. An axis of
   size 1 that is broadcast has one element for all. */
static struct axis_link equal(const struct kernel *k, int i, int axis, int to) {
    const struct layout *y = &k->outputs->layout;
    if (to < 0 || to >= y->rank || k->inputs[i].layout.shape[axis] != y->shape[to]) return apart;
    return (struct axis_link){to, 1, 0, 0};
}

/* A label of the result links equal indices. A window of an operand links outer * stride + inner * dilation - low, where
   inner takes all values. A window of the result links nothing. */
void link_contract(const struct kernel *k, int i, int axis, struct axis_link *link) {
    const struct contract_attr *a = k->attr;
    int label = a->labels[i ? a->ra + axis : axis];
    *link = equal(k, i, axis, output_axis(a, label));
    if (label < CONTRACT_WINDOW) return;
    const struct contract_window *w = &a->windows[label - CONTRACT_WINDOW];
    int64_t reach = (w->inner_size - 1) * w->dilation;
    *link = (struct axis_link){output_axis(a, w->outer), w->stride, w->low - lesser(reach, 0), llabs(reach)};
}

/* An axis of x links the axis of the space that it moves with; index tensors link the axes before `end`. */
void link_gather(const struct kernel *k, int i, int axis, struct axis_link *link) {
    const struct gather_attr *a = k->attr;
    int to = i ? a->end - k->inputs[i].layout.rank + axis : a->axis[axis];
    *link = equal(k, i, axis, to);
}

void link_concat(const struct kernel *k, int i, int axis, struct axis_link *link) {
    const struct concat_attr *a = k->attr;
    *link = axis == a->axis ? (struct axis_link){axis, 1, a->start[i], 0} : equal(k, i, axis, axis);
}

bool recut_concat(struct kernel *cut, const struct kernel *k, const struct box *b, struct arena *arena) {
    struct concat_attr *a = arena_copy(arena, k->attr, k->attr_bytes);
    struct box part;
    int n = 0;
    if (!a) return false;
    memset(a->start, 0, k->attr_bytes - sizeof *a);
    a->length = b->high[a->axis] - b->low[a->axis];
    for (int i = 0; i < k->ninputs; i++) {
        if (!kernel_needed(k, i, b, &part)) continue;
        int64_t start = i < k->ncore ? ((const struct concat_attr *)k->attr)->start[i] - b->low[a->axis] : 0;
        if (i < k->ncore) a->start[n] = greater(start, 0);
        cut->inputs[n++] = cut->inputs[i];
    }
    cut->attr = a;
    cut->ncore -= k->ninputs - n;
    cut->ninputs = n;
    return cut->ncore > 0;
}

void link_rows(const struct kernel *k, int i, int axis, struct axis_link *link) {
    (void)i;
    *link = (struct axis_link){axis < ((const struct rows_attr *)k->attr)->axes ? axis : -1, 1, 0, 0};
}

/* Return the link of an axis of input i. */
static struct axis_link link_of(const struct kernel *k, int i, int axis) {
    const struct kernel_row *kind = &kernel_table[k->kind];
    struct axis_link link = equal(k, i, axis, axis);
    if (i < k->ncore && kind->link)
        kind->link(k, i, axis, &link);
    else if (i < k->ncore && !(kind->rows && axis < kind->rows(k)))
        return apart;
    return link.axis < 0 || link.axis >= k->outputs->layout.rank ? apart : link;
}

/* ---- kernels ---- */

bool kernel_can_be_cut(const struct kernel *k) {
    const struct kernel_row *kind = &kernel_table[k->kind];
    return kind->rows || (kind->link && kind->cuts);
}

void kernel_round(const struct kernel *k, struct boxes *boxes) {
    struct boxes rounded = {0};
    int (*rows)(const struct kernel *) = kernel_table[k->kind].rows;
    for (int i = 0; rows && i < boxes->n; i++) {
        struct box *b = &boxes->list[i];
        for (int axis = rows(k); axis < b->rank; axis++) {
            b->low[axis] = 0;
            b->high[axis] = k->outputs->layout.shape[axis];
        }
        boxes_add(&rounded, b);
    }
    if (rows) *boxes = rounded;
}

bool kernel_reached(const struct kernel *k, int i, const struct box *in, struct box *out) {
    const struct layout *y = &k->outputs->layout;
    box_whole(out, y->rank, y->shape);
    for (int axis = 0; axis < in->rank; axis++) {
        struct axis_link l = link_of(k, i, axis);
        if (l.axis < 0) continue;
        int64_t first = in->low[axis] + l.low - l.reach, last = in->high[axis] - 1 + l.low;
        out->low[l.axis] = greater(out->low[l.axis], first > 0 ? ceil_div(first, l.stride) : 0);
        out->high[l.axis] = lesser(out->high[l.axis], last < 0 ? 0 : last / l.stride + 1);
        if (out->low[l.axis] >= out->high[l.axis]) return false;
    }
    return shape_size(y->rank, y->shape) > 0;
}

bool kernel_needed(const struct kernel *k, int i, const struct box *out, struct box *in) {
    const struct layout *x = &k->inputs[i].layout;
    box_whole(in, x->rank, x->shape);
    for (int axis = 0; axis < x->rank; axis++) {
        struct axis_link l = link_of(k, i, axis);
        if (l.axis < 0) continue;
        in->low[axis] = greater(0, out->low[l.axis] * l.stride - l.low);
        in->high[axis] = lesser(x->shape[axis], (out->high[l.axis] - 1) * l.stride - l.low + l.reach + 1);
        if (in->low[axis] >= in->high[axis]) return false;
    }
    return shape_size(x->rank, x->shape) > 0;
}

/* ---- outputs ---- */

/* Return the number of leading axes that all outputs share as rows; 0 if they share all axes. */
static int shared_rows(const struct kernel *k) {
    return k->kind == KERNEL_ROWS ? ((const struct rows_attr *)k->attr)->axes : 0;
}

bool kernel_agrees(const struct kernel *k, int i) {
    const struct layout *a = &k->outputs->layout, *b = &k->outputs[i].layout;
    return shared_rows(k) > 0 || shape_equal(a->rank, a->shape, b->rank, b->shape);
}

void kernel_output_box(const struct kernel *k, int from, const struct box *in, int to, struct box *out) {
    const struct layout *y = &k->outputs[to].layout;
    int rows = shared_rows(k), n = from == to || !rows ? in->rank : rows;
    box_whole(out, y->rank, y->shape);
    for (int i = 0; i < n; i++) {
        out->low[i] = in->low[i];
        out->high[i] = in->high[i];
    }
}
