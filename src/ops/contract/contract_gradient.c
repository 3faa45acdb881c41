/* The gradient of a contraction is a contraction: an operand gets g times the conjugate of the other operand, with
   the same labels.  A window stays on its axis, so an operand's windows become the output's and vice versa.  So the
   three directions of a convolution are each other's gradients, to any order. */
#include <tyto/arithmetic.h>
#include <tyto/shape.h>
#include "ops/contract/contract.h"
#include "ops/core/reach.h"
#include "ops/shape/arrange.h"

/* Replace x->x by a broadcast with a new leading axis of `size` elements, along which it is constant, and put
   `label` in front of its labels. If x has too many axes already, x->x becomes poison. */
static void add_axis(struct labelled *x, uint8_t label, int64_t size) {
    int64_t shape[TY_MAX_RANK + 1];
    int rank = ty_rank(x->x);
    if (rank == TY_MAX_RANK) {
        x->x = ty_poison_code(E_LIMIT, "contract: the gradient would need more than %d axes", TY_MAX_RANK);
        return;
    }
    memcpy(shape + 1, ty_shape(x->x), sizeof *shape * (size_t)rank);
    memmove(x->labels + 1, x->labels, (size_t)rank);
    shape[0] = size;
    x->labels[0] = label;
    x->x = ty_broadcast(x->x, rank + 1, shape);
}

/* Return g, whose n axes have the labels kept[n], broadcast to the shape of x, whose axes have the labels
   labels[rank of x]. kept[] are a subset of labels[] in the same order. Poison on failure. */
static ty_tensor *spread(ty_tensor *g, int n, const uint8_t *kept, ty_tensor *x, const uint8_t *labels) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(x); i++) shape[i] = memchr(kept, labels[i], (size_t)n) ? ty_shape(x)[i] : 1;
    return ty_broadcast(reshape_like(g, ty_rank(x), shape), ty_rank(x), ty_shape(x));
}

/* The two tensors whose product is the gradient, and the windows. */
struct gradient_flow {
    const struct contract_window *windows;
    struct labelled g, factor;
};

static bool steps(const struct gradient_flow *f, uint8_t label) {
    return labels_step(ty_rank(f->g.x), f->g.labels, f->windows, label) ||
           labels_step(ty_rank(f->factor.x), f->factor.labels, f->windows, label);
}

/* Add leading axes to f->g for the labels of window w that neither factor nor f->g has: the contraction sums
   over them, so g is constant along them. On failure f->g.x becomes poison. */
static void add_window_axes(struct gradient_flow *f, const struct contract_window *w) {
    if (ty_ok(f->g.x) && !steps(f, w->outer)) add_axis(&f->g, w->outer, w->outer_size);
    if (ty_ok(f->g.x) && !steps(f, w->inner)) add_axis(&f->g, w->inner, w->inner_size);
}

ty_tensor *contract_vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct contract_attr *attr = y->attr;
    const uint8_t *labels[] = {attr->labels, attr->labels + attr->ra};
    ty_tensor *x = y->inputs[i], *other = y->inputs[1 - i];
    struct gradient_flow f = {
        .windows = attr->windows, .g.x = g, .factor.x = ty_cast(ty_conj(other), ty_dtype_of(g))};
    struct contract_rules rules = {.nwindows = attr->nwindows};
    uint8_t kept[TY_MAX_RANK];
    int n = 0;
    if (!ty_ok(f.factor.x)) return f.factor.x;
    memcpy(rules.windows, attr->windows, sizeof rules.windows);
    memcpy(f.g.labels, attr->labels + attr->ra + attr->rb, (size_t)attr->ro);
    memcpy(f.factor.labels, labels[1 - i], (size_t)ty_rank(other));
    for (int k = 0; k < ty_rank(x); k++) {
        uint8_t label = labels[i][k];
        if (label >= CONTRACT_WINDOW) add_window_axes(&f, &attr->windows[label - CONTRACT_WINDOW]);
        if (!ty_ok(f.g.x)) return f.g.x;
        if (label >= CONTRACT_WINDOW || steps(&f, label)) kept[n++] = label;
    }
    ty_tensor *gx =
        i == 0 ? contract_by(f.g, f.factor, n, kept, &rules) : contract_by(f.factor, f.g, n, kept, &rules);
    return ty_cast(spread(gx, n, kept, x, labels[i]), ty_dtype_of(x));
}

/* ---- reach ---- */

static int place_of(const struct contract_attr *attr, int label) {
    const uint8_t *out = attr->labels + attr->ra + attr->rb, *at = memchr(out, label, (size_t)attr->ro);
    return at ? (int)(at - out) : -1;
}

/* Return the reach (reach.h) of an operand's axis that window w describes: a window over the result's axis
   with label outer or inner. At most one of the two is in the result. */
static struct reach_axis reach_window(const struct contract_attr *attr, const struct contract_window *w) {
    int outer = place_of(attr, w->outer), inner = place_of(attr, w->inner);
    if (outer >= 0) return (struct reach_axis){outer, false, w->inner_size, w->stride, w->dilation, w->low};
    return (struct reach_axis){inner, false, w->outer_size, w->dilation, w->stride, w->low};
}

/* Return the reach (reach.h) of an operand's axis with this label: the result's axis with the label, or the
   inverse of a window of the result that steps by it. Without either its axis is -1: everything depends on
   all of the axis. */
static struct reach_axis reach_label(const struct contract_attr *attr, int label) {
    int axis = place_of(attr, label);
    for (int i = 0; i < attr->nwindows && axis < 0; i++) {
        const struct contract_window *w = &attr->windows[i];
        int place = place_of(attr, CONTRACT_WINDOW + i);
        if (place < 0 || (w->outer != label && w->inner != label)) continue;
        return w->outer == label
                   ? (struct reach_axis){place, true, w->inner_size, w->stride, w->dilation, w->low}
                   : (struct reach_axis){place, true, w->outer_size, w->dilation, w->stride, w->low};
    }
    return axis < 0 ? (struct reach_axis){.axis = -1} : reach_same(axis);
}

void contract_reach(ty_tensor *y, int i, struct reach *r) {
    const struct contract_attr *attr = y->attr;
    const uint8_t *labels = attr->labels + (i ? attr->ra : 0);
    for (int k = 0; k < y->inputs[i]->layout.rank; k++)
        r->axis[k] = labels[k] < CONTRACT_WINDOW
                         ? reach_label(attr, labels[k])
                         : reach_window(attr, &attr->windows[labels[k] - CONTRACT_WINDOW]);
}
