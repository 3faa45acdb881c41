/*
 * Packing: regions are taken in some order, and each is put into a gap between those placed already that
 * are alive with it (Pisarchyk & Lee, Efficient Memory Management for Deep Neural Net Inference, 2020,
 * section 5: greedy by size; we try more orders, and both the tightest and the lowest gap).  The best try is
 * kept.  While it misses the bound, the region on top is moved to the front of the order and all is
 * packed again.  Programs of very many regions get one order, by birth, for which the regions placed
 * before can be forgotten as they die.
 */
#include "base/alloc.h"
#include "compile/memory/memory_plan.h"

enum {
    MANY = 1500, /* above: one try; the others look at all pairs */
    REPAIRS = 64
};

struct packing {
    int n;
    struct region *regions;
    int *order, *placed; /* placed: by offset */
    int64_t *best, most;
};

/* ---- orders ---- */

static int64_t length(const struct region *r) { return r->last - r->first + 1; }
static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_size(const struct region *a, const struct region *b) { return compare(b->bytes, a->bytes); }
static int by_birth(const struct region *a, const struct region *b) { return compare(a->first, b->first); }
static int by_length(const struct region *a, const struct region *b) { return compare(length(b), length(a)); }
static int by_area(const struct region *a, const struct region *b) {
    double x = (double)a->bytes * (double)length(a), y = (double)b->bytes * (double)length(b);
    return (x < y) - (x > y);
}
static int (*const orders[])(const struct region *, const struct region *) = {by_size, by_area, by_length,
                                                                              by_birth};
enum { ORDERS = sizeof orders / sizeof *orders };

/* Merge sort: stable, so that equal regions keep their order everywhere. */
static void sort(struct packing *p, int (*before)(const struct region *, const struct region *)) {
    int *from = p->order, *to = p->placed;
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
    p->placed = to;
}

/* ---- placing ---- */

static bool alive_together(const struct region *a, const struct region *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Offset of the tightest or lowest gap for r among `count` placed ones. */
static int64_t find_gap(const struct packing *p, int count, const struct region *r, bool tightest) {
    int64_t top = 0, best = -1, least = INT64_MAX;
    for (int i = 0; i < count; i++) {
        const struct region *other = &p->regions[p->placed[i]];
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

static void insert(struct packing *p, int *count, int region) {
    int at = (*count)++;
    for (; at > 0 && p->regions[p->placed[at - 1]].offset > p->regions[region].offset; at--)
        p->placed[at] = p->placed[at - 1];
    p->placed[at] = region;
}

/* Forgets what died before kernel `now`. */
static void forget(struct packing *p, int *count, int now) {
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (p->regions[p->placed[i]].last >= now) p->placed[kept++] = p->placed[i];
    *count = kept;
}

static void attempt(struct packing *p, bool tightest, bool in_time) {
    int64_t most = 0;
    int count = 0;
    for (int i = 0; i < p->n; i++) {
        struct region *r = &p->regions[p->order[i]];
        if (in_time) forget(p, &count, r->first);
        r->offset = find_gap(p, count, r, tightest);
        insert(p, &count, p->order[i]);
        if (r->offset + r->bytes > most) most = r->offset + r->bytes;
    }
    if (p->most >= 0 && most >= p->most) return;
    p->most = most;
    for (int i = 0; i < p->n; i++) p->best[i] = p->regions[i].offset;
}

/* Moves the region that ends highest to the front. */
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

static void pack(struct packing *p, int64_t bound) {
    if (p->n > MANY) {
        sort(p, by_birth);
        attempt(p, true, true);
        return;
    }
    for (int i = 0; i < ORDERS * 2 && p->most != bound; i++) {
        sort(p, orders[i / 2]);
        attempt(p, i % 2 == 0, false);
    }
    for (int start = 0; start < 2; start++) {
        if (p->most != bound) sort(p, orders[start]);
        for (int i = 0; i < REPAIRS && p->most != bound && p->n <= 4 * REPAIRS; i++) {
            attempt(p, true, false);
            promote_top(p);
        }
    }
}

int64_t memory_plan_pack(int n, struct region *regions, int64_t bound) {
    size_t count = (size_t)n + 1;
    int *first = mem_array(count, sizeof(int)), *second = mem_array(count, sizeof(int));
    struct packing p = {n, regions, first, second, mem_array(count, sizeof(int64_t)), -1};
    if (first && second && p.best) {
        pack(&p, bound);
        for (int i = 0; i < n; i++) regions[i].offset = p.best[i];
    }
    mem_free(first);
    mem_free(second);
    mem_free(p.best);
    return n ? p.most : 0;
}
