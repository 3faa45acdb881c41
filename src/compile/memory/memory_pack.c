/*
 * Packing by several methods, of which the best result is kept. First those in n log n: by time
 * (memory_gaps.c) and in stacks by several orders (memory_stack.c). Then pairwise methods: each region, in
 * some order, goes into a gap between placed ones that live with it. This is greedy by size of Pisarchyk &
 * Lee, Efficient Memory Management for Deep Neural Net Inference, 2020, section 5. Here more orders are
 * tried, and both the tightest and the lowest gap. While the best misses the bound, the region on top is
 * moved to the front of the order. Pairwise methods share a budget of visits linear in the number of regions,
 * and a try ends when it is no better than the best. Last, an exact search with a number of steps
 * (memory_exact.c). Limits are steps, never times, so plans are deterministic.
 */
#include "compile/memory/memory_pack.h"
#include "base/alloc.h"

enum {
    LOOKS = 4 << 20,       /* budget of pairwise methods for any program: some 4 ms */
    LOOKS_A_REGION = 2000, /* additional budget per region: some 2 us */
    REPAIRS = 64,
    STEPS = 1 << 20 /* default budget of the exact search: some ms */
};

void pack_keep(struct packing *p, int64_t most) {
    if (p->most >= 0 && most >= p->most) return;
    p->most = most;
    for (int i = 0; i < p->n; i++) p->best[i] = p->regions[i].offset;
}

/* ---- orders ---- */

static int64_t length(const struct region *r) { return r->last - r->first + 1; }
static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_size(const struct region *a, const struct region *b) { return compare(b->bytes, a->bytes); }
static int by_length(const struct region *a, const struct region *b) { return compare(length(b), length(a)); }
static int by_area(const struct region *a, const struct region *b) {
    double x = (double)a->bytes * (double)length(a), y = (double)b->bytes * (double)length(b);
    return (x < y) - (x > y);
}
static int (*const orders[])(const struct region *, const struct region *) = {by_size, by_area, by_length,
                                                                              region_by_birth};
enum { ORDERS = sizeof orders / sizeof *orders };

/* Fill p->order with all regions, sorted stably by `before`, a comparison as for qsort. Merge sort, as qsort
   is not stable. */
void pack_sort(struct packing *p, int (*before)(const struct region *, const struct region *)) {
    int *from = p->order, *to = p->spare;
    for (int i = 0; i < p->n; i++) from[i] = i;
    for (int width = 1; width < p->n; width *= 2) {
        for (int low = 0; low < p->n; low += 2 * width) {
            int middle = low + width < p->n ? low + width : p->n,
                high = low + 2 * width < p->n ? low + 2 * width : p->n;
            for (int i = low, j = middle, k = low; k < high; k++) {
                bool left =
                    j >= high || (i < middle && before(&p->regions[from[i]], &p->regions[from[j]]) <= 0);
                to[k] = left ? from[i++] : from[j++];
            }
        }
        int *swap = from;
        from = to;
        to = swap;
    }
    p->order = from;
    p->spare = to;
}

/* ---- placement ---- */

static bool alive_together(const struct region *a, const struct region *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Return the offset for r in a gap between regions that are alive with it: the smallest gap that it fits if
   `tightest`, else the lowest. Above them if it fits none. placed[count] is sorted by offset. */
static int64_t find_gap(const struct region *placed, int count, const struct region *r, bool tightest) {
    int64_t top = 0, best = -1, least = INT64_MAX;
    for (int i = 0; i < count; i++) {
        const struct region *other = &placed[i];
        if (!alive_together(r, other)) continue;
        int64_t gap = other->offset - top;
        if (gap >= r->bytes && gap < least) {
            best = top;
            least = gap;
            if (!tightest) return best;
        }
        if (other->offset + other->bytes > top) top = other->offset + other->bytes;
    }
    return best >= 0 ? best : top;
}

/* Insert r into placed[count], sorted by offset; it has space for one more. */
static void insert(struct region *placed, int count, const struct region *r) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (placed[middle].offset <= r->offset)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(placed + low + 1, placed + low, sizeof *placed * (size_t)(count - low));
    placed[low] = *r;
}

/* Pack the regions in the order of p->order, each into the tightest gap (if `tightest`, else the lowest),
   and keep the best result. Stop early if the budget or the best result is exceeded. */
static void attempt(struct packing *p, bool tightest) {
    int64_t most = 0;
    for (int i = 0; i < p->n; i++) {
        struct region *r = &p->regions[p->order[i]];
        if ((p->looks -= i) < 0) return;
        r->offset = find_gap(p->placed, i, r, tightest);
        insert(p->placed, i, r);
        if (r->offset + r->bytes > most) most = r->offset + r->bytes;
        if (p->most >= 0 && most >= p->most) return;
    }
    pack_keep(p, most);
}

/* Move the region with the highest end to the front of p->order. */
static void promote_top(struct packing *p) {
    int top = 0;
    for (int i = 1; i < p->n; i++) {
        const struct region *a = &p->regions[p->order[i]], *b = &p->regions[p->order[top]];
        if (a->offset + a->bytes > b->offset + b->bytes) top = i;
    }
    int region = p->order[top];
    for (; top > 0; top--) p->order[top] = p->order[top - 1];
    p->order[0] = region;
}

/* Pack by the fast methods, in time and by skyline, until the lower bound is reached, and keep the best
   packing. False, with no fault set, if memory runs out. */
static bool pack_fast(struct packing *p) {
    if (!pack_in_time(p)) return false;
    for (int i = 0; i < ORDERS && p->most > p->bound; i++) {
        pack_sort(p, orders[i]);
        if (!pack_stacked(p)) return false;
    }
    return true;
}

/* Pack by gaps between placed regions in several orders, and repair by moving the topmost region first,
   while the budget lasts. */
static void pack_pairs(struct packing *p) {
    for (int i = 0; i < ORDERS * 2 && p->most > p->bound && p->looks > 0; i++) {
        pack_sort(p, orders[i / 2]);
        attempt(p, i % 2 == 0);
    }
    for (int start = 0; start < 2; start++) {
        if (p->most > p->bound) pack_sort(p, orders[start]);
        for (int i = 0; i < REPAIRS && p->most > p->bound && p->looks > 0; i++) {
            attempt(p, true);
            promote_top(p);
        }
    }
}

int64_t memory_plan_pack(int n, struct region *regions, int64_t bound, int64_t steps) {
    struct arena arena = {0};
    size_t count = (size_t)n + 1;
    struct packing p = {.n = n,
                        .regions = regions,
                        .order = arena_array(&arena, count, sizeof *p.order),
                        .spare = arena_array(&arena, count, sizeof *p.spare),
                        .best = arena_array(&arena, count, sizeof *p.best),
                        .placed = arena_array(&arena, count, sizeof *p.placed),
                        .most = -1,
                        .bound = bound,
                        .looks = LOOKS + (int64_t)n * LOOKS_A_REGION,
                        .steps = steps ? steps : STEPS};
    bool fits = p.order && p.spare && p.best && p.placed && pack_fast(&p);
    if (fits) pack_pairs(&p);
    if (fits && p.most > p.bound) fits = pack_exactly(&p);
    for (int i = 0; i < n && fits; i++) regions[i].offset = p.best[i];
    arena_drop(&arena);
    return fits ? p.most : -1;
}
