#include "compile/bodies/body_code.h"
#include "base/alloc.h"
#include "compile/runs/run_device.h"
#include "compile/runs/sections_run.h"
#include "ops/core/kernel/prepared.h"

/* Set in *code the blocks that parameters are read from (-1: not read) and that wanted outputs are written
   to, and lay out the workspace of the subgraph, with a table of slots if the body `runs`. wanted[] has an entry for
   each output. False, with no fault set, if memory runs out. */
static bool find_blocks(struct body_code *code, const struct body *body, const bool *wanted, bool runs,
                        struct arena *arena) {
    const struct flow *f = &code->flow;
    code->parameters = arena_array(arena, (size_t)body->nparameters + 1, sizeof(int));
    code->roots = arena_array(arena, (size_t)body->nroots + 1, sizeof(int));
    code->kept = arena_array(arena, (size_t)f->nblocks + 1, sizeof *code->kept);
    if (!code->parameters || !code->roots || !code->kept) return false;
    for (int i = 0; i < body->nparameters; i++) code->parameters[i] = -1;
    for (int b = 0; b < f->nblocks; b++)
        if (f->blocks[b].leaf && is_parameter(f->blocks[b].leaf))
            code->parameters[parameter_number(f->blocks[b].leaf)] = b;
    for (int i = 0, n = 0; i < body->nroots; i++) code->roots[i] = wanted[i] ? f->outputs[n++].slot : -1;
    code->arena = runs ? (size_t)plan_aligned(((int64_t)f->nblocks + 1) * (int64_t)sizeof(void *)) : 0;
    code->bytes = code->arena + (size_t)plan_aligned(code->plan.arena_bytes);
    for (int b = 0; b < f->nblocks; b++) {
        if (f->blocks[b].kind != BLOCK_KEPT) continue;
        code->kept[b] = code->bytes;
        code->bytes += (size_t)plan_aligned(f->blocks[b].bytes);
    }
    return true;
}

bool body_code_make(struct body_code *code, const struct body *body, const struct given *given,
                    const bool *wanted, const struct compiling *c, struct arena *arena) {
    *code = (struct body_code){.device = c->engine->device};
    ty_tensor **roots = arena_array(arena, (size_t)body->nroots + 1, sizeof *roots);
    if (!roots) return fault_memory(c->fault, (size_t)body->nroots * sizeof *roots);
    int n = 0;
    for (int i = 0; i < body->nroots; i++)
        if (wanted[i]) roots[n++] = body->roots[i];
    ty_scope *scope = ty_open();
    bool done = routine_make(&code->flow, &code->plan, c, given, n, roots);
    ty_close(scope);
    return done && (find_blocks(code, body, wanted, c->engine->launch, arena) ||
                    fault_memory(c->fault, sizeof *code));
}

void body_code_drop(struct body_code *code) { routine_drop(&code->flow, &code->plan); }

void **body_code_slots(const struct body_code *code, void *workspace, struct fault *fault) {
    size_t n = (size_t)code->flow.nblocks + 1;
    void **slots = code->device ? mem_array(n, sizeof *slots) : workspace;
    char *arena = (char *)workspace + code->arena;
    bool done = slots || fault_memory(fault, n * sizeof *slots);
    for (int b = 0; b < code->flow.nblocks && done; b++) {
        const struct block *block = &code->flow.blocks[b];
        int region = code->plan.of_block[b];
        slots[b] = block->kind == BLOCK_KEPT       ? (char *)workspace + code->kept[b]
                   : block->kind == BLOCK_CONSTANT ? tensor_at(block->leaf, code->device, fault)
                   : region >= 0                   ? arena + code->plan.regions[region].offset
                                                   : plan_nothing;
        done = slots[b];
    }
    if (done) return slots;
    body_code_end(code, slots);
    return NULL;
}

void body_code_end(const struct body_code *code, void **slots) {
    if (code->device) mem_free(slots);
}

static void *workspace_of(const struct body_code *code, int k, void *workspace) {
    return routine_workspace(&code->plan, (char *)workspace + code->arena, k);
}

void body_code_keep(const struct body_code *code, void **slots, void *workspace) {
    for (int k = 0; k < code->flow.nkernels; k++)
        if (code->flow.kernels[k].keeps)
            prepared_keep(&code->flow.kernels[k], slots, workspace_of(code, k, workspace));
}

bool body_code_run(const struct body_code *code, void **slots, void *workspace, struct fault *fault) {
    const struct flow *f = &code->flow;
    struct routine_run run = {
        .flow = f, .plan = &code->plan, .slots = slots, .arena = (char *)workspace + code->arena};
    const struct context_thread *t = thread_now();
    for (int k = 0; k < f->nkernels; k++) {
        const struct section *s = sections_begin(t, f, k);
        if (code->device ? !run_in_body(code->device, &run, k, fault)
            : s          ? !section_run(&run, s, fault)
                         : !routine_run_kernel(&run, k, fault))
            return false;
        if (s) k = s->end - 1;
    }
    return true;
}
