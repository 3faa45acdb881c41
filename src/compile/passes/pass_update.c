/*
 * Updates: the kernel that computes a variable's next value overwrites the variable. It must be the
 * variable's last reader, read it elementwise, and create no cycle of dependences. Otherwise the value is
 * computed into the arena and a copy at the end moves it; nothing depends on the copy.
 *
 * A failing run changes no variable: kernels that may refuse run before all updates (pass_order.c). So a
 * kernel that such a kernel depends on does not write directly. Of the kernels that may refuse, one may write
 * directly: it is the last to refuse, and checks before it writes. No kernel that must run before it writes directly.
 *
 * In a program that can be stopped all other kernels run before all updates, so only kernels that nobody waits for
 * write directly, and only those of one pass over memory: the last moments of a run cannot be stopped.
 *
 * The next value of a loop carry overwrites the carry in the same way, so a step that sets an element moves
 * only that element. A failing loop has no results, so refusals do not matter there. Other carries have two
 * buffers.
 */
#include <string.h>
#include "base/alloc.h"
#include "base/map.h"
#include "compile/passes.h"
#include "control/body.h"

/* Give update u a block of its own, whole and written by a kernel, by a copy if need be. is_taken[b] is true
   if another update has block b, and is set for this one's. False, with the fault set, on failure. */
static bool make_own(struct flow *f, struct flow_update *u, bool *is_taken, struct fault *fault) {
    struct block *value = &f->blocks[u->value.slot];
    bool taken = is_taken[u->value.slot];
    is_taken[u->value.slot] = true;
    if (value->kind == BLOCK_TEMPORARY && value->writer >= 0 && operand_is_whole(f, &u->value) && !taken)
        return true;
    int block = flow_add_block(f, BLOCK_TEMPORARY, u->value.dtype,
                               shape_size(u->value.layout.rank, u->value.layout.shape), NULL, fault);
    if (block < 0 || !flow_add_copy(f, &u->value, block, fault)) return false;
    u->value.slot = block;
    u->value.layout.offset = 0;
    shape_row_major(u->value.layout.rank, u->value.layout.shape, u->value.layout.strides);
    return true;
}

/* Give each update a block of its own, by copies if need be. False, with the fault set, on failure. */
static bool make_all_own(struct flow *f, struct fault *fault) {
    bool *taken = mem_array((size_t)f->nblocks + 1, sizeof *taken), done = taken;
    if (!taken) return fault_memory(fault, (size_t)f->nblocks);
    for (int i = 0; i < f->nupdates && done; i++) done = make_own(f, &f->updates[i], taken, fault);
    mem_free(taken);
    return done;
}

/* Set variables[i] for each update i to the block that its variable is read from; -1 if it is not read.
   False, with no fault set, if memory runs out. */
static bool find_variables(const struct flow *f, int *variables) {
    struct map blocks = {0};
    bool fits = true;
    for (int b = f->nblocks - 1; b >= 0 && fits; b--)
        if (f->blocks[b].kind == BLOCK_VARIABLE) {
            int64_t *block = map_put(&blocks, map_key(f->blocks[b].leaf), b, NULL);
            if ((fits = block)) *block = b;
        }
    for (int i = 0; i < f->nupdates && fits; i++) {
        const int64_t *block = map_find(&blocks, map_key(f->updates[i].leaf));
        variables[i] = block ? (int)*block : -1;
    }
    map_drop(&blocks);
    return fits;
}

/* True if kernel k may overwrite block `variable`: it reads it elementwise only, or not at all. */
static bool elementwise_reader(const struct flow *f, int k, int variable) {
    const struct kernel *kernel = &f->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        if (kernel->inputs[i].slot != variable) continue;
        if (!kernel_may_overwrite(kernel, i) || !operand_is_whole(f, &kernel->inputs[i])) return false;
    }
    return true;
}

/* ---- dependences ---- */

