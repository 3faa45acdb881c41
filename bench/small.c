/*
 * Small matrix products, M, N, K in 1 .. 64: machine code made at run time, the table-driven kernels, and libxsmm's,
 * which generates code too. They alternate; the fastest of several rounds counts. Operands lie in L1, a few matrices
 * one after the other. They are row-major; the column-major libxsmm computes the transposed product on the same memory.
 *
 *   ./dev bench small --help
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/support/record.h"
#include "bench/support/roof.h"
#include "contract/narrow.h"
#include "engine/cpu/gemm/brgemm.h"
#if defined(BENCH_XSMM)
#include <libxsmm.h>
#endif

enum {
    LARGEST = 64,
    ROUNDS = 5,
    MATRICES = 16,
    BATCH = 16,
    L1_BYTES = 24 << 10,
    WORST = 10,
    SECOND_LOOKS = 6
};
static const double sample_seconds = 12e-6;
#define SECOND_LOOK_BELOW 0.75
static const int grid[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 13, 15, 16, 17, 20,
                           23, 24, 25, 28, 31, 32, 33, 40, 47, 48, 49, 56, 63, 64};

static struct record *document;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One product, or the sum of a batch of products, repeated over several matrices. */
struct product {
    ty_dtype dtype;
    int bytes, m, n, k, batches, matrices;
    bool add;
    char *a, *b, *c;
    int64_t a_at[BATCH], b_at[BATCH];
    struct brgemm kernel;
    void *peer;
};

static void call_ours(struct product *p, int64_t repeat) {
    struct brgemm_call call = {.batches = p->batches, .depth = p->k, .add = p->add};
    if (p->batches > 1) call.left_at = p->a_at, call.right_at = p->b_at;
    int64_t a = (int64_t)p->m * p->k * p->bytes * p->batches,
            b = (int64_t)p->k * p->n * p->bytes * p->batches, c = (int64_t)p->m * p->n * p->bytes;
    for (int64_t r = 0; r < repeat; r++)
        for (int i = 0; i < p->matrices; i++) {
            call.left = p->a + i * a, call.right = p->b + i * b, call.out = p->c + i * c;
            p->kernel.run(&p->kernel, &call);
        }
}

#if defined(BENCH_XSMM)
static void call_peer(struct product *p, int64_t repeat) {
    int64_t a = (int64_t)p->m * p->k * p->bytes * p->batches,
            b = (int64_t)p->k * p->n * p->bytes * p->batches, c = (int64_t)p->m * p->n * p->bytes;
    libxsmm_smmfunction one;
    libxsmm_smmfunction_reducebatch_offs many;
    memcpy(&one, &p->peer, sizeof one);
    memcpy(&many, &p->peer, sizeof many);
    unsigned long long count = (unsigned long long)p->batches;
    for (int64_t r = 0; r < repeat; r++)
        for (int i = 0; i < p->matrices; i++) {
            const float *left = (const float *)(p->a + i * a), *right = (const float *)(p->b + i * b);
            float *out = (float *)(p->c + i * c);
            if (p->batches > 1)
                many(right, left, out, &count, (const unsigned long long *)p->b_at,
                     (const unsigned long long *)p->a_at);
            else
                one(right, left, out);
        }
}

static void find_peer(struct product *p) {
    float alpha = 1, beta = p->add;
    double alpha64 = 1, beta64 = p->add;
    int flags = 0, prefetch = 0;
#define DISPATCH(f, alpha_, beta_) f(p->n, p->m, p->k, &p->n, &p->k, &p->n, alpha_, beta_, &flags, &prefetch)
#define KEEP(f, alpha_, beta_)                                                                               \
    do {                                                                                                     \
        __typeof__(DISPATCH(f, alpha_, beta_)) found = DISPATCH(f, alpha_, beta_);                           \
        memcpy(&p->peer, &found, sizeof found);                                                              \
    } while (0)
    if (p->batches > 1 && p->bytes == 4) KEEP(libxsmm_smmdispatch_reducebatch_offs, &alpha, &beta);
    if (p->batches > 1 && p->bytes == 8) KEEP(libxsmm_dmmdispatch_reducebatch_offs, &alpha64, &beta64);
    if (p->batches == 1 && p->bytes == 4) KEEP(libxsmm_smmdispatch, &alpha, &beta);
    if (p->batches == 1 && p->bytes == 8) KEEP(libxsmm_dmmdispatch, &alpha64, &beta64);
}

