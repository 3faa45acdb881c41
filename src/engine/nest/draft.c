/* Making nests: dims, accesses, registers.  draft_end.c completes them. */
#include "engine/nest/draft.h"
#include "ops/core/op.h"
#include "ops/core/row_op.h"
#include "engine/nest/folds.h"
#include "engine/nest/registers.h"

/* ---- memory ---- */

void *lower_room(struct lowering *l, size_t n, size_t size) {
    void *room = l->failed ? NULL : arena_array(l->arena, n ? n : 1, size);
    if (!room && !l->failed) l->failed = !fault_memory(l->fault, n * size);
    return room;
}

/* Return a zeroed new item at the end of a list; NULL after a failure. */
static void *list_add(struct lowering *l, struct draft_list *list, size_t size) {
    if (list->n == list->room) {
        int room = list->room ? 2 * list->room : 8;
        char *items = lower_room(l, (size_t)room, size);
        if (!items) return NULL;
        if (list->n) memcpy(items, list->items, (size_t)list->n * size);
        list->items = items;
        list->room = room;
    }
    if (list->n > REGISTER_MOST) {
        l->failed =
            !fault_set(l->fault, E_LIMIT, "a nest has more than %d registers of a kind", REGISTER_MOST);
        return NULL;
    }
    return (char *)list->items + (size_t)list->n++ * size;
}

int lower_temporary(struct lowering *l, ty_dtype dtype, int64_t size) {
    struct draft_list list = {l->temporaries, l->ntemporaries, l->room_temporaries};
    ty_nest_temporary *t = list_add(l, &list, sizeof *t);
    if (!t) return 0;
    *t = (ty_nest_temporary){.dtype = dtype, .size = size};
    l->temporaries = list.items;
    l->ntemporaries = list.n;
    l->room_temporaries = list.room;
    return l->noperands + l->ntemporaries - 1;
}

ty_nest_step *lower_step(struct lowering *l) {
    struct draft_list list = {l->steps, l->nsteps, l->room_steps};
    ty_nest_step *step = list_add(l, &list, sizeof *step);
    if (!step) return NULL;
    l->steps = list.items;
    l->nsteps = list.n;
    l->room_steps = list.room;
    return step;
}

void lower_algorithm(struct lowering *l) {
    int n = l->k->ninputs + l->k->noutputs;
    int32_t *slots = lower_room(l, (size_t)n, sizeof *slots);
    ty_nest_step *step = slots ? lower_step(l) : NULL;
    if (!step) return;
    for (int i = 0; i < n; i++) slots[i] = lower_input(l, i);
    *step = (ty_nest_step){.algorithm = kernel_table[l->k->kind].name,
                           .kernel = l->number,
                           .slots = slots,
                           .nslots = n,
                           .items = -1};
}

/* ---- dims ---- */

struct draft *nest_begin(struct lowering *l, const char *name, int rank, const int64_t *shape, int most) {
    struct draft *d = lower_room(l, 1, sizeof *d);
    int *dim_of = lower_room(l, (size_t)rank, sizeof *dim_of);
    int64_t *origin = lower_room(l, 2 * (size_t)rank, sizeof *origin);
    ty_nest_dim *dims = lower_room(l, (size_t)(rank + most), sizeof *dims);
    if (!d || !dims || !dim_of || !origin) return NULL;
    *d = (struct draft){
        .l = l, .name = name, .most = rank + most, .dims = dims, .rank = rank, .dim_of = dim_of};
    d->origin = origin;
    d->way = origin + rank;
    for (int i = 0; i < rank; i++) {
        dim_of[i] = nest_dim(d, shape[i], TY_NEST_PARALLEL);
        d->way[i] = 1;
    }
    return d;
}

struct draft *nest_over_outputs(struct lowering *l, const char *name, int most) {
    const struct layout *y = &l->k->outputs[0].layout;
    return nest_begin(l, name, y->rank, y->shape, most);
}

int nest_dim(struct draft *d, int64_t size, ty_nest_role role) {
    if (!d) return 0;
    d->dims[d->ndims] = (ty_nest_dim){.size = size, .role = (int32_t)role, .begin = -1, .end = -1};
    return d->ndims++;
}

/* ---- accesses ---- */

