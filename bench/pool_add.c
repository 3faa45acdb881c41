/*
 * dst[32,64,56,56] = add(max_pool(src1[32,64,112,112], 3x3, padding 1, stride 2), src2[32,1,56,56]),
 * compiled.  The bound is bytes, not arithmetic: it is measured in the same run by a loop that reads and
 * writes as much and does next to nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>
#include <tyto/tyto.h>
#include "base/parallel.h"

enum { ROUNDS = 15 };

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms) {
    qsort(ms, ROUNDS, sizeof *ms, by_size);
    return ms[ROUNDS / 2];
}

struct stream {
    const uint32_t *in;
    uint32_t *out;
    int64_t n;
};

/* Reads four times n words and writes n: the traffic of the graph. */
static void stream(void *context, int64_t begin, int64_t end) {
    const struct stream *s = context;
    const uint32_t *a = s->in, *b = a + s->n, *c = b + s->n, *d = c + s->n;
    for (int64_t i = begin; i < end; i++) s->out[i] = a[i] ^ b[i] ^ c[i] ^ d[i];
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
        parallel_for(threads, words, 1, stream, &(struct stream){in, out, words});
        ours[i] = t1 - t0;
        bound[i] = now_ms() - t1;
    }
    if (!well) fprintf(stderr, "bench: %s\n", ty_program_error(program));
    ty_report report = ty_program_report(program);
    double a = well ? median(ours) : 0, b = well ? median(bound) : 0;
    double bytes = 20.0 * (double)words + (double)ty_size(src2) * (double)ty_dtype_size(dtype);
    if (well)
        printf("%7d  %-5s %8.2f %8.2f %8.2f %8.1f %8.1f %8lld\n", threads, ty_dtype_name(dtype), a, b, b / a,
               bytes / a / 1e6, bytes / b / 1e6, (long long)report.kernels);
    free(out);
    ty_program_free(program);
    ty_close(scope);
    return well;
}

int main(void) {
    static const ty_dtype dtypes[] = {TY_I32, TY_F32, TY_F64};
    printf("tyto %s (%s), medians of %d\n", ty_version(), ty_isa(), ROUNDS);
    printf("threads  dtype       ms bound ms fraction     GB/s    bound  kernels\n");
    bool well = true;
    for (int threads = 1; threads <= 2; threads++)
        for (int k = 0; k < 3; k++) well = measure(dtypes[k], threads) && well;
    return !well;
}
