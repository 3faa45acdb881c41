/*
 * What a graph costs before it runs, and when it runs again.
 *
 *   lstm      the unrolled LSTM of ./dev bench loops: recorded, compiled with nothing known from before, compiled again;
 *             kernels, arena, and the arena over the most bytes live at once
 *   again     a step of 1,000 nodes that is recorded anew each time: nanoseconds a node to record it, and to find its
 *             program and run that on the engine that computes nothing
 *   layers    16 products of 128 by 128, of which the first or the last weights change: a full run and an incremental one
 *
 *   ./dev bench graph --help
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/lstm.h"
#include "bench/record.h"
#include "bench/timing.h"

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
        report = ty_program_report(p);
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
    ty_report report = ty_program_report(p);
    tell(name, timing_summary(seconds, ROUNDS), "kernels launched", (double)report.launched);
    if (incremental && changes == 0)
        printf("%-44s %10lld bytes stay of an arena of %lld\n", "", (long long)report.stays_bytes,
               (long long)report.arena_bytes);
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
    return record_close(document) ? 0 : 1;
}
