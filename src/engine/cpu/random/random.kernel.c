/* Template: random numbers for one instruction set (random.h); TABLE is the table's name. Loops over contiguous
   memory without alignment, which the compiler vectorises. */
#include <math.h>
#include <string.h>
#include "engine/cpu/random/random.h"
#include "ops/random/philox.h"

/* Write the words of `blocks` Philox blocks, from block `first` on, for this stream and key, to out[4 *
   blocks]. */
static void words(uint64_t first, int64_t blocks, uint64_t stream, uint64_t key, uint32_t *out) {
    for (int64_t i = 0; i < blocks; i++) {
        uint64_t block = first + (uint64_t)i;
        uint32_t word[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream,
                            (uint32_t)(stream >> 32)};
        philox(word, (uint32_t)key, (uint32_t)(key >> 32));
        for (int j = 0; j < 4; j++) out[4 * i + j] = word[j];
    }
}

static void uniform_f32(int64_t n, int bits, const uint32_t *word, float *out) {
    float step = ldexpf(1, -bits);
    for (int64_t i = 0; i < n; i++) out[i] = (float)(int32_t)(word[i] >> (32 - bits)) * step;
}

static void uniform_f64(int64_t n, const uint64_t *word, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = (double)(int64_t)(word[i] >> (64 - RANDOM_BITS_F64)) * 0x1p-53;
}

static inline uint32_t bits_of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float f32_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t bits_of_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double f64_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#include "engine/cpu/random/random_normal_f32.h"
#include "engine/cpu/random/random_normal_f64.h"

const struct random_loops TABLE = {words, uniform_f32, uniform_f64, normal_f32, normal_f64};
