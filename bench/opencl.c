/*
 * The OpenCL engine against the cpu engine: compiled programs on the same processor, with the same number of threads,
 * in alternating rounds. Inputs are variables on the device; a run ends when the device has finished. LeNet's training
 * step runs in processes of its own: with empty caches, with those of the first process, and the steps after that.
 *
 *   ./dev bench opencl [--json [FILE]] [--filter TEXT] [--rounds N] [--threads N] [--device NAME]
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>
#include <unistd.h>
#include "bench/support/child.h"
#include "bench/support/record.h"
#include "bench/support/timing.h"

enum { DEVICE, CPU, ENGINES, MOST_ROUNDS = 99, INPUTS = 2 };

static struct {
    int rounds, threads;
    const char *filter, *device;
} settings = {5, 2, "", "opencl:0"};
static struct record *document;
static struct {
    double logarithms;
    int n;
} mean;

/* ---- cases ---- */

typedef ty_tensor *work_function(ty_tensor *const *x);
#define RUN(name, expression)                                                                                \
    static ty_tensor *name(ty_tensor *const *x) { return expression; }
#define ROWS ty_axes_of(1, (int[]){-1}, true)

RUN(add, ty_add(x[0], x[1]))
RUN(exponential, ty_exp(x[0]))
RUN(tangent, ty_tanh(x[0]))
RUN(chain, ty_div(ty_relu(ty_add(ty_mul(x[0], x[1]), x[0])), ty_add(ty_abs(x[1]), ty_num(1))))
RUN(sum_all, ty_sum(x[0], TY_ALL))
RUN(sum_rows, ty_sum(x[0], ty_axis(-1)))
RUN(sum_columns, ty_sum(x[0], ty_axis(0)))
RUN(max_rows, ty_amax(x[0], ty_axis(-1)))
RUN(max_columns, ty_amax(x[0], ty_axis(0)))
RUN(softmax, ty_softmax(x[0], -1))
RUN(layer_norm,
    ty_div(ty_sub(x[0], ty_mean(x[0], ROWS)), ty_sqrt(ty_add(ty_variance(x[0], ROWS), ty_num(1e-5)))))
RUN(transpose, ty_contiguous(ty_transpose(x[0])))
RUN(scan_rows, ty_cumsum(x[0], -1, (ty_running){0}))
RUN(scan_columns, ty_cumsum(x[0], 0, (ty_running){0}))
RUN(product, ty_matmul(x[0], x[1]))
RUN(convolution, ty_conv2d(x[0], x[1], (ty_conv){.same = true}))
RUN(convolution_2, ty_conv2d(x[0], x[1], (ty_conv){.stride = {2, 2}, .same = true}))
RUN(max_pool, ty_max_pool2d(x[0], (ty_pool){.size = {3, 3}, .stride = {2, 2}}))
RUN(mean_pool, ty_avg_pool2d(x[0], (ty_pool){.size = {2, 2}}))

