/*
 * Resampling: READ makes rows of the output, DOT rows of the weights, ADD adds into units that no two threads
 * share.  Where elements of one place lie next to each other (the resampled axis is not the last), a tap is a
 * run of x and the loops go along it; where they do not, the loops go along the places and pick.  Indices are
 * checked before anything is read.  Order of additions: the taps' own for READ, places then taps for ADD,
 * row-major for DOT, whatever the number of threads.
 */
#include "engine/cpu/resample.h"
#include <stdatomic.h>
#include "engine/cpu/collect.h"
#include "ops/lower.h"

enum {
    SHORT_RUN = 16, /* elements of a place below which a row is made of many places */
    ROWS_WORTH_EXPANDING = 4,
    PIECE = 256, /* elements of a run that are one unit of ADD */
};

/* The index or the weights: rows of places, by batch axes and tap. */
struct table {
    int input;
    struct layout layout; /* collapsed, where it is copied: places do not lie side by side */
    bool copied;
    size_t at, bytes;             /* of the copy in the workspace */
    int64_t strides[TY_MAX_RANK]; /* of the batch axes, then of the taps */
};

struct resample_plan {
    struct cpu_rows rows;
    struct cpu_whole whole;
    const struct resample_type *type;
    size_t size; /* of an element */
    struct table index, weight;
    int64_t axis_size, taps, places;
    int outer;                      /* axes before the resampled one */
    struct layout inner;            /* those behind it, collapsed, of x (READ), g (ADD) */
    bool expanded;                  /* READ, merged: taps of pixels are made taps of elements */
    size_t elements, weights;       /* where they are in the workspace */
    bool along, merged;             /* a row is along the places; of many places */
    int64_t units, pieces;          /* ADD */
    struct layout outside, sums[2]; /* DOT: axes that are summed over, of g and x; but the run */
    int64_t run;                    /* DOT across: its length */
    int64_t run_strides[2];
    size_t before; /* bytes of the workspace before that of rows or whole */
};

static const struct resample_type *type_of(ty_dtype dtype) {
    static const struct resample_type *const *const tables[ISA_COUNT] = {
        [ISA_BASE] = resample_base,
#if defined(__x86_64__)
        [ISA_AVX2] = resample_avx2,
        [ISA_AVX512] = resample_avx512,
#else
        [ISA_AVX2] = resample_base,
        [ISA_AVX512] = resample_base,
#endif
    };
    return tables[isa_current()][dtype];
}

/* ---- tables ---- */

