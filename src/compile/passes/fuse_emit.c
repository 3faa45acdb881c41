/* Turns groups into kernels: the single-instruction programs of a group's kernels become one program. */
#include <string.h>
#include "base/alloc.h"
#include "compile/passes/fuse.h"

/* The kernels of a body or prologue, in order. */
struct emitted_body {
    int count, kernels[PROGRAM_MAX_INSTRS]; /* ascending, which is a valid order */
    int core;                               /* block of register 0, the anchor's value; -1: none */
    int ninputs;
    const struct operand *inputs;
    int rank; /* iteration space of the program */
    const int64_t *shape;
};

/* List the kernels that are linked from `first` on in b->kernels, in ascending order, and their number in
   b->count. */
static void collect(const struct fuse *f, int first, struct emitted_body *b) {
    b->count = 0;
    for (int k = first; k >= 0; k = f->next[k]) {
        int at = b->count++;
        for (; at > 0 && b->kernels[at - 1] > k; at--) b->kernels[at] = b->kernels[at - 1];
        b->kernels[at] = k;
    }
}

/* Return the register of operand x, as kernel number `at` of the elementwise program b reads it. If it is
   missing, set the fault and return 0. */
static int register_of(struct fuse *f, const struct emitted_body *b, const struct operand *x, int at) {
    int first = b->core >= 0;
    if (x->slot == b->core) return 0;
    for (int i = 0; i < at; i++)
        if (f->made[b->kernels[i]] == x->slot) return first + b->ninputs + i;
    struct operand seen;
    int found = fuse_reshaped(f, x, b->rank, b->shape, &seen) ? fuse_find(&seen, b->ninputs, b->inputs) : -1;
    if (found < 0)
        fault_set(f->fault, E_INTERNAL, "compile: a fused operand is missing; fuse_merge.c is at fault");
    return found < 0 ? 0 : first + found;
}

/* Return the elementwise program of the kernels in b, with capacity for outputs but none yet. NULL, with the
   fault set, on failure. */
static struct program *program_of(struct fuse *f, const struct emitted_body *b) {
    struct arena *arena = &f->flow->arena;
    struct program *p = arena_alloc(arena, sizeof *p);
    if (p) p->instrs = arena_array(arena, (size_t)b->count, sizeof *p->instrs);
    if (p) p->outputs = arena_array(arena, (size_t)b->count + 1, sizeof *p->outputs);
    if (!p || !p->instrs || !p->outputs) {
        fault_memory(f->fault, sizeof *p);
        return NULL;
    }
    p->ninputs = b->ninputs + (b->core >= 0);
    for (int i = 0; i < b->count; i++) {
        const struct kernel *k = &f->flow->kernels[b->kernels[i]];
        struct instr instr = k->program->instrs[0];
        for (int j = 0; j < k->ninputs; j++)
            instr.src[j] = (uint16_t)register_of(f, b, &k->inputs[k->program->instrs[0].src[j]], i);
        p->instrs[p->ninstrs++] = instr;
    }
    return f->fault->set ? NULL : p;
}

/* True if a kernel outside of the group reads the block, or the block is kept. */
static bool is_wanted(struct fuse *f, int block, int group) {
    const struct flow *flow = f->flow;
    if (flow->blocks[block].kept) return true;
    for (int u = flow->use_start[block]; u < flow->use_start[block + 1]; u++)
        if (fuse_group(f, flow->use_kernel[u]) != group) return true;
    return false;
}

/* Add `block`, in the group's shape, to the outputs of kernel k, which stores register `reg` of its program
   there. False, with the fault set, if memory runs out. */
static bool add_output(struct fuse *f, struct kernel *k, const struct group *g, int block, int reg) {
    int64_t *strides = arena_array(&f->flow->arena, (size_t)g->rank, sizeof *strides);
    if (!strides) return fault_memory(f->fault, sizeof *strides * (size_t)g->rank);
    k->outputs[k->noutputs++] = operand_whole(f->flow, block, g->rank, (int64_t *)g->shape, strides);
    k->program->outputs[k->program->noutputs++] = (uint16_t)reg;
    return true;
}

