/*
 * Chooses the kernels that become index maps (guards.h) and the blocks that are recomputed where they are
 * read.
 *
 * A kernel that copies to positions becomes MAPs if then its result or its operand need not be stored. Its
 * readers must be elementwise kernels or reductions. Concatenations of results of other kernels stay, as
 * those write their parts in place (pass_boxes.c). A block is recomputed if all its readers support that, if
 * it needs few instructions, and if no epilogue computes it.
 */
#include <string.h>
#include "base/alloc.h"
#include "compile/passes.h"
#include "compile/passes/guards.h"
#include "ops/core/elementwise.h"

enum {
    MOST_AGAIN = 8, /* additional operators computed per element that is not stored */
    HEAVY = 8,      /* weight of an operator of more than a few instructions */
    MOST_USES = 32, /* operands examined per block */
    MOST_MADE = 24, /* kernels made in place of one */
    ROUNDS = 8
};

/* ---- light blocks ---- */

/* True if kernel k is elementwise or becomes so. */
static bool is_map(const struct guards *g, int k) {
    return g->flow->kernels[k].kind == KERNEL_MAP || g->turns[k];
}

/* Return the cost of op per element, in units of a cheap operator; correctly rounded operators take few
   instructions. */
static int weight_of(const struct op *op) {
    return op->row >= 0 && row_table[op->row].error.ulps > 0.5 ? HEAVY : 1;
}

/* Set g->weight[] of kernel k's result to its cost per element, with its light operands. Set g->behind[] to
   true if the result depends on a kernel that is not elementwise, whose epilogue might compute it. */
static void weigh(struct guards *g, int k) {
    const struct flow *f = g->flow;
    const struct kernel *kernel = &f->kernels[k];
    int block = kernel->outputs[0].slot;
    g->weight[block] = weight_of(kernel->op);
    g->behind[block] = false;
    for (int i = 0; i < kernel->ninputs; i++) {
        int slot = kernel->inputs[i].slot, writer = f->blocks[slot].writer;
        if (writer < 0 || !operand_is_whole(f, &kernel->inputs[i])) continue;
        bool twice = i > 0 && kernel->inputs[i - 1].slot == slot;
        if (is_map(g, writer) && g->light[slot] && !twice) g->weight[block] += g->weight[slot];
        g->behind[block] = g->behind[block] || !is_map(g, writer) || g->behind[slot];
    }
    if (g->weight[block] > HEAVY * HEAVY) g->weight[block] = HEAVY * HEAVY;
}

/* Return how often `block` is read if all its readers can recompute it; 0 if one cannot or there are too
   many. */
static int uses_of(const struct guards *g, int block) {
    const struct flow *f = g->flow;
    int uses = 0;
    if (f->use_start[block + 1] - f->use_start[block] > MOST_USES) return 0;
    for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++) {
        int k = f->use_kernel[u];
        const struct kernel *kernel = &f->kernels[k];
        bool whole = false;
        bool prologue = kernel_table[kernel->kind].prologue;
        if (!is_map(g, k) && !prologue) return 0;
        for (int i = 0; i < kernel->ninputs; i++) {
            if (kernel->inputs[i].slot != block) continue;
            bool is_whole = prologue || operand_is_whole(f, &kernel->inputs[i]);
            if (prologue && !operand_is_whole(f, &kernel->inputs[i])) return 0;
            if (!is_whole && !guards_goes_along(&kernel->inputs[i])) return 0;
            if (g->turns[k] && !guards_part_is_large(kernel, i)) return 0;
            uses += !is_whole || !whole || g->turns[k];
            whole = whole || is_whole;
        }
    }
    return uses;
}

/* True if `block` should be recomputed where it is read: it is cheap, and each shifted reader can do so. */
static bool is_light(const struct guards *g, int block) {
    const struct block *b = &g->flow->blocks[block];
    if (b->kind != BLOCK_TEMPORARY || b->kept || b->writer < 0 || !is_map(g, b->writer) || b->size < 2)
        return false;
    int uses = g->behind[block] ? 0 : uses_of(g, block);
    return uses > 0 && (uses - 1) * g->weight[block] <= MOST_AGAIN;
}

/* Find the light blocks, which are recomputed by their readers, and weigh them, in order of kernels. */
static void find_light(struct guards *g) {
    for (int k = 0; k < g->flow->nkernels; k++) {
        int block = g->flow->kernels[k].outputs[0].slot;
        if (!is_map(g, k)) continue;
        weigh(g, k);
        g->light[block] = is_light(g, block);
    }
}

/* ---- kernels to convert ---- */

/* True if the result of k need not be stored once k is a MAP. */
static bool is_gone(const struct guards *g, const struct kernel *k) {
    const struct flow *f = g->flow;
    int block = k->outputs[0].slot;
    if (f->blocks[block].kept || f->use_start[block + 1] - f->use_start[block] > MOST_USES) return false;
    for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++) {
        const struct kernel *reader = &f->kernels[f->use_kernel[u]];
        if (!is_map(g, f->use_kernel[u]) && !kernel_table[reader->kind].prologue) return false;
        for (int i = 0; i < reader->ninputs; i++)
            if (reader->inputs[i].slot == block && !operand_is_whole(f, &reader->inputs[i]) &&
                !g->light[block])
                return false;
    }
    return true;
}

