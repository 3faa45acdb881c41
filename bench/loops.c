/*
 * Loops in graphs: a network's recurrence as a scan and unrolled, and many small carries.  Times of one row are taken in
 * turns in one run; medians.
 *
 *   lstm      Owl's LSTM (its chapter on computation graphs: window 100, batch 100, embedding 40, LSTM 128, linear 512,
 *             softmax): loss, gradients, Adagrad; a step of training
 *   carries   60 scalars through 614 steps (jax issue 40150), forward and gradient
 *
 *   ./dev bench loops --help
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/tyto.h>
#include "bench/record.h"

enum { ROUNDS = 7, MOST = 64 };

static struct record *document;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct record_time summary(double *seconds, int n) {
    qsort(seconds, (size_t)n, sizeof *seconds, ascending);
    return (struct record_time){seconds[n / 2], seconds[0]};
}

static void stop(const char *what, const char *why) {
    fprintf(stderr, "loops: %s: %s\n", what, why);
    exit(1);
}

/* What is recorded: outputs and updates. */
struct graph {
    int noutputs, nupdates;
    ty_tensor *outputs[MOST];
    ty_update updates[MOST];
};

/* A program, how long it took to record and compile, and runs of it. */
struct measured {
    ty_program *program;
    double record, compile;
    double seconds[ROUNDS];
};

static void build(struct measured *m, void (*record)(struct graph *g, int how), int how) {
    struct graph *g = calloc(1, sizeof *g);
    if (!g) stop("record", "out of memory");
    double start = now();
    record(g, how);
    m->record = now() - start;
    start = now();
    m->program = ty_compile(g->noutputs, g->outputs,
                            (ty_compile_options){.updates = g->updates, .nupdates = g->nupdates});
    m->compile = now() - start;
    if (*ty_program_error(m->program)) stop("compile", ty_program_error(m->program));
    free(g);
}

static void run(struct measured *m, int round) {
    double start = now();
    if (!ty_run(m->program)) stop("run", ty_program_error(m->program));
    m->seconds[round] = now() - start;
}

static void tell(const char *name, struct measured *m, struct measured *unrolled) {
    ty_report report = ty_program_report(m->program);
    struct record_row row = {
        .name = name, .dtype = "", .threads = ty_threads(), .ours = summary(m->seconds, ROUNDS)};
    struct record_time other = unrolled ? summary(unrolled->seconds, ROUNDS) : row.ours;
    double ratio = row.ours.median / other.median;
    printf("%-22s %10.2f %10.2f %10.3f %10.2f %9lld %12.2f %8.3f\n", name, 1e3 * m->record, 1e3 * m->compile,
           1e3 * row.ours.median, ratio, (long long)report.kernels, (double)report.arena_bytes / (1 << 20),
           report.live_bound ? (double)report.arena_bytes / (double)report.live_bound : 1);
    row.numbers[0].name = "record ms", row.numbers[0].value = 1e3 * m->record;
    row.numbers[1].name = "compile ms", row.numbers[1].value = 1e3 * m->compile;
    row.numbers[2].name = "of unrolled", row.numbers[2].value = ratio;
    row.numbers[3].name = "arena MiB", row.numbers[3].value = (double)report.arena_bytes / (1 << 20);
    row.numbers[4].name = "kernels", row.numbers[4].value = (double)report.kernels;
    record_row(document, &row);
}

/* ---- the chapter's LSTM ---- */

enum {
    SEGMENT = 10,
    WINDOW = 100,
    BATCH = 100,
    WORDS = 27,
    EMBEDDING = 40,
    HIDDEN = 128,
    GATES = 4 * HIDDEN,
    LINEAR = 512
};

struct lstm {
    ty_tensor *embedding, *x, *h, *bias, *linear, *linear_bias, *last, *last_bias;
};

static ty_tensor *parameter(struct graph *g, int rank, const int64_t *shape, const char *name) {
    ty_tensor *values = ty_mul(ty_normal(TY_F32, rank, shape, ty_key((uint64_t)g->nupdates)), ty_num(0.1));
    ty_tensor *v = ty_var(values, name);
    g->updates[g->nupdates++].variable = v;
    return v;
}

