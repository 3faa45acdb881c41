/*
 * Graphs that pass memory row by row: the ratio of each time to that of reading operands and writing results once. "of
 * the bound" is its time over that of x * 2 in the same run, per byte; "unfused" is the time with one kernel per
 * operator.
 *
 *   ./dev bench rows [MiB of x]
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/tyto.h>
#include "bench/support/record.h"
#include "bench/support/timing.h"

enum { ROUNDS = 9, ROW = 1000, MOST = 4 };

/* ---- the graphs: x is [n, ROW] ---- */

struct graph {
    ty_tensor *x, *g; /* g: incoming gradient of the result */
    ty_tensor *results[MOST];
    int n;
};

static void doubled(struct graph *r) { r->results[r->n++] = ty_mul(r->x, ty_num(2)); }
static void softmax(struct graph *r) { r->results[r->n++] = ty_softmax(r->x, 1); }
static void log_softmax(struct graph *r) { r->results[r->n++] = ty_log_softmax(r->x, 1); }
static void log_sum_exp(struct graph *r) { r->results[r->n++] = ty_logsumexp(r->x, ty_axis(1)); }
static ty_tensor *normal(ty_tensor *x) {
    ty_axes axis = {.mask = 2, .keep = true};
    ty_tensor *mean = ty_mean(x, axis), *d = ty_sub(x, mean), *variance = ty_mean(ty_square(d), axis);
    return ty_mul(d, ty_rsqrt(ty_add(variance, ty_num(1e-5))));
}
static void layer_norm(struct graph *r) { r->results[r->n++] = normal(r->x); }
static void rms_norm(struct graph *r) {
    ty_axes axis = {.mask = 2, .keep = true};
    r->results[r->n++] = ty_mul(r->x, ty_rsqrt(ty_add(ty_mean(ty_square(r->x), axis), ty_num(1e-5))));
}
static void sum_and_max(struct graph *r) {
    r->results[r->n++] = ty_sum(r->x, ty_axis(1));
    r->results[r->n++] = ty_amax(r->x, ty_axis(1));
}
static void mean_and_var(struct graph *r) {
    r->results[r->n++] = ty_mean(r->x, ty_axis(1));
    r->results[r->n++] = ty_variance(r->x, ty_axis(1));
}
static void softmax_backward(struct graph *r) {
    ty_vjp(ty_softmax(r->x, 1), r->g, 1, &r->x, &r->results[r->n++]);
}
static void layer_norm_backward(struct graph *r) {
    ty_vjp(normal(r->x), r->g, 1, &r->x, &r->results[r->n++]);
}

static const struct {
    const char *name;
    void (*record)(struct graph *r);
} graphs[] = {{"x * 2", doubled},
              {"softmax", softmax},
              {"log_softmax", log_softmax},
              {"logsumexp", log_sum_exp},
              {"layer norm", layer_norm},
              {"RMS norm", rms_norm},
              {"sum, max", sum_and_max},
              {"mean, var", mean_and_var},
              {"softmax, gradient", softmax_backward},
              {"layer norm, gradient", layer_norm_backward}};
enum { GRAPHS = sizeof graphs / sizeof *graphs };

/* ---- measurement ---- */

struct measured {
    ty_program *fused, *plain;
    double seconds[ROUNDS], unfused[ROUNDS], bytes;
};

static void stop(const char *name, const char *why) {
    fprintf(stderr, "rows: %s: %s\n", name, why);
    exit(1);
}

static void build(struct measured *m, int which, ty_tensor *x, ty_tensor *g) {
    struct graph r = {.x = x, .g = g};
    graphs[which].record(&r);
    m->fused = ty_compile(r.n, r.results, (ty_compile_options){0});
    m->plain = ty_compile(r.n, r.results, (ty_compile_options){.no_fuse = true});
    if (*ty_program_error(m->fused)) stop(graphs[which].name, ty_program_error(m->fused));
    bool backward = strstr(graphs[which].name, "gradient") != NULL;
    m->bytes = 4.0 * (double)ty_size(x) * (1 + backward);
    for (int i = 0; i < r.n; i++) m->bytes += 4.0 * (double)ty_size(r.results[i]);
}

static double run(ty_program *p, const char *name) {
    double start = timing_now();
    if (!ty_run(p)) stop(name, ty_program_error(p));
    return timing_now() - start;
}

int main(int argc, char **argv) {
    struct record *document;
    if (!record_open(&document, &argc, argv)) return 1;
    int64_t mib = argc > 1 ? atoll(argv[1]) : 64, rows = mib * (1 << 20) / (4 * ROW);
    if (mib < 1 || mib > 4096) {
        fprintf(stderr, "rows: %s is no number of MiB from 1 to 4096\nusage: ./dev bench rows [MiB of x]\n",
                argv[1]);
        return 1;
    }
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_normal(TY_F32, 2, (int64_t[]){rows, ROW}, ty_key(1)), "x");
    ty_tensor *g = ty_var(ty_normal(TY_F32, 2, (int64_t[]){rows, ROW}, ty_key(2)), "g");
    static struct measured all[GRAPHS];
    for (int i = 0; i < GRAPHS; i++) build(&all[i], i, x, g);
    for (int round = -1; round < ROUNDS; round++)
        for (int i = 0; i < GRAPHS; i++) {
            double fused = run(all[i].fused, graphs[i].name), plain = run(all[i].plain, graphs[i].name);
            if (round >= 0) all[i].seconds[round] = fused, all[i].unfused[round] = plain;
        }
    printf("x: f32[%lld,%d], %d threads\n%-22s %8s %8s %12s %8s\n", (long long)rows, ROW, ty_threads(), "",
           "ms", "GB/s", "of the bound", "unfused");
    double rate = 0;
    for (int i = 0; i < GRAPHS; i++) {
        struct measured *m = &all[i];
        struct record_row row = {
            .name = graphs[i].name, .dtype = "f32", .threads = ty_threads(), .bytes = m->bytes};
        row.ours = timing_summary(m->seconds, ROUNDS);
        double unfused = timing_summary(m->unfused, ROUNDS).median, got = m->bytes / row.ours.median;
        if (i == 0) rate = got;
        row.numbers[0].name = "of the bound", row.numbers[0].value = rate / got;
        row.numbers[1].name = "unfused", row.numbers[1].value = unfused / row.ours.median;
        printf("%-22s %8.2f %8.2f %12.2f %8.2f\n", graphs[i].name, 1e3 * row.ours.median, 1e-9 * got,
               rate / got, unfused / row.ours.median);
        record_row(document, &row);
        ty_program_free(m->fused);
        ty_program_free(m->plain);
    }
    ty_close(scope);
    return !record_close(document);
}
