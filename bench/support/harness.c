/* Cases, peers and tables of the benchmarks. bench/support/roof.c measures the machine's limits,
   bench/support/peer_python.c runs the peers in Python, bench/support/record.c writes the results. */
#define _GNU_SOURCE
#include "bench/support/harness.h"
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench/support/peer_python.h"
#include "bench/support/record.h"
#include "tools/roof.h"
#include "bench/support/roof.h"

/* Columns: peers in Python, native peers, Tyto, the roof. */
enum { TBLIS = 2, IN_PYTHON = 3, PEERS = 8, OURS = PEERS, ROOF, COLUMNS, MOST_ROUNDS = 31 };
static const char *const python_names[IN_PYTHON] = {"numpy", "torch", "tblis"};
static const double least_seconds = 1e-2, long_seconds = 0.1;

struct bench {
    int nthreads, threads[BENCH_THREADS], rounds;
    bool quick;
    const char *filter;
    int npeers;
    const char *names[PEERS];
    const struct bench_native *natives[PEERS];
    void *contexts[PEERS];
    struct python *pythons[IN_PYTHON]; /* NULL: not available */
    char versions[PEERS][128];
    /* processors of this thread; and those after loading each native peer */
    cpu_set_t anywhere, places[PEERS];
    bool least, headed;
    struct record *record;
    struct {
        double logarithms;
        int n;
    } means[BENCH_THREADS][COLUMNS]; /* in column OURS, the ratio of the best peer */
};

bool bench_quick(const struct bench *b) { return b->quick; }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sample(void (*f)(void *), void *context);

/* ---- peers ---- */

static void start_peers(struct bench *b) {
    int most = 1;
    for (int t = 0; t < b->nthreads; t++) most = b->threads[t] > most ? b->threads[t] : most;
    for (int p = 0; p < IN_PYTHON; p++) {
        b->names[p] = python_names[p];
        b->pythons[p] = python_open(python_names[p], most);
        if (b->pythons[p]) snprintf(b->versions[p], sizeof *b->versions, "%s", python_version(b->pythons[p]));
    }
    b->npeers = IN_PYTHON;
}

/* Prepare the case in each Python peer; returns a bit for each one that supports it. */
static int prepare_peers(struct bench *b, const struct bench_case *c) {
    const char *const expressions[IN_PYTHON] = {c->numpy, c->torch, c->tblis};
    int able = 0;
    for (int p = 0; p < IN_PYTHON; p++)
        if (python_prepare(b->pythons[p], c, expressions[p])) able |= 1 << p;
    return able;
}

/* Wait until other threads of this process sleep. Idle threads of a library spin for a while (OpenBLAS's
   for about 25 ms) and would slow the next peer. */
static void wait_for_quiet(void) {
    enum { TRIES = 200, MICROSECONDS = 2000 };
    for (int i = 0; i < TRIES; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        usleep(MICROSECONDS);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        double others =
            1e6 * (double)(after.tv_sec - before.tv_sec) + 1e-3 * (double)(after.tv_nsec - before.tv_nsec);
        if (others < 0.1 * MICROSECONDS) return;
    }
    printf("a peer's idle threads have not stopped in 0.4 s: what follows may be slower for them\n");
}

/* Run on the processors of a peer. With OpenMP binding, loading a library ties this thread and its later
   children to one processor. Timing with OpenMP needs that; everything else must undo it. */
static void run_at(const cpu_set_t *places) { sched_setaffinity(0, sizeof *places, places); }

static double time_peer(struct bench *b, int p, int threads) {
    if (p < IN_PYTHON) return python_time(b->pythons[p], threads);
    run_at(&b->places[p]);
    double seconds = sample(b->natives[p]->run, b->contexts[p]);
    run_at(&b->anywhere);
    if (threads > 1) wait_for_quiet();
    return seconds;
}

double bench_value(struct bench *b, const char *expression) {
    return python_value(b->pythons[0], expression);
}

/* ---- Tyto ---- */

