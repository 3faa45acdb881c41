/* Plain loops on plain threads, none of the library's code; after STREAM (McCalpin 1995). */
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

/* ---- arithmetic ---- */

#if defined(__x86_64__)
/* 24 independent chains: latency 4, two a cycle, and registers to spare. */
enum { CHAINS = 24 };
#define BURN(name, isa, vector, set, fma)                                                                    \
    __attribute__((target(isa))) static double name(int64_t n) {                                             \
        vector x[CHAINS], a = set(1.0000001f), b = set(-1e-7f);                                              \
        for (int i = 0; i < CHAINS; i++) x[i] = set(1 + 0.01f * (float)i);                                   \
        for (int64_t k = 0; k < n; k++) {                                                                    \
            _Pragma("GCC unroll 24") for (int i = 0; i < CHAINS; i++) x[i] = fma(x[i], a, b);                \
            __asm__ volatile("" ::: "memory");                                                               \
        }                                                                                                    \
        for (int i = 1; i < CHAINS; i++) x[0] = fma(x[0], a, x[i]);                                          \
        volatile vector kept = x[0];                                                                         \
        return (double)sizeof kept * CHAINS * 2 * (double)n;                                                 \
    }
BURN(burn_f32_512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps)
BURN(burn_f64_512, "avx512f", __m512d, _mm512_set1_pd, _mm512_fmadd_pd)
BURN(burn_f32_256, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps)
BURN(burn_f64_256, "avx2,fma", __m256d, _mm256_set1_pd, _mm256_fmadd_pd)

typedef double burn(int64_t n);
static burn *find_burn(int bytes) {
    if (__builtin_cpu_supports("avx512f")) return bytes == 4 ? burn_f32_512 : burn_f64_512;
    if (__builtin_cpu_supports("fma")) return bytes == 4 ? burn_f32_256 : burn_f64_256;
    return NULL;
}

struct burner {
    burn *run;
    pthread_barrier_t *barrier;
    double rate[PASSES];
};

/* Each times itself between two barriers: whoever waits for all may be woken late. */
static void *burn_along(void *context) {
    struct burner *b = context;
    for (int i = 0; i < PASSES; i++) {
        pthread_barrier_wait(b->barrier);
        double start = now(), bytes = b->run(500000);
        b->rate[i] = bytes / (now() - start);
    }
    return NULL;
}

double roof_flops(int bytes, int threads) {
    pthread_barrier_t barrier;
    struct burner burners[MOST];
    pthread_t ids[MOST];
    double best = 0;
    if (!find_burn(bytes)) return 0;
    if (threads > MOST) threads = MOST;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        burners[t] = (struct burner){find_burn(bytes), &barrier, {0}};
        if (pthread_create(&ids[t], NULL, burn_along, &burners[t])) exit(1);
    }
    for (int t = 0; t < threads; t++) pthread_join(ids[t], NULL);
    for (int i = 0; i < PASSES; i++) {
        double rate = 0;
        for (int t = 0; t < threads; t++) rate += burners[t].rate[i] / bytes;
        best = fmax(best, rate);
    }
    pthread_barrier_destroy(&barrier);
    return best;
}
#else
double roof_flops(int bytes, int threads) {
    (void)bytes, (void)threads;
    return 0;
}
#endif
