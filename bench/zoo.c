/*
 * Networks of the zoo: inference of one image and steps of training, compiled, against PyTorch eager and ONNX Runtime
 * if the Python of TY_PYTHON has them (bench/support/zoo_peer.py). Each measurement runs in its own process, for its
 * own peak memory, and measurements alternate.
 *
 * For inference it also reports the costs before the second evaluation: the model's call, compiling (with empty
 * caches, as in a new process), and the first run, which packs weights and allocates memory. It compares the resident
 * memory with its bound: the weights, 1.1 of the least size of any plan, and 16 MB.
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
#include "bench/support/child.h"
#include "bench/support/peer_python.h"
#include "bench/support/record.h"

enum { OURS, TORCH, ORT, KINDS, WARM = 3 };
static const char *const kind_names[KINDS] = {"tyto", "torch", "ort"};
static const char script[] = "bench/support/zoo_peer.py";

struct work {
    const char *name, *network;
    bool train;
    int64_t batch, side; /* rows and columns of images; 0: the network's own size */
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

/* Values that an inference process prints before its times. */
enum { BUILD, COMPILE, FIRST, WEIGHTS, PLAN, LEAST, RESIDENT, FACTS };

/* Return the megabytes of parameters and states. */
static double weights_mb(const ty_model *m) {
    double bytes = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? ty_model_states(m) : ty_model_parameters(m)); i++) {
            const ty_tensor *x = k ? ty_model_state(m, i) : ty_model_parameter(m, i);
            bytes += (double)ty_size(x) * (double)ty_dtype_size(ty_dtype_of(x));
        }
    return 1e-6 * bytes;
}

/* Return the resident megabytes of this process; 0: unknown. */
static double resident_mb(void) {
    double pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%*s %lf", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return 1e-6 * pages * (double)sysconf(_SC_PAGESIZE);
}

static int infer(FILE *out, ty_model *m, const ty_network *net, const struct work *w) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_eval(inputs(net, w)), "input"), *y[8], *error = NULL;
    if (!ty_model_build(m, 1, &x, &error)) return complain(error ? ty_error(error) : "");
    ty_trim();
    double facts[FACTS] = {[WEIGHTS] = weights_mb(m)}, times[SAMPLE_TIMES], begin = now_ms();
    ty_model_call(m, NULL, 1, &x, y);
    facts[BUILD] = now_ms() - begin;
    ty_program *p = ty_compile(ty_model_results(m), y, (ty_compile_options){0});
    facts[COMPILE] = now_ms() - begin - facts[BUILD];
    int status = *ty_program_error(p) ? complain(ty_program_error(p)) : 0;
    for (int i = -WARM; i < settings.runs && !status; i++) {
        begin = now_ms();
        if (!ty_run(p)) status = complain(ty_program_error(p));
        *(i >= 0 ? &times[i] : i == -WARM ? &facts[FIRST] : &times[0]) = now_ms() - begin;
    }
    ty_report report;
    ty_program_report(p, &report);
    facts[PLAN] = 1e-6 * (double)(report.arena_bytes + report.kept_bytes);
    facts[LEAST] = 1e-6 * (double)(report.live_bound + report.kept_bytes);
    facts[RESIDENT] = resident_mb();
    for (int i = 0; i < FACTS; i++) fprintf(out, "%.6f\n", facts[i]);
    for (int i = 0; i < settings.runs; i++) fprintf(out, "%.6f\n", times[i]);
    ty_program_free(p);
    ty_close(scope);
    return status;
}

static int measure_ours(FILE *out, const struct work *w, int threads) {
    const ty_network *net = ty_network_named(w->network);
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

/* Facts of all rounds, in the order of printing. */
struct facts {
    struct sample of[FACTS];
};

static double mean(const struct sample *s) {
    double sum = 0;
    for (int i = 0; i < s->count; i++) sum += s->ms[i];
    return s->count ? sum / s->count : 0;
}

/* Print the facts and append them after n values of the row. */
static void tell_facts(struct facts *f, const struct sample *times, struct record_row *row, int n) {
    enum { EVALUATIONS = 30 };
    static const char *const names[FACTS] = {
        [BUILD] = "build_ms", [COMPILE] = "compile_ms",  [FIRST] = "first_ms",      [WEIGHTS] = "weights_mb",
        [PLAN] = "plan_mb",   [LEAST] = "plan_least_mb", [RESIDENT] = "resident_mb"};
    double x[FACTS], apart = mean(times);
    for (int i = 0; i < FACTS; i++) x[i] = child_median(&f->of[i]);
    double before = x[BUILD] + x[COMPILE],
           all = (before + x[FIRST] + (EVALUATIONS - 1) * apart) / EVALUATIONS;
    double bound = x[WEIGHTS] + 1.1 * x[LEAST] + 16;
    printf("\n    built in %.2f ms, compiled in %.2f, %.1f %% of an evaluation; the first one %.2f ms; mean "
           "of %d with all of "
           "that %.2f, without %.2f\n    weights %.1f MB, plan %.1f (at least %.1f); resident %.1f, %s the "
           "bound of %.1f",
           x[BUILD], x[COMPILE], 100 * before / apart, x[FIRST], EVALUATIONS, all, apart, x[WEIGHTS], x[PLAN],
           x[LEAST], x[RESIDENT], x[RESIDENT] <= bound ? "within" : "BEYOND", bound);
    for (int i = 0; i < FACTS; i++) row->numbers[n + i].name = names[i], row->numbers[n + i].value = x[i];
}

static void report(const struct work *w, struct sample *s, struct facts *facts, int threads) {
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
    int n = 0;
    for (int k = 0; k < KINDS; k++)
        if (s[k].count) row.numbers[n].name = memory[k], row.numbers[n++].value = s[k].peak_mb;
    if (!w->train) tell_facts(facts, &s[OURS], &row, n);
    printf("\n");
    fflush(stdout);
    record_row(document, &row);
}

/* Run one inference process and separate its facts from its times; false if it failed. */
static bool measure_facts(struct sample *s, struct facts *facts, const struct run *r) {
    static struct sample one;
    one = (struct sample){0};
    if (!child_measure(&one, run_kind, r) || one.count <= FACTS) return false;
    for (int i = 0; i < one.count; i++) {
        struct sample *to = i < FACTS ? &facts->of[i] : s;
        to->ms[to->count++] = one.ms[i];
    }
    if (one.peak_mb > s->peak_mb) s->peak_mb = one.peak_mb;
    return true;
}

static bool bench(const struct work *w, int threads) {
    static struct sample samples[KINDS];
    static struct facts facts;
    memset(samples, 0, sizeof samples);
    memset(&facts, 0, sizeof facts);
    for (int round = 0; round < settings.rounds; round++)
        for (int k = 0; k < KINDS; k++) {
            if (!w->peers[k] || (k && !*versions[k])) continue;
            struct run run = {w, k, threads};
            if (k == OURS && !w->train ? measure_facts(&samples[k], &facts, &run)
                                       : child_measure(&samples[k], run_kind, &run))
                continue;
            fprintf(stderr, "bench: %s of %s failed\n", w->name, kind_names[k]);
            if (k == OURS) return false;
        }
    report(w, samples, &facts, threads);
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
    return settings.rounds * settings.runs <= SAMPLE_TIMES && settings.runs + FACTS <= SAMPLE_TIMES;
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
