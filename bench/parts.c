/*
 * Results that are parts of larger ones. Times of one row are medians of runs that alternate.
 *
 *   concat    modules of Inception v3 and a block of DenseNet-121: compiled, and with every result in memory of its
 *             own, so that concatenations copy
 *   slices    the gradient of the sum over functions of T slices x[t] of x[T,64]: directly, and as the sum of T
 *             paddings; compiled and eager
 *
 *   ./dev bench parts --help
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/tyto.h>
#include "bench/support/record.h"

enum { ROUNDS = 9, WIDTH = 64 };

static struct record *document;

/* Return the processor time of this process, which runs one thread; other processes do not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *seconds) {
    qsort(seconds, ROUNDS, sizeof *seconds, ascending);
    return seconds[ROUNDS / 2];
}

static ty_program *compiled(ty_tensor *y, bool apart) {
    ty_program *p = ty_compile(1, &y, (ty_compile_options){.no_reuse = apart});
    if (*ty_program_error(p) || !ty_run(p)) {
        fprintf(stderr, "parts: %s\n", ty_program_error(p));
        exit(1);
    }
    return p;
}

static int concats_of(const ty_program *p) {
    char *text = ty_program_text(p);
    int n = 0;
    for (const char *at = text; at && (at = strstr(at, "= concat")); at++) n++;
    ty_free(text);
    return n;
}

static void tell(const char *name, double ours, double other, int64_t kernels, int concats, double bytes,
                 double others) {
    struct record_row row = {.name = name, .dtype = "f32", .threads = ty_threads(), .ours = {ours, ours}};
    printf("%-34s %10.3f %10.3f %8.2f %8lld %8d %10.2f %10.2f\n", name, 1e3 * ours, 1e3 * other, other / ours,
           (long long)kernels, concats, bytes / (1 << 20), others / (1 << 20));
    row.numbers[0].name = "apart ms", row.numbers[0].value = 1e3 * other;
    row.numbers[1].name = "apart over ours", row.numbers[1].value = other / ours;
    row.numbers[2].name = "kernels", row.numbers[2].value = (double)kernels;
    row.numbers[3].name = "concats", row.numbers[3].value = concats;
    row.numbers[4].name = "MiB", row.numbers[4].value = bytes / (1 << 20);
    row.numbers[5].name = "apart MiB", row.numbers[5].value = others / (1 << 20);
    record_row(document, &row);
}

/* Time two programs alternately. */
static void compare(const char *name, ty_tensor *y, ty_tensor *other, bool apart) {
    ty_program *ours = compiled(y, false), *theirs = compiled(other, apart);
    double seconds[2][ROUNDS];
    int calls = 1;
    for (double start = now(); now() - start < 0.02; calls++) ty_run(ours);
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < 2; k++) {
            double start = now();
            for (int i = 0; i < calls; i++) ty_run(k ? theirs : ours);
            seconds[k][r] = (now() - start) / calls;
        }
    ty_report a, b;
    ty_program_report(ours, &a);
    ty_program_report(theirs, &b);
    tell(name, median(seconds[0]), median(seconds[1]), a.kernels, concats_of(ours), (double)a.arena_bytes,
         (double)b.arena_bytes);
    ty_program_free(ours);
    ty_program_free(theirs);
}

/* ---- concatenations ---- */

static ty_tensor *values(int rank, const int64_t *shape) {
    return ty_mul(ty_normal(TY_F32, rank, shape, ty_key(7)), ty_num(0.1));
}

/* Convolution, bias, relu. */
static ty_tensor *layer(ty_tensor *x, int64_t out, int64_t height, int64_t width, bool nchw) {
    int64_t in = ty_shape(x)[nchw ? 1 : 3];
    ty_tensor *w = nchw ? values(TY_SHAPE(out, in, height, width)) : values(TY_SHAPE(height, width, in, out));
    ty_tensor *bias = nchw ? values(TY_SHAPE(out, 1, 1)) : values(TY_SHAPE(out));
    return ty_relu(ty_add(ty_conv2d(x, ty_lazy(w), (ty_conv){.same = true, .nchw = nchw}), ty_lazy(bias)));
}

static ty_tensor *pooled(ty_tensor *x, bool nchw) {
    return ty_avg_pool2d(x, (ty_pool){.size = {3, 3}, .stride = {1, 1}, .same = true, .nchw = nchw});
}

static ty_tensor *image(int64_t n, int64_t channels, int64_t side, bool nchw) {
    return ty_var(
        nchw ? values(TY_SHAPE(n, channels, side, side)) : values(TY_SHAPE(n, side, side, channels)), "x");
}

/* Mixed_5b: four branches of 64, 64, 96 and 32 channels. */
static ty_tensor *mixed_5b(int64_t n, bool nchw) {
    ty_tensor *x = image(n, 192, 35, nchw);
    return ty_concat(4,
                     (ty_tensor *[]){layer(x, 64, 1, 1, nchw),
                                     layer(layer(x, 48, 1, 1, nchw), 64, 5, 5, nchw),
                                     layer(layer(layer(x, 64, 1, 1, nchw), 96, 3, 3, nchw), 96, 3, 3, nchw),
                                     layer(pooled(x, nchw), 32, 1, 1, nchw)},
                     nchw ? 1 : 3);
}

/* Mixed_6b: factors of 7 by 7, four branches of 192 channels. */
static ty_tensor *mixed_6b(int64_t n, bool nchw) {
    ty_tensor *x = image(n, 768, 17, nchw), *y = layer(x, 128, 1, 1, nchw), *z = y;
    y = layer(layer(y, 128, 1, 7, nchw), 192, 7, 1, nchw);
    z = layer(layer(z, 128, 7, 1, nchw), 128, 1, 7, nchw);
    z = layer(layer(z, 128, 7, 1, nchw), 192, 1, 7, nchw);
    return ty_concat(
        4, (ty_tensor *[]){layer(x, 192, 1, 1, nchw), y, z, layer(pooled(x, nchw), 192, 1, 1, nchw)},
        nchw ? 1 : 3);
}

