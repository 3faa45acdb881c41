/*
 * MAP and COPY: a body over all elements, in ranges of whole tiles.  A copy is a map without a program
 * (or with an epilogue, whose register 0 is the one input): the body gathers its input.
 */
#include "engine/cpu/cpu.h"

/* Elements below which waking a thread costs more than it saves. */
enum { MAP_GRAIN = 32 << 10 };

struct map_plan {
    struct cpu_body *body;
    int64_t size;
    size_t scratch;
};

static bool map_prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct map_plan *plan = arena_alloc(arena, sizeof *plan);
    if (!plan) return fault_memory(fault, sizeof *plan);
    plan->body = cpu_body_prepare(kernel->program, false, kernel->core_dtype, kernel->ninputs, kernel->inputs,
                                  kernel->noutputs, kernel->outputs, arena, fault);
    if (!plan->body) return false;
    plan->size = shape_size(kernel->outputs->layout.rank, kernel->outputs->layout.shape);
    plan->scratch = cpu_body_scratch(plan->body);
    int64_t ranges = plan->size / MAP_GRAIN;
    kernel->width = ranges < 1 ? 1 : parallel_width();
    if (kernel->width > ranges && ranges > 0) kernel->width = (int)ranges;
    kernel->workspace = plan->scratch * (size_t)kernel->width;
    kernel->prepared = plan;
    return true;
}

struct map_run {
    const struct map_plan *plan;
    void *const *slots;
    char *workspace;
};

static void map_tiles(void *context, int64_t begin, int64_t end) {
    const struct map_run *run = context;
    const struct map_plan *plan = run->plan;
    int64_t start = begin * CPU_TILE, n = end * CPU_TILE - start;
    if (n > plan->size - start) n = plan->size - start;
    char *scratch = run->workspace ? run->workspace + (size_t)parallel_index() * plan->scratch : NULL;
    cpu_body_run(plan->body, run->slots, scratch, NULL, start, n);
}

static bool map_launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    struct map_run run = {kernel->prepared, slots, workspace};
    int64_t tiles = (run.plan->size + CPU_TILE - 1) / CPU_TILE;
    parallel_for(kernel->width, tiles, MAP_GRAIN / CPU_TILE, map_tiles, &run);
    return true;
}

const struct cpu_kind cpu_map = {map_prepare, map_launch};
const struct cpu_kind cpu_copy = {map_prepare, map_launch};