static const struct work {
    const char *name;
    work_function *run;
    int ninputs, rank[INPUTS];
    int64_t shape[INPUTS][4];
    bool doubles; /* f64, too */
} works[] = {
    {"add 10^3", add, 2, {1, 1}, {{1000}, {1000}}, true},
    {"add 10^5", add, 2, {1, 1}, {{100000}, {100000}}, true},
    {"add 10^7", add, 2, {1, 1}, {{10000000}, {10000000}}, true},
    {"exp 10^3", exponential, 1, {1}, {{1000}}, true},
    {"exp 10^5", exponential, 1, {1}, {{100000}}, true},
    {"exp 10^7", exponential, 1, {1}, {{10000000}}, true},
    {"tanh 10^5", tangent, 1, {1}, {{100000}}, true},
    {"tanh 10^7", tangent, 1, {1}, {{10000000}}, true},
    {"chain 10^5", chain, 2, {1, 1}, {{100000}, {100000}}, true},
    {"chain 10^7", chain, 2, {1, 1}, {{10000000}, {10000000}}, true},
    {"sum of all 10^5", sum_all, 1, {1}, {{100000}}, true},
    {"sum of all 10^7", sum_all, 1, {1}, {{10000000}}, true},
    {"sums of rows 1000x1000", sum_rows, 1, {2}, {{1000, 1000}}, true},
    {"sums of columns 1000x1000", sum_columns, 1, {2}, {{1000, 1000}}, true},
    {"sums of columns 4000x2500", sum_columns, 1, {2}, {{4000, 2500}}, false},
    {"maxima of rows 1000x1000", max_rows, 1, {2}, {{1000, 1000}}, true},
    {"maxima of columns 1000x1000", max_columns, 1, {2}, {{1000, 1000}}, false},
    {"softmax 1000x1000", softmax, 1, {2}, {{1000, 1000}}, false},
    {"layer norm 1000x768", layer_norm, 1, {2}, {{1000, 768}}, false},
    {"transpose 2000x2000", transpose, 1, {2}, {{2000, 2000}}, true},
    {"scan of rows 1000x1000", scan_rows, 1, {2}, {{1000, 1000}}, false},
    {"scan of columns 1000x1000", scan_columns, 1, {2}, {{1000, 1000}}, false},
    {"product 256", product, 2, {2, 2}, {{256, 256}, {256, 256}}, false},
    {"product 1024", product, 2, {2, 2}, {{1024, 1024}, {1024, 1024}}, true},
    {"product 2048", product, 2, {2, 2}, {{2048, 2048}, {2048, 2048}}, false},
    {"product 20000x64x64", product, 2, {2, 2}, {{20000, 64}, {64, 64}}, false},
    {"convolution 56^2 64>64 3x3", convolution, 2, {4, 4}, {{1, 56, 56, 64}, {3, 3, 64, 64}}, false},
    {"convolution 14^2 256>256 3x3", convolution, 2, {4, 4}, {{1, 14, 14, 256}, {3, 3, 256, 256}}, false},
    {"convolution 56^2 64>256 1x1", convolution, 2, {4, 4}, {{1, 56, 56, 64}, {1, 1, 64, 256}}, false},
    {"convolution 56^2 128>128 3x3/2", convolution_2, 2, {4, 4}, {{1, 56, 56, 128}, {3, 3, 128, 128}}, false},
    {"convolution 224^2 3>64 7x7/2", convolution_2, 2, {4, 4}, {{1, 224, 224, 3}, {7, 7, 3, 64}}, false},
    {"max-pool 112^2 64 3x3/2", max_pool, 1, {4}, {{1, 112, 112, 64}}, false},
    {"mean-pool 112^2 64 2x2", mean_pool, 1, {4}, {{1, 112, 112, 64}}, false},
};

static bool is_chosen(const char *name) { return strstr(name, settings.filter) != NULL; }
static int complain(const char *sentence) {
    fprintf(stderr, "bench: %s\n", sentence);
    return 1;
}

/* ---- timing ---- */

/* A program for each engine. */
struct pair {
    ty_program *program[ENGINES];
};
static const char *engine_name(int engine) { return engine == DEVICE ? settings.device : "cpu"; }

/* Compile y for both engines.  False, after printing the reason, on failure. */
static bool pair_compile(struct pair *p, int n, ty_tensor **y) {
    bool good = true;
    for (int e = 0; e < ENGINES; e++) {
        p->program[e] = ty_compile(n, y, (ty_compile_options){.engine = engine_name(e)});
        if (*ty_program_error(p->program[e])) good = complain(ty_program_error(p->program[e])) == 0;
    }
    return good;
}
static void pair_free(struct pair *p) {
    for (int e = 0; e < ENGINES; e++) ty_program_free(p->program[e]);
}
static double seconds_of(const struct pair *p, int engine, int64_t runs) {
    double begin = timing_now();
    for (int64_t i = 0; i < runs; i++) {
        ty_run(p->program[engine]);
        ty_sync(engine_name(engine), NULL);
    }
    return timing_now() - begin;
}
/* Return how many runs take some 10 ms, after runs that warm up. */
static int64_t runs_of(const struct pair *p, int engine) {
    seconds_of(p, engine, 3);
    double one = seconds_of(p, engine, 2) / 2;
    return one > 1e-2 ? 1 : (int64_t)(1e-2 / one) + 1;
}

