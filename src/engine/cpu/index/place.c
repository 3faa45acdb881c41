/*
 * Place: a row of the output is a run of x, in which the elements of the box are those of v.  An axis that v
 * fills joins the one before it when x and v step through both evenly: then rows are long.
 */
#include <string.h>
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

struct box_plan {
    struct cpu_rows rows;
    int rank;                                      /* of the merged axes */
    int64_t shape[TY_MAX_RANK], size[TY_MAX_RANK]; /* of x, of v */
    int64_t x[TY_MAX_RANK], v[TY_MAX_RANK];        /* strides */
    struct place_axis box[TY_MAX_RANK];
    bool empty;
};

static void merge_axes(struct box_plan *p, const struct kernel *kernel) {
    const struct layout *x = &kernel->inputs[0].layout, *v = &kernel->inputs[1].layout;
    const struct place_axis *box = kernel->attr;
    for (int i = 0; i < x->rank; i++) {
        int last = p->rank - 1;
        int64_t n = x->shape[i];
        bool filled = v->shape[i] == n && box[i].start == 0 && box[i].step == 1;
        bool merge = p->rank && filled && p->box[last].step == 1 && p->x[last] == x->strides[i] * n &&
                     p->v[last] == v->strides[i] * n;
        if (!merge) last = p->rank++;
        p->shape[last] = merge ? p->shape[last] * n : n;
        p->size[last] = merge ? p->size[last] * n : v->shape[i];
        p->box[last] = merge ? (struct place_axis){p->box[last].start * n, 1} : box[i];
        p->x[last] = x->strides[i];
        p->v[last] = v->strides[i];
        p->empty = p->empty || v->shape[i] == 0;
    }
    if (p->rank) return;
    p->rank = 1;
    p->shape[0] = p->size[0] = p->box[0].step = 1;
}

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct box_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    merge_axes(p, kernel);
    return cpu_rows_prepare(&p->rows, kernel, p->rank, p->shape,
                            CPU_TILE * dtype_table[kernel->core_dtype].size, arena, fault);
}

/* n elements `stride` apart, from the k-th on. */
static void copy_run(size_t size, const char *from, int64_t stride, int64_t k, int64_t n, void *out) {
    struct layout run = {1, 0, &n, &stride};
    if (n > 0) cpu_collect(&run, size, from + k * stride * (int64_t)size, out, 0, n);
}

static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct kernel *kernel = call->kernel;
    const struct box_plan *p = kernel->prepared;
    size_t size = dtype_table[kernel->core_dtype].size;
    const char *x = cpu_base(&kernel->inputs[0], call->slots), *v = cpu_base(&kernel->inputs[1], call->slots);
    int last = p->rank - 1;
    bool inside = !p->empty;
    for (int i = 0; i < last; i++) {
        int64_t from = index[i] - p->box[i].start, k = from / p->box[i].step;
        inside = inside && from >= 0 && from % p->box[i].step == 0 && k < p->size[i];
        x += index[i] * p->x[i] * (int64_t)size;
        if (inside) v += k * p->v[i] * (int64_t)size;
    }
    int64_t step = p->box[last].step, start = first - p->box[last].start;
    int64_t begin = start > 0 ? (start + step - 1) / step : 0;
    int64_t end = start + n > 0 ? (start + n + step - 1) / step : 0;
    if (end > p->size[last]) end = p->size[last];
    if (!inside || begin >= end) {
        copy_run(size, x, p->x[last], first, n, out);
        return;
    }
    int64_t low = begin * step - start, high = (end - 1) * step - start + 1;
    char *box = (char *)out + low * (int64_t)size;
    if (step > 1) {
        copy_run(size, x, p->x[last], first, n, out);
        copy_run(size, v, p->v[last], begin, end - begin, call->scratch);
        cpu_spread(size, end - begin, box, step, call->scratch);
        return;
    }
    copy_run(size, x, p->x[last], first, low, out);
    copy_run(size, v, p->v[last], begin, end - begin, box);
    copy_run(size, x, p->x[last], first + high, n - high, (char *)out + high * (int64_t)size);
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct box_plan *p = kernel->prepared;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_place = {prepare, launch};
