/* RESAMPLE: sums of weighted elements, their adjoint, and the gradient of the weights. */
#include "engine/cpu/image/resample.h"
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"

/* Read input i, an index or weight table: batch axes at dims batch[], then taps and positions. */
static int read_table(struct draft *d, int i, const int *batch, int tap, int position) {
    const struct resample_attr *attr = d->l->k->attr;
    int axes[TY_MAX_RANK];
    for (int k = 0; k < attr->batch; k++) axes[k] = batch[k];
    axes[attr->batch] = tap;
    axes[attr->batch + 1] = position;
    return nest_read_input(d, i, axes);
}

static void check_table(struct lowering *l, int input, int64_t size) { lower_check_input(l, input, 0, size); }

static int is_weight(struct draft *d, int w, ty_dtype dtype) {
    return nest_op(d, false, "ne", dtype, TY_BOOL, w, nest_constant(d, dtype, 0), NEST_NONE);
}

/* ---- READ ---- */

/* Products of the weights of all axes, in the order of the axes; *when is true if none is 0. */
static int weights_of(struct draft *d, int n, const int *taps, int *index, int *when, ty_dtype *dtype) {
    const struct kernel *k = d->l->k;
    const struct resample_attr *attr = k->attr;
    int product = NEST_NONE;
    *dtype = dtype_table[k->inputs[2].dtype].computed;
    for (int i = 0; i < n; i++) {
        index[i] = read_table(d, 1 + 2 * i, d->dim_of, taps[i], attr->axis + i);
        int w = read_table(d, 2 + 2 * i, d->dim_of, taps[i], attr->axis + i);
        w = nest_cast(d, false, w, k->inputs[2 + 2 * i].dtype, *dtype);
        int some = is_weight(d, w, *dtype);
        *when = i ? nest_op(d, false, "logical_and", TY_BOOL, TY_BOOL, *when, some, NEST_NONE) : some;
        product = i ? nest_op(d, false, "mul", *dtype, *dtype, product, w, NEST_NONE) : w;
    }
    return product;
}

static void lower_read(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct resample_attr *attr = k->attr;
    const struct operand *x = &k->inputs[0];
    int taps[RESAMPLE_AXES], index[RESAMPLE_AXES], when = NEST_NONE, n = attr->further + 1;
    for (int i = 0; i < n; i++) check_table(l, 1 + 2 * i, x->layout.shape[attr->axis + i]);
    struct draft *d = nest_over_outputs(l, "resample", n);
    if (!d) return;
    for (int i = 0; i < n; i++)
        taps[i] = nest_dim(d, k->inputs[1 + 2 * i].layout.shape[attr->batch], TY_NEST_FOLD);
    ty_dtype weight, work = dtype_table[k->core_dtype].computed;
    int w = weights_of(d, n, taps, index, &when, &weight);
    int r = nest_read(d, lower_input(l, 0), x->dtype, x->layout.offset);
    for (int i = 0; i < x->layout.rank; i++) {
        bool own = i >= attr->axis && i < attr->axis + n;
        if (own)
            nest_term(d, nest_read_of(d, r),
                      (ty_nest_term){.read = index[i - attr->axis],
                                     .bound = x->layout.shape[i],
                                     .stride = x->layout.strides[i]});
        else if (x->layout.shape[i] != 1)
            nest_step(nest_read_of(d, r), i, x->layout.strides[i]);
    }
    int value = nest_cast(d, false, r, x->dtype, work);
    int result = nest_products(d, work, nest_cast(d, false, w, weight, work), value, when);
    nest_deliver(d, nest_cast(d, true, result, work, k->core_dtype));
    nest_end(d);
}

/* ---- ADD ---- */

