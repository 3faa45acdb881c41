/*
 * Kernel kind MAP: a body over all elements. Also COPY with an epilogue: its one input is register 0, gathered by the
 * body.
 *
 * Elements are computed in the order of the outputs' memory (map_order.h), tile by tile. If an input is transposed
 * against it, each of its cache lines would be fetched for one element and evicted before the next row. Then elements
 * are computed in blocks: a few rows of that axis by a stretch of the last axis.
 */
#include <stdlib.h>
#include "base/number.h"
#include "engine/cpu/cpu.h"
#include "engine/cpu/elementwise/map_order.h"
#include "ops/core/kernel/kernel_lower.h"

enum {
    MAP_GRAIN = 32 << 10, /* elements; below, waking a thread costs more than it saves */
    BLOCK_ROWS = 16,      /* 4-byte elements of a cache line */
    BLOCK_COLUMNS = 128,  /* lines kept in cache meanwhile */
    WORTH = 8,            /* rows below which blocks do not pay */
    FAR = 512,            /* elements between rows; below, row-major order keeps the lines in cache */
};

/* Elements as [outer][rows][middle][columns]; in plain order all is one row of tiles. */
struct map_plan {
    struct cpu_body *body;
    int64_t outer, rows, middle, columns;
    int64_t block_rows, block_columns;
    size_t scratch;
};

static int64_t items_of(const struct map_plan *plan) {
    return plan->outer * ceil_div(plan->rows, plan->block_rows) * plan->middle *
           ceil_div(plan->columns, plan->block_columns);
}

/* Return an axis along which x is dense while its last axis leaves the cache line at every step; -1 if none.
   Elements have `size` bytes. Such a layout is transposed, and is read in blocks. */
static int crossing_axis(const struct layout *x, size_t size) {
    const int last = x->rank - 1;
    if (last < 1 || llabs(x->strides[last]) * (int64_t)size < CACHE_LINE) return -1;
    int64_t apart = 1; /* elements between neighbours on axis i */
    for (int i = last; i >= 0; apart *= x->shape[i--]) {
        bool dense = x->strides[i] && llabs(x->strides[i]) * (int64_t)size < CACHE_LINE;
        if (dense && x->shape[i] >= WORTH && apart >= FAR) return i;
    }
    return -1;
}

/* If an input is transposed, merge the axes for walks in blocks of rows and columns, and set the block's
   size. Return false if out of memory. */
static bool order_blocks(struct map_plan *plan, const struct kernel *kernel, struct arena *arena) {
    struct layout *copies = arena_array(arena, (size_t)kernel->ninputs, sizeof *copies);
    struct layout **all = arena_array(arena, (size_t)kernel->ninputs, sizeof *all);
    if (!copies || !all) return false;
    for (int i = 0; i < kernel->ninputs; i++) {
        if (!layout_copy(all[i] = &copies[i], &kernel->inputs[i].layout, arena)) return false;
    }
    layout_collapse(kernel->ninputs, all);
    for (int i = 0; i < kernel->ninputs; i++) {
        const struct layout *x = &copies[i];
        int axis = crossing_axis(x, dtype_table[kernel->inputs[i].dtype].size);
        if (axis < 0) continue;
        plan->outer = shape_size(axis, x->shape);
        plan->rows = x->shape[axis];
        plan->middle = shape_size(x->rank - axis - 2, x->shape + axis + 1);
        plan->columns = x->shape[x->rank - 1];
        plan->block_rows = BLOCK_ROWS;
        plan->block_columns = BLOCK_COLUMNS;
        break;
    }
    return true;
}

/* Prepare a map: its body, and the order and size of its pieces of work. Return false with a fault on
   error. */
