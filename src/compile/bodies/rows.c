/*
 * Rows kernels: the kernels of a group, prepared for a few rows, run on one block of rows after the other;
 * threads share the blocks. A block is small enough for its data to stay in the second-level cache.
 *
 * Rows are the indices of the first axes. Blocks are ranges along one of them, the outermost that allows this
 * size.
 */
#include <stdatomic.h>
#include "array/box.h"
#include "base/machine/cache.h"
#include "base/machine/levels.h"
#include "base/number.h"
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "compile/passes/rows.h"
#include "ops/core/attributes.h"
#include "ops/core/guard.h"
#include "compile/routine.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/kernel/operand.h"

enum { BLOCKS_A_THREAD = 4 }; /* balances the threads */

/* The group's kernels, prepared for one block size. */
struct blocks {
    struct flow flow;
    struct memory_plan plan;
};

/* Prepared group; memory is of the program's arena. */
struct rows_plan {
    int axis; /* the axis along which blocks are cut */
    /* number of rows: outer (axes before `axis`) * length; rows in a block: height */
    int64_t outer, length, height;
    int64_t blocks_a_row;   /* blocks per outer index */
    struct blocks sizes[2]; /* blocks of `height` rows, and the last one if it is smaller */
    size_t slots, bytes;    /* bytes of a thread's table of slots; bytes of its whole workspace */
    int64_t *steps;         /* byte strides of inputs, then outputs, along axes 0 .. axis */
    struct inside inside[2];
};

/* ---- preparation ---- */

/* Return the bytes, of all blocks of the group, that belong to one index of `axis`, all later axes included;
   each block counts once. */
static int64_t bytes_of(const struct kernel *k, const struct rows_attr *a, int axis) {
    int64_t bytes = 0, rows = shape_size(axis + 1, a->shape);
    for (int i = 0; i < k->ninputs; i++) bytes += rows_bytes(&k->inputs[i], axis + 1);
    for (int b = k->ninputs; b < a->nblocks; b++)
        bytes += a->blocks[b].size / rows * (int64_t)dtype_table[a->blocks[b].dtype].size;
    return bytes;
}

/* Choose the axis along which rows are cut into blocks, and the height of the blocks in rows, into *p. */
static void choose_height(struct rows_plan *p, const struct kernel *k, const struct rows_attr *a) {
    int64_t room = level_bytes(LEVEL_SECOND) / 2, width = parallel_width();
    while (p->axis < a->axes - 1 && bytes_of(k, a, p->axis) > room) p->axis++;
    p->outer = shape_size(p->axis, a->shape);
    p->length = a->shape[p->axis];
    int64_t bytes = greater(bytes_of(k, a, p->axis), 1), most = greater(lesser(room / bytes, p->length), 1);
    if (width > 1) most = greater(lesser(most, p->outer * p->length / (BLOCKS_A_THREAD * width)), 1);
    p->blocks_a_row = ceil_div(p->length, most);
    p->height = ceil_div(p->length, p->blocks_a_row);
    p->blocks_a_row = ceil_div(p->length, p->height);
}

/* Replace the guard of x, if any, by a copy adapted to a block of rows: along cut axes everything is inside
   (kernel_rows). False, with no fault set, if memory runs out. */
static bool cut_guard(struct operand *x, const struct rows_plan *p, struct arena *arena) {
    if (!x->guard) return true;
    struct guard *guard = guard_copy(x->layout.rank, NULL, x->guard, arena);
    for (int axis = 0; guard && axis <= p->axis; axis++) guard->high[axis] = x->layout.shape[axis];
    x->guard = guard;
    return guard;
}

/* Replace *operands, n of them, by a copy in the arena with shapes reduced to a block of `height` rows.
   False, with no fault set, if memory runs out. */