/* True if kernel k, a pad or concatenation that can become elementwise kernels, should do so. */
static bool turns(const struct guards *g, const struct kernel *k) {
    const struct flow *f = g->flow;
    int parts = k->kind == KERNEL_PAD ? 1 : k->ncore;
    bool some = false, others = false;
    for (int i = 0; i < parts; i++) {
        int block = k->inputs[i].slot, writer = f->blocks[block].writer;
        some = some || (writer >= 0 && g->light[block]);
        others = others || (writer >= 0 && (!is_map(g, writer) || g->behind[block]));
    }
    if (parts == 1) return some || is_gone(g, k);
    return some && !others && (guards_overlap(k) || is_gone(g, k));
}

/* Choose the kernels to convert and the light blocks, which depend on each other, by iteration; both sets
   only shrink. True if any kernel is converted. */
static bool choose(struct guards *g) {
    const struct flow *f = g->flow;
    bool changes = true, any = false;
    for (int k = 0; k < f->nkernels; k++) g->turns[k] = guards_can_turn(&f->kernels[k]);
    for (int round = 0; round < ROUNDS && changes; round++) {
        changes = false;
        find_light(g);
        for (int k = f->nkernels - 1; k >= 0; k--) {
            if (!g->turns[k] || turns(g, &f->kernels[k])) continue;
            g->turns[k] = false;
            g->light[f->kernels[k].outputs[0].slot] = false;
            changes = true;
        }
    }
    for (int k = 0; k < f->nkernels; k++) any = any || g->turns[k];
    return any;
}

/* True if any elementwise kernel reads a light block shifted. */
static bool reads_afar(const struct guards *g) {
    const struct flow *f = g->flow;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; f->kernels[k].kind == KERNEL_MAP && i < f->kernels[k].ninputs; i++) {
            const struct operand *x = &f->kernels[k].inputs[i];
            if (g->light[x->slot] && !operand_is_whole(f, x)) return true;
        }
    return false;
}

/* ---- making the kernels ---- */

/* Append k, a MAP, to the made kernels, with its shifted light operands recomputed. False, with the fault
   set, on failure. */
static bool map_again(struct guards *g, const struct kernel *k) {
    struct kernel copy = *k;
    copy.inputs = arena_copy(&g->flow->arena, k->inputs, sizeof *k->inputs * (size_t)k->ninputs);
    if (!copy.inputs && k->ninputs) return fault_memory(g->fault, sizeof *k->inputs);
    for (int i = 0; i < k->ninputs; i++)
        if (!guards_compute(g, &copy.inputs[i], &k->outputs[0])) return false;
    return guards_add(g, &copy);
}

/* Append all kernels to the made ones: converted, with light operands recomputed, or unchanged. False, with
   the fault set, on failure. */
static bool make_all(struct guards *g) {
    for (int k = 0; k < g->flow->nkernels; k++) {
        const struct kernel *kernel = &g->flow->kernels[k];
        g->budget = MOST_MADE;
        bool map = kernel->kind == KERNEL_MAP;
        if (!(g->turns[k] ? guards_turn(g, kernel) : map ? map_again(g, kernel) : guards_add(g, kernel)))
            return false;
    }
    return true;
}

/* Remove those made elementwise kernels whose results are not read any more. False, with the fault set, on
   failure. */
static bool drop_unread(struct guards *g) {
    struct flow *f = g->flow;
    bool *wanted = arena_array(&g->arena, (size_t)f->nblocks + 1, sizeof *wanted);
    int kept = g->nmade;
    if (!wanted) return fault_memory(g->fault, (size_t)f->nblocks);
    for (int k = g->nmade - 1; k >= 0; k--) {
        const struct kernel *kernel = &g->made[k];
        bool read = kernel->kind != KERNEL_MAP;
        for (int i = 0; i < kernel->noutputs; i++)
            read = read || f->blocks[kernel->outputs[i].slot].kept || wanted[kernel->outputs[i].slot];
        for (int i = 0; i < kernel->ninputs && read; i++) wanted[kernel->inputs[i].slot] = true;
        if (read) g->made[--kept] = *kernel;
    }
    g->nmade -= kept;
    memmove(g->made, g->made + kept, sizeof *g->made * (size_t)g->nmade);
    return true;
}

/* Make all kernels and replace the flow's by them; the report counts the difference. False, with the fault
   set, on failure. */
static bool run(struct guards *g, ty_report *report) {
    struct flow *f = g->flow;
    if (!make_all(g) || !drop_unread(g)) return false;
    struct kernel *before = f->kernels;
    report->fused -= g->nmade - f->nkernels;
    f->kernels = g->made;
    f->nkernels = g->nmade;
    f->kernel_room = g->room;
    g->made = before;
    return true;
}

/* Allocate the tables of kernels and blocks. False if memory runs out. */
static bool make_room(struct guards *g) {
    size_t kernels = (size_t)g->flow->nkernels + 1, blocks = (size_t)g->flow->nblocks + 1;
    g->turns = arena_array(&g->arena, kernels, sizeof *g->turns);
    g->light = arena_array(&g->arena, blocks, sizeof *g->light);
    g->weight = arena_array(&g->arena, blocks, sizeof *g->weight);
    g->behind = arena_array(&g->arena, blocks, sizeof *g->behind);
    return g->turns && g->light && g->weight && g->behind;
}

bool pass_guards(struct flow *f, ty_report *report, struct fault *fault) {
    struct guards g = {.flow = f, .fault = fault, .known = f->nblocks, .truth = -1};
    for (int i = 0; i < TY_DTYPES; i++) g.zeros[i] = -1;
    bool done = flow_index(f, fault) && (make_room(&g) || fault_memory(fault, (size_t)f->nblocks));
    if (done && (choose(&g) || reads_afar(&g))) done = run(&g, report);
    mem_free(g.made);
    mem_free(g.by);
    mem_free(g.again);
    arena_drop(&g.arena);
    return done;
}
