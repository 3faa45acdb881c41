/*
 * Restarts of the exact search. One order of regions may go astray early and never recover, while another
 * packs at once. So each try has a small budget, which grows from round to round. Tries differ in the rule
 * for columns, in the sort keys of regions (lifetime, load, area), and in random perturbation. Every other
 * try aims at the lower bound. The others, with twice the budget, bisect between the bound and the best
 * result, or aim closer to the best after failures.
 */
#include <stdlib.h>
#include "base/alloc.h"
#include "base/divisor.h"
#include "base/hash.h"
#include "compile/memory/memory_search.h"

enum {
    DIVES = 3,  /* budget of the first round, in dives (searches without backtracking) */
    KEYS = 3,   /* number of sort keys */
    NEARER = 8, /* how often the aim moves halfway back to the best result */
};

/* A region and its sort keys. */
struct ranked {
    double key[KEYS];
    int region;
};

/* State of all tries. */
struct exact {
    struct packing *packing;
    struct memory_search search;
    struct arena arena;
    int *first, *last; /* columns of each region, inclusive */
    /* by region: bytes of the smallest one it lives with; largest load of its columns */
    int64_t *step, *full;
    int *newest; /* by column: newest box that begins there (find_twins) */
    int *older;  /* by box: the previous one of that list */
    struct ranked *ranked;
};

/* ---- columns ---- */

/* Divide time into columns: a new one begins at the first birth after a death. Set e->first[] and e->last[]
   (inclusive) of each region. dying[] is scratch for an entry per region. */
static void find_columns(struct exact *e, int *dying) {
    struct packing *p = e->packing;
    int column = 0, dead = 0;
    bool died = false;
    pack_sort(p, region_by_death);
    memcpy(dying, p->order, sizeof *dying * (size_t)p->n);
    pack_sort(p, region_by_birth);
    for (int i = 0; i < p->n; i++) {
        for (; p->regions[dying[dead]].last < p->regions[p->order[i]].first; dead++, died = true)
            e->last[dying[dead]] = column;
        column += died;
        died = false;
        e->first[p->order[i]] = column;
    }
    for (; dead < p->n; dead++) e->last[dying[dead]] = column;
    e->search.ncolumns = column + 1;
    for (int i = 0; i < p->n; i++) e->search.nspans += e->last[i] - e->first[i] + 1;
}

/* Compute s->load[], the bytes alive in each column, and for each region the size of the smallest other one
   that lives with it and the largest load of its columns. */
static void fill_columns(struct exact *e) {
    struct memory_search *s = &e->search;
    struct packing *p = e->packing;
    for (int c = 0; c < s->ncolumns; c++) s->top[c] = s->second[c] = INT64_MAX / 4;
    for (int i = 0; i < p->n; i++)
        for (int c = e->first[i]; c <= e->last[i]; c++) {
            int64_t bytes = p->regions[i].bytes;
            s->load[c] += bytes;
            s->over[c] += c < e->last[i];
            if (bytes < s->top[c]) {
                s->second[c] = s->top[c];
                s->top[c] = bytes;
                s->topmost[c] = i;
            } else if (bytes < s->second[c]) {
                s->second[c] = bytes;
            }
        }
    for (int i = 0; i < p->n; i++) {
        e->step[i] = INT64_MAX / 4;
        for (int c = e->first[i]; c <= e->last[i]; c++) {
            int64_t other = s->topmost[c] == i ? s->second[c] : s->top[c];
            if (other < e->step[i]) e->step[i] = other;
            if (s->load[c] > e->full[i]) e->full[i] = s->load[c];
        }
    }
}

/* ---- orders ---- */

/* Return a pseudo-random number in [0, 1) that depends on `try` and `number` only. */
static double chance(uint32_t try, uint32_t number) {
    return (double)(hash_number(((uint64_t)try << 32 | number) * HASH_STEP) >> 40) / (1 << 24);
}

