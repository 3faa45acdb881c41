/* Philox4x32-10 for one block: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
#ifndef OPS_RANDOM_PHILOX_H
#define OPS_RANDOM_PHILOX_H
#include <stdint.h>

/* Replace the counter, in place, by the four random words of its block, for the key (k0, k1). */
static inline void philox(uint32_t counter[4], uint32_t k0, uint32_t k1) {
#pragma GCC unroll 10 /* otherwise a loop over blocks is not vectorised */
    for (int round = 0; round < 10; round++) {
        uint64_t left = (uint64_t)0xD2511F53 * counter[0], right = (uint64_t)0xCD9E8D57 * counter[2];
        uint32_t next0 = (uint32_t)(right >> 32) ^ counter[1] ^ k0;
        uint32_t next2 = (uint32_t)(left >> 32) ^ counter[3] ^ k1;
        counter[0] = next0;
        counter[1] = (uint32_t)right;
        counter[2] = next2;
        counter[3] = (uint32_t)left;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}
#endif
