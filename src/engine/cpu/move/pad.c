/*
 * Kernel kind PAD: a row of the output is the padding value, a run of x (spread if there is inner padding), and the
 * value again. An unpadded axis merges with the one before it if x steps through both evenly.
 */
#include <tyto/shape.h>
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/elementwise/store.h"

struct pad_plan {
    struct cpu_rows rows;
    int rank;                                         /* number of merged axes */
    int64_t shape[TY_MAX_RANK], strides[TY_MAX_RANK]; /* of x */
    ty_padding padding[TY_MAX_RANK];
};

/* Merge unpadded axes of x that step evenly with those before them. */
static void merge_axes(struct pad_plan *p, const struct kernel *kernel) {
    const struct layout *x = &kernel->inputs[0].layout;
    const ty_padding *padding = kernel->attr;
    for (int i = 0; i < x->rank; i++) {
        int last = p->rank - 1;
        bool plain = !padding[i].low && !padding[i].high && !padding[i].inner;
        bool merge =
            p->rank && plain && !p->padding[last].inner && p->strides[last] == x->strides[i] * x->shape[i];
        int64_t n = x->shape[i];
        if (merge) {
            p->shape[last] *= n;
            p->strides[last] = x->strides[i];
            p->padding[last].low *= n;
            p->padding[last].high *= n;
            continue;
        }
        p->shape[p->rank] = n;
        p->strides[p->rank] = x->strides[i];
        p->padding[p->rank++] = padding[i];
    }
}

/* Prepare padding: merged axes and rows of the output. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct pad_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    int64_t shape[TY_MAX_RANK];
    merge_axes(p, kernel);
    for (int i = 0; i < p->rank; i++) {
        int64_t between = p->shape[i] > 1 ? (p->shape[i] - 1) * p->padding[i].inner : 0;
        shape[i] = p->shape[i] + between + p->padding[i].low + p->padding[i].high;
    }
    return cpu_rows_prepare(&p->rows, kernel, p->rank, shape, CPU_TILE * dtype_table[kernel->core_dtype].size,
                            arena, fault);
}

/* Return the index in x of index `position` of the output on axis i; -1 for padding. */
static int64_t element_at(const struct pad_plan *p, int i, int64_t position) {
    int64_t at = position - p->padding[i].low, step = p->padding[i].inner + 1;
    return at < 0 || at % step || at / step >= p->shape[i] ? -1 : at / step;
}

/* Write elements begin .. begin+count-1 of x's row, whose element 0 is at `from`, to `out`, with gaps between them
   if there is inner padding. Elements have `size` bytes. */
static void put_run(const struct pad_plan *p, size_t size, const char *from, int64_t begin, int64_t count,
                    char *out, char *scratch) {
    int last = p->rank - 1;
    int64_t step = p->padding[last].inner + 1;
    struct layout run = {1, 0, &count, (int64_t *)&p->strides[last]};
    from += begin * p->strides[last] * (int64_t)size;
    if (step == 1) {
        cpu_collect(&run, size, from, out, 0, count);
        return;
    }
    cpu_collect(&run, size, from, scratch, 0, count);
    cpu_spread(size, count, out, step, scratch);
}

/* Compute elements first .. first+n-1 of the output's row at index[] into out: padding around elements of
   x. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct kernel *kernel = call->kernel;
    const struct pad_plan *p = kernel->prepared;
    size_t size = dtype_table[kernel->core_dtype].size;
    const char *x = operand_base(&kernel->inputs[0], call->slots),
               *value = operand_base(&kernel->inputs[1], call->slots);
    int last = p->rank - 1;
    bool inside = true;
    for (int i = 0; i < last && inside; i++) {
        int64_t element = element_at(p, i, index[i]);
        inside = element >= 0;
        x += element * p->strides[i] * (int64_t)size;
    }
    if (last < 0) {
        cpu_fill(size, x, out, 1);
        return;
    }
    int64_t step = p->padding[last].inner + 1, start = first - p->padding[last].low;
    int64_t begin = start > 0 ? (start + step - 1) / step : 0,
            end = start + n > 0 ? (start + n + step - 1) / step : 0;
    if (end > p->shape[last]) end = p->shape[last];
    if (!inside || begin >= end) {
        cpu_fill(size, value, out, n);
        return;
    }
    int64_t low = begin * step - start, high = (end - 1) * step - start + 1;
    if (step > 1) low = 0, high = n; /* fills the gaps as well, first */
    cpu_fill(size, value, out, step > 1 ? n : low);
    cpu_fill(size, value, (char *)out + high * (int64_t)size, n - high);
    put_run(p, size, x, begin, end - begin, (char *)out + (begin * step - start) * (int64_t)size,
            call->scratch);
}

/* Compute a padding on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct pad_plan *p = kernel->prepared;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_pad = {.prepare = prepare, .launch = launch};
