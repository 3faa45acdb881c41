/* Loops of random numbers (random.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_RANDOM_RANDOM_H
#define ENGINE_CPU_RANDOM_RANDOM_H
#include <stdint.h>
#include "ops/random/random.h"

/* Loops of one instruction set; n counts results. */
struct random_loops {
    /* Write 4 * blocks words to `out`, the outputs of the generator under `key` for counters {first, stream}, {first +
   1, stream}, ... */
    void (*words)(uint64_t first, int64_t blocks, uint64_t stream, uint64_t key, uint32_t *out);
    /* Convert the top `bits` bits of each of n words to a uniform number in [0, 1). */
    void (*uniform_f32)(int64_t n, int bits, const uint32_t *words, float *out);
    /* Convert the top 53 bits of each of n words to a uniform number in [0, 1). */
    void (*uniform_f64)(int64_t n, const uint64_t *words, double *out);
    /* Convert pairs of words to pairs of standard normal numbers; n is even. */
    void (*normal_f32)(int64_t n, const uint32_t *words, float *out);
    /* Convert pairs of words to pairs of standard normal numbers; n is even. */
    void (*normal_f64)(int64_t n, const uint64_t *words, double *out);
};
extern const struct random_loops random_base, random_avx2, random_avx512;
/* Return the loops of the current instruction set. Static. */
const struct random_loops *random_loops_current(void);

/* Combine 2n words in place into n 64-bit integers; the first word of a pair is the lower half. */
static inline void random_join(int64_t n, uint32_t *words) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int64_t i = 0; i < n; i++) {
        uint32_t low = words[2 * i];
        words[2 * i] = words[2 * i + 1];
        words[2 * i + 1] = low;
    }
#else
    (void)n, (void)words; /* already in that order */
#endif
}
#endif