/* Compare two struct ranked by descending keys, then by region: for qsort. */
static int by_keys(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    for (int k = 0; k < KEYS; k++)
        if (x->key[k] != y->key[k]) return x->key[k] > y->key[k] ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

/* Sort the regions into e->ranked[] by three keys, largest first, for try number `try`. The first key rotates
   between tries; from the second round on keys grow by up to a factor of 2 at random. */
static void rank_regions(struct exact *e, uint32_t try) {
    const struct packing *p = e->packing;
    double blur = try < SEARCH_RULES * KEYS ? 0 : chance(try, UINT32_MAX);
    for (int i = 0; i < p->n; i++) {
        const struct region *r = &p->regions[i];
        double length = (double)r->last - r->first + 1,
               key[KEYS] = {length, (double)e->full[i], length * (double)r->bytes};
        e->ranked[i].region = i;
        for (uint32_t k = 0; k < KEYS; k++)
            e->ranked[i].key[k] =
                key[(k + try / SEARCH_RULES) % KEYS] * (1 + blur * chance(try, (uint32_t)i * KEYS + k));
    }
    qsort(e->ranked, (size_t)p->n, sizeof *e->ranked, by_keys);
}

/* Link each box to the previous equal box (same columns and bytes) in its `twin`, -1 if there is none, using
   a list per first column. */
static void find_twins(struct exact *e) {
    struct memory_box *boxes = e->search.boxes;
    for (int c = 0; c < e->search.ncolumns; c++) e->newest[c] = -1;
    for (int i = 0; i < e->search.n; i++) {
        int twin = e->newest[boxes[i].first];
        while (twin >= 0 && (boxes[twin].last != boxes[i].last || boxes[twin].bytes != boxes[i].bytes))
            twin = e->older[twin];
        boxes[i].twin = twin;
        e->older[i] = e->newest[boxes[i].first];
        e->newest[boxes[i].first] = i;
    }
}

/* Set up the boxes and the rule of the search for try number `try`. */
static void make_boxes(struct exact *e, uint32_t try) {
    rank_regions(e, try);
    for (int i = 0; i < e->search.n; i++) {
        int region = e->ranked[i].region;
        e->search.boxes[i] = (struct memory_box){.first = e->first[region],
                                                 .last = e->last[region],
                                                 .bytes = e->packing->regions[region].bytes,
                                                 .step = e->step[region]};
    }
    find_twins(e);
    e->search.rule = (int)(try % SEARCH_RULES);
}

/* ---- tries ---- */

/* Copy the packing that the search has found to the regions, and keep it if it is the best so far. */
static void keep_found(struct exact *e) {
    int64_t most = 0;
    for (int i = 0; i < e->search.n; i++) {
        const struct memory_box *b = &e->search.boxes[i];
        e->packing->regions[e->ranked[i].region].offset = b->low;
        if (b->low + b->bytes > most) most = b->low + b->bytes;
    }
    pack_keep(e->packing, most);
}

/* Search once for a packing within `capacity` bytes, in at most `looks` steps, for try number `try`, and keep
   one that is found. Return how the search ended. */
static enum search_end try_once(struct exact *e, uint32_t try, int64_t capacity, int64_t looks) {
    struct packing *p = e->packing;
    struct memory_search *s = &e->search;
    s->looks = looks < p->steps ? looks : p->steps;
    int64_t before = s->looks;
    s->capacity = capacity;
    make_boxes(e, try);
    enum search_end end = search_run(s);
    p->steps -= before - s->looks + s->n;
    if (end == SEARCH_FOUND) keep_found(e);
    return end;
}

/* Return the greatest common divisor of the bytes of all regions (1 if all are 0); offsets and capacities are
   multiples of it. */
static int64_t common_divisor(const struct packing *p) {
    uint64_t all = 0;
    for (int i = 0; i < p->n; i++) all = divisor(all, (uint64_t)p->regions[i].bytes);
    return all ? (int64_t)all : 1;
}

/* Search with changing orders and capacities until the budget is spent or the packing is optimal. `dive`
   is the base of each search's budget. */
static void try_all(struct exact *e, int64_t dive) {
    struct packing *p = e->packing;
    int64_t unit = common_divisor(p), low = p->bound / unit; /* lower bound in units */
    int back = 1;                                            /* how often the interval is halved */
    for (uint32_t try = 0; p->steps > 0 && low < p->most / unit; try++) {
        int64_t most = p->most / unit - 1, aim = try % 2 ? most - ((most - low) >> back) : low;
        int64_t looks = dive * DIVES * (1 + try / (2 * SEARCH_RULES * KEYS)) * (1 + try % 2);
        enum search_end end = try_once(e, try / 2, aim * unit, looks);
        if (end == SEARCH_NONE) low = aim + 1;
        if (try % 2) back = end == SEARCH_STOPPED ? back % NEARER + 1 : 1;
    }
}

/* ---- allocation ---- */

/* Allocate the arrays of *e that have an element for each column. False, with no fault set, if memory runs
   out. */
static bool make_columns(struct exact *e) {
    struct memory_search *s = &e->search;
    size_t n = (size_t)s->ncolumns;
    int64_t **wide[] = {&s->load, &s->height, &s->rest, &s->banned, &s->least, &s->top, &s->second};
    int **narrow[] = {&s->over, &s->cuts, &s->owner, &s->options, &s->topmost, &e->newest};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (!(*wide[i] = arena_array(&e->arena, n, sizeof(int64_t)))) return false;
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (!(*narrow[i] = arena_array(&e->arena, n, sizeof(int)))) return false;
    s->heights = arena_array(&e->arena, (size_t)s->nspans, sizeof *s->heights);
    s->owners = arena_array(&e->arena, (size_t)s->nspans, sizeof *s->owners);
    s->bans = arena_array(&e->arena, (size_t)s->nspans, sizeof *s->bans);
    return s->heights && s->owners && s->bans;
}

/* Allocate the arrays of *e that have an element for each region. False, with no fault set, if memory runs
   out. */
static bool make_regions(struct exact *e) {
    struct memory_search *s = &e->search;
    size_t n = (size_t)s->n + 1;
    int **narrow[] = {&e->first, &e->last, &e->older, &s->items};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (!(*narrow[i] = arena_array(&e->arena, n, sizeof(int)))) return false;
    e->step = arena_array(&e->arena, n, sizeof *e->step);
    e->full = arena_array(&e->arena, n, sizeof *e->full);
    e->ranked = arena_array(&e->arena, n, sizeof *e->ranked);
    s->boxes = arena_array(&e->arena, n, sizeof *s->boxes);
    s->pending = arena_array(&e->arena, n, sizeof *s->pending);
    s->choices = arena_array(&e->arena, n, sizeof *s->choices);
    return e->step && e->full && e->ranked && s->boxes && s->pending && s->choices;
}

bool pack_exactly(struct packing *p) {
    struct exact e = {.packing = p, .search = {.n = p->n}};
    bool fits = make_regions(&e);
    if (fits) {
        find_columns(&e, e.older);
        /* A dive places each region and visits all remaining ones: half of them on average. */
        int64_t a_region = e.search.nspans + p->n,
                dive = a_region <= p->steps / p->n ? a_region * p->n : p->steps;
        if (dive < p->steps && (fits = make_columns(&e))) {
            fill_columns(&e);
            try_all(&e, dive);
        }
    }
    arena_drop(&e.arena);
    return fits;
}