static double seconds_of(void (*f)(void *), void *context, int64_t count) {
    double start = now();
    for (int64_t i = 0; i < count; i++) f(context);
    return now() - start;
}

/* Return the seconds of one call of f, from a sample of at least least_seconds. Shorter samples and a
   short first call do not count: they warm the caches for this case. A last-level cache that holds evicted
   lines needs several passes to fill. */
static double sample(void (*f)(void *), void *context) {
    double first = seconds_of(f, context, 1);
    if (first >= long_seconds) return first;
    for (int64_t count = 1;;) {
        double elapsed = seconds_of(f, context, count);
        if (elapsed >= least_seconds) return elapsed / (double)count;
        int64_t wanted = (int64_t)((double)count * least_seconds / fmax(elapsed, 1e-9));
        count = wanted > 2 * count ? wanted : 2 * count;
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct record_time summary(const struct bench *b, double *samples) {
    qsort(samples, (size_t)b->rounds, sizeof *samples, ascending);
    return (struct record_time){samples[b->rounds / 2], samples[0]};
}

/* Return the median of the samples, or with --least the least, which repeats better on a shared machine. */
static double typical(const struct bench *b, const struct record_time *t) {
    return b->least ? t->least : t->median;
}

double bench_time(struct bench *b, const char *name, int threads, void (*f)(void *), void *context) {
    double samples[MOST_ROUNDS];
    f(context);
    for (int r = 0; r < b->rounds; r++) samples[r] = sample(f, context);
    struct record_time ours = summary(b, samples);
    record_row(b->record, &(struct record_row){.name = name, .threads = threads, .ours = ours});
    return typical(b, &ours);
}

struct record *bench_record(struct bench *b) {
    return b->record;
}

struct ours {
    const struct bench_case *c;
    ty_tensor *x[BENCH_INPUTS];
};

static void run_ours(void *context) {
    struct ours *ours = context;
    ty_scope *scope = ty_open();
    ours->c->run(ours->x);
    ty_close(scope);
}

static ty_tensor *operand(const struct bench_input *in, int i) {
    ty_tensor *key = ty_key(1 + (uint64_t)i);
    if (in->dtype == TY_BOOL) return ty_bernoulli(in->rank, in->shape, 0.5, key);
    ty_dtype made = in->dtype == TY_F64 || in->dtype == TY_I64 ? TY_F64 : TY_F32;
    ty_tensor *u = ty_uniform(made, in->rank, in->shape, key);
    ty_tensor *x = ty_add(ty_mul(u, ty_num(in->high - in->low)), ty_num(in->low));
    if (in->dtype == TY_C64 || in->dtype == TY_C128) x = ty_mul(x, ty_complex(1, 0.5));
    return ty_cast(x, in->dtype);
}

/* ---- tables ---- */

/* Return the bytes of all operands of a case. */
static double bytes_of_inputs(const struct bench_case *c) {
    double bytes = 0;
    for (int i = 0; i < c->ninputs; i++) {
        double size = (double)ty_dtype_size(c->inputs[i].dtype);
        for (int axis = 0; axis < c->inputs[i].rank; axis++) size *= (double)c->inputs[i].shape[axis];
        bytes += size;
    }
    return bytes;
}

/* Return the rate of the memory that holds the bytes of a case: a cache, if they fit one. What is not read is written;
   if a case reads but a part of its operands, two bytes are read for one that is written. Reading alone may be faster
   in one of the ways that suit main memory. */
static double sample_memory(const struct bench_case *c, int threads) {
    double read = bytes_of_inputs(c);
    if (c->roof == BENCH_READ)
        return fmax(roof_memory_sample(c->bytes, 0, threads), roof_sample(ROOF_READ, threads));
    if (read >= c->bytes) read = c->bytes * 2 / 3;
    return roof_memory_sample(read, c->bytes - read, threads);
}

/* Return the seconds of the roof: memory traffic plus arithmetic at their measured rates. It is sampled
   now, like a peer, since other users of the machine slow it too. */
static double sample_roof(const struct bench_case *c, int threads) {
    ty_dtype dtype = c->inputs[0].dtype;
    double seconds = 0;
    if (c->bytes > 0 && c->roof != BENCH_NO_ROOF) seconds += c->bytes / sample_memory(c, threads);
    if (c->flops > 0)
        seconds += c->flops / roof_sample(dtype == TY_F64 || dtype == TY_C128 ? ROOF_F64 : ROOF_F32, threads);
    return isfinite(seconds) ? seconds : 0;
}

/* Return true if the column of a peer is shown; TBLIS only if installed. */
static bool is_shown(const struct bench *b, int p) { return p != TBLIS || b->pythons[p]; }

static void print_head(struct bench *b) {
    printf("%-34s %2s %12s", "", "th", "ours us");
    for (int p = 0; p < b->npeers; p++)
        if (is_shown(b, p)) printf(" %9s us %6s", b->names[p], "ratio");
    printf(" %6s %8s %8s %6s\n", "best", "GFLOP/s", "GB/s", "roof");
    b->headed = true;
}

static void add_mean(struct bench *b, int t, int p, double ratio) {
    b->means[t][p].logarithms += log(ratio);
    b->means[t][p].n++;
}

static void record_case(struct bench *b, const struct bench_case *c, int t, const struct record_time *times,
                        int able) {
    struct record_row row = {.name = c->name,
                             .dtype = ty_dtype_name(c->inputs[0].dtype),
                             .threads = b->threads[t],
                             .ours = times[OURS],
                             .npeers = b->npeers,
                             .share = typical(b, &times[ROOF]) / typical(b, &times[OURS]),
                             .bytes = c->bytes,
                             .flops = c->flops};
    for (int p = 0; p < b->npeers; p++)
        if (able >> p & 1) row.peers[p].name = b->names[p], row.peers[p].time = times[p];
    record_row(b->record, &row);
}

static void print_rate(double work, double seconds) {
    if (work > 0)
        printf(" %8.1f", 1e-9 * work / seconds);
    else
        printf(" %8s", "");
}

static void print_row(struct bench *b, const struct bench_case *c, int t, const double *seconds, int able) {
    double ours = seconds[OURS], best = INFINITY, share = seconds[ROOF] / ours;
    printf("%-34s %2d %12.3f", c->name, b->threads[t], 1e6 * ours);
    for (int p = 0; p < b->npeers; p++) {
        if (!(able >> p & 1)) {
            if (!is_shown(b, p)) continue;
            printf(" %12s %6s", "-", "");
            continue;
        }
        printf(" %12.3f %6.2f", 1e6 * seconds[p], seconds[p] / ours);
        best = fmin(best, seconds[p]);
        add_mean(b, t, p, seconds[p] / ours);
    }
    if (isfinite(best)) {
        printf(" %6.2f", best / ours);
        add_mean(b, t, OURS, best / ours);
    } else {
        printf(" %6s", "");
    }
    print_rate(c->flops, ours);
    print_rate(c->bytes, ours);
    if (share > 0) printf(" %5.0f%%", 100 * share);
    printf("\n");
    fflush(stdout);
    if (share > 0) add_mean(b, t, ROOF, share);
}

/* Open the native peers for a case and run each once; returns a bit for each one that supports it. */
static int open_natives(struct bench *b, const struct bench_case *c, ty_tensor *const *x, int threads) {
    int able = 0;
    for (int p = IN_PYTHON; p < b->npeers; p++) {
        run_at(&b->places[p]);
        b->contexts[p] = b->natives[p]->open(c, x, threads);
        if (b->contexts[p]) b->natives[p]->run(b->contexts[p]), able |= 1 << p;
        run_at(&b->anywhere);
    }
    return able;
}

static void close_natives(struct bench *b, int able) {
    for (int p = IN_PYTHON; p < b->npeers; p++)
        if (able >> p & 1) b->natives[p]->close(b->contexts[p]);
}

void bench_native(struct bench *b, const struct bench_native *native, const char *version) {
    if (!b || b->npeers == PEERS) return;
    /* processors of this thread after loading the peer */
    sched_getaffinity(0, sizeof b->anywhere, &b->places[b->npeers]);
    printf("peer: %s\n", version);
    snprintf(b->versions[b->npeers], sizeof *b->versions, "%s", version);
    b->names[b->npeers] = native->name;
    b->natives[b->npeers++] = native;
}

static void time_case(struct bench *b, const struct bench_case *c, struct ours *ours, int t, int python) {
    double samples[COLUMNS][MOST_ROUNDS], shown[COLUMNS] = {0};
    struct record_time times[COLUMNS] = {{0}};
    ty_set_threads(b->threads[t]);
    run_ours(ours);
    int natives = open_natives(b, c, ours->x, b->threads[t]), able = python | natives;
    if (natives && b->threads[t] > 1) wait_for_quiet(); /* each peer has run once */
    for (int r = 0; r < b->rounds; r++) {
        samples[OURS][r] = sample(run_ours, ours);
        for (int p = 0; p < b->npeers; p++)
            if (able >> p & 1) samples[p][r] = time_peer(b, p, b->threads[t]);
        samples[ROOF][r] = sample_roof(c, b->threads[t]);
    }
    for (int p = 0; p < COLUMNS; p++) {
        if (p < PEERS && !(able >> p & 1)) continue;
        times[p] = summary(b, samples[p]);
        shown[p] = typical(b, &times[p]);
        /* the peer did not keep to the number of threads and reported it */
        if (!isfinite(shown[p])) able &= ~(1 << p);
    }
    print_row(b, c, t, shown, able);
    record_case(b, c, t, times, able);
    close_natives(b, natives);
}

void bench_case(struct bench *b, const struct bench_case *c) {
    if (b->filter && !strstr(c->name, b->filter)) return;
    if (!b->headed) print_head(b);
    run_at(&b->anywhere);
    ty_scope *scope = ty_open();
    struct ours ours = {c, {0}};
    for (int i = 0; i < c->ninputs; i++) ours.x[i] = operand(&c->inputs[i], i);
    ty_tensor *probe = c->run(ours.x);
    if (!ty_ok(probe)) printf("%-34s %s\n", c->name, ty_error(probe));
    int able = ty_ok(probe) ? prepare_peers(b, c) : 0;
    for (int t = 0; t < b->nthreads && ty_ok(probe); t++) time_case(b, c, &ours, t, able);
    ty_close(scope);
}

/* ---- options ---- */

/* Parse an integer from `least` to `most`. Returns the rest of the text; NULL: no such number. */
static const char *read_number(const char *text, int least, int most, int *number) {
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || n < least || n > most) return NULL;
    *number = (int)n;
    return end;
}

static bool read_threads(struct bench *b, const char *at) {
    enum { MOST_THREADS = 1024 };
    for (b->nthreads = 0; b->nthreads < BENCH_THREADS; at++) {
        at = read_number(at, 1, MOST_THREADS, &b->threads[b->nthreads++]);
        if (!at || !*at) return at;
        if (*at != ',') return false;
    }
    return false;
}

/* Set an option from its value; false if the value is invalid. */
static bool read_value(struct bench *b, const char *option, const char *value) {
    if (!strcmp(option, "--threads")) return read_threads(b, value);
    if (!strcmp(option, "--rounds")) {
        const char *end = read_number(value, 1, MOST_ROUNDS, &b->rounds);
        return end && !*end;
    }
    bool filter = !strcmp(option, "--filter");
    if (filter) b->filter = value;
    return filter;
}

static bool tell_options(const char *wrong, const char *value) {
    if (wrong)
        printf("%s%s%s is no option, or no value of one\n", wrong, value ? " " : "", value ? value : "");
    printf("there are\n"
           "  --threads 1,2   how many threads, up to %d numbers\n"
           "  --filter TEXT   rows whose name has TEXT in it\n"
           "  --rounds N      1 to %d, in turns with the peers; the median is shown\n"
           "  --least         the least of the rounds instead\n"
           "  --quick         3 rounds, fewer rows where there are many\n"
           "  --json [FILE]   one document of the run, else to bench/results/MACHINE/NAME.json\n"
           "ratios are the peer's time through ours: above 1 we are quicker\n",
           BENCH_THREADS, MOST_ROUNDS);
    return false;
}

static bool read_options(struct bench *b, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            b->quick = true;
            b->rounds = 3;
        } else if (!strcmp(argv[i], "--least")) {
            b->least = true;
        } else if (!strcmp(argv[i], "--help")) {
            tell_options(NULL, NULL);
            exit(EXIT_SUCCESS);
        } else if (i + 1 == argc || !read_value(b, argv[i], argv[i + 1])) {
            return tell_options(argv[i], argv[i + 1]);
        } else {
            i++;
        }
    }
    if (b->least) record_least(b->record);
    return true;
}