/*
 * Kernels have levels; every edge leads to a strictly higher one. An edge from a reader of a variable to its
 * writer raises the writer, and its successors as needed. If that reaches such a reader, the edge would close
 * a cycle, and all levels are restored. Most writers have no successors, so this is cheap. The total number
 * of raises is bounded; updates beyond that are copied.
 */
enum { RAISES = 64 }; /* per kernel of the program */
/* State of the pass; arrays are indexed by kernel. */
struct levels {
    struct arena arena;
    int nkernels, *level;
    int *queue, head, count; /* ring buffer of kernels whose successors are to be raised */
    bool *queued;
    int *changed, nchanged; /* kernels raised for the current update */
    int *before;            /* their previous levels; 0: not raised */
    int *reads;             /* 1 + the last update whose variable the kernel was found to read */
    bool *waited_for;       /* a kernel that may refuse must run after it */
    bool *marked;           /* of follows_update */
    bool refusing;          /* a kernel that may refuse writes directly */
    int64_t raises;         /* remaining */
};

static void enqueue(struct levels *s, int k) {
    if (s->queued[k]) return;
    s->queued[k] = true;
    s->queue[(s->head + s->count++) % s->nkernels] = k;
}

/* Remove and return the first kernel of the queue; it must not be empty. */
static int dequeue(struct levels *s) {
    int k = s->queue[s->head];
    s->head = (s->head + 1) % s->nkernels;
    s->count--;
    s->queued[k] = false;
    return k;
}

/* Raise kernel k to at least `level` for update number `update`, and enqueue it if it changed. False if it
   reads the variable and would have to rise, or no raises are left. */
static bool raise(struct levels *s, int k, int level, int update) {
    if (s->level[k] >= level) return true;
    if (s->reads[k] == update + 1 || s->raises-- <= 0) return false;
    if (!s->before[k]) {
        s->before[k] = s->level[k];
        s->changed[s->nchanged++] = k;
    }
    s->level[k] = level;
    enqueue(s, k);
    return true;
}

/* Raise the successors of kernel k above it, for update number `update`. False: one reads the variable, or no
   raises are left. */
static bool raise_after(const struct flow *f, struct levels *s, int k, int update) {
    const struct kernel *kernel = &f->kernels[k];
    int above = s->level[k] + 1;
    for (int i = 0; i < kernel->noutputs; i++) {
        int block = kernel->outputs[i].slot;
        for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++)
            if (!raise(s, f->use_kernel[u], above, update)) return false;
    }
    for (int i = 0; i < kernel->ninputs; i++) {
        int next = f->blocks[kernel->inputs[i].slot].update;
        if (next >= 0 && f->blocks[next].writer != k && !raise(s, f->blocks[next].writer, above, update))
            return false;
    }
    return true;
}

/* Raise the writer above all other readers of block `variable`, for update number `update`. False if that
   closes a cycle or takes too long; levels are then restored. */
static bool put_above(const struct flow *f, struct levels *s, int writer, int variable, int update) {
    int level = 0;
    for (int u = f->use_start[variable]; u < f->use_start[variable + 1]; u++) {
        int reader = f->use_kernel[u];
        if (reader == writer) continue;
        s->reads[reader] = update + 1;
        if (s->level[reader] >= level) level = s->level[reader] + 1;
    }
    bool done = raise(s, writer, level, update);
    while (s->count && done) done = raise_after(f, s, dequeue(s), update);
    while (s->count) dequeue(s);
    for (int i = 0; i < s->nchanged; i++) {
        int k = s->changed[i];
        if (!done) s->level[k] = s->before[k];
        s->before[k] = 0;
    }
    s->nchanged = 0;
    return done;
}

/* ---- predecessors of kernels that may refuse ---- */

static void mark(struct levels *s, int k, bool *marked) {
    if (marked[k]) return;
    marked[k] = true;
    enqueue(s, k);
}