static bool cut_operands(int n, struct operand **operands, const struct rows_plan *p, int64_t height,
                         struct arena *arena) {
    struct operand *cut = arena_copy(arena, *operands, sizeof *cut * (size_t)n);
    if (n && !cut) return false;
    for (int i = 0; i < n; i++) {
        if (!layout_copy(&cut[i].layout, &(*operands)[i].layout, arena)) return false;
        for (int axis = 0; axis < p->axis; axis++) cut[i].layout.shape[axis] = 1;
        cut[i].layout.shape[p->axis] = height;
        if (!cut_guard(&cut[i], p, arena)) return false;
    }
    *operands = cut;
    return true;
}

/* Add the group's blocks to f, reduced to `height` rows. False, with the fault set, on failure. */
static bool add_blocks(struct flow *f, const struct kernel *k, const struct rows_attr *a,
                       const struct rows_plan *p, int64_t height, struct fault *fault) {
    for (int b = 0; b < a->nblocks; b++) {
        enum block_kind kind = b < k->ninputs                 ? BLOCK_VARIABLE
                               : b < k->ninputs + k->noutputs ? BLOCK_OUTPUT
                                                              : BLOCK_TEMPORARY;
        int64_t size = a->blocks[b].size / (p->outer * p->length) * height;
        if (flow_add_block(f, kind, (ty_dtype)a->blocks[b].dtype, size, NULL, fault) < 0) return false;
        f->blocks[b].kept = kind == BLOCK_OUTPUT;
    }
    return true;
}

/* True if operands and results of k together exceed the caches, so that non-temporal stores pay. */
static bool sweeps(const struct kernel *k) {
    size_t bytes = 0;
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        const struct operand *x = kernel_operand(k, i);
        bytes += (size_t)shape_size(x->layout.rank, x->layout.shape) * dtype_table[x->dtype].size;
    }
    return cache_bypassed(bytes);
}

/* True if a kernel of the group reads the block. */
static bool is_read(const struct rows_attr *a, int block) {
    for (int k = 0; k < a->nkernels; k++)
        for (int i = 0; i < a->kernels[k].ninputs; i++)
            if (a->kernels[k].inputs[i].slot == block) return true;
    return false;
}

/* Use non-temporal stores for outputs of the cut kernel that no kernel of group k reads. */
static void mark_passing(struct kernel *cut, const struct kernel *k) {
    for (int i = 0; i < cut->noutputs; i++)
        cut->outputs[i].passing = cut->outputs[i].slot < k->ninputs + k->noutputs && sweeps(k) &&
                                  !is_read(k->attr, cut->outputs[i].slot);
}

/* Prepare the kernels of group k for blocks of `height` rows, in *s. False, with the fault set, on failure. */
static bool make_blocks(struct blocks *s, const struct kernel *k, const struct rows_plan *p, int64_t height,
                        const struct compiling *c) {
    const struct rows_attr *a = k->attr;
    struct flow *f = &s->flow;
    if (!add_blocks(f, k, a, p, height, c->fault)) return false;
    for (int i = 0; i < a->nkernels; i++) {
        struct kernel *cut = flow_add_kernel(f, c->fault);
        if (!cut) return false;
        *cut = a->kernels[i];
        if (!cut_operands(cut->ninputs, &cut->inputs, p, height, &f->arena) ||
            !cut_operands(cut->noutputs, &cut->outputs, p, height, &f->arena))
            return fault_memory(c->fault, sizeof *cut);
        mark_passing(cut, k);
        if (!kernel_prepare(cut, c)) return false;
    }
    return flow_index(f, c->fault) && memory_plan_make(&s->plan, f, c->options, c->fault);
}

/* Allocate p->steps and set it to the strides, in bytes, of inputs and outputs along axes 0 .. p->axis;
   broadcast axes have stride 0. False, with no fault set, if memory runs out. */
static bool find_steps(struct rows_plan *p, const struct kernel *k, struct arena *arena) {
    int n = k->ninputs + k->noutputs, axes = p->axis + 1;
    p->steps = arena_array(arena, (size_t)(n * axes), sizeof *p->steps);
    for (int i = 0; p->steps && i < n; i++) {
        const struct operand *x = kernel_operand(k, i);
        for (int axis = 0; axis < axes; axis++)
            p->steps[i * axes + axis] = x->layout.strides[axis] * (int64_t)dtype_table[x->dtype].size;
    }
    return p->steps != NULL;
}

