/*
 * Packing in order of time, like an allocator that knows lifetimes: regions by birth, each at the low end of
 * the tightest gap. Live regions form a list by offset. The gap behind each is a node of a treap by (bytes,
 * offset) (Seidel & Aragon 1996), with hashed indices as priorities.
 */
#include "compile/memory/memory_pack.h"

/* State of one packing; arrays are indexed by region. */
struct gaps {
    struct region *regions;
    int floor, tail;         /* an empty region at 0; the highest live region */
    int *before, *behind;    /* list by offset, from `floor` to `tail` */
    int64_t *end, *bytes;    /* end of the region; size of the gap behind it, 0: none or unlimited */
    int root, *left, *right; /* treap of gaps; -1: none */
};

static uint32_t priority(int i) {
    uint32_t h = (uint32_t)i * UINT32_C(0x9e3779b9);
    return (h ^ h >> 15) * UINT32_C(0x85ebca6b);
}

static bool smaller(const struct gaps *g, int a, int b) {
    return g->bytes[a] != g->bytes[b] ? g->bytes[a] < g->bytes[b] : g->end[a] < g->end[b];
}

/* Insert region i, whose gap has a size, into the treap of gaps by size. */
static void tree_insert(struct gaps *g, int i) {
    int *at = &g->root, *low = &g->left[i], *high = &g->right[i];
    while (*at >= 0 && priority(*at) > priority(i)) at = smaller(g, i, *at) ? &g->left[*at] : &g->right[*at];
    int rest = *at;
    *at = i;
    while (rest >= 0) { /* splits the subtree into smaller and larger gaps */
        bool below = smaller(g, rest, i);
        int **side = below ? &low : &high, *next = below ? &g->right[rest] : &g->left[rest];
        **side = rest;
        *side = next;
        rest = *next;
    }
    *low = *high = -1;
}

/* Remove region i from the treap of gaps; it must be in it. */
static void tree_remove(struct gaps *g, int i) {
    int *at = &g->root, a = g->left[i], b = g->right[i];
    while (*at != i) at = smaller(g, i, *at) ? &g->left[*at] : &g->right[*at];
    while (a >= 0 && b >= 0) {
        bool first = priority(a) > priority(b);
        *at = first ? a : b;
        at = first ? &g->right[a] : &g->left[b];
        *(first ? &a : &b) = *at;
    }
    *at = a >= 0 ? a : b;
}

/* Return the index of the region below the smallest gap of at least `bytes` bytes; the last region, above
   which all is free, if there is no such gap. */
static int tree_find(const struct gaps *g, int64_t bytes) {
    int found = g->tail;
    for (int i = g->root; i >= 0;) {
        bool fits = g->bytes[i] >= bytes;
        if (fits) found = i;
        i = fits ? g->left[i] : g->right[i];
    }
    return found;
}

/* Recompute the bytes of the gap above region i, and move it in the treap, after a change. */
static void measure_gap(struct gaps *g, int i) {
    if (g->bytes[i]) tree_remove(g, i);
    g->bytes[i] = i == g->tail ? 0 : g->regions[g->behind[i]].offset - g->end[i];
    if (g->bytes[i]) tree_insert(g, i);
}

/* Set the offset of region i to the smallest gap that it fits, or above the last region, and link it there. */
static void put(struct gaps *g, int i) {
    struct region *r = &g->regions[i];
    int low = tree_find(g, r->bytes);
    r->offset = g->end[low];
    g->end[i] = r->offset + r->bytes;
    g->bytes[i] = 0;
    g->before[i] = low;
    g->behind[i] = g->behind[low];
    if (low == g->tail)
        g->tail = i;
    else
        g->before[g->behind[low]] = i;
    g->behind[low] = i;
    measure_gap(g, low);
    measure_gap(g, i);
}

/* Unlink region i, whose lifetime has ended; the gaps around it merge. */
static void take_away(struct gaps *g, int i) {
    int low = g->before[i];
    if (g->bytes[i]) tree_remove(g, i);
    if (i == g->tail)
        g->tail = low;
    else
        g->before[g->behind[i]] = low;
    g->behind[low] = g->behind[i];
    measure_gap(g, low);
}

/* Allocate the arrays of *g and *dying, with an element for each region of p, in the arena. False, with no
   fault set, if memory runs out. */
static bool make_room(struct gaps *g, const struct packing *p, int **dying, struct arena *arena) {
    size_t n = (size_t)p->n + 1;
    int **numbers[] = {&g->before, &g->behind, &g->left, &g->right, dying};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(*numbers[i] = arena_array(arena, n, sizeof(int)))) return false;
    g->end = arena_array(arena, n, sizeof *g->end);
    g->bytes = arena_array(arena, n, sizeof *g->bytes);
    return g->end && g->bytes;
}

bool pack_in_time(struct packing *p) {
    struct arena arena = {0};
    struct gaps g = {.regions = p->regions, .floor = p->n, .tail = p->n, .root = -1};
    int *dying, dead = 0;
    int64_t most = 0;
    bool fits = make_room(&g, p, &dying, &arena);
    if (fits) {
        pack_sort(p, region_by_death);
        memcpy(dying, p->order, sizeof *dying * (size_t)p->n);
        pack_sort(p, region_by_birth);
    }
    for (int i = 0; i < p->n && fits; i++) {
        int now = p->regions[p->order[i]].first;
        for (; p->regions[dying[dead]].last < now; dead++) take_away(&g, dying[dead]);
        put(&g, p->order[i]);
        if (g.end[p->order[i]] > most) most = g.end[p->order[i]];
    }
    if (fits) pack_keep(p, most);
    arena_drop(&arena);
    return fits;
}
