/*
 * Parts of a contraction. The plan stays the same, and only those of its boxes are computed that meet the part. So every
 * sum is made in the same order as in a whole run, and has the same bits. Parts end where boxes of the plan do.
 */
#include "engine/cpu/contract/contract_run.h"

/* Return the number of loops that tell boxes apart: sums that are stored together are computed together. */
static int limit_of(const struct contract_plan *p) { return p->together ? p->first_summed : p->nloops; }

/* Set *l to the layout of the result by the dimensions that it has, which are listed in dims[]. False if they are too
   many. */
static bool lay_dims(const struct contract_plan *p, int64_t out_start, int *dims, struct layout_room *room) {
    int n = 0;
    for (int d = 0; d < p->c->ndims; d++) {
        if (p->c->dims[d].type == TY_DIM_K || p->c->dims[d].size == 1) continue;
        if (n == BOX_RANK) return false;
        dims[n++] = d;
    }
    struct layout *l = layout_room_init(room, n);
    l->offset = out_start;
    for (int i = 0; i < n; i++) {
        l->shape[i] = p->c->dims[dims[i]].size;
        l->strides[i] = p->c->dims[dims[i]].stride[TY_OUT];
    }
    return true;
}

/* Enlarge the range low .. high, not empty, of dimension `dim` to the boxes that it meets. */
static void round_range(const struct contract_plan *p, int dim, int64_t *low, int64_t *high) {
    int64_t first = 0, from = 0, last = *high - 1, end = p->c->dims[dim].size, until = end;
    for (int l = 0; l < limit_of(p); l++) {
        if (p->loops[l].dim != dim) continue;
        int64_t step = p->loops[l].step;
        first += (*low - first) / step * step;
        from += (last - from) / step * step;
        until = lesser(from + step, until);
    }
    *low = first;
    *high = until;
}

bool contract_parts_of(const struct contract_plan *p, int64_t out_start, const struct layout *out,
                       const struct boxes *boxes, struct contract_parts *to) {
    struct layout_room room;
    if (!lay_dims(p, out_start, to->dims, &room)) return false;
    to->n = 0;
    to->ndims = room.layout.rank;
    to->limit = limit_of(p);
    for (int i = 0; i < boxes->n; i++)
        to->n += box_seen(&room.layout, out->rank, out->shape, &boxes->list[i], &to->list[to->n]);
    return true;
}

/* Enlarge box b of the result until it is all that the plan computes for it. False if the result's dimensions are too
   many. */
static bool round_box(const struct contract_plan *p, int64_t out_start, const struct layout *out,
                      struct box *b) {
    struct layout_room room;
    struct box seen, covered;
    int dims[BOX_RANK];
    if (!lay_dims(p, out_start, dims, &room)) return false;
    for (;;) {
        if (!box_seen(&room.layout, out->rank, out->shape, b, &seen)) return false;
        for (int i = 0; i < seen.rank; i++) round_range(p, dims[i], &seen.low[i], &seen.high[i]);
        box_covered(&room.layout, &seen, out->rank, out->shape, &covered);
        if (box_contains(b, &covered)) return true;
        box_bound(b, &covered, b);
    }
}

bool contract_round(const struct contract_plan *p, int64_t out_start, const struct layout *out,
                    struct boxes *boxes) {
    for (;;) { /* boxes that were joined are rounded again */
        struct boxes rounded = {0};
        for (int i = 0; i < boxes->n; i++) {
            if (!round_box(p, out_start, out, &boxes->list[i])) return false;
            boxes_add(&rounded, &boxes->list[i]);
        }
        bool joined = rounded.n < boxes->n;
        *boxes = rounded;
        if (!joined) return true;
    }
}

/* True if the walk's box meets the range low .. high of dimension `dim`, as far as the loops before `limit` tell. */
static bool meets(const struct contract_plan *p, const struct box_walk *w, int dim, int limit, int64_t low,
                  int64_t high) {
    int64_t first = 0, size = p->c->dims[dim].size;
    for (int l = 0; l < limit; l++) {
        if (p->loops[l].dim != dim) continue;
        first += w->place[l].position;
        size = w->place[l].size;
    }
    return first < high && first + size > low;
}

bool contract_wants(const struct contract_call *call, const struct box_walk *w, int side, int limit) {
    const struct contract_parts *parts = call->parts;
    const struct contract_plan *p = call->plan;
    bool wants = !parts;
    for (int i = 0; parts && i < parts->n && !wants; i++) {
        wants = true;
        for (int d = 0; d < parts->ndims && wants; d++)
            wants = !p->c->dims[parts->dims[d]].stride[side] ||
                    meets(p, w, parts->dims[d], (int)lesser(limit, parts->limit), parts->list[i].low[d],
                          parts->list[i].high[d]);
    }
    return wants;
}
