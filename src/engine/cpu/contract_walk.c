/*
 * Loops as an odometer.  A loop walks what the loop around it over the same dimension leaves; its last step may be
 * shorter.  All that depends on where the walk is (addresses, which slot, which box) are counts that each step moves.
 */
#include "engine/cpu/contract_plan.h"

static int64_t extent_of(const struct contract_plan *p, const struct walk *w, int l) {
    const struct walk_loop *loop = &p->loops[l];
    return loop->parent < 0 ? loop->size : w->place[loop->parent].size;
}

static void move(const struct walk_loop *loop, struct walk *w, int64_t steps) {
    for (int i = 0; i < WALK_COUNTS; i++) w->at[i] += steps * loop->moves[i];
}

/* Puts a loop at its step `index`; false: it has none. */
static bool enter(const struct contract_plan *p, struct walk *w, int l, int64_t index) {
    const struct walk_loop *loop = &p->loops[l];
    struct walk_place *place = &w->place[l];
    place->extent = extent_of(p, w, l);
    if (l == p->first_summed) {
        place->extent = least(place->extent, w->span_end * loop->step);
        index += w->span_first;
    }
    place->index = index;
    place->position = index * loop->step;
    place->size = least(loop->step, place->extent - place->position);
    if (index) move(loop, w, index);
    return place->size > 0 || index == 0;
}

bool walk_start(const struct contract_plan *p, struct walk *w, int64_t span, int64_t task) {
    int64_t trips = p->first_summed < p->nloops ? p->loops[p->first_summed].trips : 1;
    int64_t index[TY_CONTRACTION_LOOPS];
    for (int i = 0; i < WALK_COUNTS; i++) w->at[i] = 0;
    w->span_first = trips * span / p->spans;
    w->span_end = trips * (span + 1) / p->spans;
    for (int l = p->nshared - 1; l >= 0; l--) {
        index[l] = task % p->loops[l].trips;
        task /= p->loops[l].trips;
    }
    for (int l = 0; l < p->nloops; l++)
        if (!enter(p, w, l, l < p->nshared ? index[l] : 0)) return false;
    return true;
}

bool walk_next(const struct contract_plan *p, struct walk *w, int first) {
    for (int l = p->nloops - 1; l >= first; l--) {
        const struct walk_loop *loop = &p->loops[l];
        struct walk_place *place = &w->place[l];
        if (place->position + loop->step >= place->extent) {
            move(loop, w, -place->index);
            continue;
        }
        place->index++;
        place->position += loop->step;
        place->size = least(loop->step, place->extent - place->position);
        move(loop, w, 1);
        for (int inner = l + 1; inner < p->nloops; inner++) enter(p, w, inner, 0);
        return true;
    }
    return false;
}
