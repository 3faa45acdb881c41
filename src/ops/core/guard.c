#include "ops/core/guard.h"
#include <string.h>

const struct layout *operand_inside(const struct operand *x, struct layout_room *room) {
    if (!x->guard) return &x->layout;
    struct layout *l = layout_room_init(room, x->layout.rank);
    l->offset = x->layout.offset;
    for (int i = 0; i < l->rank; i++) {
        l->shape[i] = x->guard->high[i] - x->guard->low[i];
        l->strides[i] = x->layout.strides[i];
        l->offset += x->guard->low[i] * l->strides[i];
    }
    return l;
}

bool guard_equal(int rank, const struct guard *a, const struct guard *b) {
    if (!a || !b) return a == b;
    size_t bytes = sizeof *a->low * (size_t)rank;
    return a == b ||
           (a->free == b->free && !memcmp(a->low, b->low, bytes) && !memcmp(a->high, b->high, bytes));
}

int guard_axis(const struct operand *x) {
    int i = 0;
    while (x->guard && i < x->layout.rank && x->guard->low[i] == 0 && x->guard->high[i] == x->layout.shape[i])
        i++;
    return x->guard ? i : x->layout.rank;
}

struct guard *guard_copy(int rank, const int *order, const struct guard *g, struct arena *arena) {
    struct guard *copy = arena_alloc(arena, sizeof *copy);
    int64_t *ends = arena_array(arena, 2 * (size_t)rank + 1, sizeof *ends);
    if (!copy || !ends) return NULL;
    *copy = (struct guard){g->free, ends, ends + rank};
    for (int i = 0; i < rank; i++) {
        int from = order ? order[i] : i;
        copy->low[i] = g->low[from];
        copy->high[i] = g->high[from];
    }
    return copy;
}

/* Groups of axes of both shapes with equal numbers of elements. */
struct guard_group {
    int i, iend, j, jend;
};

static int next_long(const int64_t *shape, int i, int end) {
    while (i < end && shape[i] == 1) i++;
    return i;
}

/* True if the shapes from[] and to[] have the same sizes in the same order within group g, apart from axes of
   size 1. */
static bool same_axes(const struct guard_group *g, const int64_t *from, const int64_t *to) {
    int i = next_long(from, g->i, g->iend), j = next_long(to, g->j, g->jend);
    while (i < g->iend && j < g->jend && from[i] == to[j]) {
        i = next_long(from, i + 1, g->iend);
        j = next_long(to, j + 1, g->jend);
    }
    return i == g->iend && j == g->jend;
}

static bool guarded_from(const struct operand *x, int i, int end) {
    for (; i < end; i++)
        if (x->guard->low[i] || x->guard->high[i] != x->layout.shape[i]) return true;
    return false;
}

/* Set the entries of *out for the group g of axes: the guard of x after a reshape to `shape`. If the axes are
   equal, ranges are copied; else the range of the first axis is rescaled to the new first axis. False if the
   result is no box, that is, one range per axis; *out is then undefined. */
static bool reshape_group(const struct operand *x, const struct guard_group *g, const int64_t *shape,
                          struct guard *out) {
    const int64_t *from = x->layout.shape;
    int i = next_long(from, g->i, g->iend), j = next_long(shape, g->j, g->jend);
    if (same_axes(g, from, shape)) {
        for (; i < g->iend; i = next_long(from, i + 1, g->iend), j = next_long(shape, j + 1, g->jend)) {
            out->low[j] = x->guard->low[i];
            out->high[j] = x->guard->high[i];
        }
        return true;
    }
    if (!guarded_from(x, g->i, g->iend)) return true;
    if (guarded_from(x, i + 1, g->iend)) return false;
    int64_t rest = shape_size(g->iend - i - 1, from + i + 1),
            step = shape_size(g->jend - j - 1, shape + j + 1);
    int64_t low = x->guard->low[i] * rest, high = x->guard->high[i] * rest;
    out->low[j] = low / step;
    out->high[j] = high / step;
    return low % step == 0 && high % step == 0;
}

bool guard_reshape(const struct operand *x, int rank, const int64_t *shape, struct guard *out) {
    const struct layout *l = &x->layout;
    out->free = x->guard->free;
    for (int j = 0; j < rank; j++) {
        out->low[j] = 0;
        out->high[j] = shape[j];
    }
    for (struct guard_group g = {0}; g.iend < l->rank || g.jend < rank;) {
        g.i = g.iend;
        g.j = g.jend;
        int64_t olds = g.iend < l->rank ? l->shape[g.iend++] : 1, news = g.jend < rank ? shape[g.jend++] : 1;
        while (olds != news) {
            if (olds < news)
                olds *= l->shape[g.iend++];
            else
                news *= shape[g.jend++];
        }
        if (!reshape_group(x, &g, shape, out)) return false;
    }
    return true;
}