struct bench *bench_open(int argc, char **argv, const char *title) {
    struct bench *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->rounds = 7;
    b->threads[b->nthreads++] = 1;
    if (ty_threads() > 1) b->threads[b->nthreads++] = 2;
    if (!record_open(&b->record, &argc, argv) || !read_options(b, argc, argv)) {
        free(b);
        return NULL;
    }
    printf("%s: tyto %s, %s\n", title, ty_version(), ty_isa());
    sched_getaffinity(0, sizeof b->anywhere, &b->anywhere);
    start_peers(b);
    for (int t = 0; t < b->nthreads; t++) {
        double rates[ROOFS];
        for (int kind = 0; kind < ROOFS; kind++) rates[kind] = 1e-9 * roof_best(kind, b->threads[t]);
        printf("roof with %d thread%s (and again beside each row): read %.1f GB/s, two streams in and one "
               "out %.1f GB/s; multiply-add f32 %.1f, f64 %.1f GFLOP/s\n",
               b->threads[t], b->threads[t] > 1 ? "s" : "", rates[ROOF_READ], rates[ROOF_STREAM],
               rates[ROOF_F32], rates[ROOF_F64]);
        record_roof(b->record, b->threads[t], 1e9 * rates[ROOF_READ], 1e9 * rates[ROOF_STREAM],
                    1e9 * rates[ROOF_F32], 1e9 * rates[ROOF_F64]);
    }
    return b;
}