static void forget_peers(void) { libxsmm_finalize(), libxsmm_init(); }
static void tell_peer(void) {
    printf("peer: libxsmm %s\n", LIBXSMM_VERSION);
    record_peer(document, "libxsmm", "libxsmm " LIBXSMM_VERSION, "1");
}
#else
static void call_peer(struct product *p, int64_t repeat) { (void)p, (void)repeat; }
static void find_peer(struct product *p) { p->peer = NULL; }
static void forget_peers(void) {}
static void tell_peer(void) {
    printf("no peer libxsmm: on Debian: apt-get install libxsmm-dev, and build again\n");
}
#endif

static bool use_jit = true;

/* Return the number of sums per element that a contraction of these sizes has. */
static int chains_of(const struct product *p) {
    static const ty_dim_type types[] = {TY_DIM_M, TY_DIM_N, TY_DIM_K};
    const int64_t sizes[] = {p->m, p->n, (int64_t)p->k * p->batches};
    static ty_contraction c;
    c.sums = p->dtype;
    c.ndims = 3;
    for (int d = 0; d < c.ndims; d++) c.dims[d] = (ty_dim){.type = types[d], .size = sizes[d]};
    return contraction_chains(&c);
}

static void find_ours(struct product *p) {
    static int found;
    if (found++ % 1024 == 0) brgemm_force_jit(use_jit);
    struct brgemm_shape shape = {.left = p->dtype,
                                 .right = p->dtype,
                                 .out = p->dtype,
                                 .group = 1,
                                 .rows = p->m,
                                 .columns = p->n,
                                 .depth = p->k,
                                 .left_row = (int64_t)p->k * p->bytes,
                                 .left_step = p->bytes,
                                 .right_step = (int64_t)p->n * p->bytes,
                                 .out_row = (int64_t)p->n * p->bytes,
                                 .chains = chains_of(p)};
    if (!brgemm_find(&p->kernel, &shape)) exit(1);
}

static double time_of(void (*call)(struct product *, int64_t), struct product *p, int64_t repeat) {
    double start = now();
    call(p, repeat);
    return (now() - start) / (double)(repeat * p->matrices);
}

/* Measure the seconds of a call, ours and the peer's: the least of the rounds and the given values. */
static void measure(struct product *p, double *ours, double *peer) {
    int bytes = (p->m * p->k + p->k * p->n) * p->batches * p->bytes + p->m * p->n * p->bytes;
    p->matrices = L1_BYTES / bytes;
    if (p->matrices < 1) p->matrices = 1;
    if (p->matrices > MATRICES) p->matrices = MATRICES;
    for (int i = 0; i < p->batches; i++)
        p->a_at[i] = (int64_t)i * p->m * p->k * p->bytes, p->b_at[i] = (int64_t)i * p->k * p->n * p->bytes;
    find_ours(p);
    find_peer(p);
    int64_t repeat = 1;
    double once = time_of(call_ours, p, 1);
    once = fmin(once, time_of(call_ours, p, 1));
    if (once * p->matrices < sample_seconds) repeat = (int64_t)(sample_seconds / (once * p->matrices)) + 1;
    for (int r = 0; r < ROUNDS; r++) {
        *ours = fmin(*ours, time_of(call_ours, p, repeat));
        if (p->peer) *peer = fmin(*peer, time_of(call_peer, p, repeat));
    }
}

enum { MODES = 3 };
static const char *const modes[MODES] = {"overwriting", "adding", "sums of 16 products"};

static struct product product(int mode, int bytes, char *const rooms[3]) {
    return (struct product){.dtype = bytes == 4 ? TY_F32 : TY_F64,
                            .bytes = bytes,
                            .add = mode == 1,
                            .batches = mode == 2 ? BATCH : 1,
                            .a = rooms[0],
                            .b = rooms[1],
                            .c = rooms[2]};
}

/* --- the sweep --------------------------------------------------------------------------------------- */

struct tally {
    double log_ratio, log_peak, log_peer_peak;
    long n, below_07, below_1;
    struct {
        double ratio, ours, peer;
        int m, n, k;
    } worst[WORST];
};