/* The first dense block: 64 channels and six times 32 more. Each layer scales and shifts the concatenation
   of all earlier ones. */
static ty_tensor *dense_block(int64_t n, bool nchw) {
    ty_tensor *parts[7] = {layer(image(n, 64, 56, nchw), 64, 1, 1, nchw)}, *joined = parts[0];
    for (int i = 1; i < 7; i++) {
        int64_t channels = ty_shape(joined)[nchw ? 1 : 3];
        ty_tensor *scale = ty_lazy(nchw ? values(TY_SHAPE(channels, 1, 1)) : values(TY_SHAPE(channels)));
        ty_tensor *shift = ty_lazy(nchw ? values(TY_SHAPE(channels, 1, 1)) : values(TY_SHAPE(channels)));
        ty_tensor *y = layer(ty_relu(ty_add(ty_mul(joined, scale), shift)), 128, 1, 1, nchw);
        ty_tensor *w = nchw ? values(TY_SHAPE(32, 128, 3, 3)) : values(TY_SHAPE(3, 3, 128, 32));
        parts[i] = ty_conv2d(y, ty_lazy(w), (ty_conv){.same = true, .nchw = nchw});
        joined = ty_concat(i + 1, parts, nchw ? 1 : 3);
    }
    return joined;
}

/* Branches of one pass over memory each, so that the copy takes a large part of the time. */
static ty_tensor *elementwise(int64_t n, bool nchw) {
    ty_tensor *x = image(n, 64, 64, nchw);
    return ty_concat(4, (ty_tensor *[]){ty_relu(x), ty_tanh(x), ty_square(x), pooled(x, nchw)}, nchw ? 1 : 3);
}

static void concatenations(void) {
    static const struct {
        const char *name;
        ty_tensor *(*make)(int64_t n, bool nchw);
    } modules[] = {{"Mixed_5b", mixed_5b},
                   {"Mixed_6b", mixed_6b},
                   {"dense block", dense_block},
                   {"elementwise", elementwise}};
    for (size_t m = 0; m < sizeof modules / sizeof *modules; m++)
        for (int nchw = 1; nchw >= 0; nchw--)
            for (int64_t n = 1; n <= 8; n *= 8) {
                char name[64];
                ty_scope *scope = ty_open();
                snprintf(name, sizeof name, "%s, %s, batch %lld", modules[m].name, nchw ? "NCHW" : "NHWC",
                         (long long)n);
                ty_tensor *y = modules[m].make(n, nchw);
                compare(name, y, y, true);
                ty_close(scope);
            }
}

/* ---- slices ---- */

/* Compute the gradients of the slices of x, one after the other. */
static void flows(ty_tensor *x, int64_t count, ty_tensor **g) {
    for (int64_t t = 0; t < count; t++) g[t] = ty_cos(ty_mul(ty_slice(x, 0, t, t + 1, 1), ty_num(0.5)));
}

static ty_tensor *sum_of_paddings(ty_tensor *x, int64_t count) {
    ty_tensor **g = malloc((size_t)count * sizeof(void *)), *sum = NULL;
    flows(x, count, g);
    for (int64_t t = count - 1; t >= 0; t--) {
        ty_tensor *padded = ty_pad(g[t], (ty_padding[2]){{t, count - 1 - t, 0}, {0}}, ty_num(0));
        sum = sum ? ty_add(sum, padded) : padded;
    }
    free(g);
    return sum;
}

static ty_tensor *gradient_of_slices(ty_tensor *x, int64_t count) {
    ty_tensor *sum = NULL, *g;
    for (int64_t t = 0; t < count; t++) {
        ty_tensor *y = ty_sum(ty_sin(ty_mul(ty_slice(x, 0, t, t + 1, 1), ty_num(0.5))), TY_ALL);
        sum = sum ? ty_add(sum, y) : y;
    }
    ty_grad(sum, 1, &x, &g);
    return g;
}

static double seconds_of(ty_tensor *(*make)(ty_tensor *x, int64_t count), ty_tensor *x, int64_t count) {
    double seconds[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        ty_scope *scope = ty_open();
        double start = now();
        make(x, count);
        seconds[r] = now() - start;
        ty_close(scope);
    }
    return median(seconds);
}

static void slices(void) {
    for (int64_t count = 64; count <= 1024; count *= 4) {
        char name[64];
        ty_scope *scope = ty_open();
        ty_tensor *start = values(TY_SHAPE(count, WIDTH)), *x = ty_var(start, "x"), *e = ty_track(start, "x");
        snprintf(name, sizeof name, "%lld slices, compiled", (long long)count);
        compare(name, gradient_of_slices(x, count), sum_of_paddings(x, count), false);
        snprintf(name, sizeof name, "%lld slices, eager, forward too", (long long)count);
        tell(name, seconds_of(gradient_of_slices, e, count), seconds_of(sum_of_paddings, start, count), 0, 0,
             0, 0);
        ty_close(scope);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--help")) {
        puts("bench_parts [--json [FILE]]: concatenations and gradients of slices, written in place and "
             "apart");
        return 0;
    }
    if (!record_open(&document, &argc, argv)) return 1;
    ty_set_threads(1);
    printf("%-34s %10s %10s %8s %8s %8s %10s %10s\n", "", "ms", "apart ms", "ratio", "kernels", "concats",
           "arena MiB", "apart MiB");
    concatenations();
    slices();
    return !record_close(document);
}
