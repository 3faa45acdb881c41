/*
 * The cost of a graph before its first run and when it runs again.
 *
 *   lstm      the unrolled LSTM of ./dev bench loops: recorded, compiled first, compiled again with warm caches;
 *             kernels, arena, and the arena relative to the most bytes alive at once
 *   again     a step of 1,000 nodes recorded anew each time: nanoseconds per node to record it, and to find its program
 *             and run that on the engine that computes nothing
 *   layers    16 products of 128 by 128, whose first or last weights change: a full run and an incremental one
 *   diff      the gradient of the sum of squared differences of 256^3 floats along all axes (jax issue 37465), and
 *             a map that reads and writes as many bytes
 *   Adam      a step for 50 parameters of 200,000 elements, and a triad of as many bytes
 *   carries   a scan of 614 steps that carries 60 scalars
 *
 *   ./dev bench graph --help
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/support/lstm.h"
#include "bench/support/record.h"
#include "bench/support/timing.h"

enum { ROUNDS = 9, NODES = 1000, LAYERS = 16, SIZE = 128 };

static struct record *document;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "graph: %s: %s\n", what, why);
    exit(1);
}

static void tell(const char *name, struct record_time time, const char *unit, double value) {
    struct record_row row = {.name = name, .dtype = "", .threads = ty_threads(), .ours = time};
    row.numbers[0].name = unit, row.numbers[0].value = value;
    printf("%-44s %10.3f ms %12.2f %s\n", name, 1e3 * time.median, value, unit);
    record_row(document, &row);
}

/* ---- the LSTM ---- */

static ty_program *compile(const struct lstm_graph *g) {
    ty_program *p = ty_compile(g->noutputs, g->outputs,
                               (ty_compile_options){.updates = g->updates, .nupdates = g->nupdates});
    if (*ty_program_error(p)) stop("compile", ty_program_error(p));
    return p;
}

static void lstm(void) {
    double record[ROUNDS], first[ROUNDS], again[ROUNDS], all[ROUNDS];
    ty_report report = {0};
    for (int r = 0; r < ROUNDS; r++) {
        ty_scope *scope = ty_open();
        struct lstm_graph *g = calloc(1, sizeof *g);
        if (!g) stop("lstm", "out of memory");
        ty_trim();
        double start = timing_now();
        lstm_record(g, LSTM_UNROLLED);
        record[r] = timing_now() - start;
        ty_trim();
        start = timing_now();
        ty_program *p = compile(g);
        first[r] = timing_now() - start;
        all[r] = record[r] + first[r];
        start = timing_now();
        ty_program *q = compile(g);
        again[r] = timing_now() - start;
        ty_program_report(p, &report);
        ty_program_free(p);
        ty_program_free(q);
        free(g);
        ty_close(scope);
    }
    double bound = (double)report.arena_bytes / (double)report.live_bound;
    tell("lstm: record", timing_summary(record, ROUNDS), "nodes", (double)report.nodes_before);
    tell("lstm: compile", timing_summary(first, ROUNDS), "kernels", (double)report.kernels);
    tell("lstm: record and compile", timing_summary(all, ROUNDS), "arena over bound", bound);
    tell("lstm: compile again", timing_summary(again, ROUNDS), "arena MiB",
         (double)report.arena_bytes / (1 << 20));
}

/* ---- recorded anew ---- */

static ty_tensor *record_step(ty_tensor *x) {
    ty_tensor *y = x;
    for (int i = 0; i < NODES / 4; i++) y = ty_add(ty_tanh(ty_mul(y, x)), ty_neg(y));
    return y;
}