static int add_access(struct draft *d, struct draft_list *list, size_t size, ty_nest_access access) {
    ty_nest_access *to = d ? list_add(d->l, list, size) : NULL;
    int64_t *strides = to ? lower_room(d->l, (size_t)d->most, sizeof *strides) : NULL;
    if (!strides) return 0;
    *to = access;
    to->strides = strides;
    return list->n - 1;
}

ty_nest_access *nest_read_of(struct draft *d, int read) {
    return d && !d->l->failed ? (ty_nest_access *)d->reads.items + read : NULL;
}

int nest_read(struct draft *d, int slot, ty_dtype dtype, int64_t offset) {
    if (!d) return 0;
    return add_access(d, &d->reads, sizeof(ty_nest_access),
                      (ty_nest_access){.slot = slot, .dtype = dtype, .offset = offset});
}

void nest_step(ty_nest_access *to, int dim, int64_t stride) {
    if (to && dim >= 0) ((int64_t *)to->strides)[dim] += stride;
}

/* Add stride along an axis of the outputs' index space to an access, from index 0 of the axis on. */
static void step_axis(const struct draft *d, ty_nest_access *to, int axis, int64_t stride) {
    if (!to) return;
    to->offset += d->origin[axis] * stride;
    if (!d->nmoves) nest_step(to, d->dim_of[axis], d->way[axis] * stride);
    for (int m = 0; m < d->nmoves; m++)
        if (d->moves[m].axis == axis) nest_step(to, d->moves[m].dim, d->moves[m].step * stride);
}

void nest_along(const struct draft *d, ty_nest_access *to, const struct layout *layout, const int *axes) {
    if (!to) return;
    to->offset += layout->offset;
    for (int i = 0; i < layout->rank; i++) {
        if (layout->shape[i] == 1) continue;
        if (axes)
            nest_step(to, axes[i], layout->strides[i]);
        else
            step_axis(d, to, i, layout->strides[i]);
    }
}

int nest_index(struct draft *d, int64_t offset, int dim, int64_t stride) {
    int r = nest_read(d, TY_NEST_INDEX, TY_I64, offset);
    nest_step(nest_read_of(d, r), dim, stride);
    return r;
}

int nest_axis(struct draft *d, int axis, int64_t offset) {
    int r = nest_index(d, offset, -1, 0);
    step_axis(d, nest_read_of(d, r), axis, 1);
    return r;
}

int nest_place(struct draft *d, int from, int to, const int64_t *shape) {
    int r = nest_index(d, 0, -1, 0);
    int64_t stride = 1;
    for (int i = to - 1; i >= from; stride *= shape[i--]) step_axis(d, nest_read_of(d, r), i, stride);
    return r;
}

int nest_bits(struct draft *d, ty_dtype dtype, uint64_t value) {
    int r = nest_read(d, TY_NEST_CONSTANT, dtype, 0);
    ty_nest_access *read = nest_read_of(d, r);
    if (read) element_store(dtype, read->constant, TY_U64, (struct element){.i = (int64_t)value});
    return r;
}

int nest_constant(struct draft *d, ty_dtype dtype, double value) {
    int r = nest_read(d, TY_NEST_CONSTANT, dtype, 0);
    ty_nest_access *read = nest_read_of(d, r);
    if (read) element_store(dtype, read->constant, TY_F64, (struct element){.z = value});
    return r;
}

void nest_term(struct draft *d, ty_nest_access *to, ty_nest_term term) {
    if (!to || d->l->failed) return;
    ty_nest_term *terms = lower_room(d->l, (size_t)to->nterms + 1, sizeof *terms);
    if (!terms) return;
    if (to->nterms) memcpy(terms, to->terms, (size_t)to->nterms * sizeof *terms);
    if (term.divide == 0) term.divide = 1;
    terms[to->nterms++] = term;
    to->terms = terms;
}

int nest_inside(struct draft *d, int n, const ty_nest_term *terms) {
    int r = nest_constant(d, TY_BOOL, 1);
    for (int i = 0; i < n; i++) {
        ty_nest_term term = terms[i];
        term.stride = 0;
        nest_term(d, nest_read_of(d, r), term);
    }
    return r;
}

