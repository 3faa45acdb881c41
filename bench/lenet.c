/*
 * One training step of the zoo's lenet, batch 100, Adagrad: eager, compiled, and PyTorch eager if the Python of
 * TY_PYTHON (or Debian's) has torch. Each measurement runs in its own process, for its own peak memory. Measurements
 * alternate, so that a slow phase of the machine affects all.
 *
 *   ./dev bench lenet [--json [FILE]] [--rounds N] [--steps N] [--threads N]
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>
#include <unistd.h>
#include "bench/support/child.h"
#include "bench/support/peer_python.h"
#include "bench/support/record.h"

enum { EAGER, COMPILED, TORCH, KINDS, MOST = SAMPLE_TIMES, WARM = 3, EXAMPLES = 2000 };
static const char *const kind_names[KINDS] = {"eager", "compiled", "torch"};

static struct { int rounds, steps, threads; } settings = {3, 20, 0};
static struct record *document;
static char torch_version[64];                               /* empty: not installed */
static double torch_gflops;                                  /* rate of its matrix product on one thread */
static const char script[] = "bench/support/lenet_torch.py"; /* relative to the folder of ./dev bench, like
                                                        bench/support/peer.py */

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- in the child ---------------------------------------------------------------------------- */

/* Train and print the milliseconds of each step to `out`, one per line; returns the exit status. */
static int measure_tyto(FILE *out, bool lazy, int threads) {
    ty_set_threads(threads);
    ty_scope *scope = ty_open();
    ty_tensor *pixels = ty_mul(ty_uniform(TY_F32, TY_SHAPE(EXAMPLES, 28, 28, 1), ty_key(1)), ty_num(256));
    ty_tensor *classes = ty_mul(ty_uniform(TY_F32, TY_SHAPE(EXAMPLES), ty_key(2)), ty_num(10));
    ty_model *model = ty_network_model(&ty_network_lenet, (ty_network_options){0},
                                       (ty_model_options){.seed = 1, .lazy = lazy});
    ty_trainer_options options = {
        .inputs = ty_cast(pixels, TY_U8), .targets = ty_cast(classes, TY_U8), .seed = 1};
    ty_trainer *trainer = ty_trainer_new(model, options);
    ty_close(scope);
    for (int i = -WARM; i < settings.steps; i++) {
        double begin = now_ms();
        ty_trainer_step(trainer);
        if (i >= 0) fprintf(out, "%.6f\n", now_ms() - begin);
    }
    if (*ty_trainer_error(trainer)) fprintf(stderr, "bench: %s\n", ty_trainer_error(trainer));
    int status = *ty_trainer_error(trainer) ? 1 : 0;
    ty_trainer_free(trainer);
    ty_model_free(model);
    return status;
}

static int measure_torch(FILE *out, int threads) {
    char count[16], steps[16], warm[16];
    snprintf(count, sizeof count, "%d", threads);
    snprintf(steps, sizeof steps, "%d", settings.steps);
    snprintf(warm, sizeof warm, "%d", WARM);
    if (dup2(fileno(out), STDOUT_FILENO) < 0) return 1;
    child_unpin();
    execlp(python_path(), python_path(), script, "--threads", count, "--steps", steps, "--warm", warm,
           (char *)NULL);
    return 127;
}

/* ---- in the parent --------------------------------------------------------------------------- */

struct kind {
    int kind, threads;
};

static int run_kind(FILE *out, const void *context) {
    const struct kind *k = context;
    return k->kind == TORCH ? measure_torch(out, k->threads)
                            : measure_tyto(out, k->kind == COMPILED, k->threads);
}

/* Run one kind in a child process and append its times to `s`; false if it failed. */
static bool measure(struct sample *s, int kind, int threads) {
    return child_measure(s, run_kind, &(struct kind){kind, threads});
}

static double median(struct sample *s) { return child_median(s); }

static void find_torch(void) {
    char command[8192];
    snprintf(command, sizeof command, "'%s' '%s' --probe 2>/dev/null", python_path(), script);
    FILE *f = access(script, R_OK) ? NULL : popen(command, "r");
    if (!f) return;
    if (fscanf(f, "%63s %lf", torch_version, &torch_gflops) != 2) *torch_version = 0;
    pclose(f);
}