static bool map_prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct map_plan *plan = arena_alloc(arena, sizeof *plan);
    struct kernel turned;
    if (!plan || !map_order(kernel, &turned, arena)) return fault_memory(fault, sizeof *plan);
    int64_t size = shape_size(kernel->outputs->layout.rank, kernel->outputs->layout.shape);
    plan->body = cpu_body_prepare(kernel->program, false, kernel->core_dtype, kernel->ninputs, turned.inputs,
                                  kernel->noutputs, turned.outputs, arena, fault);
    if (!plan->body) return false;
    plan->outer = plan->rows = plan->middle = plan->block_rows = 1;
    plan->columns = size;
    plan->block_columns = cpu_tile;
    if (size > 0 && cpu_body_gathers(plan->body) && !order_blocks(plan, &turned, arena))
        return fault_memory(fault, sizeof *plan);
    int64_t ranges = size / cpu_parted(MAP_GRAIN), width = parallel_width();
    kernel->width = (int)(ranges < 1 ? 1 : ranges < width ? ranges : width);
    plan->scratch = cpu_body_scratch(plan->body);
    kernel->workspace = plan->scratch * (size_t)kernel->width;
    kernel->prepared = plan;
    return true;
}

struct map_run {
    const struct map_plan *plan;
    void *const *slots;
    char *workspace;
};

static char *scratch_of(const struct map_run *run) {
    return run->workspace ? run->workspace + (size_t)parallel_index() * run->plan->scratch : NULL;
}

/* Compute tiles begin .. end-1 of a map. Task of parallel_for; context is a struct map_run. */
static void map_tiles(void *context, int64_t begin, int64_t end) {
    const struct map_run *run = context;
    int64_t start = begin * cpu_tile, n = end * cpu_tile - start;
    if (n > run->plan->columns - start) n = run->plan->columns - start;
    cpu_body_run(run->plan->body, run->slots, scratch_of(run), NULL, start, n);
}

/* Task: compute all elements of a small map in one call; begin and end are ignored. */
static void map_all(void *context, int64_t begin, int64_t end) {
    const struct map_run *run = context;
    (void)begin, (void)end;
    cpu_body_run(run->plan->body, run->slots, run->workspace, NULL, 0, run->plan->columns);
}

/* Compute block `item` (0-based) of the map. Items go along rows first, so that the transposed input stays on its
   pages. */
static void map_block(const struct map_run *run, int64_t item) {
    const struct map_plan *plan = run->plan;
    int64_t across = ceil_div(plan->columns, plan->block_columns),
            down = ceil_div(plan->rows, plan->block_rows);
    int64_t row = item % down * plan->block_rows, column = item / down % across * plan->block_columns;
    int64_t rest = item / down / across, middle = rest % plan->middle, outer = rest / plan->middle;
    int64_t n = plan->columns - column, last = row + plan->block_rows;
    if (n > plan->block_columns) n = plan->block_columns;
    for (; row < plan->rows && row < last; row++) {
        int64_t start = ((outer * plan->rows + row) * plan->middle + middle) * plan->columns + column;
        cpu_body_run(plan->body, run->slots, scratch_of(run), NULL, start, n);
    }
}

static void map_blocks(void *context, int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; item++) map_block(context, item);
}

/* Compute a map on the addresses slots[], by its plan's pieces of work on all threads. Always true. */
static bool map_launch(const struct kernel *kernel, void *const *slots, void *workspace,
                       struct fault *fault) {
    (void)fault;
    struct map_run run = {kernel->prepared, slots, workspace};
    const struct map_plan *plan = run.plan;
    bool small = plan->columns < 2 * cpu_parted(MAP_GRAIN);
    if (kernel->width == 1 && plan->block_rows == 1 && small) {
        parallel_for(1, 1, 1, map_all, &run);
        return true;
    }
    int64_t grain = cpu_parted(MAP_GRAIN) / (plan->block_rows * plan->block_columns);
    parallel_for(kernel->width, items_of(plan), grain, plan->block_rows > 1 ? map_blocks : map_tiles, &run);
    return true;
}

const struct cpu_kind cpu_map = {.prepare = map_prepare, .launch = map_launch};
