/*
 * Concat: each input is copied into its box of the output.  With an epilogue a row of the output is put
 * together from the inputs that it crosses; axes behind the joined one merge with each other, and with it,
 * when every input steps through them evenly: then rows are long.
 */
#include <string.h>
#include "base/cache.h"
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/move/copy.h"
#include "engine/cpu/elementwise/store.h"

struct concat_plan {
    struct cpu_rows rows;
    int axis; /* of the merged axes */
    struct layout *inputs;
    int64_t *starts; /* ninputs + 1: where each begins on the axis */
};

/* ---- boxes ---- */

struct boxes_plan {
    struct copy_plan *copies; /* of each input */
    int64_t *at;              /* byte of the output where its box begins */
};

static bool prepare_boxes(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct layout *out = &kernel->outputs->layout;
    int axis = *(const int32_t *)kernel->attr;
    size_t n = (size_t)kernel->ncore, size = dtype_table[kernel->core_dtype].size;
    struct boxes_plan *p = arena_alloc(arena, sizeof *p);
    kernel->prepared = p;
    if (!p || !(p->copies = arena_array(arena, n, sizeof *p->copies)) ||
        !(p->at = arena_array(arena, n, sizeof *p->at)))
        return fault_memory(fault, n * sizeof *p->copies);
    bool bypassed = cache_jumped(2 * (size_t)shape_size(out->rank, out->shape) * size), staged = false;
    int64_t start = 0;
    for (size_t i = 0; i < n; i++) {
        const struct layout *x = &kernel->inputs[i].layout;
        struct layout box = {x->rank, 0, x->shape, out->strides};
        cpu_copy_prepare(&p->copies[i], size, x, &box, bypassed);
        p->at[i] = start * out->strides[axis] * (int64_t)size;
        start += x->shape[axis];
        staged = staged || p->copies[i].staged;
    }
    kernel->width = parallel_width();
    kernel->workspace = staged ? (size_t)kernel->width * COPY_STAGE : 0;
    return true;
}

static void launch_boxes(const struct kernel *kernel, void *const *slots, char *stage) {
    const struct boxes_plan *p = kernel->prepared;
    for (int i = 0; i < kernel->ncore; i++)
        cpu_copy_run(&p->copies[i], kernel->width, operand_base(&kernel->inputs[i], slots),
                     operand_base(kernel->outputs, slots) + p->at[i], stage);
}

/* ---- rows, for an epilogue ---- */

static bool copy_inputs(struct concat_plan *p, const struct kernel *kernel, struct arena *arena) {
    size_t n = (size_t)kernel->ncore;
    p->inputs = arena_array(arena, n, sizeof *p->inputs);
    p->starts = arena_array(arena, n + 1, sizeof *p->starts);
    if (!p->inputs || !p->starts) return false;
    for (size_t i = 0; i < n; i++) {
        const struct layout *x = &kernel->inputs[i].layout;
        p->inputs[i] = *x;
        p->inputs[i].shape = arena_copy(arena, x->shape, sizeof *x->shape * (size_t)x->rank);
        p->inputs[i].strides = arena_copy(arena, x->strides, sizeof *x->strides * (size_t)x->rank);
        if (!p->inputs[i].shape || !p->inputs[i].strides) return false;
    }
    return true;
}

/* Whether axis a+1, the last, can join axis a in all inputs. */
static bool joins(const struct concat_plan *p, int n, int a) {
    for (int i = 0; i < n; i++) {
        const struct layout *x = &p->inputs[i];
        if (x->strides[a] != x->strides[a + 1] * x->shape[a + 1]) return false;
    }
    return true;
}

static void merge_axes(struct concat_plan *p, int n) {
    int rank = p->inputs[0].rank;
    while (rank > p->axis + 1 && joins(p, n, rank - 2)) {
        for (int i = 0; i < n; i++) {
            struct layout *x = &p->inputs[i];
            x->strides[rank - 2] = x->strides[rank - 1];
            x->shape[rank - 2] *= x->shape[rank - 1];
            x->rank--;
        }
        rank--;
    }
}

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    if (!kernel->program) return prepare_boxes(kernel, arena, fault);
    struct concat_plan *p = arena_alloc(arena, sizeof *p);
    if (!p || !copy_inputs(p, kernel, arena)) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->axis = *(const int32_t *)kernel->attr;
    merge_axes(p, kernel->ncore);
    for (int i = 0; i < kernel->ncore; i++) p->starts[i + 1] = p->starts[i] + p->inputs[i].shape[p->axis];
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, p->inputs[0].shape, sizeof *shape * (size_t)p->inputs[0].rank);
    shape[p->axis] = p->starts[kernel->ncore];
    return cpu_rows_prepare(&p->rows, kernel, p->inputs[0].rank, shape, 0, arena, fault);
}

/* The input that holds `position` of the axis. */
static int input_at(const struct concat_plan *p, int n, int64_t position) {
    int low = 0, high = n;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (p->starts[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Elements first .. first+n-1 of input i's own row. */
static void copy_part(const struct kernel *kernel, void *const *slots, int i, const int64_t *index,
                      int64_t first, int64_t n, char *out) {
    const struct concat_plan *p = kernel->prepared;
    const struct layout *x = &p->inputs[i];
    int last = x->rank - 1;
    int64_t at = first * x->strides[last], size = (int64_t)dtype_table[kernel->core_dtype].size;
    for (int k = 0; k < last; k++) at += (index[k] - (k == p->axis ? p->starts[i] : 0)) * x->strides[k];
    struct layout run = {1, 0, &n, &x->strides[last]};
    cpu_collect(&run, (size_t)size, operand_base(&kernel->inputs[i], slots) + at * size, out, 0, n);
}

static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct kernel *kernel = call->kernel;
    const struct concat_plan *p = kernel->prepared;
    if (p->axis < p->rows.rank - 1) {
        copy_part(kernel, call->slots, input_at(p, kernel->ncore, index[p->axis]), index, first, n, out);
        return;
    }
    char *to = out;
    for (int i = input_at(p, kernel->ncore, first); n > 0; i++) {
        int64_t count = p->starts[i + 1] - first < n ? p->starts[i + 1] - first : n;
        if (count > 0) copy_part(kernel, call->slots, i, index, first - p->starts[i], count, to);
        to += count * (int64_t)dtype_table[kernel->core_dtype].size;
        first += count;
        n -= count;
    }
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct concat_plan *p = kernel->prepared;
    if (!kernel->program) {
        launch_boxes(kernel, slots, workspace);
        return true;
    }
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_concat = {prepare, launch};
