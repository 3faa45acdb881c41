/*
 * Kernel kind GATHER: an output element's address in x is the sum of its moving axes and an offset from the index
 * tensors. A row of the output either has one offset and is a run of x, or runs along the indices and picks single
 * elements. Offsets that are used repeatedly, or a few at a time, are computed beforehand.
 */
#include <string.h>
#include "base/machine/cache.h"
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/index/index.h"
#include "engine/cpu/move/at_offsets.h"

enum {
    LONG_ROW = 64,  /* picks; from here on, offsets are computed on the fly */
    SHORT_RUN = 256 /* elements; rows of the output join shorter runs, one for each offset */
};

struct gather_plan {
    struct cpu_rows rows;
    struct cpu_index index;
    int64_t x[TY_MAX_RANK], block[TY_MAX_RANK]; /* strides of the rows' axes */
    bool picks, stored;
    int64_t run;                /* length of the runs of a row; 0: a row is one run */
    size_t at_offsets, at_rows; /* offsets in the workspace, after the index's scratch */
};

/* Merge the axes of shape[], in place, that step evenly in both x and the block of positions; return the new
   rank, at least 1. */
static int collapse(struct gather_plan *p, const struct kernel *kernel, int64_t *shape) {
    const struct gather_attr *attr = kernel->attr;
    int64_t same[TY_MAX_RANK];
    struct layout x = {attr->rank, 0, shape, p->x}, block = {attr->rank, 0, same, p->block};
    memcpy(same, shape, sizeof *same * (size_t)attr->rank);
    int rank = layout_collapse(2, (struct layout *[]){&x, &block});
    if (rank) return rank;
    shape[0] = 1;
    p->x[0] = p->block[0] = 0;
    return 1;
}

/* Prepare a gather: merge axes, plan runs and index tensors. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct gather_attr *attr = kernel->attr;
    const struct layout *x = &kernel->inputs[0].layout;
    struct gather_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    int64_t shape[TY_MAX_RANK + 1] = {1};
    memcpy(shape, kernel->outputs[0].layout.shape, sizeof *shape * (size_t)attr->rank);
    if (!cpu_index_prepare(&p->index, kernel, 1, x, shape, arena, fault)) return false;
    cpu_space_strides(attr, x, p->x);
    cpu_block_strides(kernel, 1, shape, p->block);
    int64_t total = shape_size(attr->rank, shape);
    int rank = collapse(p, kernel, shape);
    p->picks = p->block[rank - 1] != 0;
    if (!p->picks && rank > 1 && p->block[rank - 2] != 0 && shape[rank - 1] < SHORT_RUN &&
        p->x[rank - 1] == 1) {
        p->run = shape[--rank];
        shape[rank - 1] *= p->run;
    }
    p->stored = !p->picks || total > p->index.positions || shape[rank - 1] < LONG_ROW;
    if (!cpu_rows_prepare(&p->rows, kernel, rank, shape, p->index.scratch + CPU_TILE * sizeof(int64_t), arena,
                          fault))
        return false;
    p->at_offsets = (size_t)kernel->width * p->index.scratch;
    p->at_rows =
        p->at_offsets + (p->stored ? cpu_per_thread((size_t)p->index.positions * sizeof(int64_t)) : 0);
    kernel->workspace += p->at_rows;
    return true;
}

/* Copy n runs of `bytes` bytes to contiguous memory at `out`; run k begins k*step + offsets[k*stride] elements
   of `size` bytes from x. Vector-sized runs are moves, not calls. */
static void copy_whole(int64_t n, int64_t bytes, int64_t size, char *out, const char *x, int64_t step,
                       const int64_t *offsets, int64_t stride) {
#define RUNS(SIZE)                                                                                           \
    for (int64_t k = 0; k < n; k++)                                                                          \
    memcpy(out + k * (SIZE), x + (k * step + offsets[k * stride]) * size, (SIZE))
    switch (bytes) {
    case 8:
        RUNS(8);
        break;
    case 12:
        RUNS(12);
        break;
    case 16:
        RUNS(16);
        break;
    case 32:
        RUNS(32);
        break;
    case 64:
        RUNS(64);
        break;
    case 128:
        RUNS(128);
        break;
    default:
        RUNS((size_t)bytes);
    }
#undef RUNS
}

/* Copy elements first .. first+n-1 of a row that consists of runs of x, p->run elements each, to contiguous
   memory at `out`. offsets[] are those of the row's runs, in elements of `size` bytes. */
static void copy_runs(const struct gather_plan *p, int64_t size, const char *x, const int64_t *offsets,
                      int64_t first, int64_t n, char *out) {
    int64_t last = p->rows.rank - 1, k = first / p->run, begin = first % p->run;
    x += k * p->x[last] * size;
    offsets += k * p->block[last];
    while (n > 0) {
        int64_t count = p->run - begin < n ? p->run - begin : n, whole = begin ? 0 : n / p->run;
        if (whole > 0) {
            copy_whole(whole, p->run * size, size, out, x, p->x[last], offsets, p->block[last]);
            count = whole * p->run;
            out += count * size;
            n -= count;
            x += whole * p->x[last] * size;
            offsets += whole * p->block[last];
            continue;
        }
        cache_copy(out, x + (*offsets + begin) * size, (size_t)(count * size));
        out += count * size;
        n -= count;
        begin = 0;
        x += p->x[last] * size;
        offsets += p->block[last];
    }
}

/* Compute elements first .. first+n-1 of a row of gather, at index[], into out. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct gather_plan *p = call->kernel->prepared;
    int64_t size = (int64_t)dtype_table[call->kernel->core_dtype].size, last = p->rows.rank - 1;
    int64_t at = p->run ? 0 : first * p->x[last], position = p->run ? 0 : first * p->block[last];
    for (int64_t i = 0; i < last; i++) {
        at += index[i] * p->x[i];
        position += index[i] * p->block[i];
    }
    const char *x = operand_base(&call->kernel->inputs[0], call->slots) + at * size;
    const int64_t *offsets = (const int64_t *)call->shared + position;
    if (p->run) {
        copy_runs(p, size, x, offsets, first, n, out);
        return;
    }
    if (!p->picks) {
        struct layout run = {1, 0, &n, (int64_t *)&p->x[last]};
        cpu_collect(&run, (size_t)size, x + *offsets * size, out, 0, n);
        return;
    }
    if (!p->stored) {
        int64_t *made = (int64_t *)(call->scratch + p->index.scratch);
        cpu_index_offsets(&p->index, call->kernel, call->slots, call->scratch, position, n, made);
        offsets = made;
    }
    cpu_take((size_t)size, n, out, x, p->x[last], offsets);
}

/* Compute a gather on the addresses slots[]. Return false, with a fault, if an index is out of range. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct gather_plan *p = kernel->prepared;
    int64_t *offsets = (int64_t *)((char *)workspace + p->at_offsets);
    if (!cpu_index_check(&p->index, kernel, slots, workspace, fault)) return false;
    if (p->stored) cpu_index_all(&p->index, kernel, slots, workspace, offsets);
    cpu_rows_run(&p->rows, kernel, slots, (char *)workspace + p->at_rows, offsets, make_row);
    return true;
}

const struct cpu_kind cpu_gather = {.prepare = prepare, .launch = launch};
