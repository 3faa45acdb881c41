/*
 * CONTRACT: the contraction compiler lowers labels and windows to typed dimensions and chooses the order of sums,
 * for the same reference machine everywhere (contract/sums.h).  Dimensions of the result become PARALLEL dims, loops
 * over K become FOLD dims in that order.
 */
#include "base/number.h"
#include "contract/loops.h"
#include "contract/narrow.h"
#include "contract/passes.h"
#include "contract/sums.h"
#include "engine/cpu/contract/contract_flat.h"
#include "engine/nest/draft.h"

/* A step along a dimension of the contraction: dim `dim` of the nest moves it by `unit` for each index. */
struct part {
    int of, dim;
    int64_t unit;
};

struct product {
    const ty_contraction *c;
    struct draft *d;
    int nparts;
    struct part *parts;
    bool *cut; /* by dimension: parts may exceed its size */
};

/* ---- dims ---- */

static void add_part(struct product *p, int of, int dim, int64_t unit) {
    p->parts[p->nparts++] = (struct part){of, dim, unit};
}

/* Add PARALLEL dims for dimension `of` of the result: one for each axis of the outputs that it moves along. */
static void add_kept(struct product *p, int of) {
    const struct layout *y = &p->d->l->k->outputs[0].layout;
    struct draft *d = p->d;
    int64_t size = p->c->dims[of].size, at = p->c->dims[of].stride[TY_OUT], unit = 1, below = 1;
    int axis = y->rank - 1;
    for (; axis > 0 && below * y->shape[axis] <= at; axis--) below *= y->shape[axis];
    while (size > 0) {
        int64_t step = at / below,
                fit = axis > 0 && step == 1 && y->shape[axis] < size ? y->shape[axis] : size;
        int dim = nest_dim(d, fit, TY_NEST_PARALLEL);
        d->moves[d->nmoves++] = (struct draft_move){dim, axis, step};
        add_part(p, of, dim, unit);
        if (fit == size) return;
        size /= fit;
        unit *= fit;
        below *= y->shape[axis];
        at = below;
        for (axis--; axis > 0 && y->shape[axis] == 1; axis--) {
        }
    }
    nest_dim(d, 0, TY_NEST_PARALLEL);
}

/* Set the outputs' indices at index 0 of all dims. */
static void set_origin(struct product *p) {
    const struct layout *y = &p->d->l->k->outputs[0].layout;
    int64_t at = p->c->offset[TY_OUT];
    for (int i = y->rank - 1; i >= 0 && y->shape[i]; i--) {
        p->d->origin[i] = at % y->shape[i];
        at /= y->shape[i];
    }
}

/* Add FOLD dims for the loops over K; return how many of them are the block of the primitive. */
static int add_loops(struct product *p) {
    const ty_contraction *c = p->c;
    int block = 0;
    for (int i = 0; i < c->nloops; i++) {
        const ty_loop *loop = &c->loops[i];
        if (c->dims[loop->dim].type != TY_DIM_K) continue;
        bool primitive = loop->exec == TY_EXEC_PRIMITIVE;
        int64_t unit = primitive ? 1 : loop->step, extent = contraction_rest(c, i);
        add_part(p, loop->dim, nest_dim(p->d, ceil_div(extent, unit), TY_NEST_FOLD), unit);
        p->cut[loop->dim] = p->cut[loop->dim] || extent % unit;
        block += primitive;
    }
    return block;
}

/* Add FOLD dims for the digits of the order of sums. */
static void add_digits(struct product *p) {
    struct sum_order order;
    const ty_contraction *c = p->c;
    contraction_order_of(c, &order);
    for (int i = 0; i < order.n; i++) {
        const struct sum_digit *digit = &order.digit[i];
        add_part(p, digit->dim, nest_dim(p->d, ceil_div(digit->extent, digit->unit), TY_NEST_FOLD),
                 digit->unit);
        p->cut[digit->dim] = p->cut[digit->dim] || digit->extent % digit->unit;
    }
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].type == TY_DIM_K && c->dims[i].size == 0) nest_dim(p->d, 0, TY_NEST_FOLD);
}

