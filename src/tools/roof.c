/*
 * Peaks of arithmetic and memory. Arithmetic: twelve independent chains of fused multiply-adds in the widest
 * registers of the instruction set in use; two units with a latency of 4.5 cycles need about as many. The fused
 * instruction is written out, because the compiler may not fuse products and sums (-ffp-contract=off).
 * Memory: STREAM's add (McCalpin 1995) with non-temporal stores.
 */
#include "tools/roof.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/machine/debug.h"
#include "base/threads/parallel.h"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { CHAINS = 12, STEPS = 1 << 18, PASSES = 7, STREAM_BYTES = 1 << 27, LINE = 8 };

struct burn {
    double *sums; /* sum of each thread, so that nothing is optimised away */
};

/* Define a loop for one register width in bytes and one type; madd(x, y, z) is x * y + z. */
#define BURN(name, type, lanes, madd, flags)                                                                 \
    flags static void name(void *context, int64_t begin, int64_t end) {                                      \
        const struct burn *burn = context;                                                                   \
        for (int64_t share = begin; share < end; share++) {                                                  \
            lanes chain[CHAINS], factor, term;                                                               \
            for (size_t k = 0; k < sizeof(lanes) / sizeof(type); k++) factor[k] = (type)0.5, term[k] = 1;    \
            for (int c = 0; c < CHAINS; c++) chain[c] = term * (type)c;                                      \
            for (int i = 0; i < STEPS; i++) {                                                                \
                _Pragma("GCC unroll 12") for (int c = 0; c < CHAINS; c++) chain[c] =                         \
                    madd(chain[c], factor, term);                                                            \
            }                                                                                                \
            for (int c = 0; c < CHAINS; c++) burn->sums[share] += (double)chain[c][0];                       \
        }                                                                                                    \
    }
#if defined(__aarch64__)
#define MADD_F32(x, y, z) vfmaq_f32(z, x, y)
#define MADD_F64(x, y, z) vfmaq_f64(z, x, y)
typedef float32x4_t lanes_f32;
typedef float64x2_t lanes_f64;
#else /* a product and a sum: the base instruction set has no fused one */
#define MADD_F32(x, y, z) ((x) * (y) + (z))
#define MADD_F64(x, y, z) ((x) * (y) + (z))
typedef float lanes_f32 __attribute__((vector_size(16)));
typedef double lanes_f64 __attribute__((vector_size(16)));
#endif
BURN(burn_f32_16, float, lanes_f32, MADD_F32, )
BURN(burn_f64_16, double, lanes_f64, MADD_F64, )
#if defined(__x86_64__)
BURN(burn_f32_32, float, __m256, _mm256_fmadd_ps, __attribute__((target("avx2,fma"))))
BURN(burn_f64_32, double, __m256d, _mm256_fmadd_pd, __attribute__((target("avx2,fma"))))
BURN(burn_f32_64, float, __m512, _mm512_fmadd_ps, __attribute__((target("avx512f,fma"))))
BURN(burn_f64_64, double, __m512d, _mm512_fmadd_pd, __attribute__((target("avx512f,fma"))))
#endif

static const struct {
    const char *isa;
    int width;
    void (*burn[2])(void *context, int64_t begin, int64_t end);
} burners[] = {
#if defined(__x86_64__)
    {"avx512", 64, {burn_f32_64, burn_f64_64}},
    {"avx2", 32, {burn_f32_32, burn_f64_32}},
#endif
    {"", 16, {burn_f32_16, burn_f64_16}},
};

double roof_flops_sample(ty_dtype dtype, int threads) {
    bool single = dtype == TY_F32 || dtype == TY_C64, twice = dtype == TY_F64 || dtype == TY_C128;
    double sums[1024] = {0};
    struct burn burn = {sums};
    size_t b = 0;
    if (!single && !twice) return 0;
    while (*burners[b].isa && strcmp(burners[b].isa, ty_isa())) b++;
    if (threads > 1024) threads = 1024;
    double flops = 2.0 * CHAINS * STEPS * burners[b].width / (single ? 4 : 8) * threads;
    double start = debug_clock();
    parallel_for(threads, threads, 1, burners[b].burn[twice], &burn);
    double rate = flops / (1e-3 * (debug_clock() - start));
    return sums[0] == 0 ? 0 : rate;
}

double roof_flops(ty_dtype dtype, int threads) {
    double best = 0;
    for (int pass = 0; pass < PASSES; pass++) best = fmax(best, roof_flops_sample(dtype, threads));
    return best;
}

struct stream {
    double *a;
    const double *b, *c;
};

/* Compute a = b + c for cache lines begin..end-1 with non-temporal stores of 16 bytes; wider ones would
   fill a line sooner. context is the struct stream. */
static void add_streams(void *context, int64_t begin, int64_t end) {
    const struct stream *s = context;
#if defined(__x86_64__)
    for (int64_t i = LINE * begin; i < LINE * end; i += 2)
        _mm_stream_pd(s->a + i, _mm_add_pd(_mm_load_pd(s->b + i), _mm_load_pd(s->c + i)));
    _mm_sfence();
#else
    for (int64_t i = LINE * begin; i < LINE * end; i++) s->a[i] = s->b[i] + s->c[i];
#endif
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_streams_wide(void *context, int64_t begin, int64_t end) {
    const struct stream *s = context;
    for (int64_t i = LINE * begin; i < LINE * end; i += 4)
        _mm256_stream_pd(s->a + i, _mm256_add_pd(_mm256_load_pd(s->b + i), _mm256_load_pd(s->c + i)));
    _mm_sfence();
}
#endif

double roof_stream(int threads) {
    double *memory = mem_data_alloc(3 * (size_t)STREAM_BYTES), best = 0;
    int64_t n = STREAM_BYTES / (int64_t)sizeof *memory;
    if (!memory) return 0;
    memset(memory, 0, 3 * (size_t)STREAM_BYTES);
    struct stream s = {memory, memory + n, memory + 2 * n};
    void (*add)(void *context, int64_t begin, int64_t end) = add_streams;
#if defined(__x86_64__)
    if (strcmp(ty_isa(), "base")) add = add_streams_wide;
#endif
    for (int pass = 0; pass < PASSES; pass++) {
        double start = debug_clock();
        parallel_for(threads, n / LINE, n / LINE / threads + 1, add, &s);
        double rate = 3.0 * STREAM_BYTES / (1e-3 * (debug_clock() - start));
        if (rate > best) best = rate;
    }
    mem_data_free(memory, 3 * (size_t)STREAM_BYTES);
    return best;
}
