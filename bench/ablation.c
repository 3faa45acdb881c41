/*
 * The gain of each pass of the contraction compiler: contractions compiled with all passes and with each one disabled
 * (TY_CONTRACT_WITHOUT), timed alternately. Times are the least of several rounds, relative to the full compiler.
 *
 *   ./dev bench ablation [--threads N] [--json [FILE]]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/tyto.h>
#include "bench/support/record.h"

enum { ROUNDS = 9, MOST = 9 };
static const char *const left_out[] = {"",      "drop",  "fuse",  "orient", "identify",
                                       "split", "order", "share", "pack"};

struct example {
    const char *name, *equation; /* NULL: the example is a convolution */
    int64_t x[4], w[4];
    ty_conv options;
};

static const struct example examples[] = {
    {"matrices 1601", "mk,kn->mn", {1601, 1601}, {1601, 1601}},
    {"matrices 1024, right transposed", "mk,nk->mn", {1024, 1024}, {1024, 1024}},
    {"8 x 8, sums of 1000000", "km,kn->mn", {1000000, 8}, {1000000, 8}},
    {"4096 products 16 x 16", "bmk,bkn->bmn", {4096, 16, 16}, {4096, 16, 16}},
    {"batch innermost, 8 x 8", "mkb,knb->mnb", {8, 8, 4096}, {8, 8, 4096}},
    {"matrix by vector 4000", "mk,k->m", {4000, 4000}, {4000}},
    {"cdab,efcd->efab 64 25", "cdab,efcd->efab", {64, 25, 64, 25}, {64, 25, 64, 25}},
    {"ebad,ce->abcd", "ebad,ce->abcd", {96, 84, 96, 84}, {84, 96}},
    {"dca,bd->abc", "dca,bd->abc", {384, 376, 384}, {24, 384}},
    {"ea,ebcd->abcd", "ea,ebcd->abcd", {96, 96}, {96, 84, 84, 84}},
    {"56^2 64>64 3x3 NHWC", NULL, {1, 56, 56, 64}, {3, 3, 64, 64}, {.low = {1, 1}, .high = {1, 1}}},
    {"28^2 128>512 1x1 NHWC", NULL, {1, 28, 28, 128}, {1, 1, 128, 512}},
    {"14^2 256>256 3x3 NCHW",
     NULL,
     {1, 256, 14, 14},
     {256, 256, 3, 3},
     {.low = {1, 1}, .high = {1, 1}, .nchw = true}},
    {"112^2 3x3 of 32 channels each",
     NULL,
     {1, 112, 112, 32},
     {3, 3, 1, 32},
     {.low = {1, 1}, .high = {1, 1}, .groups = 32}},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int rank_of(const int64_t *shape) {
    int rank = 0;
    while (rank < 4 && shape[rank]) rank++;
    return rank;
}

static ty_tensor *record(const struct example *e) {
    ty_tensor *x = ty_uniform(TY_F32, rank_of(e->x), e->x, ty_key(1)),
              *w = ty_uniform(TY_F32, rank_of(e->w), e->w, ty_key(2));
    x = ty_var(x, "x");
    w = ty_var(w, "w");
    return e->equation ? ty_einsum(e->equation, x, w) : ty_conv2d(x, w, e->options);
}

static double run(ty_program *program) {
    double start = now();
    return ty_run(program) ? now() - start : -1;
}

static struct record *document;
/* Record one row; each compiler with a disabled pass is a peer of the full one. */
static void record_passes(const struct example *e, const double *least) {
    struct record_row row = {
        .name = e->name, .dtype = "f32", .threads = ty_threads(), .ours.least = least[0], .npeers = MOST - 1};
    for (int i = 1; i < MOST; i++)
        row.peers[i - 1].name = left_out[i], row.peers[i - 1].time.least = least[i];
    record_row(document, &row);
}

static bool measure(const struct example *e) {
    ty_scope *scope = ty_open();
    ty_tensor *y = record(e);
    ty_program *programs[MOST];
    double least[MOST];
    bool well = true;
    for (int i = 0; i < MOST; i++) {
        setenv("TY_CONTRACT_WITHOUT", left_out[i], 1);
        programs[i] = ty_compile(1, &y, (ty_compile_options){0});
        least[i] = run(programs[i]);
        well = well && least[i] > 0;
    }
    for (int r = 0; well && r < ROUNDS; r++)
        for (int i = 0; i < MOST; i++) {
            double seconds = run(programs[i]);
            if (seconds < least[i]) least[i] = seconds;
        }
    if (well) {
        printf("%-32s %9.1f", e->name, 1e6 * least[0]);
        for (int i = 1; i < MOST; i++) printf(" %8.2f", least[i] / least[0]);
        printf("\n");
        record_passes(e, least);
    } else {
        fprintf(stderr, "%s: %s\n", e->name, ty_ok(y) ? "a run failed" : ty_error(y));
    }
    fflush(stdout);
    for (int i = 0; i < MOST; i++) ty_program_free(programs[i]);
    ty_close(scope);
    return well;
}

int main(int argc, char **argv) {
    if (!record_open(&document, &argc, argv)) return 2;
    record_least(document);
    bool help = argc == 2 && !strcmp(argv[1], "--help"), threads = argc == 3 && !strcmp(argv[1], "--threads");
    if (argc > 1 && !threads) {
        printf("there are --threads N, --json [FILE]\n");
        return !help;
    }
    ty_set_threads(threads ? atoi(argv[2]) : 1);
    printf("tyto %s (%s), %d thread%s, f32: time with all passes, and how many times that without one\n",
           ty_version(), ty_isa(), ty_threads(), ty_threads() > 1 ? "s" : "");
    printf("%-32s %9s", "", "us");
    for (int i = 1; i < MOST; i++) printf(" %8s", left_out[i]);
    printf("\n");
    bool well = true;
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples); i++) well = measure(&examples[i]) && well;
    return !record_close(document) || !well;
}