/* ---- accesses ---- */

/* Add strides along dimension `of`, times `stride`, to an access. */
static void step_along(const struct product *p, int read, int of, int64_t stride) {
    for (int i = 0; i < p->nparts; i++)
        if (p->parts[i].of == of)
            nest_step(nest_read_of(p->d, read), p->parts[i].dim, p->parts[i].unit * stride);
}

/* Conditions under which an operand is read. */
struct conditions {
    int n;
    ty_nest_term terms[TY_CONTRACTION_GUARDS + TY_CONTRACTION_DIMS];
};

static void add_guards(const struct product *p, int side, struct conditions *to) {
    for (int i = 0; i < p->c->nguards; i++) {
        const ty_guard *guard = &p->c->guards[i];
        if ((int)guard->side != side) continue;
        int r = nest_index(p->d, guard->low, -1, 0);
        for (int k = 0; k < 2; k++)
            if (guard->dim[k] >= 0) step_along(p, r, guard->dim[k], guard->coefficient[k]);
        to->terms[to->n++] = (ty_nest_term){.read = r, .bound = guard->size};
    }
}

/* Add the conditions that indices of cut dimensions are below their sizes. */
static void add_ends(const struct product *p, struct conditions *to) {
    for (int i = 0; i < p->c->ndims; i++) {
        if (!p->cut[i]) continue;
        int r = nest_index(p->d, 0, -1, 0);
        step_along(p, r, i, 1);
        to->terms[to->n++] = (ty_nest_term){.read = r, .bound = p->c->dims[i].size};
    }
}

/* Read an operand, cast to `work`. */
static int read_side(const struct product *p, int side, const struct conditions *guards,
                     const struct conditions *ends, ty_dtype work) {
    const struct kernel *k = p->d->l->k;
    int input = side == TY_LEFT ? p->c->swapped : !p->c->swapped;
    ty_dtype dtype = k->inputs[input].dtype;
    int r = nest_read(p->d, lower_input(p->d->l, input), dtype, p->c->offset[side]);
    for (int i = 0; i < p->c->ndims; i++) step_along(p, r, i, p->c->dims[i].stride[side]);
    for (int i = 0; i < guards->n; i++) nest_term(p->d, nest_read_of(p->d, r), guards->terms[i]);
    for (int i = 0; i < ends->n; i++) nest_term(p->d, nest_read_of(p->d, r), ends->terms[i]);
    return nest_cast(p->d, false, r, dtype, work);
}

/* ---- the sum ---- */

/* Return how many of the innermost dims are one run of left and right. */
static int run_dims(const struct product *p, int dot, int block) {
    int64_t run = 1;
    int n = 0;
    for (; n < block; n++) {
        const struct part *part = &p->parts[p->nparts - 1 - n];
        const ty_dim *dim = &p->c->dims[part->of];
        uint64_t left = contraction_magnitude(p->c->dims[dot].stride[TY_LEFT]) * (uint64_t)run;
        uint64_t right = contraction_magnitude(p->c->dims[dot].stride[TY_RIGHT]) * (uint64_t)run;
        int64_t size = p->d->dims[part->dim].size;
        if (size > 1 && (contraction_magnitude(dim->stride[TY_LEFT]) != left ||
                         contraction_magnitude(dim->stride[TY_RIGHT]) != right))
            break;
        run *= size;
    }
    return n;
}

