/*
 * Loops as an odometer. A loop covers one step of the enclosing loop over the same dimension; its last step may be
 * shorter. Everything that depends on the position (addresses, slots, boxes) is a counter that each step moves.
 */
#include <stddef.h>
#include <string.h>
#include "engine/cpu/contract/contract_run.h"

static int64_t extent_of(const struct contract_plan *p, const struct box_walk *w, int l) {
    const struct walk_loop *loop = &p->loops[l];
    return loop->parent < 0 ? loop->size : w->place[loop->parent].size;
}

static void move(const struct walk_loop *loop, struct box_walk *w, int64_t steps) {
    for (int i = 0; i < WALK_COUNTS; i++) w->at[i] += steps * loop->moves[i];
}

/* Set loop l of the walk to step `index`, from 0, and move the counters. Return false if there is no such
   step; step 0 always succeeds. */
static bool enter(const struct contract_plan *p, struct box_walk *w, int l, int64_t index) {
    const struct walk_loop *loop = &p->loops[l];
    struct walk_place *place = &w->place[l];
    place->extent = extent_of(p, w, l);
    if (l == p->first_summed) {
        place->extent = lesser(place->extent, w->span_end * loop->step);
        index += w->span_first;
    }
    place->index = index;
    place->position = index * loop->step;
    place->size = lesser(loop->step, place->extent - place->position);
    if (index) move(loop, w, index);
    return place->size > 0 || index == 0;
}

/* Set each loop l to step index[l] (0-based) and the counters accordingly. Return false if a loop has no such step. */
static bool place(const struct contract_plan *p, struct box_walk *w, const int64_t *index) {
    for (int i = 0; i < WALK_COUNTS; i++) w->at[i] = 0;
    for (int l = 0; l < p->nloops; l++)
        if (!enter(p, w, l, index[l])) return false;
    return true;
}

static int64_t summed_trips(const struct contract_plan *p) {
    return p->first_summed < p->nloops ? p->loops[p->first_summed].trips : 1;
}

bool walk_start(const struct contract_plan *p, struct box_walk *w, int64_t span, int64_t task) {
    int64_t index[TY_CONTRACTION_LOOPS];
    w->span_first = summed_trips(p) * span / p->spans;
    w->span_end = summed_trips(p) * (span + 1) / p->spans;
    for (int l = p->nloops - 1; l >= 0; l--) {
        index[l] = l < p->nshared ? task % p->loops[l].trips : 0;
        if (l < p->nshared) task /= p->loops[l].trips;
    }
    return place(p, w, index);
}

bool walk_to(const struct contract_plan *p, struct box_walk *w, enum walk_count count, int64_t value) {
    int64_t index[TY_CONTRACTION_LOOPS];
    w->span_first = 0;
    w->span_end = summed_trips(p);
    for (int l = p->nloops - 1; l >= 0; l--) {
        bool counts = p->loops[l].moves[count] != 0;
        index[l] = counts ? value % p->loops[l].trips : 0;
        if (counts) value /= p->loops[l].trips;
    }
    return place(p, w, index);
}

bool walk_next(const struct contract_plan *p, struct box_walk *w, int first, int end) {
    for (int l = end - 1; l >= first; l--) {
        const struct walk_loop *loop = &p->loops[l];
        struct walk_place *at = &w->place[l];
        if (at->position + loop->step >= at->extent) {
            move(loop, w, -at->index);
            continue;
        }
        at->index++;
        at->position += loop->step;
        at->size = lesser(loop->step, at->extent - at->position);
        move(loop, w, 1);
        for (int inner = l + 1; inner < p->nloops; inner++) enter(p, w, inner, 0);
        return true;
    }
    return false;
}

void walk_copy(const struct contract_plan *p, struct box_walk *w, const struct box_walk *from) {
    memcpy(w, from, offsetof(struct box_walk, place) + (size_t)p->nloops * sizeof *w->place);
}

bool walk_peek(const struct contract_plan *p, const struct box_walk *w, int64_t at[WALK_COUNTS]) {
    for (int i = 0; i < WALK_COUNTS; i++) at[i] = w->at[i];
    for (int l = p->nloops - 1; l >= 0; l--) {
        bool steps = w->place[l].position + p->loops[l].step < w->place[l].extent;
        for (int i = 0; i < WALK_COUNTS; i++)
            at[i] += (steps ? 1 : -w->place[l].index) * p->loops[l].moves[i];
        if (steps) return true;
    }
    return false;
}
