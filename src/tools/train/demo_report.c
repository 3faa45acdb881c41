/* The table of the demonstration, which compares eager and compiled training. */
#include "tools/command.h"
#include "tools/options/result.h"
#include "tools/train/demo.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double promised_accuracy = 0.97, promised_difference = 1e-4;

/* Return the number of first steps whose losses both runs have kept, at most DEMO_COMPARED. */
static int compared(const struct demo_run *a, const struct demo_run *b) {
    int64_t n = a->done < b->done ? a->done : b->done;
    return n < DEMO_COMPARED ? (int)n : DEMO_COMPARED;
}

/* Return the largest difference of the losses of both runs at the compared first steps; NaN if one is NaN. */
static double difference(const struct demo_run *a, const struct demo_run *b) {
    double most = 0;
    for (int i = 0; i < compared(a, b); i++) {
        double d = fabs(a->losses[i] - b->losses[i]);
        if (isnan(d)) return d;
        if (d > most) most = d;
    }
    return most;
}

/* Print a line of the table: a name and two numbers, with this number of decimals. */
static void line(const char *name, int decimals, double a, double b) {
    say("%-26s%12s%12s\n", name, shown((char[SHOWN]){0}, decimals, a), shown((char[SHOWN]){0}, decimals, b));
}

static double mb(int64_t bytes) { return (double)bytes / 1e6; }

/* Print the table that compares both runs. */
static void print_runs(const struct demo_run *a, const struct demo_run *b) {
    say("%-26s%12s%12s\n", "", a->name, b->name);
    line("steps", 0, (double)a->done, (double)b->done);
    line("ms/step, median", 1, a->ms, b->ms);
    line("peak resident MB", 0, a->peak_mb, b->peak_mb);
    line("loss, first step", 5, a->losses[0], b->losses[0]);
    char last[32];
    int n = compared(a, b);
    snprintf(last, sizeof last, "loss, step %d", n);
    line(last, 5, a->losses[n - 1], b->losses[n - 1]);
    line("loss, last step", 5, a->last_loss, b->last_loss);
    line("test accuracy %", 2, 100 * a->accuracy, 100 * b->accuracy);
}

/* Print what the compiler did: nodes, kernels and memory. */
static void print_report(const ty_report *r) {
    double gap = r->live_bound ? 100.0 * (double)(r->arena_bytes - r->live_bound) / (double)r->live_bound : 0;
    say("graph      nodes %lld -> %lld, edges %lld -> %lld, compiled in %.0f ms\n",
        (long long)r->nodes_before, (long long)r->nodes_after, (long long)r->edges_before,
        (long long)r->edges_after, r->compile_ms);
    say("passes     %lld folded, %lld simplified, %lld merged, %lld dead, %lld fused, %lld in place\n",
        (long long)r->folded, (long long)r->simplified, (long long)r->merged, (long long)r->dead,
        (long long)r->fused, (long long)r->inplace);
    say("program    %lld kernels, %lld blocks of memory\n", (long long)r->kernels, (long long)r->blocks);
    say("memory     %.2f MB planned, lower bound %.2f MB (gap %.1f %%), %.2f MB without a plan\n",
        mb(r->arena_bytes), mb(r->live_bound), gap, mb(r->unplanned_bytes));
}

/* ---- JSON ---- */

static void append_run(const struct demo_run *r) {
    result_open(NULL, '{');
    result_text("name", r->name);
    result_whole("steps", r->done);
    result_number("step_milliseconds", r->ms);
    result_number("peak_mb", r->peak_mb);
    result_number("first_loss", r->losses[0]);
    result_number("last_loss", r->last_loss);
    result_number("accuracy", r->accuracy);
    result_close();
}

static void append_report(const ty_report *r) {
    const struct {
        const char *key;
        int64_t number;
    } members[] = {
#define REPORT(member, key) {key, r->member},
#include "compile/report.def"
    };
    result_open("program", '{');
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        result_whole(members[i].key, members[i].number);
    result_number("compiled_milliseconds", r->compile_ms);
    result_close();
}

/* Append both runs, the largest difference of their losses, the compiled program and the files of the folder. */
static void append_demo(const struct demo_run *eager, const struct demo_run *compiled, double difference,
                        const char *folder) {
    static const char *const names[] = {"program.html", "graph.svg", "memory.svg", "loss.svg"};
    enum { FILES = sizeof names / sizeof *names };
    char texts[FILES][4096];
    const char *paths[FILES];
    result_open("runs", '[');
    append_run(eager);
    append_run(compiled);
    result_close();
    result_whole("compared", compared(eager, compiled));
    result_number("difference", difference);
    append_report(&compiled->report);
    for (int i = 0; i < FILES; i++) {
        snprintf(texts[i], sizeof texts[i], "%s/%s", folder, names[i]);
        paths[i] = texts[i];
    }
    result_written(FILES, paths);
}

int demo_report(const struct demo_run *eager, const struct demo_run *compiled, const char *folder) {
    print_runs(eager, compiled);
    say("\n");
    char path[4096];
    snprintf(path, sizeof path, "%s/loss.svg", folder);
    if (!curves_draw(&eager->curve, &compiled->curve, path)) return EXIT_FAILED;
    double most = difference(eager, compiled);
    say("The eager run stops after %lld steps. The losses of the first %d steps differ by at most %.2g "
        "(allowed %.0g).\n"
        "The compiled run is %.2f times as fast and takes %.2f of the memory.\n"
        "\n",
        (long long)eager->done, compared(eager, compiled), most, promised_difference,
        eager->ms / compiled->ms, compiled->peak_mb / eager->peak_mb);
    print_report(&compiled->report);
    say("drawn      %s/program.html, graph.svg, memory.svg, loss.svg\n", folder);
    append_demo(eager, compiled, most, folder);
    if (!(most <= promised_difference)) return complain("the loss curves differ by %.1e", most);
    if (!(compiled->accuracy >= promised_accuracy))
        return complain("the test accuracy is %.2f %%, expected at least %.0f %%", 100 * compiled->accuracy,
                        100 * promised_accuracy);
    return EXIT_SUCCESS;
}