static ty_nest_fold order_of(struct product *p, ty_dtype work) {
    const ty_contraction *c = p->c;
    ty_nest_fold fold = {.kind = TY_NEST_DOT, .dtype = work, .lanes = 1};
    int chains = contraction_chains(c), dot = contraction_dot(c);
    bool rounds = contraction_rounds(c) && c->nloops;
    if (!rounds || (chains < 2 && dot < 0 && c->spans < 2)) {
        add_digits(p);
        return fold;
    }
    int block = add_loops(p);
    fold.join = dot < 0 ? TY_NEST_CHAIN : TY_NEST_DOTS;
    fold.lanes = dot < 0 ? chains : 2 * CONTRACT_LANE_BYTES / (int)dtype_table[work].size;
    fold.inner = block;
    fold.run = dot < 0 ? 0 : run_dims(p, dot, block);
    fold.spans = c->spans > 1;
    p->d->fixed = true;
    return fold;
}

/* Lower one contraction, which the passes have ordered. */
static void lower_part(struct lowering *l, const ty_contraction *c) {
    ty_dtype work = dtype_table[c->sums].computed;
    int rank = l->k->outputs[0].layout.rank, most = c->ndims * (rank + 1) + c->nloops + TY_CONTRACTION_DIMS;
    struct draft *d = nest_begin(l, "contract", 0, NULL, most);
    struct product p = {.c = c, .d = d};
    p.parts = lower_room(l, (size_t)most, sizeof *p.parts);
    p.cut = lower_room(l, (size_t)c->ndims, sizeof *p.cut);
    struct draft_move *moves = lower_room(l, (size_t)most, sizeof *moves);
    int64_t *origin = lower_room(l, (size_t)rank, sizeof *origin);
    if (!d || !origin || !moves || !p.cut || !p.parts) return;
    d->moves = moves;
    d->origin = origin;
    d->dim_of = NULL;
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].type != TY_DIM_K) add_kept(&p, i);
    set_origin(&p);
    ty_nest_fold fold = order_of(&p, work);
    struct conditions ends = {0}, guards[2] = {{0}};
    add_ends(&p, &ends);
    for (int side = 0; side < 2; side++) add_guards(&p, side, &guards[side]);
    int left = read_side(&p, TY_LEFT, &guards[0], &ends, work),
        right = read_side(&p, TY_RIGHT, &guards[1], &ends, work);
    if (fold.lanes > 1)
        for (int i = 0; i < guards[0].n; i++) ends.terms[ends.n++] = guards[0].terms[i];
    int when = ends.n ? nest_inside(d, ends.n, ends.terms) : NEST_NONE;
    int result = nest_fold(d, fold, left, right, when);
    if (!d->nmoves) d->moves[d->nmoves++] = (struct draft_move){-1, 0, 0};
    nest_deliver(d, nest_cast(d, true, result, work, l->k->core_dtype));
    nest_end(d);
}

/* Lower a contraction without a matrix product as the reduction that `cpu` makes of it.  True if it is one, or
   failed. */
static bool lower_flat(struct lowering *l) {
    const struct kernel *k = l->k, *flat = contract_as_reduction(k, l->arena, l->fault);
    if (!flat && l->fault->set) l->failed = true;
    if (!flat) return l->failed;
    l->k = flat;
    lower_reduce(l);
    l->k = k;
    return true;
}

void lower_contract(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct layout *y = &k->outputs[0].layout;
    struct contraction_parts parts;
    struct layout_room room;
    if (lower_flat(l)) return;
    struct layout *out = layout_room_init(&room, y->rank);
    memcpy(out->shape, y->shape, (size_t)y->rank * sizeof *out->shape);
    shape_row_major(y->rank, y->shape, out->strides);
    struct contract_operand operands[3] = {{k->inputs[0].dtype, &k->inputs[0].layout},
                                           {k->inputs[1].dtype, &k->inputs[1].layout},
                                           {k->core_dtype, out}};
    l->failed = !contraction_lower(&parts, k->attr, operands, l->arena, l->fault);
    for (int i = 0; i < (l->failed ? 0 : parts.n); i++) {
        struct contract_machine machine;
        contraction_reference(&parts.items[i], &machine);
        if (!contraction_optimise(&parts.items[i], &machine, l->fault)) l->failed = true;
        if (!l->failed) lower_part(l, &parts.items[i]);
    }
}
