/* Compilation of a routine: passes, preparation of kernels, memory plan. */
#include "compile/routine.h"
#include "array/progress.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "compile/memory/memory_recompute.h"
#include "compile/memory/memory_share.h"
#include "compile/passes.h"
#include "compile/passes/sections.h"
#include "control/body.h"
#include "graph/walk.h"
#include "ops/core/kernel/away.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/kernel/prepared.h"
#include "ops/core/watch.h"

static const struct control_kind *const kinds[KERNEL_KINDS] = {
#define KERNEL(...)
#define CONTROL(NAME, name, ...) [KERNEL_##NAME] = &control_##name,
#include "ops/core/kernel/kernels.def"
};

bool routine_launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    return kinds[k->kind] ? kinds[k->kind]->launch(k, slots, workspace, fault)
                          : prepared_launch(k, slots, workspace, fault);
}

bool routine_reads_in_place(const struct kernel *k, int from, int to) {
    const struct control_kind *kind = kinds[k->kind];
    return kind && kind->reads_in_place && kind->reads_in_place(k, from, to);
}

bool routine_round(const struct kernel *k, struct boxes *boxes) {
    if (kinds[k->kind]) return kinds[k->kind]->round && kinds[k->kind]->round(k, boxes);
    return prepared_round(k->shared, boxes);
}

bool routine_launch_part(const struct kernel *k, const struct boxes *boxes, void *const *slots,
                         void *workspace, struct fault *fault) {
    return kinds[k->kind] ? kinds[k->kind]->launch_part(k, boxes, slots, workspace, fault)
                          : prepared_launch_part(k, boxes, slots, workspace, fault);
}

static bool run(const struct launch *l, struct fault *fault) {
    return routine_launch(l->kernel, l->slots, l->workspace, fault);
}

/* Launch kernel k of f under the watchers that are active. False after a fault. */
static __attribute__((noinline)) bool watch(const struct flow *f, const struct kernel *k, void *const *slots,
                                            void *workspace, struct fault *fault) {
    struct launch l = {k, kinds[k->kind] ? NULL : k->shared, f, slots, workspace, run};
    return watcher.watch(&l, fault);
}

bool routine_start(const struct flow *f, const struct kernel *k, void *const *slots, void *workspace,
                   struct fault *fault) {
    struct context_thread *t = thread_now();
    if (!launch_allowed(t, k, fault)) return false;
    bool done =
        launch_watches() ? watch(f, k, slots, workspace, fault) : routine_launch(k, slots, workspace, fault);
    return stop_end_of(t, fault) && done;
}

/* Run the graph passes on g and count their changes in the report; `story` records them for a page. False,
   with the fault set, on failure. */
static bool optimise(const struct compiling *c, struct page_story *story, struct graph *g) {
    const struct walk *walk = graph_order(g, NULL);
    ty_report *r = c->report;
    if (!walk) return false;
    int64_t acted = r->folded + r->simplified + r->merged, count = walk->count;
    story_graph(story, "before", walk, g->n, g->roots);
    r->nodes_before += count;
    r->edges_before += walk->edges;
    story_open(story, "passes");
    bool done = (c->options->no_rewrite || passes_graph(g, story)) && (walk = graph_order(g, NULL));
    story_close(story);
    if (done) story_graph(story, "after", walk, g->n, g->roots);
    int64_t gone = done ? count - walk->count - (r->folded + r->simplified + r->merged - acted) : 0;
    r->dead += gone > 0 ? gone : 0;
    return done && story_end(story, g->fault);
}

/* True if `block` has the same bytes in every launch. For a loop body that means every step, for an
   incremental program until a variable that is not expected to change does. given->fixed[] says which
   parameters of the body are fixed; given is NULL for a program. */
static bool is_fixed(const struct flow *f, int block, const struct given *given) {
    const struct block *b = &f->blocks[block];
    if (given && b->kind == BLOCK_VARIABLE && b->leaf && is_parameter(b->leaf))
        return given->fixed[parameter_number(b->leaf)];
    if (f->classes.n && b->kind == BLOCK_VARIABLE) return f->classes.label[block] < 0;
    return b->kind == BLOCK_CONSTANT && b->leaf->buffer && !tensor_may_change(b->leaf);
}

/* True if a and b keep the same data: they are prepared alike and read the same constants. */
static bool keep_the_same(const struct kernel *a, const struct kernel *b) {
    if (a->shared != b->shared) return false;
    for (int i = 0; i < a->ncore && i < 32; i++)
        if (a->constant >> i & 1 && (a->inputs[i].slot != b->inputs[i].slot ||
                                     a->inputs[i].layout.offset != b->inputs[i].layout.offset))
            return false;
    return true;
}

