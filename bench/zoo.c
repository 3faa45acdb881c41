/*
 * Networks of the zoo: inference of one image and steps of training, compiled, beside PyTorch eager and ONNX Runtime where
 * the Python of TY_PYTHON has them (bench/zoo_peer.py).  Every measurement is a process of its own (so that peak memory is its
 * own) and the kinds take turns.
 *
 *   ./dev bench zoo [--json [FILE]] [--filter TEXT] [--rounds N] [--runs N] [--threads N]
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>
#include <unistd.h>
#include "bench/child.h"
#include "bench/peer_python.h"
#include "bench/record.h"

enum { OURS, TORCH, ORT, KINDS, WARM = 3 };
static const char *const kind_names[KINDS] = {"tyto", "torch", "ort"};
static const char script[] = "bench/zoo_peer.py";

struct work {
    const char *name, *network;
    bool train;
    int64_t batch, side; /* images: rows and columns; 0: what the network takes */
    bool peers[KINDS];
};

static const struct work works[] = {
    {"ResNet-50, 299x299", "resnet50", false, 1, 299, {true, true, true}},
    {"Inception v3, 299x299", "inception_v3", false, 1, 299, {true, true, true}},
    {"MobileNet v2, 224x224", "mobilenet_v2", false, 1, 224, {true, true, true}},
    {"GPT, 256 tokens", "gpt", false, 1, 0, {true, true, false}},
    {"Mask R-CNN, 768x768", "mask_rcnn", false, 1, 768, {true, true, false}},
    {"LSTM step, 32 x 64 tokens", "char_lstm", true, 32, 0, {true, true, false}},
    {"GRU step, 32 x 80 tokens", "gru_classifier", true, 32, 0, {true, true, false}},
    {"GPT step, 4 x 256 tokens", "gpt", true, 4, 0, {true, true, false}},
    {"ResNet-50 step, 8 x 224x224", "resnet50", true, 8, 224, {true, true, false}},
};

static struct {
    int rounds, runs, threads;
    const char *filter;
} settings = {3, 10, 0, ""};
static struct record *document;
static char versions[KINDS][64];

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- in the child ---- */

static ty_tensor *inputs(const ty_network *net, const struct work *w) {
    int64_t shape[5] = {w->batch};
    memcpy(shape + 1, net->shape, sizeof net->shape);
    if (w->side) shape[1] = shape[2] = w->side;
    if (net->dtype == TY_F32) return ty_normal(TY_F32, net->rank + 1, shape, ty_key(1));
    ty_tensor *numbers = ty_uniform(TY_F32, net->rank + 1, shape, ty_key(1));
    return ty_cast(ty_mul(numbers, ty_num(100)), net->dtype);
}

static ty_tensor *targets(const ty_network *net, const struct work *w) {
    int64_t shape[2] = {w->batch, net->shape[0]};
    return ty_cast(ty_mul(ty_uniform(TY_F32, net->tokens ? 2 : 1, shape, ty_key(2)), ty_num(2)), TY_I32);
}

static ty_tensor *loss(ty_tensor *x, ty_tensor *y) {
    return ty_loss_cross_entropy(x, y, (ty_loss_options){0});
}

static int complain(const char *sentence) {
    fprintf(stderr, "bench: %s\n", sentence);
    return 1;
}

static int train(FILE *out, ty_model *m, const ty_network *net, const struct work *w) {
    ty_scope *scope = ty_open();
    ty_trainer *t = ty_trainer_new(m, (ty_trainer_options){.inputs = inputs(net, w),
                                                           .targets = targets(net, w),
                                                           .batch = w->batch,
                                                           .loss = loss,
                                                           .optimiser = {.rule = &ty_adam}});
    ty_close(scope);
    for (int i = -WARM; i < settings.runs && !*ty_trainer_error(t); i++) {
        double begin = now_ms();
        ty_trainer_step(t);
        if (i >= 0) fprintf(out, "%.6f\n", now_ms() - begin);
    }
    int status = *ty_trainer_error(t) ? complain(ty_trainer_error(t)) : 0;
    ty_trainer_free(t);
    return status;
}

static int infer(FILE *out, ty_model *m, const ty_network *net, const struct work *w) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_eval(inputs(net, w)), "input"), *y[8], *error = NULL;
    if (!ty_model_build(m, 1, &x, &error)) return complain(error ? ty_error(error) : "");
    ty_trim();
    ty_model_call(m, NULL, 1, &x, y);
    ty_program *p = ty_compile(ty_model_results(m), y, (ty_compile_options){0});
    int status = *ty_program_error(p) ? complain(ty_program_error(p)) : 0;
    for (int i = -WARM; i < settings.runs && !status; i++) {
        double begin = now_ms();
        if (!ty_run(p)) status = complain(ty_program_error(p));
        if (i >= 0) fprintf(out, "%.6f\n", now_ms() - begin);
    }
    ty_program_free(p);
    ty_close(scope);
    return status;
}

static int measure_ours(FILE *out, const struct work *w, int threads) {
    const ty_network *net = ty_network_find(w->network);
    ty_set_threads(threads);
    ty_model *m = ty_network_model(net, (ty_network_options){0}, (ty_model_options){.seed = 1, .lazy = true});
    int status = (w->train ? train : infer)(out, m, net, w);
    ty_model_free(m);
    return status;
}