static bool table_prepare(struct table *t, const struct kernel *kernel, int input, size_t *workspace,
                          struct arena *arena) {
    const struct operand *o = &kernel->inputs[input];
    int last = o->layout.rank - 1;
    int64_t dense[TY_MAX_RANK];
    t->input = input;
    t->copied = o->layout.shape[last] > 1 && o->layout.strides[last] != 1;
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

static void table_fill(const struct table *t, const struct kernel *kernel, void *const *slots,
                       char *workspace) {
    size_t size = dtype_table[kernel->inputs[t->input].dtype].size;
    int64_t n = t->copied ? shape_size(t->layout.rank, t->layout.shape) : 0;
    if (n > 0)
        cpu_collect(&t->layout, size, cpu_base(&kernel->inputs[t->input], slots), workspace + t->at, 0, n);
}

/* One launch: where x (or g) and the tables begin. */
struct resample_run {
    const struct kernel *kernel;
    const struct resample_plan *p;
    const char *x[2]; /* READ: x; ADD: g; DOT: g, x */
    const char *index, *weight;
    char *out, *scratch;
    atomic_bool outside;
};

static const char *table_begin(const struct table *t, const struct kernel *kernel, void *const *slots,
                               char *workspace) {
    return t->copied ? workspace + t->at : cpu_base(&kernel->inputs[t->input], slots);
}

static int64_t dot(int n, const int64_t *index, const int64_t *strides) {
    int64_t at = 0;
    for (int i = 0; i < n; i++) at += index[i] * strides[i];
    return at;
}

/* The taps of place i and behind it, at an index of the batch axes. */
static struct resample_taps taps_at(const struct resample_run *run, const int64_t *batch, int64_t i) {
    const struct resample_plan *p = run->p;
    const struct resample_attr *attr = run->kernel->attr;
    size_t weight = dtype_table[run->kernel->inputs[2].dtype].size;
    int64_t at = dot(attr->batch, batch, p->index.strides),
            of_weight = dot(attr->batch, batch, p->weight.strides);
    return (struct resample_taps){.taps = p->taps,
                                  .gap = p->index.strides[attr->batch],
                                  .index = (const int32_t *)run->index + at + i,
                                  .weight = run->weight + (size_t)(of_weight + i) * weight};
}

/* Rows of the index, numbered row-major over batch axes and taps. */
static void check_rows(void *context, int64_t begin, int64_t end) {
    struct resample_run *run = context;
    const struct layout *l = &run->kernel->inputs[run->p->index.input].layout;
    int64_t at[TY_MAX_RANK];
    for (int64_t row = begin; row < end; row++) {
        cpu_unrank(l->rank - 1, l->shape, row, at);
        const int32_t *index = (const int32_t *)run->index + dot(l->rank - 1, at, run->p->index.strides);
        if (!run->p->type->inside(run->p->places, index, run->p->axis_size))
            atomic_store(&run->outside, true);
    }
}

static bool fault_outside(const struct resample_run *run, struct fault *fault) {
    const struct resample_attr *attr = run->kernel->attr;
    const struct layout *l = &run->kernel->inputs[run->p->index.input].layout;
    int64_t n = shape_size(l->rank, l->shape), at[TY_MAX_RANK], found = 0;
    for (int64_t i = 0; i < n && found >= 0 && found < run->p->axis_size; i++) {
        cpu_unrank(l->rank, l->shape, i, at);
        found = ((const int32_t *)run->index)[dot(l->rank - 1, at, run->p->index.strides) + at[l->rank - 1]];
    }
    return fault_set(fault, "%s: index %lld is outside axis %d of size %lld", run->kernel->op->name,
                     (long long)found, attr->axis, (long long)run->p->axis_size);
}

/* Which row of the expanded tables begins at an index of the batch axes. */
static int64_t expanded_row(const struct resample_run *run, const int64_t *batch) {
    const struct resample_attr *attr = run->kernel->attr;
    const struct layout *l = &run->kernel->inputs[1].layout;
    int64_t row = 0;
    for (int i = 0; i < attr->batch; i++) row = row * l->shape[i] + (l->shape[i] > 1 ? batch[i] : 0);
    return row * run->p->taps;
}

static struct resample_taps elements_at(const struct resample_run *run, const int64_t *batch, int64_t first) {
    const struct resample_plan *p = run->p;
    int64_t gap = p->places * p->inner.shape[0], at = expanded_row(run, batch) * gap + first;
    size_t weight = dtype_table[run->kernel->inputs[2].dtype].size;
    return (struct resample_taps){.taps = p->taps,
                                  .gap = gap,
                                  .index = (const int32_t *)(run->scratch + p->elements) + at,
                                  .weight = run->scratch + p->weights + (size_t)at * weight};
}

/* Rows of the tables, numbered row-major over batch axes and taps. */
static void expand_rows(void *context, int64_t begin, int64_t end) {
    struct resample_run *run = context;
    const struct resample_plan *p = run->p;
    const struct layout *l = &run->kernel->inputs[1].layout;
    size_t size = dtype_table[run->kernel->inputs[2].dtype].size;
    int64_t at[TY_MAX_RANK], step = run->kernel->inputs[0].layout.strides[p->outer];
    for (int64_t row = begin; row < end; row++) {
        cpu_unrank(l->rank - 1, l->shape, row, at);
        int64_t to = row * p->places * p->inner.shape[0];
        p->type->expand(p->places, p->inner.shape[0],
                        (const int32_t *)run->index + dot(l->rank - 1, at, p->index.strides),
                        run->weight + (size_t)dot(l->rank - 1, at, p->weight.strides) * size, step,
                        p->inner.strides[0], (int32_t *)(run->scratch + p->elements) + to,
                        run->scratch + p->weights + (size_t)to * size);
    }
}

/* Where each table serves several rows, pixels of few elements are best seen as elements. */
static void plan_expanded(struct resample_plan *p, const struct kernel *kernel) {
    const struct layout *x = &kernel->inputs[0].layout, *l = &kernel->inputs[1].layout;
    int64_t tables = shape_size(l->rank - 2, l->shape), rows = shape_size(p->outer, x->shape);
    int64_t step = x->strides[p->outer], stride = p->inner.strides[0], inner = p->inner.shape[0];
    double reach = (double)p->axis_size * (double)step + (double)inner * (double)stride;
    p->expanded =
        step >= 0 && stride >= 0 && reach < INT32_MAX && tables > 0 && rows / tables >= ROWS_WORTH_EXPANDING;
    if (!p->expanded) return;
    size_t count = (size_t)(tables * p->taps * p->places * inner);
    p->elements = p->before;
    p->weights = p->elements + cpu_per_thread(count * sizeof(int32_t));
    p->before = p->weights + cpu_per_thread(count * dtype_table[kernel->inputs[2].dtype].size);
}

/* Makes tables dense and looks at the indices. */
static bool run_begin(struct resample_run *run, const struct kernel *kernel, void *const *slots,
                      char *workspace, struct fault *fault) {
    const struct resample_plan *p = run->p = kernel->prepared;
    const struct layout *l = &kernel->inputs[p->index.input].layout;
    enum { ROWS_WORTH = 1 << 15 };
    run->kernel = kernel;
    run->scratch = workspace;
    table_fill(&p->index, kernel, slots, workspace);
    run->index = table_begin(&p->index, kernel, slots, workspace);
    if (p->weight.input) {
        table_fill(&p->weight, kernel, slots, workspace);
        run->weight = table_begin(&p->weight, kernel, slots, workspace);
    }
    for (int i = 0; i < 2; i++) run->x[i] = cpu_base(&kernel->inputs[i], slots);
    int64_t rows = shape_size(l->rank - 1, l->shape), grain = 1 + ROWS_WORTH / (1 + p->places);
    parallel_for(kernel->width, rows, grain, check_rows, run);
    if (atomic_load(&run->outside)) return fault_outside(run, fault);
    if (p->expanded) parallel_for(kernel->width, rows, grain, expand_rows, run);
    return true;
}

/* ---- READ ---- */

static void read_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct resample_run *run = call->shared;
    const struct resample_plan *p = run->p;
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t step = x->strides[p->outer], at = dot(p->outer, index, x->strides), size = (int64_t)p->size;
    if (p->along) {
        struct resample_taps taps = taps_at(run, index, first);
        p->type->along(n, &taps, out, run->x[0] + at * size, step, p->axis_size);
        return;
    }
    int last = p->inner.rank - 1;
    if (p->expanded) {
        struct resample_taps taps = elements_at(run, index, first);
        int64_t reach = (p->axis_size - 1) * step + (p->inner.shape[last] - 1) * p->inner.strides[last] + 1;
        p->type->along(n, &taps, out, run->x[0] + at * size, 1, reach);
        return;
    }
    if (p->merged) {
        struct resample_taps taps = taps_at(run, index, 0);
        p->type->pixels(first, n, p->inner.shape[last], &taps, out, run->x[0] + at * size, step,
                        p->inner.strides[last]);
        return;
    }
    struct resample_taps taps = taps_at(run, index, index[p->outer]);
    at += dot(last, index + p->outer + 1, p->inner.strides) + first * p->inner.strides[last];
    p->type->across(n, &taps, out, run->x[0] + at * size, step, p->inner.strides[last]);
}

