/*
 * Places of a random order of n elements, each by itself: a bijection of the numbers below 2^bits, n or more of them, that
 * is walked until a number below n comes (cycle walking: Black, Rogaway, "Ciphers with arbitrary finite domains", CT-RSA
 * 2002).  The bijection is a Feistel network of eight rounds over two halves, whose functions are two multiplications by
 * odd numbers keyed by 64 random bits each: four rounds of random functions cannot be told from a random permutation
 * (Luby, Rackoff, SIAM J. Comput. 17, 1988), the others make up for functions that are quicker than that.  As a shuffle:
 * Mitchell, Stokes, Frank, Holmes, "Bandwidth-optimal random shuffling for GPUs", 2022.
 */
#ifndef OPS_RANDOM_PERMUTED_H
#define OPS_RANDOM_PERMUTED_H
#include <stdint.h>

enum { PERMUTED_ROUNDS = 8 };
struct permuted {
    uint64_t n;
    int low, high; /* bits of the halves: one at least, 32 at most */
    uint64_t keys[PERMUTED_ROUNDS];
};

/* n from 1 to 2^63; the keys are the caller's to fill. */
static inline void permuted_begin(struct permuted *p, uint64_t n) {
    int bits = n > 4 ? 64 - __builtin_clzll(n - 1) : 2;
    p->n = n;
    p->low = bits / 2;
    p->high = bits - bits / 2;
}

static inline uint64_t permuted_round(uint64_t half, uint64_t key, int bits) {
    uint64_t x = (half ^ key) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return x >> (64 - bits);
}

/* Which element stands at place i < n. */
static inline uint64_t permuted_at(const struct permuted *p, uint64_t i) {
    uint64_t mask = ((uint64_t)1 << p->low) - 1;
    do {
        uint64_t low = i & mask, high = i >> p->low;
        for (int round = 0; round < PERMUTED_ROUNDS; round += 2) {
            high ^= permuted_round(low, p->keys[round], p->high);
            low ^= permuted_round(high, p->keys[round + 1], p->low);
        }
        i = high << p->low | low;
    } while (i >= p->n);
    return i;
}
#endif