static void tally_add(struct tally *t, const struct product *p, double ours, double peer, double peak) {
    double flops = 2.0 * p->m * p->n * p->k * p->batches, ratio = isfinite(peer) ? peer / ours : 1;
    t->log_ratio += log(ratio), t->log_peak += log(flops / ours / peak),
        t->log_peer_peak += log(flops / peer / peak);
    t->n++;
    t->below_07 += ratio < 0.7, t->below_1 += ratio < 1;
    int at = WORST;
    while (at > 0 && (t->worst[at - 1].ratio == 0 || ratio < t->worst[at - 1].ratio)) at--;
    if (at == WORST) return;
    memmove(&t->worst[at + 1], &t->worst[at], sizeof *t->worst * (size_t)(WORST - 1 - at));
    t->worst[at].ratio = ratio, t->worst[at].ours = flops / ours * 1e-9,
    t->worst[at].peer = flops / peer * 1e-9;
    t->worst[at].m = p->m, t->worst[at].n = p->n, t->worst[at].k = p->k;
}

/* Record the mean of a sweep and its worst shapes. */
static void record_tally(const struct tally *t, const struct product *p, const char *mode, double peak) {
    char name[64];
    double n = (double)t->n;
    struct record_row row = {.name = name, .dtype = p->bytes == 4 ? "f32" : "f64", .threads = 1, .npeers = 1};
    row.peers[0].name = p->peer ? "libxsmm" : NULL;
    row.peers[0].ratio = exp(t->log_ratio / n);
    row.share = exp(t->log_peak / n);
    row.numbers[0].name = "mean_of", row.numbers[0].value = n;
    row.numbers[1].name = "below_0.7", row.numbers[1].value = (double)t->below_07;
    row.numbers[2].name = "peer_share_of_roof", row.numbers[2].value = exp(t->log_peer_peak / n);
    snprintf(name, sizeof name, "%s, all shapes", mode);
    record_row(document, &row);
    for (int i = 0; i < WORST && t->worst[i].ratio > 0; i++) {
        double flops = 2.0 * t->worst[i].m * t->worst[i].n * t->worst[i].k * p->batches;
        double ours = 1e-9 * flops / t->worst[i].ours, peer = 1e-9 * flops / t->worst[i].peer;
        struct record_row worst = {
            .name = name, .dtype = row.dtype, .threads = 1, .ours = {ours, ours}, .npeers = 1};
        worst.peers[0].name = row.peers[0].name, worst.peers[0].time = (struct record_time){peer, peer};
        worst.share = 1e9 * t->worst[i].ours / peak;
        worst.numbers[0].name = "rank_from_below", worst.numbers[0].value = i + 1;
        snprintf(name, sizeof name, "%s, %dx%dx%d", mode, t->worst[i].m, t->worst[i].n, t->worst[i].k);
        record_row(document, &worst);
    }
}

static void report(const struct tally *t, const struct product *p, const char *mode, double peak) {
    double n = (double)t->n, ratio = exp(t->log_ratio / n), share = exp(t->log_peak / n);
    char name[40];
    snprintf(name, sizeof name, "f%d, %s", 8 * p->bytes, mode);
    printf("%-24s %6ld shapes   %.3f times libxsmm (geometric mean), below 1: %.1f %%, below 0.7: %.2f %%; "
           "%.0f %% of %.1f GFLOP/s (libxsmm %.0f %%)\n",
           name, t->n, ratio, 100 * (double)t->below_1 / n, 100 * (double)t->below_07 / n, 100 * share,
           peak * 1e-9, 100 * exp(t->log_peer_peak / n));
    printf("  worst:");
    for (int i = 0; i < WORST && t->worst[i].ratio > 0; i++)
        printf(" %dx%dx%d %.2f", t->worst[i].m, t->worst[i].n, t->worst[i].k, t->worst[i].ratio);
    printf("\n");
    record_tally(t, p, mode, peak);
}

/* Measure the grid or all sizes; for K every step-th size, starting at another one for each M and N. */
static void sweep(struct product *p, const char *mode, bool all, int step, double peak) {
    struct tally t = {0};
    int sizes = all ? LARGEST : (int)(sizeof grid / sizeof *grid);
    for (int i = 0; i < sizes; i++, forget_peers())
        for (int j = 0; j < sizes; j++)
            for (int l = (i + j) % step; l < sizes; l += step) {
                p->m = all ? i + 1 : grid[i], p->n = all ? j + 1 : grid[j], p->k = all ? l + 1 : grid[l];
                double ours = INFINITY, peer = INFINITY;
                measure(p, &ours, &peer);
                /* A slow result may be a disturbance: both are measured again. */
                for (int turn = 0; turn < SECOND_LOOKS && peer < SECOND_LOOK_BELOW * ours; turn++)
                    measure(p, &ours, &peer);
                tally_add(&t, p, ours, peer, peak);
            }
    report(&t, p, mode, peak);
}

