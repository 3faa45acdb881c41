/*
 * Kernel kind SCATTER: copies the target, then combines every update at the address of its moving axes plus an offset
 * from the index tensors. Axes of the space that move an axis of the output are *owned*: updates that differ there
 * never share an element. The others are *shared*. Units of work divide owned axes among threads. Each unit walks all
 * shared axes in row-major order, so bits do not depend on threads.
 */
#include <stdatomic.h>
#include "base/context/stop.h"
#include <string.h>
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/index/index.h"
#include "engine/cpu/index/update.h"
#include "ops/core/kernel/kernel_lower.h"

enum {
    LEAST_PIECE = 64,    /* elements of an owned run; from here on, re-reading all indices does not matter */
    UNIT_WORK = 1 << 15, /* elements that repay waking a thread */
    LONG_RUN = 64,
    LOOK_RUNS = 64, /* runs of updates between two looks for requests to stop */
    TILES_A_RANGE = 16,
    FEW_PLACES = 4096, /* output elements that stay in L1 */
    UPDATES_A_PLACE = 4
};

struct scatter_plan {
    struct cpu_whole whole;
    struct cpu_index index;
    struct cpu_reader target, updates;
    const struct cpu_update *update;
    struct layout target_layout; /* collapsed, rank >= 1 */
    /* The space, collapsed: strides in the output, the updates, and the block. */
    struct layout out, from, block;
    int owned, shared; /* number of owned and shared axes, without the last axis of the space */
    int owned_axis[TY_MAX_RANK], shared_axis[TY_MAX_RANK];
    int64_t units, pieces, piece; /* cutting of an owned last axis */
    bool last_owned, picks, stored;
    int64_t parts;      /* parts of the updates, for small outputs; 0: not used */
    size_t part_stride; /* bytes between the sums of consecutive parts */
    size_t at_threads, at_whole, scratch, at_made;
};

/* Set p->out, p->from and p->block to layouts of output, updates and index block along the updates' axes,
   collapsed alike; p->target_layout to that of the target. All are in the arena. Return false if out of
   memory. */
static bool collapse(struct scatter_plan *p, const struct kernel *kernel, struct arena *arena) {
    static int64_t one = 1, none = 0;
    const struct gather_attr *attr = kernel->attr;
    const struct layout *updates = &kernel->inputs[1].layout, *target = &kernel->inputs[0].layout;
    struct layout_room rooms[4], sums;
    struct layout *space[3] = {layout_room_init(&rooms[0], attr->rank),
                               layout_room_init(&rooms[1], attr->rank),
                               layout_room_init(&rooms[2], attr->rank)},
                  *x = layout_room_init(&rooms[3], target->rank), single = {1, 0, &one, &none};
    layout_broadcast(target, target->rank, target->shape, x);
    for (int i = 0; i < 3; i++) layout_broadcast(updates, attr->rank, updates->shape, space[i]);
    cpu_space_strides(attr, cpu_whole_layout(kernel, &sums), space[0]->strides);
    cpu_block_strides(kernel, 2, updates->shape, space[2]->strides);
    int rank = layout_collapse(3, space);
    layout_collapse(1, &x);
    return layout_copy(&p->out, rank ? space[0] : &single, arena) &&
           layout_copy(&p->from, rank ? space[1] : &single, arena) &&
           layout_copy(&p->block, rank ? space[2] : &single, arena) &&
           layout_copy(&p->target_layout, x->rank ? x : &single, arena);
}

/* Plan units of work, which threads do not share: whole rows of the output's axes, for about `width` threads. The
   last axis is cut if it is long or the only one. */
static void plan_units(struct scatter_plan *p, int width) {
    int last = p->out.rank - 1;
    int64_t rows = 1, length = p->out.shape[last], work = shape_size(p->out.rank, p->out.shape);
    for (int i = 0; i < last; i++) {
        bool owned = p->out.strides[i] != 0;
        if (owned) rows *= p->out.shape[i];
        if (owned)
            p->owned_axis[p->owned++] = i;
        else
            p->shared_axis[p->shared++] = i;
    }
    p->last_owned = p->out.strides[last] != 0;
    p->picks = p->block.strides[last] != 0;
    p->pieces = p->last_owned ? (length + cpu_tile - 1) / cpu_tile : 1;
    if (p->last_owned && work >= UNIT_WORK && rows * p->pieces < width && rows > 0) {
        int64_t most = (length + LEAST_PIECE - 1) / LEAST_PIECE, wanted = (width + rows - 1) / rows;
        p->pieces = wanted < most ? wanted : most;
    }
    if (p->pieces < 1) p->pieces = 1;
    p->piece = (length + p->pieces - 1) / p->pieces;
    p->units = work ? rows * p->pieces : 0;
}

