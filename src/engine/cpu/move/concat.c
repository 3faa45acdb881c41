/*
 * Kernel kind CONCAT: copies each input into its box of the output (concat_boxes.c). With an epilogue, rows of the
 * output are assembled from the inputs that they cross. Axes behind the joined one merge if every input steps through
 * them evenly, which makes rows long. If inputs are added or leave gaps, the boxes are made in separate memory before
 * the epilogue.
 */
#include <string.h>
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/move/concat_boxes.h"

struct concat_plan {
    struct cpu_rows rows;
    struct cpu_whole whole;
    struct concat_boxes *boxes; /* NULL: uses rows */
    int axis;                   /* index among the merged axes */
    struct layout *inputs;
    int64_t *starts; /* ninputs + 1: start of each input on the axis */
};

/* ---- rows, for an epilogue ---- */

/* Copy the layouts of the parts and their starts to the plan. Return false if out of memory. */
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

/* Return true if axes a and a+1 (0-based) merge: each of the n inputs steps through both evenly. */
static bool joins(const struct concat_plan *p, int n, int a) {
    for (int i = 0; i < n; i++) {
        const struct layout *x = &p->inputs[i];
        if (x->strides[a] != x->strides[a + 1] * x->shape[a + 1]) return false;
    }
    return true;
}

/* Merge axes behind the concatenated one that all n inputs step through evenly. */
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

/* Return true if the parts cover the axis one after the other, without gaps or overlaps. */
static bool side_by_side(const struct kernel *kernel) {
    const struct concat_attr *attr = kernel->attr;
    int64_t end = 0;
    for (int i = 0; i < kernel->ncore; i++)
        if (!concat_goes_on(attr, i, kernel->inputs[i].layout.shape[attr->axis], &end)) return false;
    return end == attr->length;
}

/* Prepare the boxes of the concatenation for a kernel with an epilogue, made in separate memory. The workspace of
   sums and epilogue follows that of the boxes. Return false with a fault on error. */
static bool prepare_whole(struct concat_plan *p, struct kernel *kernel, struct arena *arena,
                          struct fault *fault) {
    struct layout_room dense;
    if (!cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault)) return false;
    if (!(p->boxes = concat_boxes_prepare(kernel, cpu_whole_layout(kernel, &dense), arena, fault)))
        return false;
    kernel->workspace += concat_boxes_workspace(p->boxes);
    return true;
}

/* Prepare a concatenation with an epilogue by rows of the output. Return false with a fault on error. */
static bool prepare_rows(struct concat_plan *p, struct kernel *kernel, struct arena *arena,
                         struct fault *fault) {
    if (!copy_inputs(p, kernel, arena)) return fault_memory(fault, sizeof *p);
    p->axis = ((const struct concat_attr *)kernel->attr)->axis;
    merge_axes(p, kernel->ncore);
    for (int i = 0; i < kernel->ncore; i++) p->starts[i + 1] = p->starts[i] + p->inputs[i].shape[p->axis];
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, p->inputs[0].shape, sizeof *shape * (size_t)p->inputs[0].rank);
    shape[p->axis] = p->starts[kernel->ncore];
    return cpu_rows_prepare(&p->rows, kernel, p->inputs[0].rank, shape, 0, arena, fault);
}

/* Prepare a concatenation: by boxes, by rows, or for overlapping parts with an epilogue as a whole. Return
   false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct concat_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (kernel->program && side_by_side(kernel)) return prepare_rows(p, kernel, arena, fault);
    if (kernel->program) return prepare_whole(p, kernel, arena, fault);
    if (!(p->boxes = concat_boxes_prepare(kernel, &kernel->outputs->layout, arena, fault))) return false;
    kernel->width = parallel_width();
    kernel->workspace = concat_boxes_workspace(p->boxes);
    return true;
}

/* Return the index of the input, of n, that holds index `position` of the concatenated axis. */
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

/* Copy elements first .. first+n-1 of the row of input i at index[] to `out`. index[] are the indices in the
   output; `first` counts in the input's row. */
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

/* Compute elements first .. first+n-1 of the output's row at index[] into out. */
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

/* Compute a concatenation on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct concat_plan *p = kernel->prepared;
    if (!p->boxes) {
        cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    } else if (!kernel->program) {
        concat_boxes_run(p->boxes, kernel, slots, operand_base(kernel->outputs, slots), workspace);
    } else {
        char *rest = (char *)workspace + concat_boxes_workspace(p->boxes);
        concat_boxes_run(p->boxes, kernel, slots, cpu_whole_begin(&p->whole, slots, rest), workspace);
        cpu_whole_end(&p->whole, kernel, slots, rest);
    }
    return true;
}

const struct cpu_kind cpu_concat = {.prepare = prepare, .launch = launch};