/* --- single tiles ------------------------------------------------------------------------------------ */

struct tile_run {
    struct brgemm kernel;
    struct brgemm_call call;
};

/* Print the share of peak of one block whose operands lie in L1. */
static void tile(const char *name, struct brgemm_shape shape, int64_t batches, char *const room[3],
                 double peak) {
    static int64_t at[BATCH];
    struct brgemm kernel;
    struct brgemm_call call = {.left = room[0],
                               .right = room[1],
                               .out = room[2],
                               .batches = batches,
                               .add = 1,
                               .left_at = at,
                               .right_at = at};
    if (!brgemm_find(&kernel, &shape)) exit(1);
    double best = INFINITY, flops = 2.0 * shape.rows * shape.columns * shape.depth * (double)batches;
    for (int r = 0; r < 40; r++) {
        double start = now();
        for (int i = 0; i < 50; i++) kernel.run(&kernel, &call);
        best = fmin(best, (now() - start) / 50);
    }
    peak = fmax(peak, roof_sample(ROOF_F32, 1)); /* the clock of the processor changes */
    printf("  %-60s %5.1f GFLOP/s, %5.1f %% of peak\n", name, flops / best * 1e-9, 100 * flops / best / peak);
}

static void tiles(char *const room[3], double peak) {
    struct brgemm_shape s = {TY_F32, TY_F32, TY_F32, 14, 32, 224, 1, 4, 56, 128, 128, 1, 0, 0, 0};
    printf("single tiles, f32:\n");
    tile("14 x 32, k 224, packed left", s, 1, room, peak);
    s.left_row = 224 * 4, s.left_step = 4;
    tile("14 x 32, k 224, left in place, rows side by side", s, 1, room, peak);
    s.left_row = 4096 * 4;
    tile("14 x 32, k 224, left in place, rows 16 KiB apart", s, 1, room, peak);
    s.left_row = 4100 * 4;
    tile("14 x 32, k 224, left in place, rows 16.4 KB apart", s, 1, room, peak);
    s.left_row = 4, s.left_step = 24, s.rows = 6, s.columns = 64, s.right_step = 256, s.out_row = 256;
    s.depth = 112;
    tile("6 x 64, k 112, packed left", s, 1, room, peak);
    s.left_row = 36, s.left_step = 4, s.rows = 9, s.columns = 48, s.right_step = 192, s.out_row = 192;
    tile("9 x 48, k 112, packed left", s, 1, room, peak);
    s.left_step = 112, s.left_row = 4, s.rows = 28, s.columns = 16, s.right_step = 64, s.out_row = 64;
    tile("28 x 16, k 112, packed left", s, 1, room, peak);
    s = (struct brgemm_shape){TY_F32, TY_F32, TY_F32, 14, 32, 16, 1, 4, 56, 128, 128, 1, 0, 0, 0};
    tile("14 x 32, 16 batches of k 16, packed left", s, 16, room, peak);
    s.depth = 3;
    tile("14 x 32, 9 batches of k 3, packed left", s, 9, room, peak);
    s = (struct brgemm_shape){TY_F32, TY_F32, TY_F32, 64, 64, 64, 1, 256, 4, 256, 256, 1, 0, 0, 0};
    tile("64 x 64 x 64, all in place", s, 1, room, peak);
}

static double lookup_seconds(void) {
    struct brgemm kernel;
    struct brgemm_shape s = {TY_F32, TY_F32, TY_F32, 14, 32, 16, 1, 4, 56, 128, 128, 1, 0, 0, 0};
    brgemm_find(&kernel, &s);
    double best = INFINITY;
    for (int r = 0; r < 20; r++) {
        double start = now();
        for (int i = 0; i < 1000; i++) {
            brgemm_find(&kernel, &s);
            __asm__ volatile("" ::"r"(&kernel) : "memory");
        }
        best = fmin(best, (now() - start) / 1000);
    }
    return best;
}

