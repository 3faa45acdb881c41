/* Measures the machine's limits by plain loops on plain threads without the library's code; after STREAM
   (McCalpin 1995). */
#define _GNU_SOURCE
#include "bench/support/roof.h"
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { PASSES = 5, SAMPLES = 4, MOST = 64 };
static const size_t elements = (size_t)1 << 25; /* for f64: 256 MiB per array */

struct share {
    double (*work)(struct share *s); /* Returns the amount of work done. */
    size_t begin, end;               /* range of the arrays */
    pthread_barrier_t *barrier;
    double rate, sum;
};

/* ---- memory ---- */

static double *a, *b, *c; /* kept, since a benchmark measures in each round */

static double *array(void) {
    double *x = aligned_alloc(1 << 21, elements * sizeof *x);
    if (!x) return NULL;
    madvise(x, elements * sizeof *x, MADV_HUGEPAGE);
    memset(x, 0, elements * sizeof *x);
    return x;
}

static bool have_arrays(void) {
    if (!a) a = array();
    if (!b) b = array();
    if (!c) c = array();
    return a && b && c;
}

/* Compute a = b + c by the widest non-temporal stores: two of 32 bytes fill a line 1.1 times as fast as
   four of 16. */
static double stream(struct share *s) {
    size_t i = s->begin;
#if defined(__x86_64__)
    for (; i + 8 <= s->end; i += 8)
        for (size_t k = i; k < i + 8; k += 2)
            _mm_stream_pd(a + k, _mm_add_pd(_mm_load_pd(b + k), _mm_load_pd(c + k)));
    _mm_sfence();
#endif
    for (; i < s->end; i++) a[i] = b[i] + c[i];
    return 3 * (double)((s->end - s->begin) * sizeof *a);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static double stream_wide(struct share *s) {
    for (size_t i = s->begin; i < s->end; i += 8)
        for (size_t k = i; k < i + 8; k += 4)
            _mm256_stream_pd(a + k, _mm256_add_pd(_mm256_load_pd(b + k), _mm256_load_pd(c + k)));
    _mm_sfence();
    return 3 * (double)((s->end - s->begin) * sizeof *a);
}
#endif

/* Read several streams, each `length` values, with or without prefetching: one stream alone leaves line
   buffers idle. The best variant depends on the prefetchers. Intel prefers four streams of 2 KiB,
   prefetched one after the other. Zen 3 prefers two or more of 64 KiB: its prefetchers follow long runs
   and reach half the rate on the other variants. */
typedef double vector __attribute__((vector_size(32)));
enum { LINE = 8, HALF = 4 };
#define READ(name, isa, STREAMS, LENGTH, ahead)                                                              \
    isa static double name(struct share *s) {                                                                \
        vector sums[STREAMS][2] = {{{0}}};                                                                   \
        for (size_t i = s->begin; i + STREAMS * LENGTH <= s->end; i += STREAMS * LENGTH)                     \
            for (size_t j = i; j < i + LENGTH; j += LINE)                                                    \
                for (size_t r = 0; r < STREAMS; r++) {                                                       \
                    const double *line = b + j + r * LENGTH;                                                 \
                    if (ahead) __builtin_prefetch((const char *)line + STREAMS * LENGTH * sizeof *line);     \
                    sums[r][0] += *(const vector *)line;                                                     \
                    sums[r][1] += *(const vector *)(line + HALF);                                            \
                }                                                                                            \
        for (size_t r = 0; r < STREAMS; r++)                                                                 \
            for (size_t k = 0; k < HALF; k++) s->sum += sums[r][0][k] + sums[r][1][k];                       \
        return (double)((s->end - s->begin) * sizeof *b);                                                    \
    }
READ(read_asked, , 4, 256, true)
READ(read_long, , 2, 8192, false)
#if defined(__x86_64__)
READ(read_long_wide, __attribute__((target("avx2"))), 2, 8192, false)
#endif

/* ---- arithmetic ---- */

#if defined(__x86_64__)
/* Independent chains, at least twelve: latencies are four to six, and two start per cycle. With scale and
   shift they fill the 32 or 16 registers. */
enum { STEPS = 500000 };
#define BURN(name, isa, CHAINS, element, vector, set, fma)                                                   \
    __attribute__((target(isa))) static double name(struct share *s) {                                       \
        vector x[CHAINS], scale = set(1.0000001f), shift = set(-1e-7f);                                      \
        _Pragma("GCC unroll 32") for (int i = 0; i < CHAINS; i++) x[i] = set(1 + 0.01f * (float)i);          \
        for (int64_t k = 0; k < STEPS; k++) {                                                                \
            _Pragma("GCC unroll 32") for (int i = 0; i < CHAINS; i++) {                                      \
                x[i] = fma(x[i], scale, shift);                                                              \
                __asm__ volatile("" : "+v"(x[i])); /* keeps x[i] in a register */                            \
            }                                                                                                \
        }                                                                                                    \
        _Pragma("GCC unroll 32") for (int i = 1; i < CHAINS; i++) x[0] = fma(x[0], scale, x[i]);             \
        s->sum += (double)x[0][0];                                                                           \
        return 2. * CHAINS * STEPS * (sizeof *x / sizeof(element));                                          \
    }
BURN(burn_f32_512, "avx512f", 24, float, __m512, _mm512_set1_ps, _mm512_fmadd_ps)
BURN(burn_f64_512, "avx512f", 24, double, __m512d, _mm512_set1_pd, _mm512_fmadd_pd)
BURN(burn_f32_256, "avx2,fma", 12, float, __m256, _mm256_set1_ps, _mm256_fmadd_ps)
BURN(burn_f64_256, "avx2,fma", 12, double, __m256d, _mm256_set1_pd, _mm256_fmadd_pd)
#endif

typedef double (*roof_work)(struct share *);

static double sample(roof_work work, int threads);

/* Return the fastest variant by two samples of each. */
static roof_work best_of(const roof_work *ways, int n, int threads) {
    roof_work best = NULL;
    double most = -1;
    if (!have_arrays()) return NULL;
    for (int i = 0; i < n; i++) {
        double rate = fmax(sample(ways[i], threads), sample(ways[i], threads));
        if (rate > most) best = ways[i], most = rate;
    }
    return best;
}

static roof_work memory_work(enum roof_kind kind, int threads) {
    static roof_work known[2][MOST + 1];
    roof_work ways[2][3] = {{read_asked, read_long}, {stream}}, *found = &known[kind == ROOF_STREAM][threads];
    int n[2] = {2, 1};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) ways[0][n[0]++] = read_long_wide, ways[1][n[1]++] = stream_wide;
#endif
    if (!*found) *found = best_of(ways[kind == ROOF_STREAM], n[kind == ROOF_STREAM], threads);
    return *found;
}

