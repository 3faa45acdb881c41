/* Kinds that read or write at index tensors: GATHER, SCATTER.  Steps that check the indices come first, one for each
   indexed axis, so that a refused launch writes nothing. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"
#include "ops/core/op.h"
#include <tyto/index.h>

void lower_check_input(struct lowering *l, int input, int64_t low, int64_t high) {
    const struct operand *x = &l->k->inputs[input];
    struct draft *d = nest_begin(l, "check indices", x->layout.rank, x->layout.shape, 0);
    if (!d) return;
    int r = nest_read_input(d, input, NULL);
    nest_check(d, r, nest_place(d, 0, x->layout.rank, x->layout.shape), low, high);
    nest_end(d);
}

/* Check the indices of all indexed axes of x, whose index tensors begin at input `first`. */
static void check_indices(struct lowering *l, int first) {
    const struct gather_attr *attr = l->k->attr;
    const struct layout *x = &l->k->inputs[0].layout;
    if (!op_may_refuse(l->k->op, attr)) return;
    for (int i = 0; i < x->rank; i++) {
        if (attr->axis[i] < GATHER_INDEXED) continue;
        int64_t size = x->shape[i];
        lower_check_input(l, first + attr->axis[i] - GATHER_INDEXED, attr->labels ? 0 : -size, size);
    }
}

/* Add the place in x of each index of the space to an access: strides along dims of axes that move, terms for axes
   that are indexed by `reads`, the registers of the index tensors. */
static void add_place(struct draft *d, ty_nest_access *to, const struct layout *x, const int *reads) {
    const struct gather_attr *attr = d->l->k->attr;
    if (!to || d->l->failed) return;
    for (int i = 0; i < x->rank; i++) {
        int t = attr->axis[i] - GATHER_INDEXED;
        if (t < 0 && x->shape[i] != 1) nest_step(to, d->dim_of[attr->axis[i]], x->strides[i]);
        if (t < 0) continue;
        nest_term(
            d, to,
            (ty_nest_term){
                .read = reads[t], .wrap = !attr->labels, .bound = x->shape[i], .stride = x->strides[i]});
    }
}

/* Read the index tensors from input `first` on, at the dims of the space's axes, into reads[]. */
static void read_indices(struct draft *d, int first, int *reads) {
    const struct kernel *k = d->l->k;
    const struct gather_attr *attr = k->attr;
    int axes[TY_MAX_RANK];
    for (int t = 0; first + t < k->ncore && !d->l->failed; t++) {
        int rank = k->inputs[first + t].layout.rank;
        for (int i = 0; i < rank; i++) axes[i] = d->dim_of[attr->end - rank + i];
        reads[t] = nest_read_input(d, first + t, axes);
    }
}

void lower_gather(struct lowering *l) {
    const struct operand *x = &l->k->inputs[0];
    int reads[TY_MAX_RANK];
    check_indices(l, 1);
    struct draft *d = nest_over_outputs(l, "gather", 0);
    if (!d) return;
    read_indices(d, 1, reads);
    int r = nest_read(d, lower_input(l, 0), x->dtype, x->layout.offset);
    add_place(d, nest_read_of(d, r), &x->layout, reads);
    nest_deliver(d, r);
    nest_end(d);
}

/* ---- SCATTER ---- */

static const uint8_t stores[TY_SCATTER_MODES] = {[TY_SCATTER_SET] = TY_NEST_SET,
                                                 [TY_SCATTER_ADD] = TY_NEST_ADD,
                                                 [TY_SCATTER_MUL] = TY_NEST_MUL,
                                                 [TY_SCATTER_MIN] = TY_NEST_LEAST,
                                                 [TY_SCATTER_MAX] = TY_NEST_GREATEST};

bool lower_whole(struct lowering *l, ty_dtype dtype, int *slot, struct layout *out) {
    const struct operand *y = &l->k->outputs[0];
    int64_t *strides = lower_room(l, (size_t)y->layout.rank, sizeof *strides);
    if (!strides) return false;
    *out = y->layout;
    *slot = lower_output(l, 0);
    if (!l->k->program && dtype == y->dtype) return false;
    shape_row_major(out->rank, out->shape, strides);
    out->strides = strides;
    out->offset = 0;
    *slot = lower_temporary(l, dtype, shape_size(out->rank, out->shape));
    return true;
}

/* Copy the target to the output or a temporary, of dtype `work`. */
static void copy_target(struct lowering *l, int slot, ty_dtype work, const struct layout *out) {
    const struct operand *x = &l->k->inputs[0];
    struct draft *d = nest_begin(l, "copy the target", out->rank, out->shape, 0);
    if (!d) return;
    int value = nest_cast(d, false, nest_read_input(d, 0, NULL), x->dtype, work);
    ty_nest_write *write = nest_write(d, slot, work, 0, value);
    if (write) nest_along(d, &write->to, out, NULL);
    nest_end(d);
}

/* Axes of the space that move an axis of the target never share an element, so they are PARALLEL; updates along the
   others are applied in order. */
void lower_scatter(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct gather_attr *attr = k->attr;
    const struct operand *updates = &k->inputs[1];
    ty_dtype work = attr->mode == TY_SCATTER_SET ? k->core_dtype : dtype_table[k->core_dtype].computed;
    struct layout out;
    int slot, reads[TY_MAX_RANK];
    check_indices(l, 2);
    bool apart = lower_whole(l, work, &slot, &out);
    copy_target(l, slot, work, &out);
    struct draft *d = nest_begin(l, "scatter updates", attr->rank, updates->layout.shape, 0);
    if (!d) return;
    for (int i = 0; i < attr->rank; i++) d->dims[i].role = TY_NEST_ORDERED;
    for (int i = 0; i < out.rank; i++)
        if (attr->axis[i] < GATHER_INDEXED && out.shape[i] != 1)
            d->dims[attr->axis[i]].role = TY_NEST_PARALLEL;
    read_indices(d, 2, reads);
    int value = nest_cast(d, false, nest_read_input(d, 1, NULL), updates->dtype, work);
    ty_nest_write *write = nest_write(d, slot, work, out.offset, value);
    if (write) {
        write->store = stores[attr->mode];
        add_place(d, &write->to, &out, reads);
    }
    nest_end(d);
    if (apart) lower_deliver(l, slot, work);
}