int nest_read_input(struct draft *d, int i, const int *axes) {
    if (!d || d->l->failed) return 0;
    const struct operand *x = &d->l->k->inputs[i];
    int index[TY_MAX_RANK], rank = x->layout.rank;
    for (int a = 0; x->guard && a < rank; a++) {
        int64_t low = x->guard->low[a], size = x->layout.shape[a];
        index[a] = NEST_NONE;
        if (low <= 0 && x->guard->high[a] >= size) continue;
        index[a] = size == 1 ? nest_index(d, -low, -1, 0)
                   : axes    ? nest_index(d, -low, axes[a], 1)
                             : nest_axis(d, a, -low);
    }
    int r = nest_read(d, lower_input(d->l, i), x->dtype, 0);
    nest_along(d, nest_read_of(d, r), &x->layout, axes);
    for (int a = 0; x->guard && a < rank; a++) {
        int64_t inside = x->guard->high[a] - x->guard->low[a];
        if (index[a] == NEST_NONE) continue;
        nest_term(d, nest_read_of(d, r), (ty_nest_term){.read = index[a], .bound = inside});
    }
    return r;
}

/* ---- computing ---- */

int nest_op(struct draft *d, bool after, const char *name, ty_dtype in, ty_dtype out, int a, int b, int c) {
    struct draft_list *list = d ? after ? &d->after : &d->before : NULL;
    ty_nest_instr *instr = d ? list_add(d->l, list, sizeof *instr) : NULL;
    if (!instr) return 0;
    *instr =
        (ty_nest_instr){.name = name, .in = in, .out = out, .from = {(uint16_t)a, (uint16_t)b, (uint16_t)c}};
    instr->n = (uint16_t)(b == NEST_NONE ? 1 : c == NEST_NONE ? 2 : 3);
    return REGISTER(after ? OF_AFTER : OF_BEFORE, list->n - 1);
}

int nest_cast(struct draft *d, bool after, int x, ty_dtype from, ty_dtype to) {
    return from == to ? x : nest_op(d, after, "cast", from, to, x, NEST_NONE, NEST_NONE);
}

/* Return the dtype of register r. */
static ty_dtype dtype_of(const struct draft *d, int r) {
    int i = REGISTER_INDEX(r);
    const ty_nest_fold *fold = (const ty_nest_fold *)d->folds.items + i;
    switch (REGISTER_CLASS(r)) {
    case OF_READ:
        return ((const ty_nest_access *)d->reads.items)[i].dtype;
    case OF_FOLD:
        return nest_fold_dtype(fold);
    case OF_BEFORE:
        return ((const ty_nest_instr *)d->before.items)[i].out;
    default:
        return ((const ty_nest_instr *)d->after.items)[i].out;
    }
}

/* Return register r as `dtype`.  Programs read registers as other dtypes of equal size, where a view was fused. */
static int viewed(struct draft *d, bool after, int r, ty_dtype dtype) {
    if (d->l->failed || r == NEST_NONE || dtype_of(d, r) == dtype) return r;
    return nest_op(d, after, "view_as", dtype_of(d, r), dtype, r, NEST_NONE, NEST_NONE);
}

void nest_program(struct draft *d, bool after, const struct program *p, const int *inputs, int *outputs) {
    int *of = d ? lower_room(d->l, (size_t)(p->ninputs + p->ninstrs), sizeof *of) : NULL;
    if (!of) return;
    for (int i = 0; i < p->ninputs; i++) of[i] = inputs[i];
    for (int i = 0; i < p->ninstrs; i++) {
        const struct instr *instr = &p->instrs[i];
        int from[3] = {NEST_NONE, NEST_NONE, NEST_NONE};
        for (int k = 0; k < instr->op->arity; k++) {
            bool condition = k == 0 && instr->op == ROW_OP(where);
            from[k] = viewed(d, after, of[instr->src[k]], condition ? TY_BOOL : instr->in);
        }
        of[p->ninputs + i] =
            nest_op(d, after, instr->op->name, instr->in, instr->out, from[0], from[1], from[2]);
    }
    for (int i = 0; i < p->noutputs; i++) outputs[i] = of[p->outputs[i]];
}

int nest_fold(struct draft *d, ty_nest_fold fold, int value, int second, int when) {
    ty_nest_fold *to = d ? list_add(d->l, &d->folds, sizeof *to) : NULL;
    if (!to) return 0;
    *to = fold;
    to->value = (uint16_t)value;
    to->second = (uint16_t)second;
    to->when = (uint16_t)when;
    if (to->lanes < 1) to->lanes = 1;
    return REGISTER(OF_FOLD, d->folds.n - 1);
}