/* Return a hash of k that is equal for kernels that keep the same data. */
static uint64_t hash_of_kept(const struct kernel *k) {
    uint64_t hash = map_key(k->shared);
    for (int i = 0; i < k->ncore && i < 32; i++)
        if (k->constant >> i & 1)
            hash = hash_join(hash, (uint64_t)k->inputs[i].slot ^ (uint64_t)k->inputs[i].layout.offset << 32);
    return hash;
}

/* Let kernel k share the kept data of an earlier kernel, or give k a block for it. `keepers` maps hashes to
   kernels; equal hashes use the next keys. False, with the fault set, on failure. */
static bool place_kept(struct flow *f, const struct compiling *c, struct map *keepers, int k) {
    struct kernel *kernel = &f->kernels[k];
    for (uint64_t key = hash_of_kept(kernel);; key++) {
        bool is_new;
        const int64_t *keeper = map_put(keepers, key, k, &is_new);
        if (!keeper) return fault_memory(c->fault, sizeof *keeper);
        if (is_new) break;
        if (!keep_the_same(&f->kernels[*keeper], kernel)) continue;
        kernel->kept_slot = f->kernels[*keeper].kept_slot;
        return true;
    }
    kernel->kept_slot = flow_add_block(f, BLOCK_KEPT, TY_U8, (int64_t)kernel->kept, NULL, c->fault);
    kernel->keeps = true;
    c->report->kept_bytes += (int64_t)kernel->kept;
    return kernel->kept_slot >= 0;
}

/* kernel_prepare of a kernel for which ty_to has chosen a device; NULL: it has not. */
static bool prepare_on(struct kernel *k, const struct compiling *c, const struct device *chosen) {
    const struct engine *by = chosen ? engine_on(chosen) : c->engine;
    if (!stop_check(c->fault)) return false;
    k->device = c->engine->device;
    k->shared = by->device == c->engine->device ? prepared_for(c->engine, k, c->fault)
                                                : away_prepared(c->engine, by, k, c->fault);
    if (!k->shared) return false;
    k->width = k->shared->kernel.width;
    k->workspace = prepared_workspace(k);
    k->kept = k->shared->kernel.kept;
    return true;
}

bool kernel_prepare(struct kernel *k, const struct compiling *c) { return prepare_on(k, c, NULL); }

bool routine_join(struct kernel *k, const struct compiling *c, struct arena *arena) {
    k->shared = NULL;
    k->prepared = NULL;
    k->inside = NULL;
    k->ninside = 0;
    return kinds[k->kind] ? kinds[k->kind]->prepare(k, c, arena) : kernel_prepare(k, c);
}

void routine_part(struct kernel *k) {
    if (kinds[k->kind] && k->prepared) kinds[k->kind]->drop(k);
    if (k->shared) prepared_release(k->shared);
    k->prepared = NULL;
    k->shared = NULL;
}

/* True if a kernel of f may refuse values. */
static bool may_refuse(const struct flow *f) {
    for (int k = 0; k < f->nkernels; k++)
        if (kernel_may_refuse(f, &f->kernels[k])) return true;
    return false;
}

/* Prepare kernel `number` of f for the engine. given is NULL for a program; `keepers` maps hashes of kept
   data to kernels. False, with the fault set, on failure. */
static bool prepare_kernel(struct flow *f, const struct compiling *c, const struct given *given,
                           struct map *keepers, int number) {
    struct kernel *k = &f->kernels[number];
    const struct device *chosen = k->device;
    k->device = c->engine->device;
    if (kinds[k->kind]) return kinds[k->kind]->prepare(k, c, &f->arena);
    k->looks = k->device && !given && kernel_updates(f, k) && may_refuse(f);
    for (int i = 0; i < k->ncore && i < 32 && c->engine->keep; i++)
        if (is_fixed(f, k->inputs[i].slot, given)) k->constant |= UINT32_C(1) << i;
    if (!prepare_on(k, c, chosen)) return false;
    return !k->kept || place_kept(f, c, keepers, number);
}

/* Prepare all kernels of f for the engine. given: as in prepare_kernel. False, with the fault set, on
   failure. */
static bool prepare(struct flow *f, const struct compiling *c, const struct given *given) {
    double start = debug_clock();
    struct map keepers = {0};
    bool done = true;
    int before = f->nblocks;
    struct progress progress;
    progress_begin(&progress, "prepare", f->nkernels);
    for (int k = 0; k < f->nkernels && done; k++)
        done = progress_step(&progress, k, c->fault) && prepare_kernel(f, c, given, &keepers, k);
    progress_end(&progress);
    map_drop(&keepers);
    debug_pass("prepare", start);
    return done && (f->nblocks == before || flow_index(f, c->fault)); /* blocks of kept data are new */
}

