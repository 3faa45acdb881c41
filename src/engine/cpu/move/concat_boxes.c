/*
 * Writes concatenations box by box, one step for each range of the axis (ops/shape/concat_ranges.c). The first part
 * of a range, or zeros, is copied; further parts are added by a MAP that overwrites the box.
 */
#include <string.h>
#include "base/machine/cache.h"
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/move/concat_boxes.h"
#include "engine/cpu/move/copy.h"
#include "ops/core/row_op.h"
#include "ops/core/kernel/kernel_lower.h"

struct box_step {
    int part;           /* index of the part; -1: zeros */
    int64_t from;       /* byte offset of the range in the part */
    int64_t to;         /* byte offset of the range in the result */
    struct kernel *add; /* MAP of slots 0, the box, and 1, the part; NULL: copy */
    struct copy_plan copy;
};

struct concat_boxes {
    struct box_step *steps;
    int n;
    size_t workspace;
};

static _Alignas(16) const char zeros[16];

/* Return the layout x with `count` indices on `axis`, a range of the axis of a part or of the result. It is in
   `room`, which must outlive it. */
static struct layout *range_of(struct layout_room *room, const struct layout *x, int axis, int64_t count) {
    struct layout *l = layout_room_init(room, x->rank);
    memcpy(l->shape, x->shape, sizeof *l->shape * (size_t)x->rank);
    memcpy(l->strides, x->strides, sizeof *l->strides * (size_t)x->rank);
    l->shape[axis] = count;
    return l;
}

/* Prepare the kernel that adds a part to the box of the output. Return false with a fault on error. */
static bool prepare_add(struct box_step *s, ty_dtype dtype, const struct layout *part,
                        const struct layout *box, struct arena *arena, struct fault *fault) {
    struct operand inputs[2] = {{.dtype = dtype, .layout = *box},
                                {.slot = 1, .dtype = dtype, .layout = *part}},
                   output = inputs[0];
    s->add = arena_alloc(arena, sizeof *s->add);
    if (!s->add) return fault_memory(fault, sizeof *s->add);
    return kernel_lower(s->add, ROW_OP(add), NULL, 0, 2, inputs, &output, arena, fault) &&
           cpu_map.prepare(s->add, arena, fault);
}

/* Prepare the step that copies or adds a range of a part, or zeros a range of the output. Return false
   with a fault on error. */
static bool prepare_step(struct box_step *s, const struct concat_range *range, const struct kernel *kernel,
                         const struct layout *out, struct arena *arena, struct fault *fault) {
    const struct concat_attr *attr = kernel->attr;
    int64_t size = (int64_t)dtype_table[kernel->core_dtype].size, count = range->end - range->begin;
    struct layout_room of_box, of_part;
    const struct layout *box = range_of(&of_box, out, attr->axis, count);
    const struct layout *x = range->part < 0 ? box : &kernel->inputs[range->part].layout;
    struct layout *part = range_of(&of_part, x, attr->axis, count);
    s->part = range->part;
    s->to = range->begin * out->strides[attr->axis] * size;
    if (range->part < 0)
        memset(part->strides, 0, sizeof *part->strides * (size_t)part->rank);
    else
        s->from = (range->begin - attr->start[range->part]) * x->strides[attr->axis] * size;
    if (range->adds) return prepare_add(s, kernel->core_dtype, part, box, arena, fault);
    size_t bytes = (size_t)(shape_size(out->rank, out->shape) * size);
    cpu_copy_prepare(&s->copy, (size_t)size, part, box, cache_jumped(2 * bytes));
    return true;
}

static size_t workspace_of(const struct box_step *s) {
    if (s->add) return cpu_per_thread(s->add->workspace);
    return s->copy.staged ? (size_t)parallel_width() * COPY_STAGE : 0;
}

struct concat_boxes *concat_boxes_prepare(const struct kernel *kernel, const struct layout *out,
                                          struct arena *arena, struct fault *fault) {
    const struct concat_attr *attr = kernel->attr;
    struct concat_boxes *b = arena_alloc(arena, sizeof *b);
    int64_t *sizes = arena_array(arena, (size_t)kernel->ncore + 1, sizeof *sizes);
    struct concat_range *ranges;
    for (int i = 0; sizes && i < kernel->ncore; i++) sizes[i] = kernel->inputs[i].layout.shape[attr->axis];
    if (b && sizes) b->n = concat_ranges(attr, kernel->ncore, sizes, &ranges, arena);
    if (b && sizes && b->n >= 0) b->steps = arena_array(arena, (size_t)b->n + 1, sizeof *b->steps);
    if (!b || !b->steps) {
        fault_memory(fault, (size_t)kernel->ncore * sizeof *b->steps);
        return NULL;
    }
    for (int i = 0; i < b->n; i++) {
        if (!prepare_step(&b->steps[i], &ranges[i], kernel, out, arena, fault)) return NULL;
        size_t bytes = workspace_of(&b->steps[i]);
        if (bytes > b->workspace) b->workspace = bytes;
    }
    return b;
}

size_t concat_boxes_workspace(const struct concat_boxes *boxes) { return boxes->workspace; }

void concat_boxes_run(const struct concat_boxes *boxes, const struct kernel *kernel, void *const *slots,
                      char *out, void *workspace) {
    for (int i = 0; i < boxes->n; i++) {
        const struct box_step *s = &boxes->steps[i];
        const char *from = s->part < 0 ? zeros : operand_base(&kernel->inputs[s->part], slots) + s->from;
        void *const both[] = {out + s->to, (char *)(uintptr_t)from};
        if (s->add)
            cpu_map.launch(s->add, both, workspace, NULL);
        else
            cpu_copy_run(&s->copy, kernel->width, from, out + s->to, workspace);
    }
}