/* Record each peer that was timed, with the numbers of threads that it kept to. */
static void record_peers(struct bench *b) {
    for (int p = 0; p < b->npeers; p++) {
        char threads[64] = "";
        int length = 0;
        for (int t = 0; t < b->nthreads; t++)
            if (b->means[t][p].n)
                length += snprintf(threads + length, sizeof threads - (size_t)length, "%s%d",
                                   length ? ", " : "", b->threads[t]);
        if (length) record_peer(b->record, b->names[p], b->versions[p], threads);
    }
}

int bench_close(struct bench *b) {
    bool nothing = b->filter && !b->headed;
    if (nothing) printf("no row has \"%s\" in its name\n", b->filter);
    for (int t = 0; t < b->nthreads; t++)
        for (int p = 0; p < COLUMNS; p++) {
            if (!b->means[t][p].n) continue;
            double mean = exp(b->means[t][p].logarithms / b->means[t][p].n);
            printf("%d thread%s: %.2f %s%s (geometric mean of %d)\n", b->threads[t],
                   b->threads[t] > 1 ? "s" : "", mean, p == ROOF ? "of the roof" : "times ",
                   p == ROOF   ? ""
                   : p == OURS ? "the best peer of each row"
                               : b->names[p],
                   b->means[t][p].n);
        }
    record_peers(b);
    bool written = record_close(b->record);
    for (int p = 0; p < IN_PYTHON; p++) python_close(b->pythons[p]);
    free(b);
    return nothing || !written;
}
