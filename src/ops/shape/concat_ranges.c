/* Determines which elements of the axis each part writes first, and to which it adds.  The axis is cut where parts
   begin and end; a union-find forest over the pieces, with path halving, finds the next unwritten piece. */
#include <stdlib.h>
#include "base/arena.h"
#include "base/order.h"
#include "ops/shape/concat.h"

struct cuts {
    int64_t *at;  /* order_i64 and distinct: piece k is at[k] .. at[k+1]-1 */
    int n, *free; /* n: number of pieces; free[k]: k if unwritten, else a later piece on the way to the
                     next unwritten one */
    struct concat_range *ranges;
    int nranges;
};

/* Return the first piece from `piece` on that is not written yet, c->n if all are. Shortens the links on its
   way. */
static int next_free(struct cuts *c, int piece) {
    while (c->free[piece] != piece) {
        c->free[piece] = c->free[c->free[piece]];
        piece = c->free[piece];
    }
    return piece;
}

static int piece_at(const struct cuts *c, int64_t place) {
    const int64_t *found = bsearch(&place, c->at, (size_t)c->n + 1, sizeof place, order_i64);
    return (int)(found - c->at);
}

static void add_range(struct cuts *c, int part, bool adds, int from, int to) {
    if (from < to) c->ranges[c->nranges++] = (struct concat_range){part, adds, c->at[from], c->at[to]};
}

/* Add ranges that assign pieces first .. end-1 of the axis to a part (-1: zeros): it writes unwritten pieces
   and adds to written ones. */
static void take(struct cuts *c, int part, int first, int end) {
    while (first < end) {
        int from = next_free(c, first), to;
        if (from > end) from = end;
        add_range(c, part, true, first, from);
        for (to = from; to < end && c->free[to] == to; to++) c->free[to] = to + 1;
        add_range(c, part, false, from, to);
        first = to;
    }
}

/* Cut the axis at all starts and ends of n parts of sizes[n] into c->at[], c->n pieces, and allocate the
   tables in the arena. False if memory runs out. */
static bool make_cuts(struct cuts *c, const struct concat_attr *attr, int n, const int64_t *sizes,
                      struct arena *arena) {
    size_t most = 2 * (size_t)n + 2;
    c->at = arena_array(arena, most, sizeof *c->at);
    c->free = arena_array(arena, most, sizeof *c->free);
    c->ranges = arena_array(arena, 3 * most, sizeof *c->ranges);
    if (!c->at || !c->free || !c->ranges) return false;
    int ends = 0;
    c->at[ends++] = 0;
    c->at[ends++] = attr->length;
    for (int i = 0; i < n; i++) {
        c->at[ends++] = attr->start[i];
        c->at[ends++] = attr->start[i] + sizes[i];
    }
    qsort(c->at, (size_t)ends, sizeof *c->at, order_i64);
    for (int i = 1; i < ends; i++)
        if (c->at[i] != c->at[c->n]) c->at[++c->n] = c->at[i];
    for (int i = 0; i <= c->n; i++) c->free[i] = i;
    return true;
}

int concat_ranges(const struct concat_attr *attr, int n, const int64_t *sizes, struct concat_range **out,
                  struct arena *arena) {
    struct cuts c = {0};
    if (!make_cuts(&c, attr, n, sizes, arena)) return -1;
    for (int i = 0; i < n; i++)
        if (sizes[i]) take(&c, i, piece_at(&c, attr->start[i]), piece_at(&c, attr->start[i] + sizes[i]));
    take(&c, -1, 0, c.n);
    int kept = 0;
    for (int i = 0; i < c.nranges; i++)
        if (c.ranges[i].part >= 0 || !c.ranges[i].adds) c.ranges[kept++] = c.ranges[i];
    *out = c.ranges;
    return kept;
}
