/*
 * Kernel kind RESAMPLE. Tables of indices and weights are made dense and checked before anything is read. The kinds
 * are READ (resample_read.c), ADD and DOT (resample_adjoint.c). If elements of a position are contiguous (the
 * resampled axis is not the last), a tap is a run of x and loops run along it. Otherwise loops run along positions
 * and select elements.
 */
#include "engine/cpu/image/resample_parts.h"
#include "engine/cpu/elementwise/collect.h"
#include "ops/core/kernel/kernel_lower.h"

static const struct resample_type *type_of(ty_dtype dtype) {
    static const struct resample_type *const *const tables[ISA_COUNT] = ISA_TABLE(resample_);
    return tables[isa_current()][dtype];
}

/* ---- tables ---- */

/* Prepare an index or weight table, operand `input`, to be dense, by a copy in the workspace if need be,
   whose size is added to *workspace. Return false if out of memory. */
static bool table_prepare(struct resample_table *t, const struct kernel *kernel, int input, size_t *workspace,
                          struct arena *arena) {
    const struct operand *o = &kernel->inputs[input];
    int last = o->layout.rank - 1;
    int64_t dense[TY_MAX_RANK];
    t->input = input;
    bool apart = o->layout.shape[last] > 1 && o->layout.strides[last] != 1;
    bool between = o->layout.shape[last - 1] > 1 && o->layout.strides[last - 1] != o->layout.shape[last];
    t->copied = apart || between;
    shape_row_major(o->layout.rank, o->layout.shape, dense);
    for (int k = 0; k < last; k++) {
        t->strides[k] = t->copied ? dense[k] : o->layout.strides[k];
        if (o->layout.shape[k] == 1) t->strides[k] = 0;
    }
    if (!t->copied) return true;
    struct layout_room room;
    struct layout *copy = layout_room_init(&room, o->layout.rank);
    memcpy(copy->shape, o->layout.shape, sizeof *dense * (size_t)o->layout.rank);
    memcpy(copy->strides, o->layout.strides, sizeof *dense * (size_t)o->layout.rank);
    layout_collapse(1, &copy);
    t->at = *workspace;
    t->bytes = (size_t)shape_size(o->layout.rank, o->layout.shape) * dtype_table[o->dtype].size;
    *workspace += cpu_per_thread(t->bytes);
    return layout_copy(&t->layout, copy, arena);
}

/* Copy a table to the workspace if it is not dense in memory. */
static void table_fill(const struct resample_table *t, const struct kernel *kernel, void *const *slots,
                       char *workspace) {
    size_t size = dtype_table[kernel->inputs[t->input].dtype].size;
    int64_t n = t->copied ? shape_size(t->layout.rank, t->layout.shape) : 0;
    if (n > 0)
        cpu_collect(&t->layout, size, operand_base(&kernel->inputs[t->input], slots), workspace + t->at, 0,
                    n);
}

static const char *table_begin(const struct resample_table *t, const struct kernel *kernel,
                               void *const *slots, char *workspace) {
    return t->copied ? workspace + t->at : operand_base(&kernel->inputs[t->input], slots);
}

struct resample_taps resample_taps_at(const struct resample_run *run, int k, const int64_t *batch,
                                      int64_t i) {
    const struct resampled *by = &run->p->axis[k];
    const struct resample_attr *attr = run->kernel->attr;
    size_t weight = dtype_table[run->kernel->inputs[2].dtype].size;
    int64_t at = resample_dot(attr->batch, batch, by->index.strides),
            of_weight = resample_dot(attr->batch, batch, by->weight.strides);
    return (struct resample_taps){.taps = by->taps,
                                  .gap = by->places,
                                  .index = (const int32_t *)run->index[k] + at + i,
                                  .weight = run->weight[k] + (size_t)(of_weight + i) * weight};
}

/* ---- one launch ---- */

struct check {
    struct resample_run *run;
    int axis;
};

/* Check rows begin .. end-1 of an index table, row-major over batch axes and taps; sets run->outside if an index
   is out of range. Task of parallel_for; context is a struct check. */
static void check_rows(void *context, int64_t begin, int64_t end) {
    const struct check *check = context;
    struct resample_run *run = check->run;
    const struct resampled *by = &run->p->axis[check->axis];
    const struct layout *l = &run->kernel->inputs[by->index.input].layout;
    int64_t at[TY_MAX_RANK];
    for (int64_t row = begin; row < end; row++) {
        cpu_unrank(l->rank - 1, l->shape, row, at);
        const int32_t *index =
            (const int32_t *)run->index[check->axis] + resample_dot(l->rank - 1, at, by->index.strides);
        if (!run->p->type->inside(by->places, index, by->size)) atomic_store(&run->outside, true);
    }
}

/* Set the fault that names the first index of axis k that is out of range, and return false. */
static bool fault_outside(const struct resample_run *run, int k, struct fault *fault) {
    const struct resample_attr *attr = run->kernel->attr;
    const struct resampled *by = &run->p->axis[k];
    const struct layout *l = &run->kernel->inputs[by->index.input].layout;
    int64_t n = shape_size(l->rank, l->shape), at[TY_MAX_RANK], found = 0;
    for (int64_t i = 0; i < n && found >= 0 && found < by->size; i++) {
        cpu_unrank(l->rank, l->shape, i, at);
        found = ((const int32_t *)
                     run->index[k])[resample_dot(l->rank - 1, at, by->index.strides) + at[l->rank - 1]];
    }
    return fault_set(fault, E_INDEX, "%s: index %lld is out of bounds for axis %d of size %lld",
                     run->kernel->op->name, (long long)found, attr->axis + k, (long long)by->size);
}

