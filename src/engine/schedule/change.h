/* A list of nests in the making, from another one. */
#ifndef ENGINE_SCHEDULE_CHANGE_H
#define ENGINE_SCHEDULE_CHANGE_H
#include "engine/schedule/nest.h"

struct arena;
struct change {
    struct arena *arena;
    int lanes;
    bool launches; /* steps are launches */
    double left;   /* bytes that temporaries may still take (ty_set_workspace) */
    ty_nests *to;
    ty_nest_step *steps;
    ty_nest_temporary *temporaries;
    bool failed; /* without memory: all later calls do nothing */
};

/* Return zeroed memory for n items; NULL after a failure. */
void *change_room(struct change *c, int n, size_t size);
/* Add a step; a temporary, and return its slot. */
void change_step(struct change *c, ty_nest_step step);
int change_temporary(struct change *c, ty_dtype dtype, int64_t size);
/* True if a temporary of so many elements may be added. */
bool change_fits(const struct change *c, ty_dtype dtype, double size);

/* Give *n copies of its operators, folds and writes, with register map[i] in the place of register i. */
void change_registers(struct change *c, ty_nest *n, const uint16_t *map);

/* Schedules: each adds the steps that come first, and returns the nest that follows them, often n itself. */
const ty_nest *change_counts(struct change *c, const ty_nest *n);
const ty_nest *change_parts(struct change *c, const ty_nest *n);
const ty_nest *change_copies(struct change *c, const ty_nest *n);
#endif