static void record_step(struct sample *s, int threads) {
    struct record_row row = {
        .name = "training step, batch 100", .dtype = "f32", .threads = threads, .npeers = 1};
    static const char *const memory[KINDS] = {"eager_peak_mb", "compiled_peak_mb", "torch_peak_mb"};
    for (int k = 0; k < KINDS; k++) {
        if (!s[k].count) continue;
        struct record_time time = {1e-3 * median(&s[k]), 1e-3 * s[k].ms[0]};
        int at = k == TORCH ? KINDS : k; /* torch is the last peer, since it may be missing */
        row.numbers[at].name = memory[k], row.numbers[at].value = s[k].peak_mb;
        if (k == COMPILED) row.ours = time;
        if (k == EAGER) row.numbers[TORCH].name = "eager_median_s", row.numbers[TORCH].value = time.median;
        if (k == TORCH) row.peers[0].name = kind_names[k], row.peers[0].time = time;
    }
    record_row(document, &row);
}

static void report(struct sample *s, int threads) {
    double ms[KINDS];
    for (int k = 0; k < KINDS; k++) {
        ms[k] = median(&s[k]);
        if (s[k].count)
            printf("%7d  %-12s %9.2f %9.2f %9.0f\n", threads, kind_names[k], ms[k], s[k].ms[0], s[k].peak_mb);
    }
    printf("         compiled / eager: time %.2f, memory %.2f\n", ms[COMPILED] / ms[EAGER],
           s[COMPILED].peak_mb / s[EAGER].peak_mb);
    if (s[TORCH].count)
        printf("         compiled / torch: time %.2f, memory %.2f\n", ms[COMPILED] / ms[TORCH],
               s[COMPILED].peak_mb / s[TORCH].peak_mb);
    record_step(s, threads);
}

static int bench(void) {
    int first = settings.threads ? settings.threads : 1, last = settings.threads ? settings.threads : 2;
    static struct sample samples[KINDS];
    for (int threads = first; threads <= last; threads++) {
        memset(samples, 0, sizeof samples);
        for (int round = 0; round < settings.rounds; round++)
            for (int kind = 0; kind < (*torch_version ? KINDS : TORCH); kind++)
                if (!measure(&samples[kind], kind, threads)) {
                    fprintf(stderr, "bench: the %s run failed\n", kind_names[kind]);
                    return 1;
                }
        report(samples, threads);
    }
    return 0;
}

static bool parse(int n, char **arguments) {
    const struct {
        const char *name;
        int *place;
    } numbers[] = {
        {"--rounds", &settings.rounds}, {"--steps", &settings.steps}, {"--threads", &settings.threads}};
    for (int i = 1; i < n; i += 2) {
        bool known = false;
        for (size_t k = 0; i + 1 < n && k < sizeof numbers / sizeof numbers[0]; k++)
            if (!strcmp(arguments[i], numbers[k].name))
                known = (*numbers[k].place = atoi(arguments[i + 1])) > 0;
        if (!known) return false;
    }
    return settings.rounds * settings.steps <= MOST;
}

/* Print and record the peers. */
static void tell_peers(void) {
    char version[512];
    if (!*torch_version) {
        printf("no peer torch: %s has none; python3 -m venv V && V/bin/pip install numpy torch; "
               "TY_PYTHON=V/bin/python\n",
               python_path());
        return;
    }
    snprintf(version, sizeof version, "torch %s, eager; its product of matrices %.0f GFLOP/s on one thread%s",
             torch_version, torch_gflops,
             torch_gflops < 20 ? ": the reference BLAS, no fair peer (libopenblas0-pthread would be one)"
                               : "");
    printf("peer: %s\n", version);
    record_peer(document, kind_names[TORCH], version, "as ours");
}

int main(int n, char **arguments) {
    bool open = record_open(&document, &n, arguments);
    if (!open || !parse(n, arguments)) {
        fprintf(stderr, "usage: %s [--json [FILE]] [--rounds N] [--steps N] [--threads N]\n", arguments[0]);
        return 2;
    }
    find_torch();
    printf("tyto %s (%s); %d rounds of %d steps\n", ty_version(), ty_isa(), settings.rounds, settings.steps);
    tell_peers();
    printf("%7s  %-12s %9s %9s %9s\n", "threads", "kind", "ms/step", "least ms", "peak MB");
    int status = bench();
    return !record_close(document) || status;
}
