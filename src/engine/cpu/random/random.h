/* The loops of random numbers (random.kernel.c): one table for each instruction set. */
#ifndef ENGINE_CPU_RANDOM_RANDOM_H
#define ENGINE_CPU_RANDOM_RANDOM_H
#include <stdint.h>
#include "ops/random/random.h"

struct random_loops {
    /* 4 * blocks words of the counters {first, stream}, {first + 1, stream}, ... */
    void (*words)(uint64_t first, int64_t blocks, uint64_t stream, uint64_t key, uint32_t *out);
    /* The top `bits` bits as numbers of [0, 1). */
    void (*uniform_f32)(int64_t n, int bits, const uint32_t *words, float *out);
    void (*uniform_f64)(int64_t n, const uint64_t *words, double *out);
    /* n is even. */
    void (*normal_f32)(int64_t n, const uint32_t *words, float *out);
    void (*normal_f64)(int64_t n, const uint64_t *words, double *out);
};
extern const struct random_loops random_base, random_avx2, random_avx512;
/* Of the instruction set in use. */
const struct random_loops *random_loops_current(void);

/* Makes 2 n words, in place, into n numbers of 64 bits, of which the first word is the lower half. */
static inline void random_join(int64_t n, uint32_t *words) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int64_t i = 0; i < n; i++) {
        uint32_t low = words[2 * i];
        words[2 * i] = words[2 * i + 1];
        words[2 * i + 1] = low;
    }
#else
    (void)n, (void)words; /* they are it */
#endif
}
#endif
