/*
 * Independent small kernels of a graph, which run side by side: the time of a run on one thread, on all threads in
 * order (as without sections), and on all threads side by side.  Rounds of one row alternate; times are the least ones,
 * since other processes disturb two threads more than one.
 *
 *   chains      eight chains of 64 products of 56 by 56
 *   inception   four branches of convolutions of 14 by 14 by 192
 *   googlenet   the same with the sizes of its block 3a: most convolutions fill two threads
 *   lstm        two directions, 32 steps, 16 examples, 64 units
 *   ensemble    eight perceptrons of three layers of 96 units on 32 examples, and their mean
 *   training    a step of gradient descent of that ensemble
 *   adam        a step of Adam over 200 parameters of 24 by 24, gradients given
 *   large       a perceptron whose products fill the threads
 *
 *   ./dev bench sections [PART OF A NAME] [--json FILE]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include "bench/support/record.h"
#include "bench/support/timing.h"
#include "compile/passes/sections.h"
#include "compile/program.h"

enum { ROUNDS = 401, MOST = 256 };

static struct record *document;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "sections: %s: %s\n", what, why);
    exit(1);
}

/* Outputs and updates of a graph. */
struct work_graph {
    ty_tensor *outputs[MOST];
    int noutputs;
    ty_update updates[3 * MOST];
    int nupdates;
};

static ty_tensor *variable(uint64_t key, int rank, const int64_t *shape) {
    ty_tensor *x = ty_uniform(TY_F32, rank, shape, ty_key(key));
    return ty_var(ty_mul(ty_sub(x, ty_num(0.5)), ty_num(0.2)), "x");
}

static void chains(struct work_graph *g) {
    for (int i = 0; i < 8; i++) {
        ty_tensor *x = variable((uint64_t)i, TY_SHAPE(56, 56)), *y = x;
        for (int step = 0; step < 64; step++) y = ty_matmul(y, x);
        g->outputs[g->noutputs++] = y;
    }
}

static ty_tensor *conv(ty_tensor *x, uint64_t key, int64_t in, int64_t out, int64_t size) {
    return ty_relu(ty_conv2d(x, variable(key, TY_SHAPE(size, size, in, out)), (ty_conv){.same = true}));
}

/* Channels of each branch: of the result, and in front of its last convolution. */
static void branches(struct work_graph *g, ty_tensor *x, const int64_t out[4], const int64_t inner[2]) {
    ty_tensor *parts[4];
    parts[0] = conv(x, 2, 192, out[0], 1);
    parts[1] = conv(conv(x, 3, 192, inner[0], 1), 4, inner[0], out[1], 3);
    parts[2] = conv(conv(x, 5, 192, inner[1], 1), 6, inner[1], out[2], 5);
    parts[3] = conv(ty_relu(ty_add(x, ty_num(0.01))), 7, 192, out[3], 1);
    g->outputs[g->noutputs++] = ty_concat(4, parts, 3);
}

static void inception(struct work_graph *g) {
    ty_tensor *x = variable(1, TY_SHAPE(1, 14, 14, 192));
    branches(g, x, (int64_t[]){16, 24, 16, 16}, (int64_t[]){12, 8});
}

static void googlenet(struct work_graph *g) {
    ty_tensor *x = variable(1, TY_SHAPE(1, 28, 28, 192));
    branches(g, x, (int64_t[]){64, 128, 32, 32}, (int64_t[]){96, 16});
}

static ty_model *model_of_lstm;
static void lstm_layers(ty_layer *l, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    y[0] = ty_layer_lstm(l, "lstm", x[0], (ty_lstm_layer){.units = 64, .bidirectional = true});
}

static ty_tensor *mlp(ty_tensor *x, uint64_t key, int64_t units) {
    for (uint64_t layer = 0; layer < 3; layer++)
        x = ty_tanh(ty_matmul(x, variable(10 * key + layer, TY_SHAPE(units, units))));
    return x;
}

static void ensemble(struct work_graph *g) {
    ty_tensor *x = variable(1, TY_SHAPE(32, 96)), *sum = NULL;
    for (uint64_t i = 0; i < 8; i++) {
        ty_tensor *y = mlp(x, 100 + i, 96);
        sum = sum ? ty_add(sum, y) : y;
    }
    g->outputs[g->noutputs++] = ty_mul(sum, ty_num(0.125));
}

static void training(struct work_graph *g) {
    ty_tensor *x = variable(1, TY_SHAPE(32, 96)), *w[24], *slopes[24], *loss = NULL;
    for (int i = 0; i < 8; i++) {
        ty_tensor *y = x;
        for (int layer = 0; layer < 3; layer++) {
            w[3 * i + layer] = variable((uint64_t)(100 + 3 * i + layer), TY_SHAPE(96, 96));
            y = ty_tanh(ty_matmul(y, w[3 * i + layer]));
        }
        ty_tensor *one = ty_mean(ty_square(y), TY_ALL);
        loss = loss ? ty_add(loss, one) : one;
    }
    ty_grad(loss, 24, w, slopes);
    for (int i = 0; i < 24; i++)
        g->updates[g->nupdates++] = (ty_update){w[i], ty_sub(w[i], ty_mul(slopes[i], ty_num(1e-3)))};
    g->outputs[g->noutputs++] = loss;
}

