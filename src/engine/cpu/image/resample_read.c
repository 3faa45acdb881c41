/*
 * READ: rows of the output. Their elements are selected by taps along the last axis, or, if elements of a position
 * are contiguous, sums of runs of x. Positions of short runs are treated as elements if one table of taps serves
 * several rows.
 *
 * With several axes, taps of the outer ones select rows of x for all positions of the last axis. A run is summed over
 * all products of taps, so only x and the output pass through memory. Additions are in the order of taps, the last
 * axis innermost.
 */
#include "engine/cpu/image/resample_parts.h"
#include "ops/core/kernel/kernel_lower.h"

/* Least rows per table of taps that repay expanding it. */
enum { ROWS_WORTH_EXPANDING = 4 };

/* ---- taps of elements ---- */

/* Return the first row (0-based, a tap each) of the expanded tables for index batch[] of the batch axes. */
static int64_t expanded_row(const struct resample_run *run, const int64_t *batch) {
    const struct resample_attr *attr = run->kernel->attr;
    const struct layout *l = &run->kernel->inputs[run->p->by->index.input].layout;
    int64_t row = 0;
    for (int i = 0; i < attr->batch; i++) row = row * l->shape[i] + (l->shape[i] > 1 ? batch[i] : 0);
    return row * run->p->by->taps;
}

/* Return the taps of the expanded tables from element `first` on, for index batch[] of the batch axes. */
static struct resample_taps elements_at(const struct resample_run *run, const int64_t *batch, int64_t first) {
    const struct resample_plan *p = run->p;
    int64_t gap = p->by->places * p->inner.shape[0], at = expanded_row(run, batch) * gap + first;
    size_t weight = dtype_table[run->kernel->inputs[2].dtype].size;
    return (struct resample_taps){.taps = p->by->taps,
                                  .gap = gap,
                                  .index = (const int32_t *)(run->scratch + p->elements) + at,
                                  .weight = run->scratch + p->weights + (size_t)at * weight};
}

/* Expand rows begin .. end-1 of the tables from pixels to elements, row-major over batch axes and taps. Task of
   parallel_for; context is a struct resample_run. */
static void expand_rows(void *context, int64_t begin, int64_t end) {
    struct resample_run *run = context;
    const struct resample_plan *p = run->p;
    const struct resampled *by = p->by;
    const struct layout *l = &run->kernel->inputs[by->index.input].layout;
    size_t size = dtype_table[run->kernel->inputs[2].dtype].size;
    int64_t at[TY_MAX_RANK];
    for (int64_t row = begin; row < end; row++) {
        cpu_unrank(l->rank - 1, l->shape, row, at);
        int64_t to = row * by->places * p->inner.shape[0];
        p->type->expand(
            by->places, p->inner.shape[0],
            (const int32_t *)run->index[p->further] + resample_dot(l->rank - 1, at, by->index.strides),
            run->weight[p->further] + (size_t)resample_dot(l->rank - 1, at, by->weight.strides) * size,
            p->step, p->inner.strides[0], (int32_t *)(run->scratch + p->elements) + to,
            run->scratch + p->weights + (size_t)to * size);
    }
}

/* Set p->expanded, whether tables of pixels are expanded to elements, and its workspace: if each table serves
   several rows and offsets fit 32 bits. */
static void plan_expanded(struct resample_plan *p, const struct kernel *kernel) {
    const struct layout *out = &kernel->outputs[0].layout, *l = &kernel->inputs[p->by->index.input].layout;
    int64_t tables = shape_size(l->rank - 2, l->shape), rows = shape_size(p->outer, out->shape);
    int64_t stride = p->inner.strides[0], inner = p->inner.shape[0];
    double reach = (double)p->by->size * (double)p->step + (double)inner * (double)stride;
    p->expanded = p->step >= 0 && stride >= 0 && reach < INT32_MAX && tables > 0 &&
                  rows / tables >= ROWS_WORTH_EXPANDING;
    if (!p->expanded) return;
    size_t count = (size_t)(tables * p->by->taps * p->by->places * inner);
    p->elements = p->before;
    p->weights = p->elements + cpu_per_thread(count * sizeof(int32_t));
    p->before = p->weights + cpu_per_thread(count * dtype_table[kernel->inputs[2].dtype].size);
}

/* ---- pixels ---- */

/* Rows of x selected by the outer axes' taps, to be summed into elements first .. first+n-1 of an output row. */
struct picked {
    const struct resample_run *run;
    const int64_t *index; /* of the output */
    int64_t first, n;
    char *out;
    bool more; /* out has earlier sums */
    int count;
    double weight[RESAMPLE_ROWS];
    const void *from[RESAMPLE_ROWS];
};

