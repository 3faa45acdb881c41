/* Text: the order of examples in an epoch of training, for exported files; nn/batches.c draws its numbers in vectors. */
#ifndef OPS_RANDOM_RANDOM_EPOCH_H
#define OPS_RANDOM_RANDOM_EPOCH_H
#include "ops/random/random_bits.h"

/* Replace a key by that of its stream n: ty_fold. */
static inline void random_fold(uint64_t *key, uint64_t n) {
    uint32_t word[4];
    random_block(0, key[0], key[1] + (n + 1) * RANDOM_STREAM_STEP, word);
    key[0] = word[0] | (uint64_t)word[1] << 32;
    key[1] = word[2] | (uint64_t)word[3] << 32;
}
/* Exchange order[i] with one of order[0 .. i], which u in [0, 1) chooses: a step of a shuffle, for i from n - 1 down to
   1 (Fisher and Yates; Knuth, The Art of Computer Programming 3.4.2 P). */
static inline void random_exchange(int64_t *order, int64_t i, double u) {
    int64_t j = (int64_t)(u * (double)(i + 1)), held = order[i];
    order[i] = order[j];
    order[j] = held;
}
/* Set order[0 .. n) to the numbers of n examples in a random order: stream `stream` of the seed, then that of the
   epoch. */
static inline void random_epoch(uint64_t seed, uint64_t stream, uint64_t epoch, int64_t n, int64_t *order) {
    uint64_t key[2] = {seed, 0};
    random_fold(key, stream);
    random_fold(key, epoch);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t i = n - 1; i > 0; i--)
        random_exchange(order, i, (double)(random_bits_u64((uint64_t)i, key[0], key[1]) >> 11) * 0x1p-53);
}
#endif