static void again(void) {
    double record[ROUNDS], find[ROUNDS], both[ROUNDS];
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(64, 64)), "x");
    ty_use_engine("null");
    for (int r = -2; r < ROUNDS; r++) {
        ty_scope *step = ty_open();
        double start = timing_now();
        ty_tensor *y = record_step(x);
        double recorded = timing_now();
        if (!ty_ok(ty_eval(y))) stop("again", ty_error(y));
        double end = timing_now();
        if (r >= 0) record[r] = recorded - start, find[r] = end - recorded, both[r] = end - start;
        ty_close(step);
    }
    ty_use_engine("cpu");
    ty_close(scope);
    tell("1,000 nodes: record", timing_summary(record, ROUNDS), "ns a node",
         1e9 * record[ROUNDS / 2] / NODES);
    tell("1,000 nodes: find the program, run it", timing_summary(find, ROUNDS), "ns a node",
         1e9 * find[ROUNDS / 2] / NODES);
    tell("1,000 nodes: both", timing_summary(both, ROUNDS), "ns a node", 1e9 * both[ROUNDS / 2] / NODES);
}

/* ---- incremental runs ---- */

static void time_layers(const char *name, bool incremental, int changes) {
    double seconds[ROUNDS];
    ty_scope *scope = ty_open();
    ty_tensor *w[LAYERS], *value = ty_full(TY_F32, TY_SHAPE(SIZE, SIZE), 0.01), *y;
    for (int i = 0; i < LAYERS; i++) w[i] = ty_var(value, "w");
    y = w[0];
    for (int i = 1; i < LAYERS; i++) y = ty_tanh(ty_matmul(y, w[i]));
    ty_program *p = ty_compile(1, &y, (ty_compile_options){.incremental = incremental});
    for (int r = -1; r < ROUNDS; r++) {
        if (!ty_assign(w[changes], ty_full(TY_F32, TY_SHAPE(SIZE, SIZE), 0.01 * r), NULL))
            stop(name, "assign");
        double start = timing_now();
        if (!ty_run(p)) stop(name, ty_program_error(p));
        if (r >= 0) seconds[r] = timing_now() - start;
    }
    ty_report report;
    ty_program_report(p, &report);
    tell(name, timing_summary(seconds, ROUNDS), "kernels launched", (double)report.launched);
    if (incremental && changes == 0)
        printf("%-44s %10lld bytes stay of an arena of %lld\n", "", (long long)report.stays_bytes,
               (long long)report.arena_bytes);
    ty_program_free(p);
    ty_close(scope);
}

/* ---- elementwise ---- */

static double time_program(const char *name, ty_program *p, double bytes, double bound) {
    double seconds[ROUNDS];
    if (*ty_program_error(p)) stop(name, ty_program_error(p));
    for (int r = -1; r < ROUNDS; r++) {
        double start = timing_now();
        if (!ty_run(p)) stop(name, ty_program_error(p));
        if (r >= 0) seconds[r] = timing_now() - start;
    }
    struct record_time time = timing_summary(seconds, ROUNDS);
    if (bound > 0)
        tell(name, time, "times the bound", time.median / bound);
    else
        tell(name, time, "GB/s", 1e-9 * bytes / time.median);
    ty_report report;
    ty_program_report(p, &report);
    printf("%-44s %10lld kernels, %lld bytes of memory\n", "", (long long)report.kernels,
           (long long)report.arena_bytes);
    ty_program_free(p);
    return time.median;
}

static ty_tensor *filled(int64_t n, int rank, double value) {
    return ty_var(ty_full(TY_F32, rank, (int64_t[]){n, n, n}, value), "x");
}

static void differences(void) {
    enum { N = 256 };
    ty_scope *scope = ty_open();
    ty_tensor *x = filled(N, 3, 1.5), *y = ty_num(0), *g, *copied = ty_mul(x, ty_num(3));
    for (int axis = 0; axis < 3; axis++) {
        ty_tensor *d = ty_sub(ty_slice(x, axis, 1, TY_END, 1), ty_slice(x, axis, 0, -1, 1));
        y = ty_add(y, ty_sum(ty_square(d), TY_ALL));
    }
    if (!ty_grad(y, 1, &x, &g)) stop("diff", ty_error(g));
    double bytes = 2 * 4.0 * N * N * N;
    double bound =
        time_program("diff: bytes bound, x * 3", ty_compile(1, &copied, (ty_compile_options){0}), bytes, 0);
    time_program("diff: gradient of the sum of diff^2", ty_compile(1, &g, (ty_compile_options){0}), bytes,
                 bound);
    ty_close(scope);
}