static int measure_peer(FILE *out, const struct work *w, const char *peer, int threads) {
    char numbers[5][16];
    const int64_t values[] = {threads, settings.runs, WARM, w->batch, w->side};
    for (int i = 0; i < 5; i++) snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)values[i]);
    if (dup2(fileno(out), STDOUT_FILENO) < 0) return 1;
    child_unpin();
    execlp(python_path(), python_path(), script, "--peer", peer, "--network", w->network, "--mode",
           w->train ? "train" : "infer", "--threads", numbers[0], "--runs", numbers[1], "--warm", numbers[2],
           "--batch", numbers[3], "--side", numbers[4], (char *)NULL);
    return 127;
}

struct run {
    const struct work *w;
    int kind, threads;
};

static int run_kind(FILE *out, const void *context) {
    const struct run *r = context;
    return r->kind == OURS ? measure_ours(out, r->w, r->threads)
                           : measure_peer(out, r->w, kind_names[r->kind], r->threads);
}

/* ---- in the parent ---- */

static void find_peers(void) {
    for (int k = TORCH; k < KINDS; k++) {
        char command[8192];
        snprintf(command, sizeof command, "'%s' '%s' --peer %s --probe 2>/dev/null", python_path(), script,
                 kind_names[k]);
        FILE *f = access(script, R_OK) ? NULL : popen(command, "r");
        if (!f) continue;
        if (fscanf(f, "%63s", versions[k]) != 1) *versions[k] = 0;
        pclose(f);
        if (*versions[k])
            record_peer(document, kind_names[k], versions[k], "as ours");
        else
            printf("no peer %s: %s lacks it\n", kind_names[k], python_path());
    }
}

static void report(const struct work *w, struct sample *s, int threads) {
    struct record_row row = {.name = w->name, .dtype = "f32", .threads = threads};
    static const char *const memory[KINDS] = {"peak_mb", "torch_peak_mb", "ort_peak_mb"};
    double ours = child_median(&s[OURS]);
    printf("%-28s %d  %9.2f ms %6.0f MB", w->name, threads, ours, s[OURS].peak_mb);
    row.ours = (struct record_time){1e-3 * ours, 1e-3 * s[OURS].ms[0]};
    for (int k = TORCH; k < KINDS; k++) {
        if (!s[k].count) continue;
        double ms = child_median(&s[k]);
        printf("   %s %9.2f ms %6.0f MB, ratio %.2f", kind_names[k], ms, s[k].peak_mb, ms / ours);
        row.peers[row.npeers].name = kind_names[k];
        row.peers[row.npeers++].time = (struct record_time){1e-3 * ms, 1e-3 * s[k].ms[0]};
    }
    for (int k = 0; k < KINDS; k++)
        if (s[k].count) row.numbers[k].name = memory[k], row.numbers[k].value = s[k].peak_mb;
    printf("\n");
    fflush(stdout);
    record_row(document, &row);
}

static bool bench(const struct work *w, int threads) {
    static struct sample samples[KINDS];
    memset(samples, 0, sizeof samples);
    for (int round = 0; round < settings.rounds; round++)
        for (int k = 0; k < KINDS; k++) {
            if (!w->peers[k] || (k && !*versions[k])) continue;
            if (child_measure(&samples[k], run_kind, &(struct run){w, k, threads})) continue;
            fprintf(stderr, "bench: %s of %s failed\n", w->name, kind_names[k]);
            if (k == OURS) return false;
        }
    report(w, samples, threads);
    return true;
}

static bool parse(int n, char **arguments) {
    const struct {
        const char *name;
        int *place;
    } numbers[] = {
        {"--rounds", &settings.rounds}, {"--runs", &settings.runs}, {"--threads", &settings.threads}};
    for (int i = 1; i < n; i += 2) {
        bool known = i + 1 < n && !strcmp(arguments[i], "--filter");
        if (known) settings.filter = arguments[i + 1];
        for (size_t k = 0; i + 1 < n && k < sizeof numbers / sizeof numbers[0]; k++)
            if (!strcmp(arguments[i], numbers[k].name))
                known = (*numbers[k].place = atoi(arguments[i + 1])) > 0;
        if (!known) return false;
    }
    return settings.rounds * settings.runs <= SAMPLE_TIMES;
}

int main(int n, char **arguments) {
    bool open = record_open(&document, &n, arguments);
    if (!open || !parse(n, arguments)) {
        fprintf(stderr, "usage: %s [--json [FILE]] [--filter TEXT] [--rounds N] [--runs N] [--threads N]\n",
                arguments[0]);
        return 2;
    }
    find_peers();
    printf("tyto %s (%s), torch %s, onnxruntime %s; %d rounds of %d\n", ty_version(), ty_isa(),
           versions[TORCH], versions[ORT], settings.rounds, settings.runs);
    int first = settings.threads ? settings.threads : 1, last = settings.threads ? settings.threads : 2,
        status = 0;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        for (int threads = first; threads <= last && strstr(works[i].name, settings.filter); threads++)
            if (!bench(&works[i], threads)) status = 1;
    return !record_close(document) || status;
}
