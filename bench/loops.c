/*
 * Loops in graphs: a recurrent network as a scan and unrolled, and a scan with many small carries. Times of one row are
 * medians of runs that alternate.
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
#include <tyto/tyto.h>
#include "bench/support/lstm.h"
#include "bench/support/record.h"
#include "bench/support/timing.h"

enum { ROUNDS = 7 };

static struct record *document;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "loops: %s: %s\n", what, why);
    exit(1);
}

/* A program, the time to record and compile it, and the times of its runs. */
struct measured {
    ty_program *program;
    double record, compile;
    double seconds[ROUNDS];
};

static void build(struct measured *m, void (*record)(struct lstm_graph *g, int how), int how) {
    struct lstm_graph *g = calloc(1, sizeof *g);
    if (!g) stop("record", "out of memory");
    double start = timing_now();
    record(g, how);
    m->record = timing_now() - start;
    start = timing_now();
    m->program = ty_compile(g->noutputs, g->outputs,
                            (ty_compile_options){.updates = g->updates, .nupdates = g->nupdates});
    m->compile = timing_now() - start;
    if (*ty_program_error(m->program)) stop("compile", ty_program_error(m->program));
    free(g);
}

static void run(struct measured *m, int round) {
    double start = timing_now();
    if (!ty_run(m->program)) stop("run", ty_program_error(m->program));
    m->seconds[round] = timing_now() - start;
}

static void tell(const char *name, struct measured *m, struct measured *unrolled) {
    ty_report report;
    ty_program_report(m->program, &report);
    struct record_row row = {
        .name = name, .dtype = "", .threads = ty_threads(), .ours = timing_summary(m->seconds, ROUNDS)};
    struct record_time other = unrolled ? timing_summary(unrolled->seconds, ROUNDS) : row.ours;
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

static double first_loss(ty_program *p) { return ty_item(ty_output(p, 0)); }

static void lstm(void) {
    struct measured m[LSTM_WAYS] = {{0}};
    ty_scope *scope = ty_open();
    for (int k = 0; k < LSTM_WAYS; k++) build(&m[k], lstm_record, k);
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < LSTM_WAYS; k++) run(&m[k], r);
    for (int k = 0; k < LSTM_WAYS; k++) {
        double a = first_loss(m[LSTM_UNROLLED].program), b = first_loss(m[k].program);
        if (!(fabs(a - b) < 1e-3 * fabs(a)))
            fprintf(stderr, "%s: the loss is %g, unrolled it is %g\n", lstm_ways[k], b, a);
        tell(lstm_ways[k], &m[k], k == LSTM_UNROLLED ? NULL : &m[LSTM_UNROLLED]);
    }
    for (int k = 0; k < LSTM_WAYS; k++) ty_program_free(m[k].program);
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

static void record_carries(struct lstm_graph *g, int how) {
    ty_tensor *carry[CARRIES];
    g->outputs[g->noutputs++] = carried(carry, how);
}

static void record_carries_gradient(struct lstm_graph *g, int how) {
    ty_tensor *carry[CARRIES], *sum = carried(carry, how);
    g->noutputs = CARRIES;
    if (!ty_grad(sum, CARRIES, carry, g->outputs)) stop("grad", ty_error(g->outputs[0]));
}

static void pair(const char *name, void (*record)(struct lstm_graph *g, int how)) {
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
