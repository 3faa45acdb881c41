/*
 * dst[32,64,56,56] = add(max_pool(src1[32,64,112,112], 3x3, padding 1, stride 2), src2[32,1,56,56]), compiled. Memory
 * traffic is the bound. A loop that reads and writes as many bytes with non-temporal stores and almost no arithmetic
 * measures it, alternately in the same run. The least time of each counts.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tyto/tyto.h>
#include "base/machine/cache.h"
#include "base/threads/parallel.h"
#include "bench/support/record.h"

enum { ROUNDS = 25, PIECE = 512, LINE = 16, AHEAD = 1024, DISTANCES = 5 };

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double least(double *ms) {
    qsort(ms, ROUNDS, sizeof *ms, ascending);
    return ms[0];
}

static struct record *document;
static void record_both(ty_dtype dtype, int threads, const double *ours, const double *bound, double bytes) {
    struct record_row row = {.name = "max-pool 3x3/2 and add, 32x64x112x112",
                             .dtype = ty_dtype_name(dtype),
                             .threads = threads,
                             .ours = {1e-3 * ours[ROUNDS / 2], 1e-3 * ours[0]},
                             .npeers = 1,
                             .share = bound[0] / ours[0],
                             .bytes = bytes};
    row.peers[0].name = "stream";
    row.peers[0].time = (struct record_time){1e-3 * bound[ROUNDS / 2], 1e-3 * bound[0]};
    record_row(document, &row);
}

struct stream {
    const uint32_t *in;
    uint32_t *out;
    int64_t n, ahead; /* prefetch distance in elements; 0: none */
};

/* Read 4 n words and write n by non-temporal stores: the traffic of the graph. Several prefetch distances
   are tried, since the hardware prefetcher stops at every page. */
static void stream(void *context, int64_t begin, int64_t end) {
    const struct stream *s = context;
    for (int64_t i = begin; i < end; i += PIECE) {
        uint32_t made[PIECE];
        int64_t count = end - i < PIECE ? end - i : PIECE;
        const uint32_t *x = s->in + 4 * i;
        for (int64_t k = 0; k < 4 * count && s->ahead; k += LINE) __builtin_prefetch(x + k + s->ahead);
        for (int64_t k = 0; k < count; k++)
            made[k] = x[k] ^ x[k + count] ^ x[k + 2 * count] ^ x[k + 3 * count];
        cache_bypass_copy(s->out + i, made, (size_t)count * sizeof *made);
    }
}

static bool measure(ty_dtype dtype, int threads) {
    ty_set_threads(threads);
    ty_scope *scope = ty_open();
    ty_tensor *values =
        ty_cast(ty_mul(ty_normal(TY_F32, TY_SHAPE(32, 64, 112, 112), ty_key(1)), ty_num(100)), dtype);
    ty_tensor *src2 =
        ty_cast(ty_mul(ty_normal(TY_F32, TY_SHAPE(32, 1, 56, 56), ty_key(2)), ty_num(100)), dtype);
    ty_pool pool = {.size = {3, 3}, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1}, .nchw = true};
    ty_tensor *dst = ty_add(ty_max_pool2d(ty_var(values, "src1"), pool), ty_var(src2, "src2"));
    ty_program *program = ty_compile(1, &dst, (ty_compile_options){0});
    int64_t words = ty_size(dst) * (int64_t)ty_dtype_size(dtype) / 4;
    uint32_t *out = calloc((size_t)words, sizeof *out);
    const uint32_t *in = ty_data(values);
    double ours[ROUNDS], bound[ROUNDS];
    bool well = out && in && ty_run(program);
    for (int i = 0; well && i < ROUNDS; i++) {
        double t0 = now_ms();
        well = ty_run(program);
        double t1 = now_ms();
        parallel_for(threads, words, 1, stream, &(struct stream){in, out, words, i % DISTANCES * AHEAD});
        ours[i] = t1 - t0;
        bound[i] = now_ms() - t1;
    }
    if (!well) fprintf(stderr, "bench: %s\n", ty_program_error(program));
    ty_report report;
    ty_program_report(program, &report);
    double a = well ? least(ours) : 0, b = well ? least(bound) : 0;
    double bytes = 20.0 * (double)words + (double)ty_size(src2) * (double)ty_dtype_size(dtype);
    if (well)
        printf("%7d  %-5s %8.2f %8.2f %8.2f %8.1f %8.1f %8lld\n", threads, ty_dtype_name(dtype), a, b, b / a,
               bytes / a / 1e6, bytes / b / 1e6, (long long)report.kernels);
    if (well) record_both(dtype, threads, ours, bound, bytes);
    free(out);
    ty_program_free(program);
    ty_close(scope);
    return well;
}

int main(int argc, char **argv) {
    if (!record_open(&document, &argc, argv) || argc > 1) {
        fprintf(stderr, "there is --json [FILE]\n");
        return 2;
    }
    record_least(document);
    record_peer(document, "stream", "a loop that reads and writes as many bytes past the caches", "as ours");
    static const ty_dtype dtypes[] = {TY_I32, TY_F32, TY_F64};
    printf("tyto %s (%s), least of %d\n", ty_version(), ty_isa(), ROUNDS);
    printf("threads  dtype       ms bound ms fraction     GB/s    bound  kernels\n");
    bool well = true;
    for (int threads = 1; threads <= 2; threads++)
        for (int k = 0; k < 3; k++) well = measure(dtypes[k], threads) && well;
    return !record_close(document) || !well;
}
