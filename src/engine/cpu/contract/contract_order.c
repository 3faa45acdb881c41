/*
 * The order in which an epilogue processes finished sums.
 *
 * A run of the epilogue is a range of elements in some order. Starting one costs as much as hundreds of elements. The
 * usual order is that of the result in memory. Two kinds of plans have only short runs in it: a phase of a transposed
 * convolution, whose elements lie a stride apart, and boxes that hold a part of an inner axis, such as one group of
 * channels. For these the epilogue gets another order: axes along which boxes are whole become innermost. Its operands
 * and results are then strided views.
 */
#include "engine/cpu/contract/contract_order.h"
#include <string.h>
#include "engine/cpu/cpu.h"

bool contract_order_of(const ty_contraction *c, int64_t start, struct contract_order *o) {
    *o = (struct contract_order){.start = start};
    for (int d = 0; d < c->ndims; d++) {
        int64_t size = c->dims[d].size, step = c->dims[d].stride[TY_OUT];
        if (c->dims[d].type == TY_DIM_K || size == 1) continue;
        if (size < 1 || step < 1 || o->n == TY_MAX_RANK) return false;
        int i = o->n++;
        for (; i > 0 && o->step[i - 1] < step; i--) o->size[i] = o->size[i - 1], o->step[i] = o->step[i - 1];
        o->size[i] = size;
        o->step[i] = step;
    }
    return o->n > 0;
}

/* Set index[] to the indices along the axes of the dense layout `out` that together step by `step` elements. */
static void unstep(const struct layout *out, int64_t step, int64_t *index) {
    for (int a = 0; a < out->rank; a++) {
        index[a] = out->shape[a] > 1 ? step / out->strides[a] : 0;
        step -= index[a] * (out->shape[a] > 1 ? out->strides[a] : 0);
    }
}

/* Set to->layout, whose strides are in the arena, to the elements of operand x, of shape and order of `out`, in order
   o. False if they are no strided view, or memory runs out. */
static bool view(const struct operand *x, const struct layout *out, const struct contract_order *o,
                 struct operand *to, struct arena *arena) {
    int64_t index[TY_MAX_RANK], last[TY_MAX_RANK];
    int64_t *numbers = arena_array(arena, 2 * (size_t)o->n, sizeof *numbers);
    if (!numbers || x->guard) return false;
    *to = *x;
    to->layout = (struct layout){o->n, x->layout.offset, numbers, numbers + o->n};
    unstep(out, o->start, last);
    for (int a = 0; a < out->rank; a++) to->layout.offset += last[a] * x->layout.strides[a];
    for (int i = 0; i < o->n; i++) {
        unstep(out, o->step[i], index);
        to->layout.shape[i] = o->size[i];
        to->layout.strides[i] = 0;
        for (int a = 0; a < out->rank; a++) {
            to->layout.strides[i] += index[a] * x->layout.strides[a];
            last[a] += index[a] * (o->size[i] - 1);
        }
    }
    for (int a = 0; a < out->rank; a++)
        if (last[a] >= out->shape[a]) return false;
    return true;
}

/* Return the position, in order o, of the element that lies `step` elements of the result behind the first one. */
static int64_t position(const struct contract_order *o, int64_t step) {
    int64_t at = 0, below = INT64_MAX;
    for (int k = 0; k < o->n; k++) { /* axes by descending step */
        int best = -1;
        int64_t inner = 1, stride = 1;
        for (int i = o->n - 1; i >= 0; inner *= o->size[i--])
            if (o->step[i] < below && (best < 0 || o->step[i] > o->step[best])) best = i, stride = inner;
        below = o->step[best];
        at += step / below * stride;
        step %= below;
    }
    return at;
}

/* ---- boxes ---- */

/* Return the size of the box along the dimension that moves by `step` elements in order o; 1 if there is none. */
static int64_t size_at(const struct contract_plan *p, const struct contract_order *o, int64_t step) {
    for (int d = 0; d < p->ndims; d++) {
        const struct box_dim *dim = &p->dims[d];
        if (dim->dim >= 0 && dim->type != TY_DIM_K && position(o, dim->stride[CONTRACT_OUT]) == step)
            return dim->size;
    }
    return 1;
}

/* Return the number of elements of the plan's box that are contiguous in order o. */
static int64_t run_of(const struct contract_plan *p, const struct contract_order *o) {
    int64_t run = 1;
    for (int64_t size; (size = size_at(p, o, run)) > 1;) run *= size;
    return run;
}

enum { CUT_EVENLY = -1, CUT_FAILS = -2 };

/* Cut the axis of *o that the boxes of a plan cut, which have `extent` elements of dimension d and `even` steps along
   it. Return CUT_EVENLY, or CUT_FAILS, or the index of the axis if boxes cut it unevenly. It is then the outermost one
   of d, so that no box crosses its end. */
static int cut(struct contract_order *o, const ty_dim *d, int64_t extent, bool even) {
    int64_t step = d->stride[TY_OUT] * extent;
    for (int i = 0; i < o->n; i++) {
        int64_t inner = step / o->step[i];
        if (step <= o->step[i] || inner >= o->size[i]) continue;
        bool whole = step % o->step[i] == 0, last = o->step[i] * o->size[i] == d->stride[TY_OUT] * d->size;
        if (!whole || o->n == TY_MAX_RANK) return CUT_FAILS;
        if (!even || o->size[i] % inner) return last ? i : CUT_FAILS;
        memmove(o->size + i + 1, o->size + i, (size_t)(o->n - i) * sizeof *o->size);
        memmove(o->step + i + 1, o->step + i, (size_t)(o->n - i) * sizeof *o->step);
        o->n++;
        o->size[i] /= inner;
        o->size[i + 1] = inner;
        o->step[i] *= inner;
        return CUT_EVENLY;
    }
    return even ? CUT_EVENLY : CUT_FAILS;
}

