/*
 * Packing in stacks: each region lies on top of all earlier ones that live with it. Gaps stay empty, so the
 * order decides: long lifetimes first suit nested ones, as in a forward pass and its gradient. A segment tree
 * over time holds the height of the stack.
 */
#include "base/number.h"
#include "compile/memory/memory_pack.h"

struct skyline {
    int64_t leaves;       /* a power of two */
    int64_t *most, *over; /* by node: greatest height of the times below it; height set for all of them */
};

/* Return the greatest height of the skyline in times first .. last, inclusive. */
static int64_t height(const struct skyline *s, int64_t first, int64_t last) {
    int64_t found = 0, low = first + s->leaves, high = last + s->leaves + 1;
    for (int64_t i = low; i > 0; i /= 2) found = greater(found, s->over[i]);
    for (int64_t i = high - 1; i > 0; i /= 2) found = greater(found, s->over[i]);
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1) found = greater(found, s->most[low++]);
        if (high & 1) found = greater(found, s->most[--high]);
    }
    return found;
}

/* Set the height of the skyline in times first .. last, inclusive, to `to`, which must not be less than it
   is. */
static void raise(const struct skyline *s, int64_t first, int64_t last, int64_t to) {
    int64_t low = first + s->leaves, high = last + s->leaves + 1;
    for (int64_t i = low, j = high; i < j; i /= 2, j /= 2) {
        if (i & 1) s->most[i] = s->over[i] = to, i++;
        if (j & 1) --j, s->most[j] = s->over[j] = to;
    }
    int64_t ends[] = {low, high - 1};
    for (int e = 0; e < 2; e++)
        for (int64_t i = ends[e] / 2; i > 0; i /= 2)
            s->most[i] = greater(s->over[i], greater(s->most[2 * i], s->most[2 * i + 1]));
}

bool pack_stacked(struct packing *p) {
    struct arena arena = {0};
    struct skyline s = {.leaves = 1};
    int last = 0;
    for (int i = 0; i < p->n; i++) last = p->regions[i].last > last ? p->regions[i].last : last;
    while (s.leaves <= last) s.leaves *= 2;
    s.most = arena_array(&arena, 2 * (size_t)s.leaves, sizeof *s.most);
    s.over = arena_array(&arena, 2 * (size_t)s.leaves, sizeof *s.over);
    bool fits = s.most && s.over;
    for (int i = 0; i < p->n && fits; i++) {
        struct region *r = &p->regions[p->order[i]];
        r->offset = height(&s, r->first, r->last);
        raise(&s, r->first, r->last, r->offset + r->bytes);
    }
    if (fits) pack_keep(p, s.most[1]);
    arena_drop(&arena);
    return fits;
}