/* Mark the readers of block `variable`, except kernel k. `variable` is -1 if no kernel reads it. */
static void mark_readers(const struct flow *f, struct levels *s, int k, int variable, bool *marked) {
    for (int u = variable < 0 ? 0 : f->use_start[variable]; variable >= 0 && u < f->use_start[variable + 1];
         u++)
        if (f->use_kernel[u] != k) mark(s, f->use_kernel[u], marked);
}

/* Mark all predecessors of kernel k. */
static void mark_before(const struct flow *f, struct levels *s, int k, bool *marked) {
    enqueue(s, k);
    while (s->count) {
        k = dequeue(s);
        const struct kernel *kernel = &f->kernels[k];
        for (int i = 0; i < kernel->ninputs; i++) {
            int writer = f->blocks[kernel->inputs[i].slot].writer;
            if (writer >= 0) mark(s, writer, marked);
        }
        for (int i = 0; i < kernel->noutputs; i++)
            mark_readers(f, s, k, f->blocks[kernel->outputs[i].slot].variable, marked);
    }
}

/* True if a predecessor of kernel k writes over a variable, where k writes over block `variable`. */
static bool follows_update(const struct flow *f, struct levels *s, int k, int variable) {
    memset(s->marked, 0, (size_t)f->nkernels * sizeof *s->marked);
    mark_readers(f, s, k, variable, s->marked);
    mark_before(f, s, k, s->marked);
    for (int i = 0; i < f->nkernels; i++)
        if (s->marked[i] && i != k && kernel_updates(f, &f->kernels[i])) return true;
    return false;
}

/* Compute levels from the edges without updates and mark predecessors of kernels that may refuse. False, with
   the fault set, on failure. */
static bool start_levels(const struct flow *f, struct levels *s, struct fault *fault) {
    struct edges edges;
    if (!edges_build(&edges, f, fault)) {
        edges_drop(&edges);
        return false;
    }
    for (int k = 0; k < f->nkernels; k++) {
        s->level[k] = 1;
        if (!edges.before[k]) enqueue(s, k);
    }
    while (s->count) {
        int k = dequeue(s);
        for (int e = edges.start[k]; e < edges.start[k + 1]; e++) {
            int to = edges.to[e];
            if (s->level[to] <= s->level[k]) s->level[to] = s->level[k] + 1;
            if (--edges.before[to] == 0) enqueue(s, to);
        }
    }
    edges_drop(&edges);
    for (int k = 0; k < f->nkernels; k++)
        if (f->stoppable || kernel_may_refuse(f, &f->kernels[k])) mark_before(f, s, k, s->waited_for);
    return true;
}

/* Allocate the levels of the kernels of f and compute them. False, with the fault set, on failure. */
static bool make_levels(struct levels *s, const struct flow *f, struct fault *fault) {
    size_t n = (size_t)f->nkernels + 1;
    int **numbers[] = {&s->level, &s->queue, &s->changed, &s->before, &s->reads};
    bool fits = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fits = (*numbers[i] = arena_array(&s->arena, n, sizeof(int))) && fits;
    s->queued = arena_array(&s->arena, n, sizeof *s->queued);
    s->waited_for = arena_array(&s->arena, n, sizeof *s->waited_for);
    s->marked = arena_array(&s->arena, n, sizeof *s->marked);
    s->nkernels = (int)n;
    s->raises = (int64_t)n * RAISES;
    if (!fits || !s->queued || !s->waited_for || !s->marked) return fault_memory(fault, n * sizeof(int));
    return start_levels(f, s, fault);
}

/* True if a kernel takes one pass over memory at most. */
static bool is_short(const struct kernel *k) {
    return kernel_table[k->kind].light || kernel_table[k->kind].replaces;
}

/* Let the writer of the value of update number `update` overwrite block `variable`, if allowed; else do
   nothing. `variable` is -1 if no kernel reads it. */