/* Find kernels that run side by side. The trap of NaN names the first kernel of the order, so there are none while it is
   on. False, with the fault set, on failure. */
static bool choose_sections(struct flow *f, const struct compiling *c) {
    double start = debug_clock();
    struct sections found;
    if (c->engine->device || !c->engine->launch) return true; /* kernels are executed one after the other */
    if (launch_watches() & WATCH_NUMBERS) return true;
    if (!sections_find(f, parallel_width(), &found, c->fault)) return false;
    if (found.n && !memory_sections_choose(f, &found, c->options, c->fault)) return false;
    debug_pass("sections", start);
    return true;
}

/* Plan the memory of f, by a shared plan if there are such, unless it is a body (given). False, with the fault set,
   on failure. */
static bool make_plan(struct flow *f, struct memory_plan *plan, const struct compiling *c,
                      const struct given *given) {
    double start = debug_clock();
    bool made = c->sharing && !given ? memory_plan_lives(plan, f, c->options, c->fault) &&
                                           memory_share_place(c->sharing, plan, f, c->options, c->fault)
                                     : memory_plan_make(plan, f, c->options, c->fault);
    if (!made) return false;
    debug_pass("plan", start);
    return true;
}

/* Check the plan of f in debug builds; always true in others. False, with the fault set, on failure. */
static bool check_plan(const struct flow *f, const struct memory_plan *plan, struct fault *fault) {
#ifdef NDEBUG
    (void)f, (void)plan, (void)fault;
    return true;
#else
    return memory_plan_check(plan, f, fault) && flow_check_updates(f, fault) && flow_check_classes(f, fault);
#endif
}

/* Prepare the kernels of f copied by memory_recompute. False, with the fault set, on failure. */
static bool prepare_copies(struct flow *f, const struct compiling *c) {
    for (int i = 0; i < f->nkernels; i++) {
        struct kernel *k = &f->kernels[i];
        if (k->prepared || k->shared) continue;
        if (!(kinds[k->kind] ? kinds[k->kind]->prepare(k, c, &f->arena) : kernel_prepare(k, c))) return false;
    }
    return true;
}

/* Reduce the bytes of plan and kept data to options' max_bytes by recomputation. Incremental programs do
   not recompute, as their kernels run by class. False, with a message, if that is not possible. */
static bool keep_within(struct flow *f, struct memory_plan *plan, const struct compiling *c) {
    const ty_compile_options *o = c->options;
    int64_t kept = c->report->kept_bytes, before = plan->arena_bytes;
    double start = debug_clock();
    if (!o->max_bytes || before <= o->max_bytes - kept) return true;
    if (f->sections.n) {
        memory_plan_drop(plan);
        if (!sections_drop(f, c->fault) || !make_plan(f, plan, c, NULL)) return false;
        before = plan->arena_bytes;
        if (before <= o->max_bytes - kept) return true;
    }
    if (!o->no_reuse && !f->classes.n &&
        (!memory_recompute(plan, f, o, o->max_bytes - kept, &c->report->recomputed, c->fault) ||
         !prepare_copies(f, c)))
        return false;
    c->report->saved_bytes = before - plan->arena_bytes;
    debug_pass("recompute", start);
    if (plan->arena_bytes <= o->max_bytes - kept) return true;
    return fault_set(c->fault, E_LIMIT,
                     "compile: the program needs %lld bytes, more than max_bytes %lld: the arena has %lld "
                     "with %lld kernels run twice (%lld without), packed constants %lld",
                     (long long)(plan->arena_bytes + kept), (long long)o->max_bytes,
                     (long long)plan->arena_bytes, (long long)c->report->recomputed, (long long)before,
                     (long long)kept);
}

/* List in f->carries the carries whose next values may overwrite them in place, by given->next[]. False, with
   the fault set, if memory runs out. */
static bool give_carries(struct flow *f, const struct given *given, struct fault *fault) {
    f->carries = arena_array(&f->arena, (size_t)given->ncarries + 1, sizeof *f->carries);
    if (!f->carries) return fault_memory(fault, (size_t)given->ncarries * sizeof *f->carries);
    for (int i = 0; i < given->ncarries; i++)
        if (given->next[i] >= 0) f->carries[f->ncarries++] = (struct flow_carry){i, given->next[i], false};
    return true;
}