/* Make the kernels for whole blocks of rows and for the last, lower one, and the workspace of both. False,
   with the fault set, on failure. */
static bool make_sizes(struct rows_plan *p, struct kernel *k, const struct compiling *c) {
    const struct rows_attr *a = k->attr;
    int64_t heights[2] = {p->height, p->length % p->height};
    for (int i = 0; i < 2 && heights[i]; i++) {
        bool alone = parallel_alone(true); /* each block is run by one thread */
        bool made = make_blocks(&p->sizes[i], k, p, heights[i], c);
        parallel_alone(alone);
        if (!made) return false;
        p->inside[i] = (struct inside){&p->sizes[i].flow, &p->sizes[i].plan};
        k->ninside++;
        int64_t bytes = plan_aligned(a->nblocks * (int64_t)sizeof(void *));
        p->slots = (size_t)bytes;
        bytes += plan_aligned(p->sizes[i].plan.arena_bytes);
        if ((size_t)bytes > p->bytes) p->bytes = (size_t)bytes;
    }
    return true;
}

/* Choose the blocks of rows of group k and prepare its kernels for them; a compiler callback. False, with the
   fault set, on failure. */
static bool prepare(struct kernel *k, const struct compiling *c, struct arena *arena) {
    struct rows_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(c->fault, sizeof *p);
    k->prepared = p;
    choose_height(p, k, k->attr);
    if (!find_steps(p, k, arena)) return fault_memory(c->fault, sizeof *p);
    if (!make_sizes(p, k, c)) return false;
    k->inside = p->inside;
    k->width = (int)lesser(parallel_width(), p->outer * p->blocks_a_row);
    k->workspace = p->bytes * (size_t)k->width;
    return true;
}

static void drop(struct kernel *k) {
    struct rows_plan *p = k->prepared;
    for (int i = 0; i < 2; i++) routine_drop(&p->sizes[i].flow, &p->sizes[i].plan);
}

/* ---- running ---- */

/* State of one launch, shared by all threads. */
struct running_rows {
    const struct kernel *kernel;
    const struct rows_plan *plan;
    void *const *outside;
    char *workspace;
    const struct boxes *boxes; /* of the rows to compute; NULL: all */
    atomic_int failed;         /* 0 or 1: GCC before 13 exchanges no bytes on RISC-V */
    struct fault *fault;       /* error of the first thread that failed */
};

static void *workspace_of(const struct blocks *s, char *arena, int k) {
    int region = s->plan.of_workspace[k];
    return region < 0 ? NULL : arena + s->plan.regions[region].offset;
}

/* Set slots[] of the blocks between kernels to their addresses in `arena`, which belongs to this thread. */
static void bind_between(const struct running_rows *run, const struct blocks *s, void **slots, char *arena) {
    for (int b = run->kernel->ninputs + run->kernel->noutputs; b < s->flow.nblocks; b++)
        slots[b] =
            s->plan.of_block[b] < 0 ? plan_nothing : arena + s->plan.regions[s->plan.of_block[b]].offset;
}

/* Set slots[] of inputs and outputs to the addresses of block of rows number `at`, from 0. */
static void bind_rows(const struct running_rows *run, void **slots, int64_t at) {
    const struct rows_plan *p = run->plan;
    const struct kernel *k = run->kernel;
    const int64_t *shape = ((const struct rows_attr *)k->attr)->shape;
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        const struct operand *x = kernel_operand(k, i);
        const int64_t *steps = p->steps + i * (p->axis + 1);
        int64_t outer = at / p->blocks_a_row, bytes = at % p->blocks_a_row * p->height * steps[p->axis];
        for (int axis = p->axis - 1; axis >= 0; axis--) {
            bytes += outer % shape[axis] * steps[axis];
            outer /= shape[axis];
        }
        slots[i] = (char *)run->outside[x->slot] + bytes;
    }
}

