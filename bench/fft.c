/*
 * Fourier transforms against SciPy (pocketfft), or NumPy without SciPy, and PyTorch, alternately: ./dev bench fft.
 * Times are of one transform; GFLOP/s count 5 n log2 n operations for every algorithm.
 */
#include <math.h>
#include <stdio.h>
#include "bench/support/harness.h"

static ty_tensor *line(ty_tensor *const *x) { return ty_fft(x[0], TY_FFT_WHOLE, -1, TY_FFT_BACKWARD); }
static ty_tensor *column(ty_tensor *const *x) { return ty_fft(x[0], TY_FFT_WHOLE, 0, TY_FFT_BACKWARD); }
static ty_tensor *real_line(ty_tensor *const *x) { return ty_rfft(x[0], TY_FFT_WHOLE, -1, TY_FFT_BACKWARD); }
static ty_tensor *all(ty_tensor *const *x) { return ty_fftn(x[0], 0, NULL, NULL, TY_FFT_BACKWARD); }

static void one(struct bench *b, const char *what, ty_dtype dtype, int rank, const int64_t *shape,
                ty_tensor *(*run)(ty_tensor *const *x), const char *numpy, const char *torch,
                double transformed) {
    char name[96];
    int n = snprintf(name, sizeof name, "%s %s [", what, ty_dtype_name(dtype));
    struct bench_case c = {.ninputs = 1, .run = run, .numpy = numpy, .torch = torch, .roof = BENCH_NO_ROOF};
    c.inputs[0] = (struct bench_input){dtype, rank, {0}, -1, 1};
    double size = 1;
    for (int i = 0; i < rank; i++) {
        c.inputs[0].shape[i] = shape[i];
        size *= (double)shape[i];
        n += snprintf(name + n, sizeof name - (size_t)n, i ? ",%lld" : "%lld", (long long)shape[i]);
    }
    snprintf(name + n, sizeof name - (size_t)n, "]");
    c.name = name;
    c.flops = 5 * size * log2(transformed);
    bench_case(b, &c);
}

static void lines(struct bench *b, ty_dtype dtype) {
    static const int64_t sizes[] = {2,     3,     4,      5,      7,      8,      16,     32,      64,
                                    100,   128,   243,    256,    360,    512,    1000,   1009,    1024,
                                    2048,  2187,  3125,   4096,   5040,   8192,   10007,  16384,   32768,
                                    44100, 65536, 100003, 131072, 177147, 262144, 524288, 1000000, 1048576};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += bench_quick(b) ? 3 : 1)
        one(b, "line", dtype, 1, &sizes[i], line, "fourier.fft(a)", "torch.fft.fft(a)", (double)sizes[i]);
}

static void several(struct bench *b, ty_dtype dtype) {
    static const int64_t planes[][2] = {{16, 16},   {64, 64},     {100, 100},  {256, 256},
                                        {512, 512}, {1000, 1000}, {1024, 1024}};
    static const int64_t solids[][3] = {{8, 8, 8}, {32, 32, 32}, {50, 50, 50}, {64, 64, 64}, {128, 128, 128}};
    static const int64_t many[][2] = {{100000, 8}, {10000, 100}, {4000, 256}, {1000, 1024}, {100, 10007}};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
        one(b, "plane", dtype, 2, planes[i], all, "fourier.fftn(a)", "torch.fft.fftn(a)",
            (double)(planes[i][0] * planes[i][1]));
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
        one(b, "solid", dtype, 3, solids[i], all, "fourier.fftn(a)", "torch.fft.fftn(a)",
            (double)(solids[i][0] * solids[i][1] * solids[i][2]));
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        one(b, "rows", dtype, 2, many[i], line, "fourier.fft(a)", "torch.fft.fft(a)", (double)many[i][1]);
        int64_t turned[] = {many[i][1], many[i][0]};
        if (many[i][1] < 2000)
            one(b, "columns", dtype, 2, turned, column, "fourier.fft(a, axis=0)", "torch.fft.fft(a, dim=0)",
                (double)many[i][1]);
    }
}

static void reals(struct bench *b, ty_dtype dtype) {
    static const int64_t sizes[] = {64, 1000, 1024, 4096, 65536, 1048576};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        one(b, "real", dtype, 1, &sizes[i], real_line, "fourier.rfft(a)", "torch.fft.rfft(a)",
            (double)sizes[i]);
    one(b, "real rows", dtype, 2, (int64_t[]){4000, 256}, real_line, "fourier.rfft(a)", "torch.fft.rfft(a)",
        256);
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "fft");
    if (!b) return 1;
    lines(b, TY_C64);
    lines(b, TY_C128);
    several(b, TY_C64);
    several(b, TY_C128);
    reals(b, TY_F32);
    reals(b, TY_F64);
    return bench_close(b);
}