/* Record one step of Adam: new values of m, v and p. */
static void adam_step(int64_t n, ty_update *updates) {
    ty_tensor *p = filled(n, 1, 1), *g = filled(n, 1, 0.5), *m = filled(n, 1, 0), *v = filled(n, 1, 0);
    ty_tensor *m1 = ty_add(ty_mul(m, ty_num(0.9)), ty_mul(g, ty_num(0.1)));
    ty_tensor *v1 = ty_add(ty_mul(v, ty_num(0.999)), ty_mul(ty_square(g), ty_num(0.001)));
    ty_tensor *step = ty_div(ty_mul(m1, ty_num(1e-3)), ty_add(ty_sqrt(v1), ty_num(1e-8)));
    updates[0] = (ty_update){m, m1};
    updates[1] = (ty_update){v, v1};
    updates[2] = (ty_update){p, ty_sub(p, step)};
}

static void adam(void) {
    enum { PARAMETERS = 50, ELEMENTS = 200000 };
    ty_update updates[3 * PARAMETERS];
    ty_scope *scope = ty_open();
    for (int i = 0; i < PARAMETERS; i++) adam_step(ELEMENTS, updates + 3 * i);
    double bytes = 7 * 4.0 * PARAMETERS * ELEMENTS;
    int64_t n = (int64_t)(bytes / 12);
    ty_tensor *triad = ty_add(filled(n, 1, 1), ty_mul(filled(n, 1, 2), ty_num(3)));
    double bound = time_program("Adam: triad of as many bytes",
                                ty_compile(1, &triad, (ty_compile_options){0}), bytes, 0);
    ty_compile_options options = {.updates = updates, .nupdates = 3 * PARAMETERS};
    time_program("Adam: 50 parameters of 200,000", ty_compile(0, NULL, options), bytes, bound);
    ty_close(scope);
}

enum { CARRIES = 60, STEPS = 614 };

static void carry_on(void *context, ty_step *s) {
    (void)context;
    for (int i = 0; i < CARRIES; i++) s->next[i] = ty_add(ty_mul(s->carry[i], ty_num(0.5)), s->x[0]);
}

static void carries(void) {
    double seconds[ROUNDS];
    ty_scope *scope = ty_open();
    ty_tensor *carry[CARRIES], *last[CARRIES], *x = filled(STEPS, 1, 1);
    for (int i = 0; i < CARRIES; i++) carry[i] = ty_var(ty_scalar(TY_F32, i), "c");
    ty_scan(carry_on, NULL, (ty_scan_spec){.ncarry = CARRIES, .carry = carry, .nx = 1, .x = &x}, last, NULL,
            NULL);
    ty_program *p = ty_compile(CARRIES, last, (ty_compile_options){0});
    if (*ty_program_error(p)) stop("carries", ty_program_error(p));
    for (int r = -1; r < ROUNDS; r++) {
        double start = timing_now();
        if (!ty_run(p)) stop("carries", ty_program_error(p));
        if (r >= 0) seconds[r] = timing_now() - start;
    }
    struct record_time time = timing_summary(seconds, ROUNDS);
    tell("60 carries, 614 steps", time, "ns a carry and step", 1e9 * time.median / (CARRIES * STEPS));
    ty_program_free(p);
    ty_close(scope);
}

static const char help[] = "./dev bench graph: graphs before they run, and when they run again\n"
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
    lstm();
    again();
    time_layers("16 layers: all run", false, 0);
    time_layers("16 layers: the first weights change", true, 0);
    time_layers("16 layers: the last weights change", true, LAYERS - 1);
    differences();
    adam();
    carries();
    return record_close(document) ? 0 : 1;
}