/* Add the picked rows of x, times their weights, to the output row, and empty the list. */
static void sum_picked(struct picked *by) {
    const struct resample_plan *p = by->run->p;
    struct resample_taps taps =
        resample_taps_at(by->run, p->further, by->index, p->merged ? 0 : by->index[p->outer]);
    p->type->pixels(by->first, by->n, p->run, &taps, by->count, by->weight, by->from, by->out, p->step,
                    p->run_strides[0], by->more);
    by->more = true;
    by->count = 0;
}

static double weight_at(const struct resample_run *run, const void *weight, int64_t i) {
    bool wide = run->kernel->inputs[2].dtype == TY_F64;
    return wide ? ((const double *)weight)[i] : (double)((const float *)weight)[i];
}

/* Pick the rows of x that the taps of outer axis k and those after it select, in all combinations. at: offset in x
   of the earlier axes' taps, in elements; weight: their product. */
static void pick_axis(struct picked *by, int k, int64_t at, double weight) {
    const struct resample_run *run = by->run;
    const struct resample_attr *attr = run->kernel->attr;
    if (k == run->p->further) {
        if (by->count == RESAMPLE_ROWS) sum_picked(by);
        by->weight[by->count] = weight;
        by->from[by->count++] = run->x[0] + at * (int64_t)run->p->size;
        return;
    }
    struct resample_taps taps = resample_taps_at(run, k, by->index, by->index[attr->axis + k]);
    int64_t stride = run->kernel->inputs[0].layout.strides[attr->axis + k];
    for (int64_t t = 0; t < taps.taps; t++) {
        double w = weight_at(run, taps.weight, t * taps.gap);
        if (w != 0) pick_axis(by, k + 1, at + taps.index[t * taps.gap] * stride, weight * w);
    }
}

/* ---- rows ---- */

/* Compute elements first .. first+n-1 of a row of READ, at index[], into out. */
static void read_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct resample_run *run = call->shared;
    const struct resample_plan *p = run->p;
    int64_t at = resample_dot(p->outer - p->further, index, call->kernel->inputs[0].layout.strides);
    if (p->picked) {
        struct resample_taps taps =
            p->expanded ? elements_at(run, index, first) : resample_taps_at(run, 0, index, first);
        const char *x = run->x[0] + at * (int64_t)p->size;
        p->type->along(n, &taps, out, x, p->expanded ? 1 : p->step, p->reach);
        return;
    }
    struct picked by; /* its lists need no initialisation */
    by.run = run, by.index = index, by.first = first, by.n = n, by.out = out;
    by.more = false, by.count = 0;
    if (!p->merged) at += resample_dot(p->inner.rank - 1, index + p->outer + 1, p->inner.strides);
    pick_axis(&by, 0, at, 1);
    if (by.count > 0 || !by.more) sum_picked(&by);
}

/* Plan READ. Rows of the output: the outer axes, then positions and inner axes. Return false with a fault on error. */
bool resample_prepare_read(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                           struct fault *fault) {
    int64_t shape[TY_MAX_RANK + 1];
    int rank = p->outer + 1;
    memcpy(shape, kernel->outputs[0].layout.shape, sizeof *shape * (size_t)rank);
    int last = p->inner.rank - 1;
    p->step = kernel->inputs[0].layout.strides[p->outer];
    p->run = last < 0 ? 1 : p->inner.shape[last];
    p->run_strides[0] = last < 0 ? 1 : p->inner.strides[last];
    p->merged = last <= 0;
    if (last == 0 && p->run < RESAMPLE_SHORT && !p->further) plan_expanded(p, kernel);
    p->picked = p->expanded || (p->along && !p->further);
    p->reach = p->along ? p->by->size : (p->by->size - 1) * p->step + (p->run - 1) * p->run_strides[0] + 1;
    if (p->merged) shape[p->outer] *= p->run;
    for (int i = 0; i < p->inner.rank && !p->merged; i++) shape[rank++] = p->inner.shape[i];
    if (!cpu_rows_prepare(&p->rows, kernel, rank, shape, 0, arena, fault)) return false;
    if (p->merged) cpu_rows_whole(&p->rows, p->run);
    return true;
}

void resample_run_read(struct resample_run *run, void *const *slots, void *workspace) {
    const struct resample_plan *p = run->p;
    const struct kernel *kernel = run->kernel;
    const struct layout *l = &kernel->inputs[p->by->index.input].layout;
    if (p->expanded)
        parallel_for(kernel->width, shape_size(l->rank - 1, l->shape), 1 + (1 << 15) / (1 + p->by->places),
                     expand_rows, run);
    cpu_rows_run(&p->rows, kernel, slots, workspace, run, read_row);
}