/* Rows: the outer axes, then places and inner ones. */
static bool prepare_read(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                         struct fault *fault) {
    int64_t shape[TY_MAX_RANK + 1];
    int rank = p->outer + 1;
    memcpy(shape, kernel->outputs[0].layout.shape, sizeof *shape * (size_t)rank);
    p->merged = !p->along && p->inner.rank == 1 && p->inner.shape[0] < SHORT_RUN;
    if (p->merged) plan_expanded(p, kernel);
    if (p->merged)
        shape[p->outer] *= p->inner.shape[0];
    else if (!p->along)
        for (int i = 0; i < p->inner.rank; i++) shape[rank++] = p->inner.shape[i];
    return cpu_rows_prepare(&p->rows, kernel, rank, shape, 0, arena, fault);
}

/* ---- ADD ---- */

/* Part first .. first+n-1 of the last inner axis, at an index of the outer and the other inner axes. */
static void add_unit(const struct resample_run *run, const int64_t *index, int64_t first, int64_t n) {
    const struct resample_plan *p = run->p;
    const struct kernel *kernel = run->kernel;
    const struct layout *g = &kernel->inputs[0].layout;
    int64_t size = (int64_t)p->size, last = p->inner.rank - 1,
            inner = shape_size(p->inner.rank, p->inner.shape);
    int64_t row = 0, within = first, step = g->strides[p->outer];
    for (int i = 0; i < p->outer; i++) row = row * kernel->outputs[0].layout.shape[i] + index[i];
    int64_t from = dot(p->outer, index, g->strides);
    if (!p->along) {
        int64_t block = p->inner.shape[last];
        for (int64_t i = last - 1; i >= 0; block *= p->inner.shape[i--])
            within += index[p->outer + i] * block;
        from += dot((int)last, index + p->outer, p->inner.strides) + first * p->inner.strides[last];
    }
    char *out = run->out + (row * p->axis_size * inner + within) * size;
    for (int64_t k = 0; k < (n == inner ? 1 : p->axis_size); k++)
        memset(out + k * inner * size, 0, (size_t)((n == inner ? p->axis_size * inner : n) * size));
    struct resample_taps taps = taps_at(run, index, 0);
    if (p->along) {
        p->type->add_along(p->places, &taps, out, run->x[0] + from * size, step);
        return;
    }
    size_t weight = dtype_table[kernel->inputs[2].dtype].size;
    for (int64_t i = 0; i < p->places; i++) {
        p->type->add_across(n, &taps, out, inner, run->x[0] + (from + i * step) * size,
                            p->inner.strides[last]);
        taps.index++;
        taps.weight = (const char *)taps.weight + weight;
    }
}

