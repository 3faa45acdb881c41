/*
 * Fusion: in topological order, each elementwise kernel joins the groups of its producers, anchors first
 * (contractions, reductions, ...), then kernels that read the same operands. A value used elsewhere too is an
 * additional output, so sharing does not prevent fusion.
 *
 * One choice concerns memory. An operator that is needed late, as in the backward half of a training step,
 * could run early with its producer. It does so unless its operand lives that long anyway; then running late
 * costs no memory and running early would.
 *
 * In a program that can be stopped, kernels that write over variables run last. Elementwise kernels that serve updates
 * alone are merged with each other only: they then write directly, and an optimiser that writes three arrays for each
 * gradient keeps the gradient until then and not the three.
 */
#include "compile/passes/fuse.h"
#include "base/arena.h"
#include "compile/passes.h"

enum {
    MOST_SIBLINGS = 16,
    SMALL = 256, /* kernels with fewer elements, whose launch takes longer than their work */
    OPEN = 8     /* groups of small kernels considered for joining */
};

/* True if `block` is needed after kernel k anyway: a variable, constant or kept, or read by a later kernel. */
static bool lives_beyond(const struct fuse *f, int block, int k) {
    const struct flow *flow = f->flow;
    enum block_kind kind = flow->blocks[block].kind;
    if (kind == BLOCK_VARIABLE || kind == BLOCK_CONSTANT || flow->blocks[block].kept) return true;
    return flow->use_kernel[flow->use_start[block + 1] - 1] > k;
}

/* True if the current kernel should not join `group`: it would then run earlier, and keep memory in use that
   is otherwise free by then. */
static bool better_late(struct fuse *f, int group) {
    const struct kernel *k = &f->flow->kernels[f->current];
    if (f->anchors_before[f->current] == f->anchors_before[f->groups[group].newest + 1]) return false;
    for (int i = 0; i < k->ninputs; i++) {
        int writer = f->writer[k->inputs[i].slot];
        if (writer < 0 || fuse_group(f, writer) != group) continue;
        if (!lives_beyond(f, k->inputs[i].slot, f->current)) return false;
    }
    return true;
}

/* Merge the current kernel's group with `group`, which writes its operand `block`, if allowed; otherwise
   record the reason. */
static void try_join(struct fuse *f, int group, int block) {
    int mine = fuse_group(f, f->current);
    if (group == mine) return;
    if (better_late(f, group))
        fuse_note(f, block, "running it that early would keep memory in use");
    else if (!fuse_merge(f, group, mine))
        fuse_note(f, block, f->reason);
}

/* Merge the current kernel's group with those of its operands' producers where allowed. */
static void join_producers(struct fuse *f) {
    const struct kernel *k = &f->flow->kernels[f->current];
    for (int anchored = 1; anchored >= 0; anchored--) {
        for (int i = 0; i < k->ninputs; i++) {
            int writer = f->writer[k->inputs[i].slot];
            if (writer >= 0 && !operand_is_whole(f->flow, &k->inputs[i]))
                fuse_note(f, k->inputs[i].slot, "it is read in another order, or partly");
            if (writer < 0 || !operand_is_whole(f->flow, &k->inputs[i])) continue;
            int group = fuse_group(f, writer);
            if ((f->groups[group].anchor >= 0) == anchored) try_join(f, group, k->inputs[i].slot);
        }
    }
}

/* Merge the current kernel's group with elementwise readers of the same blocks where allowed. */
static void join_siblings(struct fuse *f) {
    const struct flow *flow = f->flow;
    const struct kernel *k = &flow->kernels[f->current];
    for (int i = 0; i < k->ninputs; i++) {
        int block = k->inputs[i].slot;
        if (!operand_is_whole(flow, &k->inputs[i])) continue;
        int last = flow->use_start[block + 1] < flow->use_start[block] + MOST_SIBLINGS
                       ? flow->use_start[block + 1]
                       : flow->use_start[block] + MOST_SIBLINGS;
        for (int u = flow->use_start[block]; u < last; u++) {
            int reader = flow->use_kernel[u];
            if (reader >= f->current) break; /* readers are ascending */
            if (flow->kernels[reader].kind != KERNEL_MAP) continue;
            int group = fuse_group(f, reader);
            bool near = f->anchors_before[f->current] == f->anchors_before[f->groups[group].newest + 1];
            if (near || !lives_beyond(f, block, f->current)) fuse_merge(f, group, fuse_group(f, f->current));
        }
    }
}