static void lower_add(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct resample_attr *attr = k->attr;
    const struct operand *g = &k->inputs[0];
    const struct layout *taps = &k->inputs[1].layout;
    ty_dtype work = dtype_table[k->core_dtype].computed, weight = k->inputs[2].dtype;
    struct layout out;
    int slot;
    check_table(l, 1, attr->size);
    bool apart = lower_whole(l, work, &slot, &out);
    lower_fill_zero(l, slot, work, &out);
    struct draft *d = nest_begin(l, "add weighted", g->layout.rank, g->layout.shape, 1);
    if (!d) return;
    d->dims[attr->axis].role = TY_NEST_ORDERED;
    int tap = nest_dim(d, taps->shape[attr->batch], TY_NEST_ORDERED);
    int index = read_table(d, 1, d->dim_of, tap, attr->axis),
        w = read_table(d, 2, d->dim_of, tap, attr->axis);
    int value = nest_cast(d, false, nest_read_input(d, 0, NULL), g->dtype, work);
    int when = is_weight(d, w, weight), factor = nest_cast(d, false, w, weight, work);
    ty_nest_write *write = nest_add_product(d, slot, work, out.offset, value, factor);
    for (int i = 0; write && i < out.rank; i++)
        if (i != attr->axis && out.shape[i] != 1) nest_step(&write->to, i, out.strides[i]);
    if (write) {
        write->when = (uint16_t)when;
        nest_term(d, &write->to,
                  (ty_nest_term){.read = index, .bound = attr->size, .stride = out.strides[attr->axis]});
    }
    nest_end(d);
    if (apart) lower_deliver(l, slot, work);
}

/* ---- DOT ---- */

/* Weights have the outputs' axes: batch axes, taps, positions.  All other axes of g and x are summed. */
static void lower_dot(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct resample_attr *attr = k->attr;
    const struct operand *g = &k->inputs[0], *x = &k->inputs[1];
    const struct layout *taps = &k->inputs[2].layout;
    int axes[TY_MAX_RANK];
    check_table(l, 2, x->layout.shape[attr->axis]);
    struct draft *d = nest_over_outputs(l, "gradient of weights", g->layout.rank);
    if (!d) return;
    for (int i = 0; i < g->layout.rank; i++) {
        bool own = i < attr->batch && taps->shape[i] > 1;
        axes[i] = i == attr->axis ? attr->batch + 1 : own ? i : nest_dim(d, g->layout.shape[i], TY_NEST_FOLD);
    }
    int index = read_table(d, 2, d->dim_of, attr->batch, attr->batch + 1), a = nest_read_input(d, 0, axes);
    int b = nest_read(d, lower_input(l, 1), x->dtype, x->layout.offset);
    for (int i = 0; i < x->layout.rank; i++)
        if (i != attr->axis && x->layout.shape[i] != 1)
            nest_step(nest_read_of(d, b), axes[i], x->layout.strides[i]);
    nest_term(d, nest_read_of(d, b),
              (ty_nest_term){.read = index,
                             .bound = x->layout.shape[attr->axis],
                             .stride = x->layout.strides[attr->axis]});
    ty_dtype work = dtype_table[g->dtype].computed, real = dtype_table[work].real;
    a = nest_cast(d, false, a, g->dtype, work);
    b = nest_cast(d, false, b, x->dtype, work);
    if (real != work) b = nest_op(d, false, "conj", work, work, b, NEST_NONE, NEST_NONE);
    ty_nest_fold fold = {.kind = TY_NEST_DOT, .dtype = work};
    int last = g->layout.rank - 1;
    if (last != attr->axis && g->layout.shape[last] >= RESAMPLE_SHORT) {
        fold.join = TY_NEST_DOTS, fold.lanes = RESAMPLE_LANES, fold.inner = 1;
        d->fixed = true;
    }
    int result = nest_fold(d, fold, a, b, NEST_NONE);
    if (real != work) result = nest_op(d, true, "real", work, real, result, NEST_NONE, NEST_NONE);
    nest_deliver(d, nest_cast(d, true, result, real, k->core_dtype));
    nest_end(d);
}

void lower_resample(struct lowering *l) {
    static void (*const lower[])(struct lowering *) = {
        [RESAMPLE_READ] = lower_read, [RESAMPLE_ADD] = lower_add, [RESAMPLE_DOT] = lower_dot};
    lower[((const struct resample_attr *)l->k->attr)->kind](l);
}
