/* Packing: offsets of regions with known lifetimes. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include "compile/memory/memory_plan.h"
#include "tests/support/harness.h"
#include "tests/support/starve.h"

enum { MOST = 512, TIMES = 128 };

/* Regions over time, and the bytes alive at each moment. */
struct instance {
    int n;
    struct region regions[MOST];
    int64_t live[2 * MOST], bound;
};

static void add(struct instance *in, int first, int last, int64_t bytes) {
    in->regions[in->n++] = (struct region){first, last, bytes, 0, 0};
    for (int t = first; t <= last; t++) {
        in->live[t] += bytes;
        if (in->live[t] > in->bound) in->bound = in->live[t];
    }
}

/* Pack the regions and check every pair; returns the size in bytes, or 0 if an allocation failed. */
static int64_t pack(struct instance *in, int64_t steps) {
    int64_t bytes = memory_plan_pack(in->n, in->regions, in->bound, steps);
    if (bytes < 0 && test_starving()) return 0;
    CHECK(bytes >= in->bound, "%lld bytes, fewer than %lld", (long long)bytes, (long long)in->bound);
    for (int i = 0; i < in->n; i++)
        for (int j = 0; j <= i; j++) {
            const struct region *a = &in->regions[i], *b = &in->regions[j];
            bool apart = a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
            CHECK(i == j || apart || a->last < b->first || b->last < a->first, "regions %d and %d overlap", i,
                  j);
            CHECK(a->offset >= 0 && a->offset + a->bytes <= bytes, "region %d ends outside", i);
        }
    return bytes;
}

/* ---- perfect packings ---- */

/* Cut a rectangle of time and bytes into pieces that fill it, along either axis. */
static void cut(struct instance *in, int first, int last, int64_t units, int pieces) {
    int length = last - first + 1;
    bool in_time = length > 1 && (units == 1 || test_between(0, 1));
    if (pieces == 1 || (length == 1 && units == 1)) {
        add(in, first, last, 64 * units);
        return;
    }
    int left = (int)test_between(1, pieces - 1);
    if (in_time) {
        int middle = (int)test_between(first, last - 1);
        cut(in, first, middle, units, left);
        cut(in, middle + 1, last, units, pieces - left);
    } else if (units > 1) {
        int64_t low = test_between(1, units - 1);
        cut(in, first, last, low, left);
        cut(in, first, last, units - low, pieces - left);
    } else {
        add(in, first, last, 64 * units);
    }
}

static void shuffle(struct instance *in) {
    for (int i = in->n - 1; i > 0; i--) {
        int j = (int)test_between(0, i);
        struct region r = in->regions[i];
        in->regions[i] = in->regions[j];
        in->regions[j] = r;
    }
}

/* Tilings have a packing without a gap, which the search must find. */
static void tilings_are_packed_without_a_gap(void) {
    struct instance *in = test_room(sizeof *in);
    for (int round = 0; round < 40; round++) {
        *in = (struct instance){0};
        cut(in, 0, TIMES - 1, 1000, 10 + round * 2);
        shuffle(in);
        int64_t bytes = pack(in, INT64_C(1000000000));
        if (!bytes) return;
        CHECK(bytes == in->bound, "round %d, %d regions: %lld bytes of %lld", round, in->n, (long long)bytes,
              (long long)in->bound);
    }
}

/* ---- any lifetimes ---- */

static void random_regions(struct instance *in, int n, int times) {
    *in = (struct instance){0};
    for (int i = 0; i < n; i++) {
        int first = (int)test_between(0, times - 1), longest = test_between(0, 3) ? 8 : times;
        int last = (int)test_between(first, first + longest < times ? first + longest : times - 1);
        add(in, first, last, 64 * test_between(1, test_between(0, 1) ? 8 : 200));
    }
}

/* Values of a random graph, one per kernel, alive until their last reader. */
static void random_graph(struct instance *in, int n) {
    int last[MOST];
    *in = (struct instance){0};
    for (int k = 0; k < n; k++) {
        last[k] = k;
        for (int i = (int)test_between(0, 2); k && i >= 0; i--)
            last[test_between(0, 2) ? test_between(k > 6 ? k - 6 : 0, k - 1) : test_between(0, k - 1)] = k;
    }
    for (int k = 0; k < n; k++) add(in, k, last[k], 64 * test_between(1, 100));
}

static struct instance *ranked; /* qsort passes no context */
static int by_size(const void *a, const void *b) {
    const struct region *x = &ranked->regions[*(const int *)a], *y = &ranked->regions[*(const int *)b];
    return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}
static int by_length(const void *a, const void *b) {
    const struct region *x = &ranked->regions[*(const int *)a], *y = &ranked->regions[*(const int *)b];
    int p = x->last - x->first, q = y->last - y->first;
    return (p < q) - (p > q);
}
static int by_birth(const void *a, const void *b) {
    const struct region *x = &ranked->regions[*(const int *)a], *y = &ranked->regions[*(const int *)b];
    return (x->first > y->first) - (x->first < y->first);
}