static void write_directly(struct flow *f, struct levels *s, int update, int variable) {
    const struct flow_update *u = &f->updates[update];
    struct block *value = &f->blocks[u->value.slot];
    int k = value->writer;
    if (k < 0 || s->waited_for[k] || (f->stoppable && !is_short(&f->kernels[k]))) return;
    bool refuses = kernel_may_refuse(f, &f->kernels[k]);
    if (refuses && (!kernel_table[f->kernels[k].kind].looks_first ||
                    (s->refusing && !kernel_updates(f, &f->kernels[k])) || follows_update(f, s, k, variable)))
        return;
    if (variable >= 0 && (!elementwise_reader(f, k, variable) || !put_above(f, s, k, variable, update)))
        return;
    s->refusing |= refuses;
    value->kind = BLOCK_UPDATE;
    value->variable = variable;
    value->leaf = ty_retain(u->leaf);
    if (variable >= 0) f->blocks[variable].update = u->value.slot;
    if (refuses) mark_before(f, s, k, s->waited_for);
}

/* Add copies for all updates that do not overwrite directly, and count the others in report->inplace.
   variables[i] is the block that update i's variable is read from, or -1. False, with the fault set, on
   failure. */
static bool add_copies(struct flow *f, const int *variables, ty_report *report, struct fault *fault) {
    for (int i = 0; i < f->nupdates; i++) {
        struct flow_update *u = &f->updates[i];
        if (f->blocks[u->value.slot].kind == BLOCK_UPDATE) {
            report->inplace++;
            continue;
        }
        int block =
            flow_add_block(f, BLOCK_UPDATE, u->value.dtype, f->blocks[u->value.slot].size, u->leaf, fault);
        if (block < 0 || !flow_add_copy(f, &u->value, block, fault)) return false;
        f->blocks[block].variable = variables[i];
        if (variables[i] >= 0) f->blocks[variables[i]].update = block;
    }
    return true;
}

/* Return the block that parameter `number` of the loop body is read from, or -1 if it is not read. */
static int block_of_parameter(const struct flow *f, int number) {
    for (int b = 0; b < f->nblocks; b++)
        if (f->blocks[b].leaf && is_parameter(f->blocks[b].leaf) &&
            parameter_number(f->blocks[b].leaf) == number)
            return b;
    return -1;
}

/* Let the next value of carry `number`, an index into f->carries, overwrite it, if allowed, and count that in
   the report. */
static void carry_directly(struct flow *f, struct levels *s, int number, ty_report *report) {
    struct flow_carry *c = &f->carries[number];
    int output = f->outputs[c->output].slot, parameter = block_of_parameter(f, c->parameter);
    struct block *value = &f->blocks[output];
    int k = value->kind == BLOCK_OUTPUT ? value->writer : -1;
    if (k < 0 || f->kernels[k].kind == KERNEL_NONE || value->variable >= 0) return;
    if (parameter >= 0 &&
        (!elementwise_reader(f, k, parameter) || !put_above(f, s, k, parameter, f->nupdates + number)))
        return;
    value->variable = parameter;
    if (parameter >= 0) f->blocks[parameter].update = output;
    c->in_place = true;
    report->inplace++;
}

/* Let updates and carries overwrite their variables where allowed, and add copies for the others. False, with
   the fault set, on failure. */
static bool update_all(struct flow *f, struct levels *s, ty_report *report, struct fault *fault) {
    int *variables = arena_array(&s->arena, (size_t)f->nupdates, sizeof *variables);
    if (!variables || !find_variables(f, variables))
        return fault_memory(fault, (size_t)f->nupdates * sizeof *variables);
    for (int i = 0; i < f->nupdates; i++) write_directly(f, s, i, variables[i]);
    for (int i = 0; i < f->ncarries; i++) carry_directly(f, s, i, report);
    return add_copies(f, variables, report, fault);
}

bool pass_update(struct flow *f, ty_report *report, struct fault *fault) {
    struct levels s = {0};
    if (!f->nupdates && !f->ncarries) return true;
    bool done = flow_index(f, fault) && make_all_own(f, fault) && flow_index(f, fault) &&
                make_levels(&s, f, fault) && update_all(f, &s, report, fault) && flow_index(f, fault);
    arena_drop(&s.arena);
    return done;
}
