/*
 * Gather: the output is outer x index x inner.  Where there are inner axes a row is a slice of x, copied;
 * else a row runs along the indices and picks elements.
 */
#include <string.h>
#include "engine/cpu/collect.h"
#include "engine/cpu/index.h"
#include "engine/cpu/place.h"

struct gather_plan {
    struct cpu_rows rows;
    struct cpu_index index;
    struct cpu_around around;
    bool picks;
    struct cpu_plane plane;   /* when it picks */
    size_t at_index, at_rows; /* in the workspace */
};

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct gather_attr *attr = kernel->attr;
    const struct layout *x = &kernel->inputs[0].layout;
    struct gather_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    int64_t size = x->shape[attr->axis], shape[2 * TY_MAX_RANK];
    if (!cpu_index_prepare(&p->index, &kernel->inputs[1], size, arena, fault) ||
        !cpu_around_prepare(&p->around, x, attr->axis, attr->axis + 1, arena, fault))
        return false;
    const struct layout *outer = &p->around.outer, *inner = &p->around.inner;
    int rank = outer->rank;
    memcpy(shape, outer->shape, sizeof *shape * (size_t)rank);
    shape[rank++] = p->index.count;
    p->picks = inner->rank == 0;
    p->plane = (struct cpu_plane){size, size, {p->around.stride * size, p->around.stride}};
    for (int i = 0; i < inner->rank && !p->picks; i++) shape[rank++] = inner->shape[i];
    if (!cpu_rows_prepare(&p->rows, kernel, rank, shape, 0, arena, fault)) return false;
    p->at_index = p->index.scratch;
    p->at_rows = p->at_index + p->index.bytes;
    kernel->workspace += p->at_rows;
    return true;
}

static int64_t offset_of(const struct layout *l, const int64_t *index) {
    int64_t at = 0;
    for (int i = 0; i < l->rank; i++) at += index[i] * l->strides[i];
    return at;
}

static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct gather_plan *p = call->kernel->prepared;
    const int64_t *indices = call->shared, size = (int64_t)dtype_table[call->kernel->core_dtype].size;
    const struct layout *outer = &p->around.outer, *inner = &p->around.inner;
    const char *x = cpu_base(&call->kernel->inputs[0], call->slots) + offset_of(outer, index) * size;
    if (p->picks) {
        cpu_pick((size_t)size, n, out, x, 0, &p->plane, indices + first);
        return;
    }
    struct layout front = {inner->rank - 1, 0, inner->shape, inner->strides};
    int64_t at = indices[index[outer->rank]] * p->around.stride + offset_of(&front, index + outer->rank + 1);
    struct layout run = {1, 0, &n, &inner->strides[inner->rank - 1]};
    cpu_collect(&run, (size_t)size, x + (at + first * run.strides[0]) * size, out, 0, n);
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct gather_plan *p = kernel->prepared;
    int64_t *indices = (int64_t *)((char *)workspace + p->at_index);
    if (!cpu_index_read(&p->index, kernel, slots, workspace, indices, fault)) return false;
    cpu_rows_run(&p->rows, kernel, slots, (char *)workspace + p->at_rows, indices, make_row);
    return true;
}

const struct cpu_kind cpu_gather = {prepare, launch};