/* Return the number of elements in the box along dimension `dim` of the contraction, 1 if it is not in the box.
   *even: all boxes but the last one begin at a multiple of that. */
static int64_t extent_of(const struct contract_plan *p, int dim, bool *even) {
    int64_t extent = 1;
    *even = true;
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].dim == dim) extent *= p->dims[d].size;
    for (int l = 0; l < p->nloops; l++)
        if (p->loops[l].dim == dim) *even = *even && p->loops[l].step % extent == 0;
    return extent;
}

/* True if all loops over dimension `dim` move by a multiple of `step` elements of the result. */
static bool steps_by(const struct contract_plan *p, int dim, int64_t step) {
    bool by = true;
    for (int l = 0; l < p->nloops; l++)
        if (p->loops[l].dim == dim) by = by && p->loops[l].step * p->c->dims[dim].stride[TY_OUT] % step == 0;
    return by;
}

/* True if boxes of the plan contain several elements along the axis with this step. */
static bool is_inside(const struct contract_plan *p, int64_t step) {
    bool inside = false;
    for (int d = 0; d < p->ndims; d++) {
        int64_t low = p->dims[d].stride[CONTRACT_OUT];
        if (p->dims[d].dim >= 0 && p->dims[d].type != TY_DIM_K)
            inside = inside || (step >= low && step < low * p->dims[d].size);
    }
    return inside;
}

/* Reorder the axes of o: those in which boxes are whole become innermost. False if boxes cut an axis where they do not
   step along it. */
static bool keep_boxes(const struct contract_plan *p, struct contract_order *o) {
    int64_t middle[TY_MAX_RANK]; /* steps of the axes that boxes cut unevenly */
    int nmiddle = 0;
    for (int d = 0; d < p->c->ndims; d++) {
        const ty_dim *dim = &p->c->dims[d];
        bool even;
        int64_t extent = extent_of(p, d, &even);
        if (dim->type == TY_DIM_K || extent >= dim->size) continue;
        int axis = cut(o, dim, extent, even);
        if (axis == CUT_FAILS || (axis >= 0 && !steps_by(p, d, o->step[axis]))) return false;
        if (axis >= 0) middle[nmiddle++] = o->step[axis];
    }
    struct contract_order from = *o;
    o->n = 0;
    for (int part = 0; part < 3; part++) /* outside of boxes, cut by them, inside */
        for (int i = 0; i < from.n; i++) {
            int place = is_inside(p, from.step[i]) ? 2 : 0;
            for (int k = 0; k < nmiddle; k++)
                if (from.step[i] == middle[k]) place = 1;
            if (place != part) continue;
            o->size[o->n] = from.size[i];
            o->step[o->n++] = from.step[i];
        }
    return true;
}

/* Prepare the epilogue of k in order o. NULL if the views do not exist or, with the fault set, on error. */
static struct cpu_body *make_body(const struct kernel *k, const struct layout *out,
                                  const struct contract_order *o, struct arena *arena, struct fault *fault) {
    int ninputs = k->ninputs - k->ncore, n = ninputs + k->noutputs;
    struct operand *views = arena_array(arena, (size_t)n, sizeof *views);
    if (!views) return fault_memory(fault, (size_t)n * sizeof *views), NULL;
    for (int i = 0; i < n; i++) {
        const struct operand *x = i < ninputs ? &k->inputs[k->ncore + i] : &k->outputs[i - ninputs];
        if (!view(x, out, o, &views[i], arena)) return NULL;
    }
    return cpu_body_prepare(k->program, true, k->core_dtype, ninputs, views, k->noutputs, views + ninputs,
                            arena, fault);
}

/* Choose the order for runs of `run` elements in the natural order: one in which a box is a longer run. If the innermost
   axis moves, operands are read and stored element by element, which takes as long as a run of CONTRACT_SHORT_RUN. */
static struct contract_order choose(const struct contract_plan *p, const struct contract_order *natural,
                                    int64_t run) {
    struct contract_order o = *natural;
    if (run >= CONTRACT_LONG_RUN || !keep_boxes(p, &o) || run_of(p, &o) <= 2 * run) return *natural;
    bool moves = o.step[o.n - 1] != natural->step[natural->n - 1];
    return moves && run >= CONTRACT_SHORT_RUN ? *natural : o;
}

bool contract_order_body(struct contract_plan *p, const struct kernel *k, const struct layout *out,
                         const struct contract_order *natural, bool apart, struct arena *arena,
                         struct fault *fault) {
    if (!p->body) return true;
    struct contract_order o = choose(p, natural, run_of(p, natural));
    if (!apart && memcmp(&o, natural, sizeof o) == 0) return true;
    struct cpu_body *body = make_body(k, out, &o, arena, fault);
    if (!body) return !fault->set;
    p->body = body;
    p->ordered = true;
    contract_measure_scratch(p);
    for (int l = 0; l < p->nloops; l++)
        if (!p->loops[l].summed)
            p->loops[l].moves[AT_OUT] =
                position(&o, p->loops[l].step * p->c->dims[p->loops[l].dim].stride[TY_OUT]) * p->out_bytes;
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].dim >= 0 && p->dims[d].type != TY_DIM_K)
            p->dims[d].stride[CONTRACT_OUT] = position(&o, p->dims[d].stride[CONTRACT_OUT]);
    return true;
}