/* Set up *run for a launch: make the tables dense in the workspace and check the indices. Return false with a fault
   if one is out of range. */
static bool run_begin(struct resample_run *run, const struct kernel *kernel, void *const *slots,
                      char *workspace, struct fault *fault) {
    const struct resample_plan *p = run->p = kernel->prepared;
    enum { ROWS_WORTH = 1 << 15 };
    run->kernel = kernel;
    run->scratch = workspace;
    for (int i = 0; i < 2; i++) run->x[i] = operand_base(&kernel->inputs[i], slots);
    for (int k = 0; k <= p->further; k++) {
        const struct resampled *by = &p->axis[k];
        const struct layout *l = &kernel->inputs[by->index.input].layout;
        table_fill(&by->index, kernel, slots, workspace);
        run->index[k] = table_begin(&by->index, kernel, slots, workspace);
        if (by->weight.input) {
            table_fill(&by->weight, kernel, slots, workspace);
            run->weight[k] = table_begin(&by->weight, kernel, slots, workspace);
        }
        int64_t rows = shape_size(l->rank - 1, l->shape), grain = 1 + ROWS_WORTH / (1 + by->places);
        parallel_for(kernel->width, rows, grain, check_rows, &(struct check){run, k});
        if (atomic_load(&run->outside)) return fault_outside(run, k, fault);
    }
    return true;
}

/* ---- all ---- */

/* Prepare the index and weight tables of all resampled axes, and set the axes outside them. Return false
   if out of memory. */
static bool plan_axes(struct resample_plan *p, const struct kernel *kernel, struct arena *arena) {
    const struct resample_attr *attr = kernel->attr;
    bool dots = attr->kind == RESAMPLE_DOT;
    const struct layout *x = &kernel->inputs[dots].layout;
    for (int k = 0; k <= attr->further; k++) {
        struct resampled *by = &p->axis[k];
        int input = dots ? 2 : 1 + 2 * k;
        const struct layout *index = &kernel->inputs[input].layout;
        by->size = attr->kind == RESAMPLE_ADD ? attr->size : x->shape[attr->axis + k];
        by->taps = index->shape[attr->batch];
        by->places = index->shape[attr->batch + 1];
        if (!table_prepare(&by->index, kernel, input, &p->before, arena) ||
            (!dots && !table_prepare(&by->weight, kernel, input + 1, &p->before, arena)))
            return false;
    }
    p->further = attr->further;
    p->outer = attr->axis + attr->further;
    p->by = &p->axis[attr->further];
    return true;
}

/* Merge the axes after the resampled ones in p->inner; p->along: there are none. Return false if out of
   memory. */
static bool plan_inner(struct resample_plan *p, const struct layout *x, struct arena *arena) {
    struct layout part = {x->rank - p->outer - 1, 0, x->shape + p->outer + 1, x->strides + p->outer + 1};
    struct layout_room room;
    struct layout *copy = layout_room_init(&room, part.rank);
    layout_broadcast(&part, part.rank, part.shape, copy);
    copy->rank = layout_collapse(1, &copy);
    p->along = copy->rank == 0;
    return layout_copy(&p->inner, copy, arena);
}

static const struct {
    bool (*prepare)(struct resample_plan *p, struct kernel *kernel, struct arena *arena, struct fault *fault);
    void (*run)(struct resample_run *run, void *const *slots, void *workspace);
} kinds[] = {[RESAMPLE_READ] = {resample_prepare_read, resample_run_read},
             [RESAMPLE_ADD] = {resample_prepare_add, resample_run_add},
             [RESAMPLE_DOT] = {resample_prepare_dot, resample_run_dot}};

/* Prepare a resampling: tables, inner axes and the plan of its kind. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct resample_attr *attr = kernel->attr;
    const struct operand *x = &kernel->inputs[attr->kind == RESAMPLE_DOT];
    struct resample_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->type = type_of(x->dtype);
    if (!p->type)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine does not resample %s", kernel->op->name,
                         ty_dtype_name(x->dtype));
    p->size = dtype_table[x->dtype].size;
    if (!plan_axes(p, kernel, arena) || !plan_inner(p, &x->layout, arena))
        return fault_memory(fault, sizeof *p);
    if (!kinds[attr->kind].prepare(p, kernel, arena, fault)) return false;
    kernel->workspace += p->before;
    return true;
}

/* Compute a resampling on the addresses slots[]. Return false with a fault if an index is out of range. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct resample_plan *p = kernel->prepared;
    const struct resample_attr *attr = kernel->attr;
    struct resample_run run = {.kernel = kernel};
    if (!run_begin(&run, kernel, slots, workspace, fault)) return false;
    char *own = workspace ? (char *)workspace + p->before : NULL;
    kinds[attr->kind].run(&run, slots, own);
    return true;
}

const struct cpu_kind cpu_resample = {.prepare = prepare, .launch = launch};