static void add_units(void *context, int64_t begin, int64_t end) {
    const struct resample_run *run = context;
    const struct resample_plan *p = run->p;
    int64_t shape[TY_MAX_RANK + 1], index[TY_MAX_RANK + 1];
    int rank = p->outer, last = p->inner.rank - 1;
    memcpy(shape, run->kernel->inputs[0].layout.shape, sizeof *shape * (size_t)rank);
    for (int i = 0; i < last; i++) shape[rank++] = p->inner.shape[i];
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t first = unit % p->pieces * PIECE, length = p->along ? 1 : p->inner.shape[last];
        cpu_unrank(rank, shape, unit / p->pieces, index);
        add_unit(run, index, first, length - first < PIECE ? length - first : PIECE);
    }
}

static bool prepare_add(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                        struct fault *fault) {
    int last = p->inner.rank - 1;
    p->pieces = p->along ? 1 : (p->inner.shape[last] + PIECE - 1) / PIECE;
    p->units = shape_size(p->outer, kernel->inputs[0].layout.shape) * p->pieces;
    for (int i = 0; i < last; i++) p->units *= p->inner.shape[i];
    return cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault);
}

/* ---- DOT ---- */

static void dot_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                    void *out) {
    const struct resample_run *run = call->shared;
    const struct resample_plan *p = run->p;
    const struct resample_attr *attr = call->kernel->attr;
    const struct layout *g = &call->kernel->inputs[0].layout, *x = &call->kernel->inputs[1].layout;
    int64_t size = (int64_t)p->size, weight = (int64_t)dtype_table[call->kernel->core_dtype].size;
    const int32_t *places =
        (const int32_t *)run->index + dot(attr->batch + 1, index, p->index.strides) + first;
    int64_t at[2] = {first * g->strides[attr->axis], 0},
            count = shape_size(p->sums[0].rank, p->sums[0].shape);
    for (int k = 0; k < attr->batch; k++) {
        at[0] += index[k] * g->strides[k];
        at[1] += index[k] * x->strides[k];
    }
    memset(out, 0, (size_t)(n * weight));
    struct odometer o = {.rank = p->sums[0].rank, .shape = p->sums[0].shape};
    const int64_t *strides[2] = {p->sums[0].strides, p->sums[1].strides};
    for (; count > 0; count--, odometer_next(&o, 2, strides, at)) {
        const char *a = run->x[0] + at[0] * size, *b = run->x[1] + at[1] * size;
        if (p->along) {
            p->type->dot_along(n, places, out, a, g->strides[attr->axis], b, x->strides[attr->axis]);
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            p->type->dot_across(p->run, (char *)out + i * weight, a + i * g->strides[attr->axis] * size,
                                p->run_strides[0], b + places[i] * x->strides[attr->axis] * size,
                                p->run_strides[1]);
    }
}

/* Which axes are summed over: all but the resampled one and those that the index has; the last of them is the
   run where it is behind the resampled one and not short. */
static bool prepare_dot(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                        struct fault *fault) {
    const struct resample_attr *attr = kernel->attr;
    const struct layout *from[2] = {&kernel->inputs[0].layout, &kernel->inputs[1].layout};
    const struct layout *out = &kernel->outputs[0].layout;
    struct layout_room rooms[2];
    struct layout *sums[2] = {layout_room_init(&rooms[0], 0), layout_room_init(&rooms[1], 0)};
    int last = from[0]->rank - 1;
    p->along = last == attr->axis || from[0]->shape[last] < SHORT_RUN;
    for (int i = 0; i <= last; i++) {
        if (i == attr->axis || (i == last && !p->along) || (i < attr->batch && out->shape[i] > 1)) continue;
        for (int k = 0; k < 2; k++) {
            sums[k]->shape[sums[k]->rank] = from[0]->shape[i];
            sums[k]->strides[sums[k]->rank++] = from[k]->strides[i];
        }
    }
    for (int k = 0; k < 2; k++) {
        p->run_strides[k] = from[k]->strides[last];
        if (!layout_copy(&p->sums[k], sums[k], arena)) return fault_memory(fault, sizeof rooms);
    }
    p->run = from[0]->shape[last];
    return cpu_rows_prepare(&p->rows, kernel, out->rank, out->shape, 0, arena, fault);
}

/* ---- all ---- */

static bool plan_inner(struct resample_plan *p, const struct layout *x, struct arena *arena) {
    struct layout part = {x->rank - p->outer - 1, 0, x->shape + p->outer + 1, x->strides + p->outer + 1};
    struct layout_room room;
    struct layout *copy = layout_room_init(&room, part.rank);
    layout_broadcast(&part, part.rank, part.shape, copy);
    copy->rank = layout_collapse(1, &copy);
    p->along = copy->rank == 0;
    return layout_copy(&p->inner, copy, arena);
}

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct resample_attr *attr = kernel->attr;
    bool dots = attr->kind == RESAMPLE_DOT;
    const struct operand *x = &kernel->inputs[dots];
    struct resample_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->type = type_of(x->dtype);
    if (!p->type)
        return fault_set(fault, "%s: the cpu engine does not resample %s", kernel->op->name,
                         ty_dtype_name(x->dtype));
    p->size = dtype_table[x->dtype].size;
    p->outer = attr->axis;
    p->axis_size = attr->kind == RESAMPLE_ADD ? attr->size : x->layout.shape[attr->axis];
    const struct layout *index = &kernel->inputs[dots ? 2 : 1].layout;
    p->taps = index->shape[attr->batch];
    p->places = index->shape[attr->batch + 1];
    if (!plan_inner(p, &x->layout, arena) ||
        !table_prepare(&p->index, kernel, dots ? 2 : 1, &p->before, arena) ||
        (!dots && !table_prepare(&p->weight, kernel, 2, &p->before, arena)))
        return fault_memory(fault, sizeof *p);
    static bool (*const prepares[])(struct resample_plan *, struct kernel *, struct arena *,
                                    struct fault *) = {
        [RESAMPLE_READ] = prepare_read, [RESAMPLE_ADD] = prepare_add, [RESAMPLE_DOT] = prepare_dot};
    if (!prepares[attr->kind](p, kernel, arena, fault)) return false;
    kernel->workspace += p->before;
    return true;
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct resample_plan *p = kernel->prepared;
    const struct resample_attr *attr = kernel->attr;
    struct resample_run run = {.kernel = kernel};
    char *rest = (char *)workspace + p->before;
    if (!run_begin(&run, kernel, slots, workspace, fault)) return false;
    if (attr->kind != RESAMPLE_ADD) {
        cpu_rows_run(&p->rows, kernel, slots, rest, &run, attr->kind == RESAMPLE_DOT ? dot_row : read_row);
        return true;
    }
    run.out = cpu_whole_begin(&p->whole, slots, rest);
    if (p->whole.count > 0) parallel_for(kernel->width, p->units, 1, add_units, &run);
    cpu_whole_end(&p->whole, kernel, slots, rest);
    return true;
}

const struct cpu_kind cpu_resample = {prepare, launch};
