/* Samples of the rate of memory: main memory, or a cache that holds the bytes.  Benchmarks use it, too. */
#include "tools/roof.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/machine/debug.h"
#include "base/threads/parallel.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { MOST_BYTES = 1 << 27, LINE = 8 }; /* bytes of each of two arrays; doubles of a cache line */

/* Units of cache lines: `reads` lines are summed, and the sum is written to `writes` lines. */
struct moved {
    const double *from;
    double *to;
    int64_t units, reads, writes, passes;
    double *sums; /* sum of each thread, so that nothing is optimised away */
};

/* Define a loop over the units of threads begin..end-1 by vectors of a type and by `store`. */
#define MOVE(name, isa, vector, store)                                                                       \
    isa static void name(void *context, int64_t begin, int64_t end) {                                        \
        enum { VECTORS = LINE * sizeof(double) / sizeof(vector), STEP = sizeof(vector) / sizeof(double) };   \
        const struct moved *m = context;                                                                     \
        vector all = {0};                                                                                    \
        for (int64_t pass = 0; pass < m->passes; pass++)                                                     \
            for (int64_t u = begin * m->units; u < end * m->units; u++) {                                    \
                const double *from = m->from + u * m->reads * LINE;                                          \
                double *to = m->to + u * m->writes * LINE;                                                   \
                vector x[VECTORS] = {{0}};                                                                   \
                for (int64_t k = 0; k < m->reads; k++, from += LINE)                                         \
                    for (size_t v = 0; v < VECTORS; v++) x[v] += *(const vector *)(from + v * STEP);         \
                for (int64_t k = 0; k < m->writes; k++, to += LINE)                                          \
                    for (size_t v = 0; v < VECTORS; v++) store(to + v * STEP, x[v]);                         \
                for (size_t v = 0; v < VECTORS && !m->writes; v++) all += x[v];                              \
            }                                                                                                \
        m->sums[begin] += all[0];                                                                            \
    }
typedef double move_16 __attribute__((vector_size(16), may_alias));
#define STORE_16(at, x) (*(move_16 *)(at) = (x))
MOVE(move_kept_16, , move_16, STORE_16)
#if defined(__x86_64__)
typedef double move_32 __attribute__((vector_size(32), may_alias));
typedef double move_64 __attribute__((vector_size(64), may_alias));
#define STORE_32(at, x) (*(move_32 *)(at) = (x))
#define STORE_64(at, x) (*(move_64 *)(at) = (x))
#define STREAM_16(at, x) _mm_stream_pd(at, (__m128d)(x))
#define STREAM_32(at, x) _mm256_stream_pd(at, (__m256d)(x))
#define STREAM_64(at, x) _mm512_stream_pd(at, (__m512d)(x))
MOVE(move_past_16, , move_16, STREAM_16)
MOVE(move_kept_32, __attribute__((target("avx2"))), move_32, STORE_32)
MOVE(move_past_32, __attribute__((target("avx2"))), move_32, STREAM_32)
MOVE(move_kept_64, __attribute__((target("avx512f"))), move_64, STORE_64)
MOVE(move_past_64, __attribute__((target("avx512f"))), move_64, STREAM_64)
#endif

/* Movers by plain stores and past the caches. */
static const struct {
    const char *isa;
    void (*move[2])(void *context, int64_t begin, int64_t end);
} movers[] = {
#if defined(__x86_64__)
    {"avx512", {move_kept_64, move_past_64}},
    {"avx2", {move_kept_32, move_past_32}},
    {"", {move_kept_16, move_past_16}},
#else
    {"", {move_kept_16, move_kept_16}},
#endif
};

/* Return memory for operands and results of MOST_BYTES each, kept until the process ends; NULL: no memory. */
static double *move_memory(void) {
    static double *memory;
    if (!memory && (memory = mem_data_alloc(2 * (size_t)MOST_BYTES)))
        memset(memory, 0, 2 * (size_t)MOST_BYTES);
    return memory;
}

/* Fill *m with the units of a read and a written number of bytes, whose larger is at most MOST_BYTES. */
static void lay_units(struct moved *m, double read, double written, int threads) {
    enum { READ_UNIT = 8 };
    double larger = fmax(read, written), lesser = fmin(read, written);
    int64_t ratio = lesser > 0 ? (int64_t)fmin(fmax(1, round(larger / lesser)), 1 << 10) : READ_UNIT;
    m->reads = !(read > 0) ? 0 : read >= written ? ratio : 1;
    m->writes = !(written > 0) ? 0 : written > read ? ratio : 1;
    double unit = LINE * sizeof(double) * (double)(m->reads > m->writes ? m->reads : m->writes);
    m->units = (int64_t)fmax(1, larger / unit / threads);
}

double roof_memory_sample(double read, double written, int threads) {
    double most = fmax(read, written), sums[1024] = {0}, best = 0, *memory = move_memory();
    size_t b = 0;
    if (threads > 1024) threads = 1024;
    if (!memory || !(most > 0)) return 0;
    double scale = fmin(1, MOST_BYTES / most);
    struct moved m = {.from = memory, .to = memory + MOST_BYTES / sizeof *memory, .sums = sums};
    lay_units(&m, scale * read, scale * written, threads);
    while (*movers[b].isa && strcmp(movers[b].isa, ty_isa())) b++;
    double bytes = LINE * sizeof(double) * (double)((m.reads + m.writes) * m.units * threads);
    m.passes = 1 + (int64_t)(MOST_BYTES / 8 / bytes);
    for (int past = 0; past < 2; past++) {
        double start = debug_clock();
        parallel_for(threads, threads, 1, movers[b].move[past], &m);
        best = fmax(best, bytes * (double)m.passes / (1e-3 * (debug_clock() - start)));
    }
    return sums[0] < 0 ? 0 : best;
}