ty_nest_write *nest_write(struct draft *d, int slot, ty_dtype dtype, int64_t offset, int value) {
    if (!d) return NULL;
    int at = add_access(d, &d->writes, sizeof(ty_nest_write),
                        (ty_nest_access){.slot = slot, .dtype = dtype, .offset = offset});
    if (d->l->failed) return NULL;
    ty_nest_write *write = (ty_nest_write *)d->writes.items + at;
    write->value = (uint16_t)value;
    write->when = write->second = TY_NEST_ALWAYS;
    return write;
}

static int rounded_product(struct draft *d, ty_dtype dtype, int a, int b) {
    return nest_op(d, false, "mul", dtype, dtype, a, b, NEST_NONE);
}

/* Add the fold of products, which has the order of `fold`. */
static int add_products(struct draft *d, ty_nest_fold fold, int a, int b, int when) {
    bool pairs = dtype_is(fold.dtype, CLASS_COMPLEX);
    fold.kind = pairs ? TY_NEST_SUM : TY_NEST_DOT;
    return nest_fold(d, fold, pairs ? rounded_product(d, fold.dtype, a, b) : a, pairs ? 0 : b, when);
}
int nest_products(struct draft *d, ty_dtype dtype, int a, int b, int when) {
    return add_products(d, (ty_nest_fold){.dtype = dtype}, a, b, when);
}
int nest_products_by(struct draft *d, ty_nest_fold fold, int a, int b) {
    return add_products(d, fold, a, b, NEST_NONE);
}

ty_nest_write *nest_add_product(struct draft *d, int slot, ty_dtype dtype, int64_t offset, int a, int b) {
    bool pairs = dtype_is(dtype, CLASS_COMPLEX);
    ty_nest_write *write = nest_write(d, slot, dtype, offset, pairs ? rounded_product(d, dtype, a, b) : a);
    if (write) write->store = pairs ? TY_NEST_ADD : TY_NEST_MADD;
    if (write && !pairs) write->second = (uint16_t)b;
    return write;
}

void nest_check(struct draft *d, int value, int position, int64_t low, int64_t high) {
    ty_nest_check *check = d ? list_add(d->l, &d->checks, sizeof *check) : NULL;
    if (check)
        *check = (ty_nest_check){
            .value = (uint16_t)value, .position = (uint16_t)position, .low = low, .high = high};
    if (check) check->when = TY_NEST_ALWAYS;
}

/* ---- results ---- */

void nest_output(struct draft *d, int i, int value) {
    if (!d || d->l->failed) return;
    const struct operand *y = &d->l->k->outputs[i];
    value = viewed(d, true, value, y->dtype);
    ty_nest_write *write = nest_write(d, lower_output(d->l, i), y->dtype, 0, value);
    if (write) nest_along(d, &write->to, &y->layout, NULL);
}

void nest_deliver(struct draft *d, int core) {
    if (!d || d->l->failed) return;
    const struct kernel *k = d->l->k;
    int n = k->program ? k->ninputs - k->ncore : 0, results[PROGRAM_MAX_OUTPUTS] = {core};
    int *inputs = lower_room(d->l, (size_t)n + 1, sizeof *inputs);
    if (!inputs) return;
    inputs[0] = core;
    for (int i = 0; i < n; i++) inputs[1 + i] = nest_read_input(d, k->ncore + i, NULL);
    if (k->program) nest_program(d, true, k->program, inputs, results);
    for (int i = 0; i < k->noutputs; i++) nest_output(d, i, results[i]);
}

void lower_deliver(struct lowering *l, int slot, ty_dtype dtype) {
    struct draft *d = nest_over_outputs(l, "store results", 0);
    const struct layout *y = &l->k->outputs[0].layout;
    struct layout_room room;
    struct layout *dense = layout_room_init(&room, y->rank);
    for (int i = 0; i < y->rank; i++) dense->shape[i] = y->shape[i];
    shape_row_major(y->rank, y->shape, dense->strides);
    int r = nest_read(d, slot, dtype, 0);
    nest_along(d, nest_read_of(d, r), dense, NULL);
    nest_deliver(d, nest_cast(d, false, r, dtype, l->k->core_dtype));
    nest_end(d);
}
