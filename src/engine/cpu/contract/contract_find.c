/*
 * Finds the box of the walk's position.
 *
 * A dimension that is no multiple of its step ends in a shorter box, so a plan has a few shapes of box. They are made
 * with the plan, since laying out a box takes some microseconds, as long as a small product. If there are too many
 * shapes, each thread makes the remaining ones as it meets them, and keeps the last few.
 */
#include <string.h>
#include "engine/cpu/contract/contract_run.h"

void contract_sizes(const struct contract_plan *p, const struct box_walk *w, int64_t *size) {
    for (int d = 0; d < p->ndims; d++) {
        int64_t n = p->dims[d].loop < 0 ? p->dims[d].size : w->place[p->dims[d].loop].size,
                panel = p->dims[d].panel;
        size[d] = n;
        if (!panel) continue;
        /* an incomplete panel is one panel */
        size[d] = p->dims[d].loop < 0 ? n : n % panel ? 1 : n / panel;
        size[d + 1] = p->dims[d].loop < 0 ? panel : n % panel ? n : panel;
        d++;
    }
}

static bool is_of(const struct contract_plan *p, const struct contract_box *box, const int64_t *size) {
    return memcmp(box->size, size, (size_t)p->ndims * sizeof *size) == 0;
}

/* Return the plan's box with size[d] elements along dimension d that is a piece of `around` (NULL: a whole
   box). NULL if there is none. */
static const struct contract_box *look(const struct contract_plan *p, const int64_t *size,
                                       const struct contract_box *around) {
    if (!around && is_of(p, p->full, size)) return p->full;
    for (const struct contract_made *made = p->made; made; made = made->next)
        if (made->around == around && is_of(p, made->box, size)) return made->box;
    return NULL;
}

const struct contract_box *contract_box_once(struct contract_plan *p, const int64_t *size,
                                             const struct contract_box *around, struct arena *arena) {
    const struct contract_box *box = look(p, size, around);
    if (box) return box;
    struct contract_made *made = arena_alloc(arena, sizeof *made);
    box = contract_box_of(p, size, around, arena);
    if (!made || !box) return NULL;
    *made = (struct contract_made){p->made, around, box};
    p->made = made;
    return box;
}

/* KINDS: boxes made with a plan at most; VISITS: positions visited for that; BOX_ROOMS: other boxes that a thread
   keeps. */
enum { KINDS = 16, VISITS = 256, BOX_ROOMS = 6 };

struct kinds {
    struct contract_plan *p;
    struct arena *arena;
    struct box_walk w;
    int made, visits;
    bool failed;
};

/* Make all boxes that the loops from l on reach. Return false if out of memory (k->failed is set) or if there are
   too many. */
static bool make_inside(struct kinds *k, int l) {
    struct contract_plan *p = k->p;
    if (l == p->nloops) {
        int64_t size[TY_CONTRACTION_DIMS + 4];
        contract_sizes(p, &k->w, size);
        if (look(p, size, NULL)) return ++k->visits < VISITS;
        k->failed = k->made < KINDS && !contract_box_once(p, size, NULL, k->arena);
        return !k->failed && k->made++ < KINDS;
    }
    const struct walk_loop *loop = &p->loops[l];
    int64_t extent = loop->parent < 0 ? loop->size : k->w.place[loop->parent].size,
            step = lesser(loop->step, extent);
    k->w.place[l].size = step;
    if (!make_inside(k, l + 1)) return false;
    k->w.place[l].size = step ? extent % step : 0;
    return k->w.place[l].size == 0 || make_inside(k, l + 1);
}

bool contract_kinds_make(struct contract_plan *p, struct arena *arena, struct fault *fault) {
    if (p->uniform || p->pieces) return true;
    struct kinds k = {.p = p, .arena = arena};
    p->box_rooms = make_inside(&k, 0) ? 0 : BOX_ROOMS;
    return !k.failed || fault_memory(fault, contract_box_bytes(p));
}

const struct contract_box *contract_box_find(const struct contract_plan *p, const struct box_walk *w,
                                             struct contract_scratch *s) {
    if (p->uniform) return p->full;
    if (p->pieces) return p->pieces[w->at[AT_PIECES]].around;
    int64_t size[TY_CONTRACTION_DIMS + 4];
    contract_sizes(p, w, size);
    const struct contract_box *made = look(p, size, NULL);
    if (made) return made;
    int kept = s->nmade < p->box_rooms ? s->nmade : (int)p->box_rooms;
    for (int i = 0; i < kept; i++)
        if (is_of(p, s->made[i], size)) return s->made[i];
    int place = s->nmade++ % (int)p->box_rooms;
    char *room = s->boxes + (size_t)place * round_up((int64_t)contract_box_bytes(p), 64);
    return s->made[place] = contract_box_again(p, size, room);
}