/* Fill in the program and the outputs of k, the kernel of a group. False, with the fault set, on failure. */
static bool emit_body(struct fuse *f, struct kernel *k, int group) {
    struct group *g = &f->groups[group];
    struct emitted_body b = {.core = g->anchor >= 0 ? f->made[g->anchor] : -1,
                             .ninputs = g->nextras,
                             .inputs = g->extras,
                             .rank = g->rank,
                             .shape = g->shape};
    collect(f, g->first, &b);
    k->program = program_of(f, &b);
    k->outputs = arena_array(&f->flow->arena, (size_t)b.count + 1, sizeof *k->outputs);
    if (!k->program || !k->outputs) return fault_memory(f->fault, sizeof *k->outputs);
    k->noutputs = 0;
    if (b.core >= 0 && is_wanted(f, b.core, group) && !add_output(f, k, g, b.core, 0)) return false;
    for (int i = 0; i < b.count; i++) {
        int block = f->made[b.kernels[i]];
        if (is_wanted(f, block, group) && !add_output(f, k, g, block, k->program->ninputs + i)) return false;
    }
    return true;
}

/* Fill in the prologue of k, a reduction: the elementwise program that computes its operand. False, with the
   fault set, on failure. */
static bool emit_prologue(struct fuse *f, struct kernel *k, const struct group *g) {
    const struct layout *seen = &k->inputs[0].layout;
    struct emitted_body b = {
        .core = -1, .ninputs = g->ncore, .inputs = g->core, .rank = seen->rank, .shape = seen->shape};
    int value = k->inputs[0].slot;
    collect(f, g->prologue_first, &b);
    k->prologue = program_of(f, &b);
    if (!k->prologue) return false;
    for (int i = 0; i < b.count; i++)
        if (f->made[b.kernels[i]] == value) k->prologue->outputs[0] = (uint16_t)(b.ninputs + i);
    k->prologue->noutputs = 1;
    return true;
}

/* Set the inputs of k to those of the group's core, then those of its elementwise program. False, with the
   fault set, on failure. */
static bool join_inputs(struct fuse *f, struct kernel *k, const struct group *g) {
    size_t core = (size_t)g->ncore, extras = (size_t)g->nextras;
    struct operand *inputs = arena_array(&f->flow->arena, core + extras, sizeof *inputs);
    if (!inputs) return fault_memory(f->fault, (core + extras) * sizeof *inputs);
    if (core) memcpy(inputs, g->core, core * sizeof *inputs);
    if (extras) memcpy(inputs + core, g->extras, extras * sizeof *inputs);
    k->inputs = inputs;
    k->ninputs = g->ncore + g->nextras;
    k->ncore = g->anchor >= 0 ? g->ncore : k->ninputs;
    return true;
}

/* Set k->apart and k->apart_from to the first recorded reason why a kernel of the group was not fused with a
   writer that is still outside of it; k->apart to NULL if there is none. */
static void tell_apart(struct fuse *f, int group, struct kernel *k) {
    const struct group *g = &f->groups[group];
    k->apart = NULL;
    for (int i = g->anchor >= 0 ? g->anchor : g->first; i >= 0 && !k->apart;
         i = i == g->anchor ? g->first : f->next[i]) {
        int writer = f->apart[i] ? f->writer[f->apart_from[i]] : -1;
        if (writer < 0 || fuse_group(f, writer) == group) continue;
        k->apart = f->apart[i];
        k->apart_from = f->apart_from[i];
    }
}

/* Make *k the kernel of a group. False, with the fault set, on failure. */
static bool emit_group(struct fuse *f, int group, struct kernel *k) {
    const struct group *g = &f->groups[group];
    int lead = g->anchor >= 0 ? g->anchor : g->first;
    *k = f->flow->kernels[lead];
    tell_apart(f, group, k);
    bool alone = g->anchor >= 0 ? g->first < 0 : f->next[g->first] < 0;
    if (g->prologue_first >= 0 && !emit_prologue(f, k, g)) return false;
    if (!alone && !emit_body(f, k, group)) return false;
    if (g->anchor < 0 && !alone) {
        k->attr = NULL;
        k->attr_bytes = 0;
        k->op = k->program->instrs[0].op;
    }
    if (!alone) fuse_signs(k->program);
    if (g->prologue_first >= 0) fuse_signs(k->prologue);
    return (alone && g->prologue_first < 0) || join_inputs(f, k, g);
}

bool fuse_emit(struct fuse *f) {
    struct flow *flow = f->flow;
    int count = 0;
    struct kernel *kernels = mem_array((size_t)flow->nkernels + 1, sizeof *kernels);
    if (!kernels) return fault_memory(f->fault, (size_t)flow->nkernels * sizeof *kernels);
    for (int k = 0; k < flow->nkernels; k++) {
        int group = fuse_group(f, k);
        if (f->groups[group].newest != k) continue;
        if (!emit_group(f, group, &kernels[count])) {
            mem_free(kernels);
            return false;
        }
        count += kernels[count].noutputs > 0;
    }
    mem_free(flow->kernels);
    flow->kernels = kernels;
    flow->kernel_room = flow->nkernels + 1;
    flow->nkernels = count;
    return true;
}