/* Plan parts of the updates that threads sum in copies of the output, if that is a short vector and
   updates are many. */
static void plan_parts(struct scatter_plan *p, ty_scatter_mode mode, int width) {
    int64_t n = p->out.shape[p->out.rank - 1], most = n / UNIT_WORK + 1;
    if (mode != TY_SCATTER_ADD || p->out.rank != 1 || p->last_owned || !p->picks) return;
    if (n == 0 || p->whole.count > FEW_PLACES || n / UPDATES_A_PLACE < p->whole.count) return;
    bool any_order = dtype_is(p->whole.dtype, CLASS_INTEGER);
    p->parts = !any_order ? 1 : most < width ? most : width;
    p->part_stride = cpu_per_thread((size_t)p->whole.count * dtype_table[p->whole.dtype].size);
}

/* Prepare a scatter: merged axes, units or parts, index tensors and scratch. Return false with a fault on
   error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct gather_attr *attr = kernel->attr;
    const struct layout *updates = &kernel->inputs[1].layout;
    struct scatter_plan *p = arena_alloc(arena, sizeof *p);
    struct layout_room sums;
    if (!p || !collapse(p, kernel, arena)) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    ty_dtype dtype =
        attr->mode == TY_SCATTER_SET ? kernel->core_dtype : dtype_table[kernel->core_dtype].computed;
    if (!cpu_whole_prepare(&p->whole, kernel, dtype, arena, fault) ||
        !cpu_index_prepare(&p->index, kernel, 2, cpu_whole_layout(kernel, &sums), updates->shape, arena,
                           fault) ||
        !cpu_reader_prepare(&p->target, kernel->inputs[0].dtype, dtype, fault) ||
        !cpu_reader_prepare(&p->updates, kernel->inputs[1].dtype, dtype, fault))
        return false;
    p->update = cpu_update_find((ty_scatter_mode)attr->mode, dtype);
    if (!p->update)
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine has no such update of %s",
                         kernel->op->name, ty_dtype_name(dtype));
    plan_units(p, kernel->width);
    plan_parts(p, (ty_scatter_mode)attr->mode, kernel->width);
    p->stored =
        !p->picks || shape_size(p->out.rank, p->out.shape) > p->index.positions || p->piece < LONG_RUN;
    p->at_made = p->updates.scratch + p->index.scratch;
    p->scratch = p->at_made + CPU_TILE * sizeof(int64_t);
    if (p->scratch < p->target.scratch) p->scratch = p->target.scratch;
    p->at_threads = p->stored ? cpu_per_thread((size_t)p->index.positions * sizeof(int64_t)) : 0;
    if (p->parts) p->at_threads = (size_t)p->parts * p->part_stride;
    p->at_whole = p->at_threads + (size_t)kernel->width * p->scratch;
    kernel->workspace += p->at_whole;
    return true;
}

struct scatter_run {
    const struct scatter_plan *p;
    const struct kernel *kernel;
    void *const *slots;
    const int64_t *offsets; /* NULL unless stored */
    char *out, *scratch;
    int64_t size; /* bytes of an output element while it is computed */
};

/* Copy tiles begin .. end-1 of the target to the output, cast to the dtype of the sums. Task of parallel_for;
   context is a struct scatter_run. */
static void copy_tiles(void *context, int64_t begin, int64_t end) {
    const struct scatter_run *run = context;
    const struct scatter_plan *p = run->p;
    const char *target = operand_base(&run->kernel->inputs[0], run->slots);
    char *scratch = run->scratch + (size_t)parallel_index() * p->scratch;
    for (int64_t start = begin * cpu_tile; start < end * cpu_tile && start < p->whole.count;
         start += cpu_tile) {
        int64_t n = p->whole.count - start < cpu_tile ? p->whole.count - start : cpu_tile;
        char *to = run->out + start * run->size, *values = p->target.cast ? scratch : to;
        cpu_collect(&p->target_layout, p->target.size, target, values, start, n);
        if (p->target.cast) p->target.cast(n, to, values, NULL, NULL);
    }
}

