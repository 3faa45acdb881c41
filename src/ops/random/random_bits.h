/* Text: random bits of an element, as ops/random/random.h defines them. */
#ifndef OPS_RANDOM_RANDOM_BITS_H
#define OPS_RANDOM_RANDOM_BITS_H
#include "ops/random/philox.h"

/* 2^64 divided by the golden ratio: moves streams far apart. */
#define RANDOM_STREAM_STEP UINT64_C(0x9E3779B97F4A7C15)

/* Set word[4] to the block of the stream and key. */
static inline void random_block(uint64_t block, uint64_t key, uint64_t stream, uint32_t *word) {
    word[0] = (uint32_t)block, word[1] = (uint32_t)(block >> 32);
    word[2] = (uint32_t)stream, word[3] = (uint32_t)(stream >> 32);
    philox(word, (uint32_t)key, (uint32_t)(key >> 32));
}
static inline uint32_t random_bits_u32(uint64_t element, uint64_t key, uint64_t stream) {
    uint32_t word[4];
    random_block(element / 4, key, stream, word);
    return word[element % 4];
}
static inline uint64_t random_bits_u64(uint64_t element, uint64_t key, uint64_t stream) {
    uint32_t word[4];
    random_block(element / 2, key, stream, word);
    return word[element % 2 * 2] | (uint64_t)word[element % 2 * 2 + 1] << 32;
}
#endif
