/* Compiling: the passes in order, then kernels prepared, memory planned. */
#include "compile/routine.h"
#include "base/alloc.h"
#include "compile/passes.h"
#include "control/body.h"
#include "graph/walk.h"

static const struct control_kind *const kinds[KERNEL_KINDS] = {
#define KERNEL(...)
#define CONTROL(NAME, name, ...) [KERNEL_##NAME] = &control_##name,
#include "ops/core/kernels.def"
};

bool routine_launch(const struct engine *engine, const struct kernel *k, void *const *slots, void *workspace,
                    struct fault *fault) {
    return kinds[k->kind] ? kinds[k->kind]->launch(k, slots, workspace, fault)
                          : engine->launch(k, slots, workspace, fault);
}

static bool optimise(const struct compiling *c, struct graph *g) {
    struct walk before = {0}, after = {0};
    ty_report *r = c->report;
    bool done = walk_order(&before, g->n, g->roots, g->fault);
    r->nodes_before += before.count;
    r->edges_before += before.edges;
    int64_t acted = r->folded + r->simplified + r->merged;
    int64_t count = before.count;
    walk_drop(&before);
    done =
        done && (c->options->no_rewrite || passes_graph(g)) && walk_order(&after, g->n, g->roots, g->fault);
    int64_t gone = count - after.count - (r->folded + r->simplified + r->merged - acted);
    r->dead += gone > 0 ? gone : 0;
    walk_drop(&after);
    return done;
}

/* Whether a kernel reads the same bytes there in every launch (of a body: in every step). */
static bool is_fixed(const struct block *b, const struct given *given) {
    if (given && b->kind == BLOCK_VARIABLE && b->leaf && is_parameter(b->leaf))
        return given->fixed[parameter_number(b->leaf)];
    return b->kind == BLOCK_CONSTANT && b->leaf->buffer && !tensor_may_change(b->leaf);
}

static bool prepare_kernel(struct flow *f, const struct compiling *c, const struct given *given,
                           struct kernel *k) {
    if (kinds[k->kind]) return kinds[k->kind]->prepare(k, c, &f->arena);
    for (int i = 0; i < k->ncore && i < 32 && c->engine->keep; i++)
        if (is_fixed(&f->blocks[k->inputs[i].slot], given)) k->constant |= UINT32_C(1) << i;
    if (!c->engine->prepare(k, &f->arena, c->fault)) return false;
    if (!k->kept) return true;
    k->kept_slot = flow_add_block(f, BLOCK_KEPT, TY_U8, (int64_t)k->kept, NULL, c->fault);
    c->report->kept_bytes += (int64_t)k->kept;
    return k->kept_slot >= 0;
}

static bool prepare(struct flow *f, const struct compiling *c, const struct given *given) {
    double start = debug_clock();
    for (int k = 0; k < f->nkernels; k++)
        if (!prepare_kernel(f, c, given, &f->kernels[k])) return false;
    debug_pass("prepare", start);
    return true;
}

static bool make_plan(struct flow *f, struct memory_plan *plan, const struct compiling *c) {
    double start = debug_clock();
    if (!memory_plan_make(plan, f, c->options->no_reuse, c->fault)) return false;
    debug_pass("plan", start);
#ifndef NDEBUG
    if (!memory_plan_check(plan, f, c->fault) || !flow_check_updates(f, c->fault)) return false;
#endif
    return true;
}

bool routine_make(struct flow *f, struct memory_plan *plan, const struct compiling *c,
                  const struct given *given, int n, ty_tensor **roots) {
    int nupdates = given ? 0 : c->options->nupdates;
    struct graph g = {n + nupdates, roots, c->report, c->fault};
    ty_update *updates = mem_array((size_t)nupdates, sizeof *updates);
    if (!updates) return fault_memory(c->fault, (size_t)nupdates * sizeof *updates);
    bool done = optimise(c, &g);
    for (int i = 0; i < nupdates; i++)
        updates[i] = (ty_update){c->options->updates[i].variable, roots[n + i]};
    double start = debug_clock();
    done = done && flow_lower(f, given ? given->layouts : NULL, n, roots, nupdates, updates, c->fault);
    debug_pass("lower", start);
    mem_free(updates);
    return done && passes_flow(f, c->options, c->report, c->fault) && prepare(f, c, given) &&
           make_plan(f, plan, c);
}

void routine_drop(struct flow *f, struct memory_plan *plan) {
    for (int k = 0; k < f->nkernels; k++)
        if (kinds[f->kernels[k].kind] && f->kernels[k].prepared)
            kinds[f->kernels[k].kind]->drop(&f->kernels[k]);
    memory_plan_drop(plan);
    flow_drop(f);
}