/* A run of the last axis: its offset in output, updates and block. */
struct scatter_at {
    int64_t at[3];
};

/* Combine n updates along the last axis, from `where` on, into the output, tile by tile. */
static void update_run(const struct scatter_run *run, char *scratch, struct scatter_at where, int64_t n) {
    const struct scatter_plan *p = run->p;
    int last = p->out.rank - 1;
    int64_t step = p->out.strides[last], from_step = p->from.strides[last], n_tile;
    const char *from =
        operand_base(&run->kernel->inputs[1], run->slots) + where.at[1] * (int64_t)p->updates.size;
    char *to = run->out + where.at[0] * run->size;
    for (int64_t k = 0; k < n && !(k && stop_cut()); k += n_tile) {
        n_tile = n - k < cpu_tile ? n - k : cpu_tile;
        const void *values = cpu_read(&p->updates, from + k * from_step * (int64_t)p->updates.size, from_step,
                                      n_tile, scratch);
        const int64_t *offsets = run->offsets + where.at[2] + (p->picks ? k : 0);
        if (!p->stored) {
            int64_t *made = (int64_t *)(scratch + p->at_made);
            cpu_index_offsets(&p->index, run->kernel, run->slots, scratch + p->updates.scratch,
                              where.at[2] + k, n_tile, made);
            offsets = made;
        }
        char *first = to + k * step * run->size;
        if (p->picks)
            p->update->at(n_tile, first, step, offsets, values);
        else
            p->update->run(n_tile, first + *offsets * run->size, step, values);
    }
}

/* Combine all updates of unit `unit` (0-based) into the output, in row-major order of the shared axes.
   scratch: run->p->scratch bytes of the calling thread. */
static void update_unit(const struct scatter_run *run, char *scratch, int64_t unit) {
    const struct scatter_plan *p = run->p;
    const struct layout *l[3] = {&p->out, &p->from, &p->block};
    int last = p->out.rank - 1;
    int64_t first = unit % p->pieces * p->piece, n = p->out.shape[last] - first, row = unit / p->pieces;
    struct scatter_at where;
    int64_t shape[TY_MAX_RANK], steps[3][TY_MAX_RANK];
    if (n > p->piece) n = p->piece;
    for (int k = 0; k < 3; k++) where.at[k] = first * l[k]->strides[last];
    for (int i = p->owned - 1; i >= 0; i--) {
        int axis = p->owned_axis[i];
        for (int k = 0; k < 3; k++) where.at[k] += row % p->out.shape[axis] * l[k]->strides[axis];
        row /= p->out.shape[axis];
    }
    for (int i = 0; i < p->shared; i++) {
        shape[i] = p->out.shape[p->shared_axis[i]];
        for (int k = 0; k < 3; k++) steps[k][i] = l[k]->strides[p->shared_axis[i]];
    }
    struct odometer walk = {.rank = p->shared, .shape = shape};
    int64_t turn = 0;
    do update_run(run, scratch, where, n);
    while (!(++turn % LOOK_RUNS == 0 && stop_cut()) &&
           odometer_next(&walk, 3, (const int64_t *[]){steps[0], steps[1], steps[2]}, where.at));
}

static void update_units(void *context, int64_t begin, int64_t end) {
    const struct scatter_run *run = context;
    char *scratch = run->scratch + (size_t)parallel_index() * run->p->scratch;
    for (int64_t unit = begin; unit < end; unit++) update_unit(run, scratch, unit);
}

/* ---- small outputs ---- */

struct parts_run {
    const struct scatter_run *run;
    char *sums; /* sums of the first part */
    _Atomic bool bad;
};

/* Add the updates of part `part` to its own copy of the output; sets parts->bad if an index is out of
   range. */
