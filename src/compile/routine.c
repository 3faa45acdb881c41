/* Compiling: the passes in order, then kernels prepared, memory planned. */
#include "compile/routine.h"
#include "base/alloc.h"
#include "compile/memory/memory_recompute.h"
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
    if (!memory_plan_make(plan, f, c->options, c->fault)) return false;
    debug_pass("plan", start);
    return true;
}

/* Debug builds check every plan. */
static bool check_plan(const struct flow *f, const struct memory_plan *plan, struct fault *fault) {
#ifdef NDEBUG
    (void)f, (void)plan, (void)fault;
    return true;
#else
    return memory_plan_check(plan, f, fault) && flow_check_updates(f, fault);
#endif
}

/* Prepares copies, and all kernels that may read other blocks now.  What is kept stays where it is. */
static bool prepare_again(struct flow *f, const struct compiling *c) {
    for (int i = 0; i < f->nkernels; i++) {
        struct kernel *k = &f->kernels[i];
        const struct control_kind *kind = kinds[k->kind]; /* what it runs has blocks of its own */
        if (kind && k->prepared) continue;
        k->workspace = k->kept = 0;
        k->prepared = NULL;
        if (!(kind ? kind->prepare(k, c, &f->arena) : c->engine->prepare(k, &f->arena, c->fault)))
            return false;
    }
    return true;
}

/* Keeps the plan and what is kept of constants within max_bytes, or refuses. */
static bool keep_within(struct flow *f, struct memory_plan *plan, const struct compiling *c) {
    const ty_compile_options *o = c->options;
    int64_t kept = c->report->kept_bytes, before = plan->arena_bytes;
    double start = debug_clock();
    if (!o->max_bytes || before <= o->max_bytes - kept) return true;
    if (!o->no_reuse &&
        (!memory_recompute(plan, f, o, o->max_bytes - kept, &c->report->recomputed, c->fault) ||
         !prepare_again(f, c)))
        return false;
    c->report->saved_bytes = before - plan->arena_bytes;
    debug_pass("recompute", start);
    if (plan->arena_bytes <= o->max_bytes - kept) return true;
    return fault_set(
        c->fault,
        "compile: the program needs %lld bytes and max_bytes is %lld: its arena takes %lld where "
        "%lld kernels run twice (%lld where none does), what it keeps of constants %lld",
        (long long)(plan->arena_bytes + kept), (long long)o->max_bytes, (long long)plan->arena_bytes,
        (long long)c->report->recomputed, (long long)before, (long long)kept);
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
    return done && passes_flow(f, c->options->no_fuse, c->report, c->fault) && prepare(f, c, given) &&
           make_plan(f, plan, c) && (given || keep_within(f, plan, c)) && check_plan(f, plan, c->fault);
}

void routine_drop(struct flow *f, struct memory_plan *plan) {
    for (int k = 0; k < f->nkernels; k++)
        if (kinds[f->kernels[k].kind] && f->kernels[k].prepared)
            kinds[f->kernels[k].kind]->drop(&f->kernels[k]);
    memory_plan_drop(plan);
    flow_drop(f);
}