static bool run_block(const struct blocks *s, void **slots, char *arena, struct fault *fault) {
    for (int k = 0; k < s->flow.nkernels; k++)
        if (!routine_launch(&s->flow.kernels[k], slots, workspace_of(s, arena, k), fault)) return false;
    return true;
}

/* True if block of rows number `at` is in one of the boxes, which begin and end where blocks do. */
static bool is_wanted(const struct running_rows *run, int64_t at) {
    const struct rows_plan *p = run->plan;
    const int64_t *shape = ((const struct rows_attr *)run->kernel->attr)->shape;
    for (int i = 0; i < run->boxes->n; i++) {
        const struct box *b = &run->boxes->list[i];
        int64_t outer = at / p->blocks_a_row, row = at % p->blocks_a_row * p->height;
        bool inside = row >= b->low[p->axis] && row < b->high[p->axis];
        for (int axis = p->axis - 1; axis >= 0 && inside; axis--) {
            int64_t index = outer % shape[axis];
            inside = index >= b->low[axis] && index < b->high[axis];
            outer /= shape[axis];
        }
        if (inside) return true;
    }
    return false;
}

/* Run blocks of rows begin..end-1, a parallel body; context is a struct running_rows. The first fault is kept
   there. */
static void run_blocks(void *context, int64_t begin, int64_t end) {
    struct running_rows *run = context;
    const struct rows_plan *p = run->plan;
    char *mine = run->workspace + (size_t)parallel_index() * p->bytes, *arena = mine + p->slots;
    void **slots = (void **)(void *)mine;
    const struct blocks *bound = NULL;
    struct fault fault = {0};
    for (int64_t at = begin; at < end && !atomic_load_explicit(&run->failed, memory_order_relaxed); at++) {
        if (stop_cut()) return;
        if (run->boxes && !is_wanted(run, at)) continue;
        bool last = at % p->blocks_a_row == p->blocks_a_row - 1 && p->length % p->height;
        const struct blocks *s = &p->sizes[last];
        if (s != bound) bind_between(run, bound = s, slots, arena);
        bind_rows(run, slots, at);
        if (!run_block(s, slots, arena, &fault) && !atomic_exchange(&run->failed, true)) *run->fault = fault;
    }
}

/* Run the blocks of rows of group k in these boxes on the addresses slots[]; boxes NULL: all. False, with the fault
   set, on failure. */
static bool launch_part(const struct kernel *k, const struct boxes *boxes, void *const *slots,
                        void *workspace, struct fault *fault) {
    const struct rows_plan *p = k->prepared;
    struct running_rows run = {
        .kernel = k, .plan = p, .outside = slots, .workspace = workspace, .boxes = boxes, .fault = fault};
    atomic_init(&run.failed, false);
    parallel_for(k->width, p->outer * p->blocks_a_row, 1, run_blocks, &run);
    return !atomic_load(&run.failed);
}

static bool launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    return launch_part(k, NULL, slots, workspace, fault);
}

/* Enlarge boxes to whole blocks of rows. Always true. */
static bool round_boxes(const struct kernel *k, struct boxes *boxes) {
    const struct rows_plan *p = k->prepared;
    struct boxes rounded = {0};
    for (int i = 0; i < boxes->n; i++) {
        struct box *b = &boxes->list[i];
        b->low[p->axis] -= b->low[p->axis] % p->height;
        b->high[p->axis] = lesser(round_up(b->high[p->axis], p->height), p->length);
        for (int axis = p->axis + 1; axis < b->rank; axis++) {
            b->low[axis] = 0;
            b->high[axis] = k->outputs->layout.shape[axis];
        }
        boxes_add(&rounded, b);
    }
    *boxes = rounded;
    return true;
}

const struct control_kind control_rows = {
    .prepare = prepare, .launch = launch, .drop = drop, .round = round_boxes, .launch_part = launch_part};