static void add_part(struct parts_run *parts, char *scratch, int64_t part) {
    const struct scatter_run *run = parts->run;
    const struct scatter_plan *p = run->p;
    const char *from = operand_base(&run->kernel->inputs[1], run->slots);
    int64_t n = p->out.shape[0], length = (n + p->parts - 1) / p->parts, step = p->from.strides[0], n_tile;
    int64_t end = (part + 1) * length < n ? (part + 1) * length : n,
            *made = (int64_t *)(scratch + p->at_made);
    char *sums = parts->sums + (size_t)part * p->part_stride;
    const void *values = step ? NULL : cpu_read(&p->updates, from, 0, CPU_TILE, scratch);
    if (part)
        memset(sums, 0, (size_t)(p->whole.count * run->size)); /* the first part starts with the target */
    for (int64_t k = part * length; k < end && !stop_cut(); k += n_tile) {
        n_tile = end - k < cpu_tile ? end - k : cpu_tile;
        if (step)
            values = cpu_read(&p->updates, from + k * step * (int64_t)p->updates.size, step, n_tile, scratch);
        if (!cpu_index_try(&p->index, run->kernel, run->slots, scratch + p->updates.scratch, k, n_tile,
                           made)) {
            parts->bad = true;
            return;
        }
        p->update->at(n_tile, sums, 0, made, values);
    }
}

/* Add parts begin .. end-1 to their copies of the output. Task of parallel_for; context is a struct parts_run. */
static void add_parts(void *context, int64_t begin, int64_t end) {
    struct parts_run *parts = context;
    const struct scatter_run *run = parts->run;
    char *scratch = run->scratch + (size_t)parallel_index() * run->p->scratch;
    for (int64_t part = begin; part < end; part++) add_part(parts, scratch, part);
}

/* Sum the updates in parts (part 0 in `sums`, the others after it), add the parts in order, and store; `rest` is
   workspace for that. Return false, with a fault, if an index is out of range. */
static bool launch_parts(struct scatter_run *run, char *sums, char *rest, struct fault *fault) {
    const struct scatter_plan *p = run->p;
    struct parts_run parts = {.run = run, .sums = sums};
    run->out = sums;
    copy_tiles(run, 0, (p->whole.count + cpu_tile - 1) / cpu_tile);
    parallel_for(run->kernel->width, p->parts, 1, add_parts, &parts);
    if (stop_cut()) return true;
    if (parts.bad) return cpu_index_check(&p->index, run->kernel, run->slots, run->scratch, fault);
    for (int64_t part = 1; part < p->parts; part++)
        p->update->run(p->whole.count, sums, 1, sums + (size_t)part * p->part_stride);
    memcpy(cpu_whole_begin(&p->whole, run->slots, rest), sums, (size_t)(p->whole.count * run->size));
    cpu_whole_end(&p->whole, run->kernel, run->slots, rest);
    return true;
}

/* Compute a scatter on the addresses slots[]. Return false, with a fault, if an index is out of range. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct scatter_plan *p = kernel->prepared;
    char *base = workspace, *rest = base + p->at_whole;
    struct scatter_run run = {
        p, kernel, slots, workspace, NULL, base + p->at_threads, (int64_t)dtype_table[p->whole.dtype].size};
    if (p->parts) return launch_parts(&run, base, rest, fault);
    if (!cpu_index_check(&p->index, kernel, slots, base + p->at_threads, fault)) return false;
    if (p->stored) cpu_index_all(&p->index, kernel, slots, base + p->at_threads, workspace);
    run.out = cpu_whole_begin(&p->whole, slots, rest);
    bool in_place = run.out == operand_base(&kernel->inputs[0], slots);
    if (!in_place)
        parallel_for(kernel->width, (p->whole.count + cpu_tile - 1) / cpu_tile, TILES_A_RANGE, copy_tiles,
                     &run);
    int64_t work = p->units ? shape_size(p->out.rank, p->out.shape) / p->units : 0;
    int64_t grain = work < UNIT_WORK ? UNIT_WORK / 2 / (work + 1) + 1 : 1;
    parallel_for(kernel->width, p->units, grain, update_units, &run);
    cpu_whole_end(&p->whole, kernel, slots, rest);
    return true;
}

const struct cpu_kind cpu_scatter = {.prepare = prepare, .launch = launch};