static double making_seconds(void) {
    struct brgemm kernel;
    brgemm_force_jit(use_jit);
    double start = now();
    int n = 0;
    for (int i = 1; i <= 64; i += 7)
        for (int j = 1; j <= 64; j += 7, n++) {
            struct brgemm_shape s = {TY_F32, TY_F32, TY_F32, i, j, 16, 1, 64, 4, j * 4, j * 4, 1, 0, 0, 0};
            brgemm_find(&kernel, &s);
        }
    return (now() - start) / n;
}

/* Measure one shape, MxNxK, in all modes. */
static void one_shape(const char *text, char *const rooms[3], double peak) {
    for (int mode = 0; mode < MODES; mode++)
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            struct product p = product(mode, bytes, rooms);
            double ours = INFINITY, peer = INFINITY;
            if (sscanf(text, "%dx%dx%d", &p.m, &p.n, &p.k) != 3) return;
            measure(&p, &ours, &peer);
            double flops = 2.0 * p.m * p.n * p.k * p.batches;
            peak = fmax(peak, roof_sample(ROOF_F32, 1));
            printf("%s f%d, %s: ours %.1f ns (%.1f GFLOP/s, %.0f %% of the peak of f32), libxsmm %.1f ns\n",
                   text, 8 * bytes, modes[mode], ours * 1e9, flops / ours * 1e-9, 100 * flops / ours / peak,
                   peer * 1e9);
        }
}

struct options {
    bool quick, every;
    const char *shape;
};

static const char help[] =
    "./dev bench small: matrix products of 1 .. 64 rows, columns and terms, against libxsmm, on one thread\n"
    "  --quick        a grid of sizes, every fourth\n"
    "  --all          each of the 262,144 shapes, six times.  Without it each M and N with four K\n"
    "  --table        the table-driven kernels instead of machine code\n"
    "  --shape MxNxK  one shape\n"
    "  --json [FILE]  means and worst shapes\n"
    "  --threads 1    as elsewhere; a kernel is always one thread's\n";

/* Read the options; false if one is invalid, after printing the reason. */
static bool read_options(struct options *o, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(option, "--quick"))
            o->quick = true;
        else if (!strcmp(option, "--all"))
            o->every = true;
        else if (!strcmp(option, "--table"))
            use_jit = false;
        else if (value && !strcmp(option, "--shape"))
            o->shape = argv[++i];
        else if (value && !strcmp(option, "--threads"))
            i++;
        else {
            bool asked = !strcmp(option, "--help");
            if (!asked) printf("%s: not an option, or without its value\n", option);
            fputs(help, stdout);
            if (asked) exit(EXIT_SUCCESS);
            return false;
        }
    }
    return true;
}

static void sweeps(const struct options *o, char *const rooms[3], double peak, double peak_f64) {
    for (int bytes = 4; bytes <= 8; bytes += 4)
        for (int mode = 0; mode < MODES; mode++) {
            struct product p = product(mode, bytes, rooms);
            bool overwriting = mode == 0;
            int step = o->every ? 1 : o->quick ? 4 : overwriting ? 16 : 2;
            sweep(&p, modes[mode], o->every || (!o->quick && overwriting), step,
                  bytes == 4 ? peak : peak_f64);
            fflush(stdout);
        }
}

int main(int argc, char **argv) {
    struct options o = {0};
    if (!record_open(&document, &argc, argv) || !read_options(&o, argc, argv)) return 2;
    record_least(document);
    tell_peer();
    size_t room = (size_t)LARGEST * LARGEST * 8 * (BATCH + 1);
    char *rooms[3];
    for (int i = 0; i < 3; i++) {
        if (!(rooms[i] = aligned_alloc(4096, room))) return 1;
        memset(rooms[i], 0, room);
    }
    brgemm_force_jit(use_jit);
    double peak = roof_best(ROOF_F32, 1), peak_f64 = roof_best(ROOF_F64, 1);
    if (o.shape) {
        one_shape(o.shape, rooms, peak);
        return 0;
    }
    printf("small products, %s, 1 thread; peak f32 %.1f, f64 %.1f GFLOP/s\n",
           use_jit ? "machine code" : "tables", peak * 1e-9, peak_f64 * 1e-9);
    printf("finding a kernel that is there %.1f ns, making one %.1f us\n", 1e9 * lookup_seconds(),
           1e6 * making_seconds());
    tiles(rooms, peak);
    sweeps(&o, rooms, peak, peak_f64);
    for (int i = 0; i < 3; i++) free(rooms[i]);
    return !record_close(document);
}