static void cell(const struct lstm *l, ty_tensor *inputs, ty_tensor *h, ty_tensor *c, ty_tensor **next) {
    ty_tensor *z = ty_add(ty_add(inputs, ty_matmul(h, l->h)), l->bias), *gate[4];
    for (int i = 0; i < 4; i++) gate[i] = ty_slice(z, 1, i * HIDDEN, (i + 1) * HIDDEN, 1);
    next[1] = ty_add(ty_mul(ty_sigmoid(gate[0]), c), ty_mul(ty_sigmoid(gate[1]), ty_tanh(gate[2])));
    next[0] = ty_mul(ty_sigmoid(gate[3]), ty_tanh(next[1]));
}

static void step(void *context, ty_step *s) { cell(context, s->x[0], s->carry[0], s->carry[1], s->next); }

static ty_tensor *product_of(const struct lstm *l, ty_tensor *words) {
    return ty_matmul(ty_gather(l->embedding, words, 0), l->x);
}
static void step_of_words(void *context, ty_step *s) {
    cell(context, product_of(context, s->x[0]), s->carry[0], s->carry[1], s->next);
}

/* The ways to write it: one operator after the other; a scan over products made before; a scan over words; the same with
   checkpoints. */
enum { UNROLLED, SCAN, WORDS_INSIDE, CHECKPOINTS, WAYS };
static const char *const ways[WAYS] = {"lstm, unrolled", "lstm, scan", "lstm, scan of words",
                                       "lstm, checkpoints"};

static void record_lstm(struct graph *g, int how) {
    struct lstm l = {.embedding = parameter(g, TY_SHAPE(WORDS, EMBEDDING), "embedding"),
                     .x = parameter(g, TY_SHAPE(EMBEDDING, GATES), "x"),
                     .h = parameter(g, TY_SHAPE(HIDDEN, GATES), "h"),
                     .bias = parameter(g, TY_SHAPE(GATES), "bias"),
                     .linear = parameter(g, TY_SHAPE(HIDDEN, LINEAR), "linear"),
                     .linear_bias = parameter(g, TY_SHAPE(LINEAR), "linear bias"),
                     .last = parameter(g, TY_SHAPE(LINEAR, WORDS), "last"),
                     .last_bias = parameter(g, TY_SHAPE(WORDS), "last bias")};
    ty_tensor *text =
        ty_var(ty_randint(TY_I64, TY_SHAPE(WINDOW, BATCH), ty_int(0), ty_int(WORDS), ty_key(91)), "text");
    ty_tensor *target =
        ty_var(ty_randint(TY_I64, TY_SHAPE(BATCH), ty_int(0), ty_int(WORDS), ty_key(92)), "target");
    ty_tensor *zero = ty_zeros(TY_F32, TY_SHAPE(BATCH, HIDDEN)), *state[2] = {zero, zero};
    if (how != UNROLLED) {
        ty_tensor *inputs = how == SCAN ? product_of(&l, text) : text, *last[2];
        int64_t checkpoint = how == CHECKPOINTS ? SEGMENT : 0;
        ty_scan(how == SCAN ? step : step_of_words, &l,
                (ty_scan_spec){.ncarry = 2, .carry = state, .nx = 1, .x = &inputs, .checkpoint = checkpoint},
                last, NULL, NULL);
        state[0] = last[0];
    }
    for (int t = 0; t < WINDOW && how == UNROLLED; t++) {
        ty_tensor *next[2];
        cell(&l, product_of(&l, ty_gather(text, ty_int(t), 0)), state[0], state[1], next);
        state[0] = next[0], state[1] = next[1];
    }
    ty_tensor *hidden = ty_relu(ty_add(ty_matmul(state[0], l.linear), l.linear_bias));
    ty_tensor *loss = ty_cross_entropy(ty_add(ty_matmul(hidden, l.last), l.last_bias), target);
    ty_tensor *x[MOST], *gradients[MOST];
    int n = g->nupdates;
    for (int i = 0; i < n; i++) x[i] = g->updates[i].variable;
    if (!ty_grad(loss, n, x, gradients)) stop("grad", ty_error(gradients[0]));
    for (int i = 0; i < n; i++) {
        ty_tensor *sums = ty_var(ty_full(TY_F32, ty_rank(x[i]), ty_shape(x[i]), 0.1), "sum of squares");
        ty_tensor *sum = ty_add(sums, ty_square(gradients[i]));
        g->updates[i].value = ty_sub(x[i], ty_div(ty_mul(gradients[i], ty_num(0.01)), ty_sqrt(sum)));
        g->updates[g->nupdates++] = (ty_update){sums, sum};
    }
    g->outputs[g->noutputs++] = loss;
}

