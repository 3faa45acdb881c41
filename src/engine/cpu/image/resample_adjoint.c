/*
 * Adjoints of resampling: ADD adds into units that threads do not share, DOT makes rows of weights. Additions run
 * over positions then taps (ADD) or row-major (DOT), for any number of threads.
 */
#include "engine/cpu/image/resample_parts.h"
#include "ops/core/kernel/kernel_lower.h"

/* Elements of a run in one unit of ADD. */
enum { PIECE = 256 };

/* ---- ADD ---- */

/* Add the updates of one unit: elements first .. first+n-1 of the last inner axis, at index[] of the outer and
   other inner axes. */
static void add_unit(const struct resample_run *run, const int64_t *index, int64_t first, int64_t n) {
    const struct resample_plan *p = run->p;
    const struct kernel *kernel = run->kernel;
    const struct layout *g = &kernel->inputs[0].layout;
    int64_t size = (int64_t)p->size, last = p->inner.rank - 1,
            inner = shape_size(p->inner.rank, p->inner.shape);
    int64_t row = 0, within = first, step = g->strides[p->outer];
    for (int i = 0; i < p->outer; i++) row = row * kernel->outputs[0].layout.shape[i] + index[i];
    int64_t from = resample_dot(p->outer, index, g->strides);
    if (!p->along) {
        int64_t block = p->inner.shape[last];
        for (int64_t i = last - 1; i >= 0; block *= p->inner.shape[i--])
            within += index[p->outer + i] * block;
        from += resample_dot((int)last, index + p->outer, p->inner.strides) + first * p->inner.strides[last];
    }
    char *out = run->out + (row * p->by->size * inner + within) * size;
    for (int64_t k = 0; k < (n == inner ? 1 : p->by->size); k++)
        memset(out + k * inner * size, 0, (size_t)((n == inner ? p->by->size * inner : n) * size));
    struct resample_taps taps = resample_taps_at(run, 0, index, 0);
    if (p->along) {
        p->type->add_along(p->by->places, &taps, out, run->x[0] + from * size, step);
        return;
    }
    size_t weight = dtype_table[kernel->inputs[2].dtype].size;
    for (int64_t i = 0; i < p->by->places; i++) {
        p->type->add_across(n, &taps, out, inner, run->x[0] + (from + i * step) * size,
                            p->inner.strides[last]);
        taps.index++;
        taps.weight = (const char *)taps.weight + weight;
    }
}

/* Add the updates of units begin .. end-1, which write separate elements. Task of parallel_for; context is a
   struct resample_run. */
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

bool resample_prepare_add(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                          struct fault *fault) {
    int last = p->inner.rank - 1;
    p->pieces = p->along ? 1 : (p->inner.shape[last] + PIECE - 1) / PIECE;
    p->units = shape_size(p->outer, kernel->inputs[0].layout.shape) * p->pieces;
    for (int i = 0; i < last; i++) p->units *= p->inner.shape[i];
    return cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault);
}

void resample_run_add(struct resample_run *run, void *const *slots, void *workspace) {
    const struct resample_plan *p = run->p;
    run->out = cpu_whole_begin(&p->whole, slots, workspace);
    if (p->whole.count > 0) parallel_for(run->kernel->width, p->units, 1, add_units, run);
    cpu_whole_end(&p->whole, run->kernel, slots, workspace);
}

/* ---- DOT ---- */

/* Compute elements first .. first+n-1 of a row of DOT, at index[], into out. */
static void dot_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                    void *out) {
    const struct resample_run *run = call->shared;
    const struct resample_plan *p = run->p;
    const struct resample_attr *attr = call->kernel->attr;
    const struct layout *g = &call->kernel->inputs[0].layout, *x = &call->kernel->inputs[1].layout;
    int64_t size = (int64_t)p->size, weight = (int64_t)dtype_table[call->kernel->core_dtype].size;
    const int32_t *places =
        (const int32_t *)run->index[0] + resample_dot(attr->batch + 1, index, p->by->index.strides) + first;
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

/* Plan DOT: gradients of weights are sums over all axes but the resampled one and those of the index. The last
   summed axis is the run if it comes after the resampled one and is not short. Return false with a fault on error. */
bool resample_prepare_dot(struct resample_plan *p, struct kernel *kernel, struct arena *arena,
                          struct fault *fault) {
    const struct resample_attr *attr = kernel->attr;
    const struct layout *from[2] = {&kernel->inputs[0].layout, &kernel->inputs[1].layout};
    const struct layout *out = &kernel->outputs[0].layout;
    struct layout_room rooms[2];
    struct layout *sums[2] = {layout_room_init(&rooms[0], 0), layout_room_init(&rooms[1], 0)};
    int last = from[0]->rank - 1;
    p->along = last == attr->axis || from[0]->shape[last] < RESAMPLE_SHORT;
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

void resample_run_dot(struct resample_run *run, void *const *slots, void *workspace) {
    cpu_rows_run(&run->p->rows, run->kernel, slots, workspace, run, dot_row);
}