static roof_work work_of(enum roof_kind kind, int threads) {
    if (kind == ROOF_READ || kind == ROOF_STREAM) return memory_work(kind, threads);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return kind == ROOF_F32 ? burn_f32_512 : burn_f64_512;
    if (__builtin_cpu_supports("fma")) return kind == ROOF_F32 ? burn_f32_256 : burn_f64_256;
#endif
    return NULL;
}

/* ---- threads ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Run a share of the work. Each thread times itself from the barrier, since a waiting thread may wake
   late. */
static void *member(void *context) {
    struct share *s = context;
    pthread_barrier_wait(s->barrier);
    double start = now(), work = s->work(s);
    s->rate = work / (now() - start);
    return NULL;
}

static double sample(roof_work work, int threads) {
    struct share shares[MOST];
    pthread_t ids[MOST];
    pthread_barrier_t barrier;
    double rate = 0;
    size_t each = elements / (size_t)threads / 8 * 8;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        shares[t] = (struct share){work, each * (size_t)t, each * (size_t)(t + 1), &barrier, 0, 0};
        if (pthread_create(&ids[t], NULL, member, &shares[t])) exit(1);
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        rate += shares[t].rate;
    }
    pthread_barrier_destroy(&barrier);
    return rate;
}

/* Arithmetic is sampled several times, for milliseconds each: a core that waited for memory is slow at
   first. */
double roof_sample(enum roof_kind kind, int threads) {
    if (threads > MOST) threads = MOST;
    roof_work work = work_of(kind, threads);
    double best = work ? sample(work, threads) : 0;
    for (int i = 1; work && i < SAMPLES && kind != ROOF_READ && kind != ROOF_STREAM; i++)
        best = fmax(best, sample(work, threads));
    return best;
}

double roof_best(enum roof_kind kind, int threads) {
    double best = 0;
    for (int i = 0; i < PASSES; i++) best = fmax(best, roof_sample(kind, threads));
    return best;
}
