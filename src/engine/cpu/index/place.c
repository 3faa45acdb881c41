/*
 * Kernel kind PLACE: a row of the output is a run of x in which elements of the box are replaced by those of v. An
 * axis filled by v merges with the one before it if x and v step through both evenly, which makes rows long.
 */
#include <string.h>
#include "base/threads/parallel.h"
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

struct box_plan {
    struct cpu_rows rows;
    int rank;                                      /* number of merged axes */
    int64_t shape[TY_MAX_RANK], size[TY_MAX_RANK]; /* of x; of v */
    int64_t x[TY_MAX_RANK], v[TY_MAX_RANK];        /* strides */
    struct place_axis box[TY_MAX_RANK];
    bool empty;
};

/* Merge each axis that v fills with the one before it, where x and v step evenly; at least one axis is
   left. */
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
    for (int i = 0; i < p->rank; i++)
        if (p->size[i] <= 1) p->box[i].step = 1; /* a step is never taken and may be of any size */
    if (p->rank) return;
    p->rank = 1;
    p->shape[0] = p->size[0] = p->box[0].step = 1;
}

/* Prepare a placement of v into a box of x: merged axes and rows. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct box_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    merge_axes(p, kernel);
    return cpu_rows_prepare(&p->rows, kernel, p->rank, p->shape,
                            CPU_TILE * dtype_table[kernel->core_dtype].size, arena, fault);
}

/* Copy n elements of `size` bytes, the k-th and following of a run at `from` whose elements are `stride`
   elements apart, to contiguous memory at `out`. */
static void copy_run(size_t size, const char *from, int64_t stride, int64_t k, int64_t n, void *out) {
    struct layout run = {1, 0, &n, &stride};
    if (n > 0) cpu_collect(&run, size, from + k * stride * (int64_t)size, out, 0, n);
}

/* Compute elements first .. first+n-1 of a row, at index[], into out: v inside the box, x outside. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct kernel *kernel = call->kernel;
    const struct box_plan *p = kernel->prepared;
    size_t size = dtype_table[kernel->core_dtype].size;
    const char *x = operand_base(&kernel->inputs[0], call->slots),
               *v = operand_base(&kernel->inputs[1], call->slots);
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

/* ---- x aliases the output: only v is written ---- */

struct in_place {
    const struct kernel *kernel;
    const char *v;
    char *out;
    int64_t strides[TY_MAX_RANK]; /* of the output */
};

/* Write n elements of v, `stride` elements apart, to `out`, `step` elements apart. Elements have `size` bytes. */
static void put_run(size_t size, int64_t n, char *out, int64_t step, const char *v, int64_t stride) {
    _Alignas(16) char some[1024];
    int64_t most = step == 1 ? n : (int64_t)(sizeof some / size);
    for (int64_t k = 0; k < n; k += most) {
        int64_t now = n - k < most ? n - k : most;
        char *to = out + k * step * (int64_t)size;
        copy_run(size, v, stride, k, now, step == 1 ? to : some);
        if (step != 1) cpu_spread(size, now, to, step, some);
    }
}

enum { BOX_GRAIN = 4096 }; /* elements of v that repay a thread: four tiles */

/* Write rows begin .. end-1 of v, row-major over its merged axes, into the box of the output. Task of
   parallel_for; context is a struct in_place. */
static void put_rows(void *context, int64_t begin, int64_t end) {
    const struct in_place *c = context;
    const struct box_plan *p = c->kernel->prepared;
    size_t size = dtype_table[c->kernel->core_dtype].size;
    int last = p->rank - 1;
    for (int64_t row = begin; row < end; row++) {
        const char *v = c->v;
        char *out = c->out + p->box[last].start * (int64_t)size;
        int64_t rest = row;
        for (int i = last - 1; i >= 0; i--) {
            int64_t k = rest % p->size[i];
            rest /= p->size[i];
            v += k * p->v[i] * (int64_t)size;
            out += (p->box[i].start + k * p->box[i].step) * c->strides[i] * (int64_t)size;
        }
        put_run(size, p->size[last], out, p->box[last].step, v, p->v[last]);
    }
}

/* Write v into the box of the output, which already has the elements of x. */
static void put_box(const struct kernel *kernel, void *const *slots) {
    const struct box_plan *p = kernel->prepared;
    struct in_place c = {
        kernel, operand_base(&kernel->inputs[1], slots), operand_base(&kernel->outputs[0], slots), {0}};
    if (p->empty) return;
    int64_t rows = 1, row = p->size[p->rank - 1];
    shape_row_major(p->rank, p->shape, c.strides);
    for (int i = 0; i < p->rank - 1; i++) rows *= p->size[i];
    parallel_for(kernel->width, rows, BOX_GRAIN / (row + 1) + 1, put_rows, &c);
}

/* Compute a placement on the addresses slots[], in place if output and x share memory. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct box_plan *p = kernel->prepared;
    if (!kernel->program &&
        operand_base(&kernel->inputs[0], slots) == operand_base(&kernel->outputs[0], slots)) {
        put_box(kernel, slots);
        return true;
    }
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_place = {.prepare = prepare, .launch = launch};
