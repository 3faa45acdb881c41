/* An engine for tests: lowers each kernel to nests, checks them, and interprets them. */
#include <stdatomic.h>
#include <stdlib.h>
#include "base/context/context.h"
#include "engine/engines.h"
#include "tests/support/nest_run.h"

/* Results of prepare, for launch. */
struct nest_plan {
    ty_nests nests;
    struct kernel *other; /* NULL: nests; else the kernel as `cpu` has prepared it */
};
static atomic_llong made[KERNEL_KINDS];
int64_t nest_engine_made(enum kernel_kind kind) { return atomic_load(&made[kind]); }

static bool has_algorithm(const ty_nests *nests) {
    for (int i = 0; i < nests->nsteps; i++)
        if (!nests->steps[i].nest) return true;
    return false;
}

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct nest_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->width = 1;
    kernel->workspace = 0;
    if (!nest_lower(kernel, &p->nests, arena, fault) || !nests_check_kernel(kernel, &p->nests, fault))
        return false;
    if (has_algorithm(&p->nests)) {
        p->other = arena_copy(arena, kernel, sizeof *kernel);
        if (!p->other) return fault_memory(fault, sizeof *kernel);
        bool done = cpu_engine.prepare(p->other, arena, fault);
        kernel->workspace = p->other->workspace;
        p->other->kept = 0;
        kernel->prepared = p;
        return done;
    }
    atomic_fetch_add(&made[kernel->kind], 1);
    kernel->prepared = p;
    return true;
}

struct memory {
    void *const *slots;
};
static int64_t peek(void *context, int slot, ty_dtype dtype, int64_t at) {
    const struct memory *m = context;
    return element_load(dtype, (const char *)m->slots[slot] + at * (int64_t)dtype_table[dtype].size).i;
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct nest_plan *p = kernel->prepared;
    if (p->other) return cpu_engine.launch(p->other, slots, workspace, fault);
    size_t n = (size_t)(p->nests.noperands + p->nests.ntemporaries);
    void **all = calloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        if (i < (size_t)p->nests.noperands) {
            all[i] = slots[i];
            continue;
        }
        const ty_nest_temporary *t = &p->nests.temporaries[i - (size_t)p->nests.noperands];
        size_t bytes = (size_t)t->size * dtype_table[t->dtype].size;
        all[i] = malloc(bytes + 1);
        memset(all[i], 0xA5, bytes);
    }
    struct nest_refusal why;
    struct memory memory = {all};
    bool done = nests_run(&p->nests, all, &why);
    if (!done && why.check < 0) fault_memory(fault, sizeof why);
    if (!done && why.check >= 0)
        nests_refuse(kernel, &p->nests, why.step, why.position, peek, &memory, fault);
    for (size_t i = (size_t)p->nests.noperands; i < n; i++) free(all[i]);
    free(all);
    return done;
}

static void describe(const struct kernel *kernel, struct text *t) {
    const struct nest_plan *p = kernel->prepared;
    nests_describe(&p->nests, t);
}

const struct engine nest_engine = {
    .name = "nests", .prepare = prepare, .launch = launch, .describe = describe};
void nest_engine_use(void) { thread_now()->engine = &nest_engine; }