/* Time both programs in turns; print and record the row. */
static bool pair_time(const struct pair *p, const char *name, const char *dtype) {
    double seconds[ENGINES][MOST_ROUNDS];
    struct record_time times[ENGINES];
    int64_t runs[ENGINES];
    for (int e = 0; e < ENGINES; e++) runs[e] = runs_of(p, e);
    for (int r = 0; r < settings.rounds; r++)
        for (int e = 0; e < ENGINES; e++) seconds[e][r] = seconds_of(p, e, runs[e]) / (double)runs[e];
    for (int e = 0; e < ENGINES; e++) {
        if (*ty_program_error(p->program[e])) return !complain(ty_program_error(p->program[e]));
        times[e] = timing_summary(seconds[e], settings.rounds);
    }
    double ratio = times[CPU].median / times[DEVICE].median;
    printf("%-34s %s %11.1f us %11.1f us %6.2f\n", name, dtype, 1e6 * times[DEVICE].median,
           1e6 * times[CPU].median, ratio);
    fflush(stdout);
    mean.logarithms += log(ratio), mean.n++;
    struct record_row row = {.name = name, .dtype = dtype, .threads = settings.threads, .npeers = 1};
    row.ours = times[DEVICE];
    row.peers[0].name = "cpu engine", row.peers[0].time = times[CPU];
    record_row(document, &row);
    return true;
}

/* ---- operators and networks ---- */

static bool bench_work(const struct work *w, ty_dtype dtype) {
    ty_scope *scope = ty_open();
    ty_tensor *x[INPUTS];
    struct pair p;
    for (int i = 0; i < w->ninputs; i++)
        x[i] = ty_var(ty_eval(ty_normal(dtype, w->rank[i], w->shape[i], ty_key((uint64_t)i))), "x");
    ty_tensor *y = w->run(x);
    bool good = pair_compile(&p, 1, &y) && pair_time(&p, w->name, ty_dtype_name(dtype));
    pair_free(&p);
    ty_close(scope);
    return good;
}

/* Networks: one image, or the next token after `length` others. */
static const struct {
    const char *name, *network;
    int64_t length;
} networks[] = {{"ResNet-50, one image", "resnet50", 0}, {"GPT, one token", "gpt", 1}};

static ty_tensor *network_input(const ty_network *net, int64_t length) {
    int64_t shape[5] = {1};
    memcpy(shape + 1, net->shape, sizeof net->shape);
    if (length) shape[1] = length;
    if (net->dtype == TY_F32) return ty_normal(TY_F32, net->rank + 1, shape, ty_key(1));
    ty_tensor *numbers = ty_uniform(TY_F32, net->rank + 1, shape, ty_key(1));
    return ty_cast(ty_mul(numbers, ty_num(100)), net->dtype);
}
static bool bench_network(int i) {
    const ty_network *net = ty_network_named(networks[i].network);
    ty_scope *scope = ty_open();
    ty_model *m = ty_network_model(net, (ty_network_options){0}, (ty_model_options){.seed = 1, .lazy = true});
    ty_tensor *x = ty_var(ty_eval(network_input(net, networks[i].length)), "input"), *y[8], *error = NULL;
    struct pair p;
    bool good = ty_model_build(m, 1, &x, &error) || !complain(error ? ty_error(error) : "");
    if (good) {
        ty_model_call(m, NULL, 1, &x, y);
        good = pair_compile(&p, ty_model_results(m), y) && pair_time(&p, networks[i].name, "f32");
        pair_free(&p);
    }
    ty_model_free(m);
    ty_close(scope);
    return good;
}

/* ---- LeNet, in processes of their own ---- */

