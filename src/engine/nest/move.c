/* Kinds that compute or move elements one by one: MAP, COPY, IOTA, PAD, PLACE, CONCAT. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"

void lower_map(struct lowering *l) {
    const struct kernel *k = l->k;
    struct draft *d = nest_over_outputs(l, "map", 0);
    int inputs[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_OUTPUTS] = {0};
    for (int i = 0; i < k->ninputs; i++) inputs[i] = nest_read_input(d, i, NULL);
    nest_program(d, true, k->program, inputs, results);
    for (int i = 0; i < k->noutputs; i++) nest_output(d, i, results[i]);
    nest_end(d);
}

void lower_copy(struct lowering *l) {
    struct draft *d = nest_over_outputs(l, "copy", 0);
    nest_deliver(d, nest_read_input(d, 0, NULL));
    nest_end(d);
}

void lower_iota(struct lowering *l) {
    const int32_t *axis = l->k->attr;
    struct draft *d = nest_over_outputs(l, "count", 0);
    int index = d ? nest_axis(d, *axis, 0) : 0;
    nest_deliver(d, nest_cast(d, false, index, TY_I64, l->k->core_dtype));
    nest_end(d);
}

/* ---- boxes ---- */

/* Read input i, whose element j along each axis lies at start + j * step of the outputs; *inside receives a bool
   register, NEST_NONE if all indices are inside. */
static int read_box(struct draft *d, int i, const int64_t *start, const int64_t *step, int *inside) {
    const struct kernel *k = d->l->k;
    const struct layout *x = &k->inputs[i].layout, *y = &k->outputs[0].layout;
    ty_nest_term terms[TY_MAX_RANK];
    int n = 0;
    for (int a = 0; a < x->rank; a++) {
        if (start[a] == 0 && step[a] == 1 && x->shape[a] == y->shape[a]) continue;
        int64_t reach = x->shape[a] ? (x->shape[a] - 1) * step[a] + 1 : 0;
        terms[n++] = (ty_nest_term){.read = nest_axis(d, a, -start[a]),
                                    .exact = step[a] > 1,
                                    .bound = reach,
                                    .divide = step[a],
                                    .stride = x->strides[a]};
    }
    int r = nest_read(d, lower_input(d->l, i), k->inputs[i].dtype, x->offset);
    for (int a = 0; a < x->rank; a++)
        if (start[a] == 0 && step[a] == 1 && x->shape[a] == y->shape[a])
            nest_step(nest_read_of(d, r), d->dim_of[a], x->strides[a]);
    for (int t = 0; t < n; t++) nest_term(d, nest_read_of(d, r), terms[t]);
    *inside = n ? nest_inside(d, n, terms) : NEST_NONE;
    return r;
}

/* Deliver input `box` inside of a box of the outputs and register `other` elsewhere. */
static void deliver_box(struct draft *d, int box, int other, const int64_t *start, const int64_t *step) {
    int inside, x = read_box(d, box, start, step, &inside);
    ty_dtype dtype = d->l->k->core_dtype;
    nest_deliver(d, inside == NEST_NONE ? x : nest_op(d, false, "where", dtype, dtype, inside, x, other));
    nest_end(d);
}

void lower_pad(struct lowering *l) {
    const ty_padding *padding = l->k->attr;
    struct draft *d = nest_over_outputs(l, "pad", 0);
    int64_t start[TY_MAX_RANK], step[TY_MAX_RANK];
    if (!d) return;
    for (int a = 0; a < l->k->inputs[0].layout.rank; a++) {
        start[a] = padding[a].low;
        step[a] = padding[a].inner + 1;
    }
    deliver_box(d, 0, nest_read_input(d, 1, NULL), start, step);
}

/* Without a program, all is copied and the box written over it; if the output is the input's memory, the copy has no
   effect. */
void lower_place(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct place_axis *box = k->attr;
    const struct layout *y = &k->outputs[0].layout, *v = &k->inputs[1].layout;
    if (k->program) {
        struct draft *d = nest_over_outputs(l, "place", 0);
        int64_t start[TY_MAX_RANK], step[TY_MAX_RANK];
        for (int a = 0; a < v->rank; a++) {
            start[a] = box[a].start;
            step[a] = box[a].step;
        }
        if (d) deliver_box(d, 1, nest_read_input(d, 0, NULL), start, step);
        return;
    }
    lower_copy(l);
    struct draft *d = nest_begin(l, "place the box", v->rank, v->shape, 0);
    ty_nest_write *write =
        nest_write(d, lower_output(l, 0), k->outputs[0].dtype, y->offset, nest_read_input(d, 1, NULL));
    for (int a = 0; write && a < v->rank; a++) {
        write->to.offset += box[a].start * y->strides[a];
        nest_step(&write->to, a, box[a].step * y->strides[a]);
    }
    nest_end(d);
}

/* ---- concatenation ---- */

/* Return the least start or end of a part behind `from`, at most the axis' length. */
static int64_t next_cut(const struct kernel *k, int64_t from) {
    const struct concat_attr *attr = k->attr;
    int64_t next = attr->length;
    for (int i = 0; i < k->ncore; i++) {
        int64_t begin = attr->start[i], end = begin + k->inputs[i].layout.shape[attr->axis];
        if (begin > from && begin < next) next = begin;
        if (end > from && end < next) next = end;
    }
    return next;
}

/* Add the nest of elements from .. to-1 of the axis, which are in the same parts. */
static void concat_piece(struct lowering *l, int64_t from, int64_t to) {
    const struct kernel *k = l->k;
    const struct concat_attr *attr = k->attr;
    struct draft *d = nest_over_outputs(l, "concatenate", 0);
    int sum = NEST_NONE;
    if (!d) return;
    d->dims[attr->axis].size = to - from;
    for (int i = 0; i < k->ncore && !l->failed; i++) {
        const struct layout *x = &k->inputs[i].layout;
        if (attr->start[i] > from || attr->start[i] + x->shape[attr->axis] < to) continue;
        d->origin[attr->axis] = from - attr->start[i];
        int r = nest_read_input(d, i, NULL);
        sum =
            sum == NEST_NONE ? r : nest_op(d, false, "add", k->core_dtype, k->core_dtype, sum, r, NEST_NONE);
    }
    if (sum == NEST_NONE) sum = nest_constant(d, k->core_dtype, 0);
    d->origin[attr->axis] = from;
    nest_deliver(d, sum);
    nest_end(d);
}

/* The axis is cut where a part begins or ends; each piece is one nest. */
void lower_concat(struct lowering *l) {
    const struct concat_attr *attr = l->k->attr;
    for (int64_t from = 0, to; from < attr->length; from = to) {
        to = next_cut(l->k, from);
        concat_piece(l, from, to);
    }
}
