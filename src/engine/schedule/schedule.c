/* Lists of nests as faster ones: each nest goes through all schedules. */
#include "engine/schedule/schedule.h"

#include <math.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/workspace.h"
#include "engine/schedule/change.h"

void *change_room(struct change *c, int n, size_t size) {
    void *p = c->failed ? NULL : arena_array(c->arena, (size_t)n + 1, size);
    if (!p) c->failed = true;
    return p;
}
void change_step(struct change *c, ty_nest_step step) {
    if (!c->failed) c->steps[c->to->nsteps++] = step;
}
static double bytes_of(ty_dtype dtype, double size) { return size * (double)dtype_table[dtype].size; }
bool change_fits(const struct change *c, ty_dtype dtype, double size) {
    return bytes_of(dtype, size) <= c->left;
}
int change_temporary(struct change *c, ty_dtype dtype, int64_t size) {
    if (!c->failed) c->temporaries[c->to->ntemporaries++] = (ty_nest_temporary){dtype, size};
    c->left -= bytes_of(dtype, (double)size);
    return c->to->noperands + c->to->ntemporaries - 1;
}
static void rename_register(uint16_t *reg, const uint16_t *map) {
    if (*reg != TY_NEST_ALWAYS) *reg = map[*reg];
}
static const ty_nest_instr *rename_operators(struct change *c, const ty_nest_instr *from, int n,
                                             const uint16_t *map) {
    ty_nest_instr *to = change_room(c, n, sizeof *to);
    for (int i = 0; to && i < n; i++) {
        to[i] = from[i];
        for (int k = 0; k < to[i].n; k++) rename_register(&to[i].from[k], map);
    }
    return to;
}
void change_registers(struct change *c, ty_nest *n, const uint16_t *map) {
    ty_nest_fold *folds = change_room(c, n->nfolds, sizeof *folds);
    ty_nest_write *writes = change_room(c, n->nwrites, sizeof *writes);
    if (c->failed) return;
    for (int i = 0; i < n->nfolds; i++) {
        folds[i] = n->folds[i];
        rename_register(&folds[i].value, map), rename_register(&folds[i].when, map);
        if (folds[i].kind == TY_NEST_DOT || nest_is_place(&folds[i])) rename_register(&folds[i].second, map);
    }
    for (int i = 0; i < n->nwrites; i++) {
        writes[i] = n->writes[i];
        rename_register(&writes[i].value, map), rename_register(&writes[i].when, map);
        rename_register(&writes[i].second, map);
    }
    n->before = rename_operators(c, n->before, n->nbefore, map);
    n->after = rename_operators(c, n->after, n->nafter, map);
    n->folds = folds, n->writes = writes;
}

/* Return the most steps that a nest becomes, or temporaries that it gets: each read is copied at most once, one of them
   twice; sums of parts have two steps, and a temporary for each fold. */
static int most_of(const ty_nest *n) { return n ? n->nreads + n->nfolds + 4 : 1; }

bool schedule(ty_nests *nests, int lanes, bool launches, struct arena *arena, struct fault *fault) {
    ty_nests to = {.noperands = nests->noperands, .ntemporaries = nests->ntemporaries};
    double limit = workspace_most() ? (double)workspace_most() : INFINITY;
    struct change c = {.arena = arena, .lanes = lanes, .launches = launches, .left = limit, .to = &to};
    int most = 0;
    if (!lanes) return true;
    for (int i = 0; i < nests->nsteps; i++) most += most_of(nests->steps[i].nest);
    c.steps = change_room(&c, most, sizeof *c.steps);
    c.temporaries = change_room(&c, most + nests->ntemporaries, sizeof *c.temporaries);
    for (int i = 0; !c.failed && i < nests->ntemporaries; i++) {
        c.temporaries[i] = nests->temporaries[i];
        c.left -= bytes_of(c.temporaries[i].dtype, (double)c.temporaries[i].size);
    }
    for (int i = 0; i < nests->nsteps; i++) {
        ty_nest_step step = nests->steps[i];
        if (step.nest) step.nest = change_copies(&c, change_parts(&c, change_counts(&c, step.nest)));
        change_step(&c, step);
    }
    if (c.failed) return fault_memory(fault, (size_t)most * sizeof *c.steps);
    to.steps = c.steps, to.temporaries = c.temporaries;
    *nests = to;
    return true;
}