/* Merge small unrelated groups at the end, as their launches cost more than their work. Lifetimes of their
   operands are ignored. */
static void join_small(struct fuse *f) {
    int open[OPEN], n = 0;
    for (int k = 0; k < f->flow->nkernels && !f->fault->set; k++) {
        const struct group *x = &f->groups[k];
        if (fuse_group(f, k) != k || x->anchor >= 0 || x->prologue_first >= 0 || x->size > SMALL) continue;
        bool joined = false;
        f->attempt++;
        for (int i = 0; i < n && !joined; i++)
            if ((joined = fuse_merge(f, open[i], k))) open[i] = fuse_group(f, k);
        if (!joined) open[n < OPEN ? n++ : k % OPEN] = k;
    }
}

/* Fuse the kernels of the flow in order, then emit the groups. False, with the fault set, on failure. */
static bool fuse_all(struct fuse *f) {
    for (f->current = 0; f->current < f->flow->nkernels; f->current++) {
        if (!fuse_begin(f)) return false;
        if (f->flow->kernels[f->current].kind != KERNEL_MAP) continue;
        join_producers(f);
        join_siblings(f);
        if (f->fault->set) return false;
    }
    join_small(f);
    return !f->fault->set && fuse_emit(f);
}

/* ---- tables ---- */

static bool is_output(const struct flow *flow, int block) {
    for (int i = 0; i < flow->noutputs; i++)
        if (flow->outputs[i].slot == block) return true;
    return false;
}

/* True if all readers of `block` are in f->last. */
static bool read_by_last(const struct fuse *f, int block) {
    const struct flow *flow = f->flow;
    for (int u = flow->use_start[block]; u < flow->use_start[block + 1]; u++)
        if (!f->last[flow->use_kernel[u]]) return false;
    return true;
}

/* Find the elementwise kernels of a program that can be stopped whose values serve updates alone. */
static void find_last(struct fuse *f) {
    const struct flow *flow = f->flow;
    for (int k = flow->nkernels - 1; k >= 0 && flow->stoppable; k--)
        f->last[k] = flow->kernels[k].kind == KERNEL_MAP && read_by_last(f, f->made[k]) &&
                     !(flow->blocks[f->made[k]].kept && is_output(flow, f->made[k]));
}

/* Allocate the tables of the pass and fill in those of kernels and blocks. False if memory runs out. */
static bool make_room(struct fuse *f, struct arena *arena) {
    const struct flow *flow = f->flow;
    size_t n = (size_t)flow->nkernels + 1;
    int **numbers[] = {&f->next, &f->tried,          &f->parent,    &f->level,
                       &f->made, &f->anchors_before, &f->apart_from};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(*numbers[i] = arena_array(arena, n, sizeof(int)))) return false;
    int *writer = arena_array(arena, (size_t)flow->nblocks + 1, sizeof *writer);
    f->groups = arena_array(arena, n, sizeof *f->groups);
    f->scratch = arena_array(arena, PROGRAM_MAX_INPUTS, sizeof *f->scratch);
    f->apart = arena_array(arena, n, sizeof *f->apart);
    f->last = arena_array(arena, n, sizeof *f->last);
    if (!f->apart || !f->last || !writer || !f->groups || !f->scratch) return false;
    for (int b = 0; b < flow->nblocks; b++) writer[b] = flow->blocks[b].writer;
    for (int k = 0; k < flow->nkernels; k++) {
        f->made[k] = flow->kernels[k].outputs[0].slot;
        f->anchors_before[k + 1] = f->anchors_before[k] + (flow->kernels[k].kind != KERNEL_MAP);
    }
    f->writer = writer;
    find_last(f);
    return true;
}

bool pass_fuse(struct flow *flow, ty_report *report, struct fault *fault) {
    int before = flow->nkernels;
    struct arena arena = {0};
    struct fuse f = {.flow = flow, .fault = fault};
    bool done = flow_index(flow, fault);
    if (done)
        done = make_room(&f, &arena) ? fuse_all(&f) : fault_memory(fault, (size_t)before * sizeof *f.groups);
    arena_drop(&arena);
    if (done) report->fused += before - flow->nkernels;
    return done;
}
