/*
 * Kernel kind WINDOW_ADD, the adjoint of the window view: out[.., i*stride + r*dilation, ..] is the sum of g[.., i,
 * .., r] over all windows i and taps r at that position, in ascending r. Rows of the output are made one by one.
 * Along the windowed axis each r adds a strided run of all windows; across it a few rows of g are added. Axes on
 * either side of the windowed one merge if g steps through them evenly.
 */
#include <string.h>
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/index/update.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/kernel_lower.h"

/* The axes before and after the windowed one, collapsed. */
struct around {
    struct layout outer, inner;
};

struct window_plan {
    struct cpu_rows rows;
    struct cpu_reader reader;
    struct around around; /* of g without its last axis */
    const struct cpu_update *add;
    cpu_loop finish; /* cast from f32 to f16 or bf16; NULL: sums have the output's dtype */
    size_t size;     /* bytes of a sum */
};

/* Set out to axes begin .. end-1 of x, collapsed, in the arena. Return false if out of memory. */
static bool part_of(struct layout *out, const struct layout *x, int begin, int end, struct arena *arena) {
    struct layout part = {end - begin, 0, x->shape + begin, x->strides + begin};
    struct layout_room room;
    struct layout *copy = layout_room_init(&room, part.rank);
    layout_broadcast(&part, part.rank, part.shape, copy);
    layout_collapse(1, &copy);
    return layout_copy(out, copy, arena);
}

/* Prepare the sum of overlapping windows. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct window_attr *attr = kernel->attr;
    const struct layout *g = &kernel->inputs[0].layout;
    ty_dtype dtype = kernel->core_dtype, sum = dtype_table[dtype].computed;
    struct window_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->add = cpu_update_find(TY_SCATTER_ADD, sum);
    p->finish = sum == dtype ? NULL : cpu_loop_find(&op_cast, sum, dtype);
    p->size = dtype_table[sum].size;
    if (!p->add || (sum != dtype && !p->finish))
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine does not add %s", kernel->op->name,
                         ty_dtype_name(dtype));
    struct layout positions = {g->rank - 1, g->offset, g->shape, g->strides};
    if (!cpu_reader_prepare(&p->reader, kernel->inputs[0].dtype, sum, fault) ||
        !part_of(&p->around.outer, &positions, 0, attr->axis, arena) ||
        !part_of(&p->around.inner, &positions, attr->axis + 1, positions.rank, arena))
        return fault_memory(fault, sizeof *p);
    const struct layout *outer = &p->around.outer, *inner = &p->around.inner;
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, outer->shape, sizeof *shape * (size_t)outer->rank);
    shape[outer->rank] = attr->length;
    memcpy(shape + outer->rank + 1, inner->shape, sizeof *shape * (size_t)inner->rank);
    return cpu_rows_prepare(&p->rows, kernel, outer->rank + 1 + inner->rank, shape,
                            p->reader.scratch + cpu_per_thread(CPU_TILE * p->size), arena, fault);
}

static int64_t round_up(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : 0; }

/* Add to sums[0 .. n-1] all elements of g at positions first .. first+n-1 of a row along the windowed axis; g is at
   the row's first window. */
static void add_along(const struct window_plan *p, const struct kernel *kernel, const char *g, int64_t first,
                      int64_t n, void *scratch, char *sums) {
    const struct window_attr *attr = kernel->attr;
    const struct layout *l = &kernel->inputs[0].layout;
    int64_t windows = l->shape[attr->axis], stride = l->strides[attr->axis];
    for (int64_t r = 0; r < attr->size; r++) {
        int64_t shift = r * attr->dilation;
        int64_t begin = round_up(first - shift, attr->stride),
                end = round_up(first + n - shift, attr->stride);
        if (end > windows) end = windows;
        if (begin >= end) continue;
        const char *from = g + (begin * stride + r * l->strides[l->rank - 1]) * (int64_t)p->reader.size;
        const void *values = cpu_read(&p->reader, from, stride, end - begin, scratch);
        char *to = sums + (begin * attr->stride + shift - first) * (int64_t)p->size;
        p->add->run(end - begin, to, attr->stride, values);
    }
}

/* Add to sums[0 .. n-1] all elements of g at `position` of the windowed axis, for n elements of a row across it,
   `step` apart in g. */
static void add_across(const struct window_plan *p, const struct kernel *kernel, const char *g,
                       int64_t position, int64_t step, int64_t n, void *scratch, char *sums) {
    const struct window_attr *attr = kernel->attr;
    const struct layout *l = &kernel->inputs[0].layout;
    for (int64_t r = 0; r < attr->size; r++) {
        int64_t start = position - r * attr->dilation, window = start / attr->stride;
        if (start < 0) break;
        if (start % attr->stride || window >= l->shape[attr->axis]) continue;
        int64_t at = window * l->strides[attr->axis] + r * l->strides[l->rank - 1];
        const void *values = cpu_read(&p->reader, g + at * (int64_t)p->reader.size, step, n, scratch);
        p->add->run(n, sums, 1, values);
    }
}

/* Compute elements first .. first+n-1 of the output's row at index[] into out: sums over the windows that
   cover them. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct window_plan *p = call->kernel->prepared;
    const struct layout *outer = &p->around.outer, *inner = &p->around.inner;
    int last = inner->rank - 1;
    int64_t at = 0;
    for (int i = 0; i < outer->rank; i++) at += index[i] * outer->strides[i];
    for (int i = 0; i < last; i++) at += index[outer->rank + 1 + i] * inner->strides[i];
    if (last >= 0) at += first * inner->strides[last];
    char *sums = p->finish ? call->scratch + p->reader.scratch : out;
    const char *from = operand_base(&call->kernel->inputs[0], call->slots) + at * (int64_t)p->reader.size;
    memset(sums, 0, (size_t)n * p->size);
    if (last < 0)
        add_along(p, call->kernel, from, first, n, call->scratch, sums);
    else
        add_across(p, call->kernel, from, index[outer->rank], inner->strides[last], n, call->scratch, sums);
    if (p->finish) p->finish(n, out, sums, NULL, NULL);
}

/* Compute sums of overlapping windows on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct window_plan *p = kernel->prepared;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_window_add = {.prepare = prepare, .launch = launch};