bool routine_make(struct flow *f, struct memory_plan *plan, const struct compiling *c,
                  const struct given *given, int n, ty_tensor **roots) {
    int nupdates = given ? 0 : c->options->nupdates;
    struct page_story *story = given ? NULL : c->story;
    struct walk walk = {0};
    struct graph g = {n + nupdates, roots, c->report, c->fault, c->options, given ? NULL : c->shadows, 0,
                      &walk};
    ty_update *updates = mem_array((size_t)nupdates, sizeof *updates);
    if (!updates) return fault_memory(c->fault, (size_t)nupdates * sizeof *updates);
    bool done = optimise(c, story, &g);
    for (int i = 0; i < nupdates; i++)
        updates[i] = (ty_update){c->options->updates[i].variable, roots[n + i]};
    double start = debug_clock();
    f->stoppable = !given && c->options->stoppable;
    if (!given && c->options->incremental)
        f->classes = (struct classes){
            .wanted = true, .nchanging = c->options->nchanging, .changing = c->options->changing};
    done = done && flow_order_effects(&walk, n + nupdates, roots, c->fault);
    done = done && flow_lower(f, &walk, given ? given->layouts : NULL, n, roots, nupdates, updates, c->fault);
    walk_drop(&walk);
    debug_pass("lower", start);
    mem_free(updates);
    story_open(story, "lowered");
    story_row(story, "lower", 0, f->nkernels);
    done = done && (!given || give_carries(f, given, c->fault)) &&
           passes_flow(f, c->options, !c->engine->device && c->engine->launch, c->report, story, c->fault);
    story_close(story);
    done = done && story_end(story, c->fault) && prepare(f, c, given) && flow_classify(f, c->fault) &&
           choose_sections(f, c) && make_plan(f, plan, c, given) && (given || keep_within(f, plan, c)) &&
           check_plan(f, plan, c->fault);
    for (int i = 0; i < f->ncarries && done; i++)
        given->in_place[f->carries[i].parameter] = f->carries[i].in_place;
    return done;
}

/* Return the bytes of the arrays of a flow and its plan, the arena excepted. */
static size_t tables_bytes(const struct flow *f, const struct memory_plan *plan) {
    size_t blocks = (size_t)f->nblocks, kernels = (size_t)f->nkernels;
    size_t bytes = (size_t)f->kernel_room * sizeof *f->kernels + (size_t)f->block_room * sizeof *f->blocks;
    bytes += (size_t)f->held_room * sizeof *f->held + (size_t)plan->nregions * sizeof *plan->regions;
    bytes += blocks * (sizeof *f->use_start + sizeof *f->write_start + sizeof *plan->of_block);
    for (size_t k = 0; k < kernels;
         k++) /* the lists of readers and writers; blocks may be newer than these */
        bytes += (size_t)(f->kernels[k].ninputs + f->kernels[k].noutputs) * sizeof *f->use_kernel;
    bytes += kernels * sizeof *plan->of_workspace;
    if (plan->pack_of)
        bytes += (size_t)plan->nregions * sizeof *plan->pack_of + (size_t)plan->npacks * sizeof *plan->packs;
    if (f->classes.n) bytes += blocks * (sizeof *f->classes.of_block + sizeof *f->classes.label);
    return bytes + (size_t)f->classes.n * sizeof *f->classes.sets;
}

void routine_parts(const struct flow *f, lru_each each, void *context) {
    for (int b = 0; b < f->nblocks; b++) {
        const struct buffer *buffer = f->blocks[b].kind == BLOCK_CONSTANT ? f->blocks[b].leaf->buffer : NULL;
        if (buffer) each(context, buffer, buffer->bytes);
    }
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k];
        if (kernel->shared) each(context, kernel->shared, kernel->shared->bytes);
        for (int i = 0; i < kernel->ninside; i++) routine_parts(kernel->inside[i].flow, each, context);
    }
}

static void add_bytes(void *sum, const void *part, size_t bytes) {
    (void)part;
    *(size_t *)sum += bytes;
}

/* Return the bytes of a flow and its inner routines without their parts. */
static size_t own_bytes(const struct flow *f, const struct memory_plan *plan) {
    size_t bytes = arena_bytes(&f->arena) + tables_bytes(f, plan);
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k];
        for (int i = 0; i < kernel->ninside; i++)
            bytes += own_bytes(kernel->inside[i].flow, kernel->inside[i].plan);
    }
    return bytes;
}

size_t routine_bytes(const struct flow *f, const struct memory_plan *plan) {
    size_t bytes = own_bytes(f, plan);
    routine_parts(f, add_bytes, &bytes);
    return bytes;
}

void routine_drop(struct flow *f, struct memory_plan *plan) {
    for (int k = 0; k < f->nkernels; k++) routine_part(&f->kernels[k]);
    memory_plan_drop(plan);
    flow_drop(f);
}
