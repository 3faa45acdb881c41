/* Plain loops on plain threads, none of the library's code; memory after STREAM (McCalpin 1995). */
#define _GNU_SOURCE
#include "bench/roof.h"
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { PASSES = 5, MOST = 64 };
static const size_t elements = (size_t)1 << 25; /* f64: 256 MiB an array */

struct share {
    double *a, *b, *c;
    size_t begin, end;
    pthread_barrier_t *barrier;
    double sum;
};

static void add(struct share *s) {
    size_t i = s->begin;
#if defined(__x86_64__)
    for (; i + 8 <= s->end; i += 8)
        for (size_t k = i; k < i + 8; k += 2)
            _mm_stream_pd(s->a + k, _mm_add_pd(_mm_load_pd(s->b + k), _mm_load_pd(s->c + k)));
    _mm_sfence();
#endif
    for (; i < s->end; i++) s->a[i] = s->b[i] + s->c[i];
}

/* Four streams of 2 KiB, the next ones asked for: one stream alone leaves line buffers idle. */
static void sum(struct share *s) {
    enum { STREAMS = 4, LENGTH = 256, LINE = 8 };
    double lanes[STREAMS][LINE] = {{0}};
    for (size_t i = s->begin; i + STREAMS * LENGTH <= s->end; i += STREAMS * LENGTH)
        for (size_t j = i; j < i + LENGTH; j += LINE)
            for (size_t r = 0; r < STREAMS; r++) {
                const double *line = s->b + j + r * LENGTH;
                __builtin_prefetch((const char *)line + STREAMS * LENGTH * sizeof *line);
                for (size_t k = 0; k < LINE; k++) lanes[r][k] += line[k];
            }
    for (size_t r = 0; r < STREAMS; r++)
        for (size_t k = 0; k < LINE; k++) s->sum += lanes[r][k];
}

static void *member(void *context) {
    struct share *s = context;
    for (int i = 0; i < 2 * PASSES; i++) {
        pthread_barrier_wait(s->barrier);
        (i % 2 ? sum : add)(s);
        pthread_barrier_wait(s->barrier);
    }
    return NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *array(void) {
    double *x = aligned_alloc(1 << 21, elements * sizeof *x);
    if (!x) return NULL;
    madvise(x, elements * sizeof *x, MADV_HUGEPAGE);
    memset(x, 0, elements * sizeof *x);
    return x;
}

struct roof roof_measure(int threads) {
    struct roof roof = {0, 0};
    struct share shares[MOST];
    pthread_t ids[MOST];
    pthread_barrier_t barrier;
    double *a = array(), *b = array(), *c = array();
    if (threads > MOST) threads = MOST;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    int started = 0;
    for (; a && b && c && started < threads; started++) {
        size_t begin = elements / (size_t)threads * (size_t)started;
        shares[started] = (struct share){a, b, c, begin, begin + elements / (size_t)threads, &barrier, 0};
        if (pthread_create(&ids[started], NULL, member, &shares[started])) exit(1);
    }
    for (int i = 0; started && i < 2 * PASSES; i++) {
        pthread_barrier_wait(&barrier);
        double start = now();
        pthread_barrier_wait(&barrier);
        double rate = (double)(elements * sizeof *a) * (i % 2 ? 1 : 3) / (now() - start);
        double *best = i % 2 ? &roof.read : &roof.stream;
        *best = fmax(*best, rate);
    }
    for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&barrier);
    free(a), free(b), free(c);
    return roof;
}

/* --- arithmetic -------------------------------------------------------------------------------------- */

enum { CHAINS = 12, STEPS = 100000, RUNS = 8 };

/* Independent sums, more than two units of four cycles each need; `asm` keeps them in registers and all of them. */
#define SUSTAIN(type, madd)                                                                                  \
    type sum[CHAINS], a = {0}, b = {0};                                                                      \
    for (int i = 0; i < CHAINS; i++) sum[i] = a;                                                             \
    for (int k = 0; k < STEPS; k++) {                                                                        \
        _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) sum[i] = madd(a, b, sum[i]);               \
        __asm__ volatile("" : "+" REGISTER(a), "+" REGISTER(b));                                             \
    }                                                                                                        \
    for (int i = 0; i < CHAINS; i++) __asm__ volatile("" ::REGISTER(sum[i]));
#if defined(__x86_64__)
#define REGISTER "v"
__attribute__((target("avx512f"))) static void wide_f32(void) { SUSTAIN(__m512, _mm512_fmadd_ps) }
__attribute__((target("avx512f"))) static void wide_f64(void) { SUSTAIN(__m512d, _mm512_fmadd_pd) }
__attribute__((target("avx2,fma"))) static void half_f32(void) { SUSTAIN(__m256, _mm256_fmadd_ps) }
__attribute__((target("avx2,fma"))) static void half_f64(void) { SUSTAIN(__m256d, _mm256_fmadd_pd) }
#undef REGISTER
#define REGISTER "x"
#else
#define REGISTER "w"
#endif
typedef float plain_f32 __attribute__((vector_size(16)));
typedef double plain_f64 __attribute__((vector_size(16)));
#define MADD(a, b, c) ((a) * (b) + (c))
static void narrow_f32(void) { SUSTAIN(plain_f32, MADD) }
static void narrow_f64(void) { SUSTAIN(plain_f64, MADD) }

struct worker {
    void (*run)(void);
    pthread_barrier_t *barrier;
    double seconds[RUNS];
};

/* Timed where it runs: another thread may sleep through the end or the beginning. */
static void *work(void *context) {
    struct worker *w = context;
    for (int i = 0; i < RUNS; i++) {
        pthread_barrier_wait(w->barrier);
        double start = now();
        w->run();
        w->seconds[i] = now() - start;
    }
    return NULL;
}

static void (*widest(int bytes, int *vector))(void) {
    *vector = 16;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return *vector = 64, bytes == 4 ? wide_f32 : wide_f64;
    if (__builtin_cpu_supports("fma")) return *vector = 32, bytes == 4 ? half_f32 : half_f64;
#endif
    return bytes == 4 ? narrow_f32 : narrow_f64;
}

double roof_flops(int bytes, int threads) {
    pthread_t ids[MOST];
    pthread_barrier_t barrier;
    struct worker workers[MOST];
    int vector;
    void (*run)(void) = widest(bytes, &vector);
    if (threads > MOST) threads = MOST;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){run, &barrier, {0}};
        if (pthread_create(&ids[i], NULL, work, &workers[i])) exit(1);
    }
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&barrier);
    double best = 0, flops = 2.0 * CHAINS * STEPS * vector / bytes * threads;
    for (int r = 0; r < RUNS; r++) {
        double slowest = 0;
        for (int i = 0; i < threads; i++) slowest = fmax(slowest, workers[i].seconds[r]);
        best = fmax(best, flops / slowest);
    }
    return best;
}
