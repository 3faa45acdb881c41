/* Kernels of engines of the user's own: lists of nests, with temporaries in the workspace. */
#include <string.h>
#include "base/alloc.h"
#include "engine/nest/lower.h"
#include "engine/user/user.h"

enum { SLOTS = 48 }; /* more than most kernels have: the table of places is then on the stack */

/* A kernel as prepared. */
struct plan {
    ty_nests nests;
    int64_t *temporaries; /* byte offsets in the workspace */
    void *kernel;         /* the engine's own */
};

/* False, with the fault set, if a step is none for engines of the user's own. */
static bool has_nests(const struct kernel *k, const ty_nests *nests, struct fault *fault) {
    for (int i = 0; i < nests->nsteps; i++) {
        const ty_nest *n = nests->steps[i].nest;
        if (!n) return fault_set(fault, E_UNSUPPORTED, "%s is no nest", kernel_name(k));
        if (n->ndims > TY_NEST_DIMS)
            return fault_set(fault, E_UNSUPPORTED, "%s has a nest of %d loops; expected at most %d",
                             kernel_name(k), n->ndims, TY_NEST_DIMS);
    }
    return true;
}

bool user_prepare(struct device *d, struct kernel *k, struct arena *arena, struct fault *fault) {
    struct plan *p = arena_alloc(arena, sizeof *p);
    struct user_call c;
    if (!p) return fault_memory(fault, sizeof *p);
    p->kernel = NULL;
    k->width = 1;
    k->prepared = p;
    if (!nest_lower(k, &p->nests, arena, fault) || !has_nests(k, &p->nests, fault)) return false;
    p->temporaries = nests_place(&p->nests, &k->workspace, arena, fault);
    if (!p->temporaries || !user_begin(&c, d, fault)) return false;
    bool done = c.engine->own.prepare(c.context, &p->nests, &p->kernel, &c.error);
    if (done) atomic_fetch_add(&c.engine->prepared, 1), atomic_fetch_add(&c.engine->live, 1);
    return user_end(&c, done, "prepare", fault);
}

void user_drop(struct device *d, struct kernel *k) {
    struct plan *p = k->prepared;
    struct user_call c;
    struct fault unused;
    fault_clear(&unused);
    if (!user_begin(&c, d, &unused)) return;
    if (c.engine->own.drop) c.engine->own.drop(c.context, p->kernel);
    atomic_fetch_sub(&c.engine->live, 1);
    user_end(&c, true, "drop", &unused);
}

void user_explain(const struct kernel *k, struct text *t) {
    const struct plan *p = k->prepared;
    nests_describe(&p->nests, t);
}

/* ---- refusals ---- */

struct reading {
    struct device *d;
    void *stream;
    const struct device_place *places;
    struct fault *fault;
};

/* Return the integer at element `at` of an operand; 0, with the fault set, if it cannot be read. */
static int64_t peek(void *context, int slot, ty_dtype dtype, int64_t at) {
    struct reading *r = context;
    struct device_place from = r->places[slot];
    uint64_t bytes[2] = {0};
    from.offset += at * (int64_t)dtype_table[dtype].size;
    if (!user_fetch(r->d, r->stream, bytes, from, dtype_table[dtype].size, r->fault)) return 0;
    return element_load(dtype, bytes).i;
}

/* Set the fault of a refused launch.  Always false. */
static bool refuse(const struct kernel *k, struct reading *r, const ty_engine_refusal *refusal) {
    const struct plan *p = k->prepared;
    struct fault why;
    fault_clear(&why);
    bool step = refusal->step < p->nests.nsteps;
    const ty_nest *n = step ? p->nests.steps[refusal->step].nest : NULL;
    if (!n || refusal->check < 0 || refusal->check >= n->nchecks || refusal->position < 0)
        return fault_set(r->fault, E_DEVICE,
                         "%s: launch: refused by check %d of step %d, which %s does not have", r->d->name,
                         refusal->check, refusal->step, kernel_name(k));
    nests_refuse(k, &p->nests, refusal->step, refusal->position, peek, r, &why);
    return r->fault->set ? false : fault_copy(r->fault, &why);
}

/* ---- launching ---- */

/* Give kernel k to the engine, with room for its table of places. */
static bool give(struct reading *r, const struct kernel *k, struct device_place workspace,
                 ty_engine_place *slots) {
    const struct plan *p = k->prepared;
    ty_engine_refusal refusal = {.step = -1};
    struct user_call c;
    for (int i = 0; i < p->nests.noperands; i++)
        slots[i] = (ty_engine_place){r->places[i].handle, r->places[i].offset};
    for (int i = 0; i < p->nests.ntemporaries; i++)
        slots[p->nests.noperands + i] =
            (ty_engine_place){workspace.handle, workspace.offset + p->temporaries[i]};
    if (!user_begin(&c, r->d, r->fault)) return false;
    atomic_fetch_add(&c.engine->launches, 1);
    bool done = c.engine->own.launch(c.context, r->stream, p->kernel, slots, &refusal, &c.error);
    if (!user_end(&c, done, "launch", r->fault)) return false;
    return refusal.step < 0 || refuse(k, r, &refusal);
}

bool user_launch(struct device *d, void *stream, const struct kernel *k, const struct device_place *places,
                 struct device_place workspace, const struct device_cell *cell, struct fault *fault) {
    const struct plan *p = k->prepared;
    ty_engine_place room[SLOTS], *slots = room;
    struct reading r = {d, stream, places, fault};
    size_t n = (size_t)(p->nests.noperands + p->nests.ntemporaries);
    (void)cell;
    if (n > SLOTS && !(slots = mem_array(n, sizeof *slots))) return fault_memory(fault, n * sizeof *slots);
    bool done = give(&r, k, workspace, slots);
    if (slots != room) mem_free(slots);
    return done;
}