static void adam(struct work_graph *g) {
    for (int i = 0; i < 200; i++) {
        ty_tensor *x = variable((uint64_t)i, TY_SHAPE(24, 24)), *gradient = variable(1000, TY_SHAPE(24, 24));
        ty_tensor *m = ty_var(ty_zeros(TY_F32, TY_SHAPE(24, 24)), "m");
        ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(24, 24)), "v");
        ty_tensor *m1 = ty_add(ty_mul(m, ty_num(0.9)), ty_mul(gradient, ty_num(0.1)));
        ty_tensor *v1 = ty_add(ty_mul(v, ty_num(0.999)), ty_mul(ty_square(gradient), ty_num(0.001)));
        ty_tensor *step = ty_div(ty_mul(m1, ty_num(1e-3)), ty_add(ty_sqrt(v1), ty_num(1e-8)));
        g->updates[g->nupdates++] = (ty_update){x, ty_sub(x, step)};
        g->updates[g->nupdates++] = (ty_update){m, m1};
        g->updates[g->nupdates++] = (ty_update){v, v1};
    }
}

static void large(struct work_graph *g) {
    g->outputs[g->noutputs++] = mlp(variable(1, TY_SHAPE(512, 512)), 7, 512);
}

static void lstm(struct work_graph *g) {
    ty_tensor *x = variable(1, TY_SHAPE(16, 32, 64));
    g->outputs[g->noutputs++] = ty_model_forward(model_of_lstm, x, NULL);
}

static const struct {
    const char *name;
    void (*record)(struct work_graph *g);
} rows[] = {{"chains", chains},       {"inception", inception}, {"lstm", lstm},
            {"ensemble", ensemble},   {"training", training},   {"adam", adam},
            {"googlenet", googlenet}, {"large", large}};
enum { ROWS = sizeof rows / sizeof *rows, WAYS = 3 };

static ty_program *compile(int row, int threads, enum sections_forced how) {
    struct work_graph *g = calloc(1, sizeof *g);
    if (!g) stop(rows[row].name, "out of memory");
    ty_set_threads(threads);
    sections_force(how);
    rows[row].record(g);
    ty_program *p = ty_compile(g->noutputs, g->outputs,
                               (ty_compile_options){.updates = g->updates, .nupdates = g->nupdates});
    sections_force(SECTIONS_BY_COST);
    if (*ty_program_error(p)) stop(rows[row].name, ty_program_error(p));
    free(g);
    return p;
}

static double seconds_of(ty_program *p, int threads, int times) {
    ty_set_threads(threads);
    double start = timing_now();
    for (int i = 0; i < times; i++)
        if (!ty_run(p)) stop("run", ty_program_error(p));
    return (timing_now() - start) / times;
}

static void measure(int row, int threads) {
    static const char *const ways[WAYS] = {"one thread", "in order", "side by side"};
    int widths[WAYS] = {1, threads, threads};
    ty_program *programs[WAYS];
    double seconds[WAYS][ROUNDS];
    struct record_time time[WAYS];
    ty_scope *scope = ty_open();
    for (int w = 0; w < WAYS; w++)
        programs[w] = compile(row, widths[w], w == 2 ? SECTIONS_BY_COST : SECTIONS_NEVER);
    double once = seconds_of(programs[0], 1, 3);
    int times = once < 3e-4 ? (int)(3e-4 / once) + 1 : 1;
    for (int round = -2; round < ROUNDS; round++)
        for (int w = 0; w < WAYS; w++)
            seconds[w][round < 0 ? 0 : round] = seconds_of(programs[w], widths[w], times);
    for (int w = 0; w < WAYS; w++) time[w] = timing_summary(seconds[w], ROUNDS);
    ty_report plain, beside;
    ty_program_report(programs[1], &plain);
    ty_program_report(programs[2], &beside);
    printf("%-10s %9.4f %9.4f %9.4f ms  %5.2f %5.2f  %3d sections of %lld kernels, arena %lld, %lld kB\n",
           rows[row].name, 1e3 * time[0].least, 1e3 * time[1].least, 1e3 * time[2].least,
           time[0].least / time[2].least, time[1].least / time[2].least, programs[2]->flow.sections.n,
           (long long)beside.kernels, (long long)plain.arena_bytes >> 10,
           (long long)beside.arena_bytes >> 10);
    fflush(stdout);
    record_row(document, &(struct record_row){.name = rows[row].name,
                                              .dtype = "f32",
                                              .threads = threads,
                                              .ours = time[2],
                                              .npeers = 2,
                                              .peers = {{ways[0], time[0], 0}, {ways[1], time[1], 0}}});
    for (int w = 0; w < WAYS; w++) ty_program_free(programs[w]);
    ty_close(scope);
}

int main(int argc, char **argv) {
    if (!record_open(&document, &argc, argv)) return 1;
    int threads = ty_threads();
    const char *only = argc > 1 ? argv[1] : "";
    record_least(document);
    record_peer(document, "one thread", "this library", "1");
    record_peer(document, "in order", "this library", "all");
    model_of_lstm = ty_model_new(lstm_layers, NULL, (ty_model_options){.lazy = true});
    printf("%-10s %9s %9s %9s      %5s %5s  (%d threads)\n", "", "1 thread", "in order", "beside",
           "1 :", "order :", threads);
    for (int row = 0; row < ROWS; row++)
        if (strstr(rows[row].name, only)) measure(row, threads);
    ty_model_free(model_of_lstm);
    return record_close(document) ? 0 : 1;
}