static double first_loss(ty_program *p) { return ty_item(ty_output(p, 0)); }

static void lstm(void) {
    struct measured m[WAYS] = {{0}};
    ty_scope *scope = ty_open();
    for (int k = 0; k < WAYS; k++) build(&m[k], record_lstm, k);
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < WAYS; k++) run(&m[k], r);
    for (int k = 0; k < WAYS; k++) {
        double a = first_loss(m[UNROLLED].program), b = first_loss(m[k].program);
        if (!(fabs(a - b) < 1e-3 * fabs(a)))
            fprintf(stderr, "%s: the loss is %g, unrolled it is %g\n", ways[k], b, a);
        tell(ways[k], &m[k], k == UNROLLED ? NULL : &m[UNROLLED]);
    }
    for (int k = 0; k < WAYS; k++) ty_program_free(m[k].program);
    ty_close(scope);
}

/* ---- many carries ---- */

enum { CARRIES = 60, STEPS = 614 };

static void carry_step(void *context, ty_step *s) {
    (void)context;
    for (int i = 0; i < CARRIES; i++)
        s->next[i] = ty_add(ty_mul(s->carry[i], ty_num(0.99)), ty_mul(s->carry[(i + 1) % CARRIES], s->x[0]));
}

static ty_tensor *carried(ty_tensor **carry, int how) {
    ty_tensor *x = ty_var(ty_full(TY_F64, TY_SHAPE(STEPS), 0.01), "x"), *last[CARRIES], *sum;
    for (int i = 0; i < CARRIES; i++) last[i] = carry[i] = ty_var(ty_scalar(TY_F64, 0.1 * i), "carry");
    if (how)
        ty_scan(carry_step, NULL, (ty_scan_spec){.ncarry = CARRIES, .carry = carry, .nx = 1, .x = &x}, last,
                NULL, NULL);
    for (int t = 0; t < STEPS && !how; t++) {
        ty_tensor *next[CARRIES], *element = ty_gather(x, ty_int(t), 0);
        ty_step s = {ty_int(t), last, &element, next, NULL, NULL};
        carry_step(NULL, &s);
        memcpy(last, next, sizeof next);
    }
    sum = last[0];
    for (int i = 1; i < CARRIES; i++) sum = ty_add(sum, last[i]);
    return sum;
}

static void record_carries(struct graph *g, int how) {
    ty_tensor *carry[CARRIES];
    g->outputs[g->noutputs++] = carried(carry, how);
}

static void record_carries_gradient(struct graph *g, int how) {
    ty_tensor *carry[CARRIES], *sum = carried(carry, how);
    g->noutputs = CARRIES;
    if (!ty_grad(sum, CARRIES, carry, g->outputs)) stop("grad", ty_error(g->outputs[0]));
}

static void pair(const char *name, void (*record)(struct graph *g, int how)) {
    char words[64];
    struct measured m[2] = {{0}, {0}};
    ty_scope *scope = ty_open();
    for (int k = 0; k < 2; k++) build(&m[k], record, k);
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < 2; k++) run(&m[k], r);
    snprintf(words, sizeof words, "%s, unrolled", name);
    tell(words, &m[0], NULL);
    snprintf(words, sizeof words, "%s, scan", name);
    tell(words, &m[1], &m[0]);
    for (int k = 0; k < 2; k++) ty_program_free(m[k].program);
    ty_close(scope);
}

static const char help[] = "./dev bench loops: loops in graphs against the same unrolled\n"
                           "  --threads N    with so many threads [1]\n"
                           "  --json [FILE]  the same as a document\n";

int main(int argc, char **argv) {
    int threads = 1;
    if (!record_open(&document, &argc, argv)) return 2;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--threads") && i + 1 < argc) {
            threads = atoi(argv[++i]);
            continue;
        }
        fputs(help, stdout);
        return strcmp(argv[i], "--help") ? 2 : 0;
    }
    ty_set_threads(threads);
    printf("%-22s %10s %10s %10s %10s %9s %12s %8s\n", "", "record ms", "compile ms", "run ms", "of other",
           "kernels", "arena MiB", "bound");
    lstm();
    pair("carries", record_carries);
    pair("gradient of carries", record_carries_gradient);
    return record_close(document) ? 0 : 1;
}