enum { STEPS = 20, EXAMPLES = 2000 };
static int train(FILE *out, const void *context) {
    const int *engine = context;
    ty_set_threads(settings.threads);
    ty_use_engine(engine_name(*engine));
    double begin = timing_now();
    ty_scope *scope = ty_open();
    ty_tensor *pixels = ty_mul(ty_uniform(TY_F32, TY_SHAPE(EXAMPLES, 28, 28, 1), ty_key(1)), ty_num(256));
    ty_tensor *classes = ty_mul(ty_uniform(TY_F32, TY_SHAPE(EXAMPLES), ty_key(2)), ty_num(10));
    ty_model *model = ty_network_model(&ty_network_lenet, (ty_network_options){0},
                                       (ty_model_options){.seed = 1, .lazy = true});
    ty_trainer *trainer = ty_trainer_new(model, (ty_trainer_options){.inputs = ty_cast(pixels, TY_U8),
                                                                     .targets = ty_cast(classes, TY_U8),
                                                                     .seed = 1});
    ty_close(scope);
    for (int i = 0; i < STEPS; i++) {
        ty_trainer_step(trainer);
        ty_sync(engine_name(*engine), NULL);
        double end = timing_now();
        fprintf(out, "%.6f\n", 1e3 * (end - begin));
        begin = end;
    }
    int status = *ty_trainer_error(trainer) ? complain(ty_trainer_error(trainer)) : 0;
    ty_trainer_free(trainer);
    ty_model_free(model);
    return status;
}
/* Return the summary of times from `first` on, in seconds. */
static struct record_time summary(const struct sample *s, int first) {
    double seconds[SAMPLE_TIMES];
    int n = 0;
    for (int i = first; i < s->count; i++) seconds[n++] = 1e-3 * s->ms[i];
    return timing_summary(seconds, n);
}
static void lenet_row(const char *name, const struct sample s[ENGINES], int first, int steps) {
    struct record_row row = {.name = name, .dtype = "f32", .threads = settings.threads, .npeers = 1};
    struct sample cut[ENGINES] = {s[DEVICE], s[CPU]};
    for (int e = 0; e < ENGINES; e++) cut[e].count = first + steps;
    row.ours = summary(&cut[DEVICE], first);
    row.peers[0].name = "cpu engine", row.peers[0].time = summary(&cut[CPU], first);
    printf("%-34s f32 %11.1f ms %11.1f ms %6.2f\n", name, 1e3 * row.ours.median,
           1e3 * row.peers[0].time.median, row.peers[0].time.median / row.ours.median);
    record_row(document, &row);
}
/* Measure LeNet with caches in a new folder; before the library is opened in this process. */
static bool bench_lenet(void) {
    static struct sample starts[2][ENGINES];
    char folder[] = "/tmp/bench_opencl_XXXXXX", command[64];
    if (!mkdtemp(folder)) return !complain("no folder for caches could be made in /tmp");
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("POCL_CACHE_DIR", folder, 1);
    bool good = true;
    for (int start = 0; good && start < 2; start++)
        for (int e = 0; good && e < ENGINES; e++) good = child_measure(&starts[start][e], train, &e);
    if (good) {
        lenet_row("LeNet, first step, empty caches", starts[0], 0, 1);
        lenet_row("LeNet, first step, second start", starts[1], 0, 1);
        lenet_row("LeNet, a training step", starts[1], STEPS / 2, STEPS - STEPS / 2);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) complain("the folder of caches could not be removed");
    return good || !complain("LeNet failed");
}

/* ---- the program ---- */

static bool parse(int n, char **arguments) {
    const struct {
        const char *name, **text;
        int *number;
    } options[] = {{"--rounds", NULL, &settings.rounds},
                   {"--threads", NULL, &settings.threads},
                   {"--filter", &settings.filter, NULL},
                   {"--device", &settings.device, NULL}};
    for (int i = 1; i < n; i += 2) {
        bool known = false;
        for (size_t k = 0; i + 1 < n && k < sizeof options / sizeof *options; k++) {
            if (strcmp(arguments[i], options[k].name)) continue;
            if (options[k].text) *options[k].text = arguments[i + 1];
            known = options[k].text || (*options[k].number = atoi(arguments[i + 1])) > 0;
        }
        if (!known) return false;
    }
    return settings.rounds <= MOST_ROUNDS;
}

static bool bench_all(void) {
    bool good = !is_chosen("LeNet") || bench_lenet();
    if (!ty_use_engine(settings.device)) return !complain("there is no such device; `tyto devices` says why");
    ty_use_engine("cpu");
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        for (int k = 0; k < (works[i].doubles ? 2 : 1); k++)
            if (is_chosen(works[i].name)) good = bench_work(&works[i], k ? TY_F64 : TY_F32) && good;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (is_chosen(networks[i].name)) good = bench_network((int)i) && good;
    return good;
}

int main(int n, char **arguments) {
    char count[16];
    bool open = record_open(&document, &n, arguments);
    if (!open || !parse(n, arguments)) {
        fprintf(stderr,
                "usage: %s [--json [FILE]] [--filter TEXT] [--rounds N] [--threads N] [--device NAME]\n",
                arguments[0]);
        return 2;
    }
    child_unpin();
    snprintf(count, sizeof count, "%d", settings.threads);
    setenv("POCL_MAX_PTHREAD_COUNT", count, 1);
    ty_set_threads(settings.threads);
    record_peer(document, "cpu engine", "Tyto's own loops", "as ours");
    printf("tyto %s (%s), %d threads, %d rounds\n", ty_version(), ty_isa(), settings.threads,
           settings.rounds);
    printf("%-38s %14s %14s %6s\n", "", settings.device, "cpu", "ratio");
    bool good = bench_all();
    if (mean.n) printf("geometric mean of %d ratios: %.2f\n", mean.n, exp(mean.logarithms / mean.n));
    return !record_close(document) || !good;
}