/* Pack greedily in an order: each region at the lowest offset free of earlier ones. Returns the size. */
static int64_t greedy(struct instance *in, int (*order)(const void *, const void *)) {
    int items[MOST];
    int64_t offset[MOST], most = 0;
    for (int i = 0; i < in->n; i++) items[i] = i;
    ranked = in;
    qsort(items, (size_t)in->n, sizeof *items, order);
    for (int i = 0; i < in->n; i++) {
        const struct region *r = &in->regions[items[i]];
        int64_t place = 0;
        for (int j = 0; j < i; j++) {
            const struct region *other = &in->regions[items[j]];
            bool together = r->first <= other->last && other->first <= r->last;
            if (!together || place + r->bytes <= offset[j] || offset[j] + other->bytes <= place) continue;
            place = offset[j] + other->bytes;
            j = -1; /* earlier regions may overlap there */
        }
        offset[i] = place;
        if (place + r->bytes > most) most = place + r->bytes;
    }
    return most;
}

static void no_worse_than_greedy(void) {
    int (*const orders[])(const void *, const void *) = {by_size, by_length, by_birth};
    struct instance *in = test_room(sizeof *in);
    for (int round = 0; round < 500; round++) {
        int n = (int)test_between(1, 80);
        if (round % 2)
            random_graph(in, n);
        else
            random_regions(in, n, (int)test_between(2, 60));
        int64_t bytes = pack(in, 0), least = INT64_MAX;
        if (!bytes) return;
        for (int i = 0; i < 3; i++) least = greedy(in, orders[i]) < least ? greedy(in, orders[i]) : least;
        CHECK(bytes <= least, "round %d: %lld bytes, and a greedy order %lld", round, (long long)bytes,
              (long long)least);
    }
}

/* More steps never pack worse, and equal numbers of steps give equal packings. */
static void steps(void) {
    struct instance *in = test_room(sizeof *in), *again = test_room(sizeof *in);
    for (int round = 0; round < 5; round++) {
        random_regions(in, 70, 40);
        int64_t before = INT64_MAX;
        for (int64_t steps = 1; steps < 10000000; steps *= 100) {
            *again = *in;
            int64_t bytes = pack(in, steps), same = pack(again, steps);
            if (!bytes || !same) return;
            CHECK(bytes <= before, "%lld steps: %lld bytes after %lld", (long long)steps, (long long)bytes,
                  (long long)before);
            for (int i = 0; i < in->n; i++)
                CHECK(in->regions[i].offset == again->regions[i].offset, "region %d lies elsewhere", i);
            before = bytes;
        }
    }
}

static void extremes(void) {
    struct instance *in = test_room(sizeof *in);
    *in = (struct instance){0};
    CHECK(pack(in, 0) == 0, "nothing takes bytes");
    for (int i = 0; i < MOST; i++) add(in, i, i, 64 * (i + 1)); /* never two at once */
    int64_t bytes = pack(in, 0);
    CHECK(test_starving() || bytes == 64 * MOST, "%lld bytes", (long long)bytes);
    *in = (struct instance){0};
    for (int i = 0; i < 40; i++) add(in, 0, 10, INT64_C(1) << 50); /* all equal, all at once */
    bytes = pack(in, 0);
    CHECK(test_starving() || bytes == in->bound, "%lld bytes", (long long)bytes);
}

/* ---- public instances, if installed ---- */

/* Read an instance with one region per line: name, first, end, bytes. Times may be large, so they are
   renumbered. */
static void read_instance(struct instance *in, const char *path) {
    char line[200];
    int first[MOST], end[MOST];
    long long bytes[MOST];
    FILE *file = fopen(path, "r");
    *in = (struct instance){0};
    CHECK(file, "%s cannot be read", path);
    int n = 0;
    while (fgets(line, sizeof line, file) && n < MOST)
        n += sscanf(line, "%*[^,],%d,%d,%lld", &first[n], &end[n], &bytes[n]) == 3;
    fclose(file);
    for (int i = 0; i < n; i++) {
        int from = 0, to = 0; /* count the births before; births with no death between them are equal */
        for (int j = 0; j < n; j++) {
            from += first[j] < first[i];
            to += first[j] < end[i];
        }
        add(in, from, to - 1, bytes[i]);
    }
}

static void public_instances(void) {
    enum { CAPACITY = 1048576 }; /* size for which a packing is known */
    struct instance *in = test_room(sizeof *in);
    glob_t found = {0};
    bool starving = starve_others(false); /* glibc's glob frees memory twice when out of memory */
    glob(TREE "/../../shared/packing/[ABCFGHK].csv", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && !test_starving(); i++) {
        read_instance(in, found.gl_pathv[i]);
        int64_t bytes = pack(in, INT64_C(2000000000));
        CHECK(bytes <= CAPACITY, "%s: %lld bytes", found.gl_pathv[i], (long long)bytes);
    }
    globfree(&found);
    starve_others(starving);
}

TESTS_MAIN(TEST(tilings_are_packed_without_a_gap), TEST(no_worse_than_greedy), TEST(steps), TEST(extremes),
           TEST(public_instances))
