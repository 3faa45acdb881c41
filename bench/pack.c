/*
 * Memory plans of hard instances. A file has lines `id,lower,upper,size` for buffers alive in lower <= t < upper. That
 * is the format of the "challenging" benchmark of MiniMalloc (Moffitt 2023), whose capacity is 1,048,576. The table has
 * the best packing by greedy orders and by memory_plan_pack with a limit of steps. Both are checked here, pair by pair.
 * Seconds are processor time.
 *
 *   ./dev bench pack [--json [FILE]] [--steps N] [FILE.csv ...]    without files: those in ../../shared/packing
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/support/record.h"
#include "compile/memory/memory_pack.h"

enum { MOST = 4096 };

struct instance {
    const char *path;
    int n;
    struct region regions[MOST];
    int64_t bound;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* time of this process only */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int place_of(const int *times, int n, int time) {
    return (int)((const int *)bsearch(&time, times, (size_t)n, sizeof time, ascending) - times);
}

/* Renumber the times; the bound is the most bytes alive between two of them. */
static void number_times(struct instance *in) {
    static int times[2 * MOST];
    static int64_t live[2 * MOST];
    for (int i = 0; i < in->n; i++) {
        times[2 * i] = in->regions[i].first;
        times[2 * i + 1] = in->regions[i].last;
    }
    qsort(times, 2 * (size_t)in->n, sizeof *times, ascending);
    int kept = 0;
    for (int i = 0; i < 2 * in->n; i++)
        if (!kept || times[kept - 1] != times[i]) times[kept++] = times[i];
    memset(live, 0, sizeof live);
    for (int i = 0; i < in->n; i++) {
        struct region *r = &in->regions[i];
        r->first = place_of(times, kept, r->first);
        r->last = place_of(times, kept, r->last) - 1;
        for (int t = r->first; t <= r->last; t++) live[t] += r->bytes;
    }
    in->bound = 0;
    for (int t = 0; t < kept; t++)
        if (live[t] > in->bound) in->bound = live[t];
}

static bool read_instance(struct instance *in, const char *path) {
    char line[200];
    FILE *file = fopen(path, "r");
    *in = (struct instance){.path = path};
    if (!file) return false;
    while (fgets(line, sizeof line, file) && in->n < MOST) {
        int first, last;
        long long bytes;
        if (sscanf(line, "%*[^,],%d,%d,%lld", &first, &last, &bytes) != 3) continue;
        in->regions[in->n++] = (struct region){first, last, bytes, 0, 0};
    }
    fclose(file);
    number_times(in);
    return in->n > 0;
}

/* Return true if no two regions alive at once share a byte, and all end within `bytes`. */
static bool is_packing(const struct instance *in, int64_t bytes) {
    for (int i = 0; i < in->n; i++)
        for (int j = 0; j <= i; j++) {
            const struct region *a = &in->regions[i], *b = &in->regions[j];
            bool together = i != j && a->first <= b->last && b->first <= a->last;
            bool share = a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
            if ((together && share) || a->offset < 0 || a->offset + a->bytes > bytes) return false;
        }
    return true;
}

static const char *short_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool measure(struct record *document, const char *path, int64_t steps) {
    static struct instance in;
    if (!read_instance(&in, path)) {
        fprintf(stderr, "pack: no buffers in %s\n", path);
        return false;
    }
    int64_t greedy = memory_plan_pack(in.n, in.regions, in.bound, 1);
    bool well = is_packing(&in, greedy);
    double start = now();
    int64_t ours = memory_plan_pack(in.n, in.regions, in.bound, steps);
    double seconds = now() - start;
    well = well && is_packing(&in, ours);
    printf("%-12s %8d %12lld %8.3f %8.3f %10.3f%s\n", short_name(path), in.n, (long long)in.bound,
           (double)greedy / (double)in.bound, (double)ours / (double)in.bound, seconds,
           well ? "" : "  WRONG");
    fflush(stdout);
    struct record_row row = {.name = short_name(path),
                             .dtype = "",
                             .threads = 1,
                             .ours = {seconds, seconds},
                             .numbers = {{"buffers", in.n},
                                         {"bound", (double)in.bound},
                                         {"greedy", (double)greedy},
                                         {"packed", (double)ours}}};
    record_row(document, &row);
    return well;
}

int main(int argc, char **argv) {
    struct record *document;
    int64_t steps = INT64_C(20000000000);
    glob_t found = {0};
    bool well = record_open(&document, &argc, argv);
    if (!well) return 1;
    int first = 1;
    if (argc > 2 && !strcmp(argv[1], "--steps")) {
        steps = atoll(argv[2]);
        first = 3;
    }
    if (first == argc) glob("../../shared/packing/*.csv", 0, NULL, &found);
    printf("%lld steps\n%-12s %8s %12s %8s %8s %10s\n", (long long)steps, "instance", "buffers", "bound",
           "greedy", "ours", "s");
    for (int i = first; i < argc; i++) well = measure(document, argv[i], steps) && well;
    for (size_t i = 0; i < found.gl_pathc; i++) well = measure(document, found.gl_pathv[i], steps) && well;
    globfree(&found);
    return record_close(document) && well ? 0 : 1;
}
