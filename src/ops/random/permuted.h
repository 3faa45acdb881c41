/*
 * Single elements of a random permutation of n elements, without the others.  A bijection of the integers below 2^bits
 * >= n is iterated until the result is below n (cycle walking: Black, Rogaway, "Ciphers with arbitrary finite
 * domains", CT-RSA 2002).
 *
 * The bijection is a Feistel network of eight rounds over two halves.  Its round functions are two multiplications by
 * odd constants, with 64 random key bits each.  Four rounds of random functions are indistinguishable from a random
 * permutation (Luby, Rackoff, SIAM J. Comput. 17, 1988); the other rounds make up for simpler functions.  As a
 * shuffle: Mitchell, Stokes, Frank, Holmes, "Bandwidth-optimal random shuffling for GPUs", 2022.
 */
#ifndef OPS_RANDOM_PERMUTED_H
#define OPS_RANDOM_PERMUTED_H
#include <stdint.h>

enum { PERMUTED_ROUNDS = 8 };
struct permuted {
    uint64_t n;
    int low, high; /* bits of the halves, 1 to 32 */
    uint64_t keys[PERMUTED_ROUNDS];
};

/* Set up *p as a permutation of n elements, 1 <= n <= 2^63. The caller must fill in p->keys before use. */
static inline void permuted_begin(struct permuted *p, uint64_t n) {
    int bits = 2;
    while (bits < 64 && (n - 1) >> bits) bits++;
    p->n = n;
    p->low = bits / 2;
    p->high = bits - bits / 2;
}

/* Return the upper `bits` bits (1 .. 63) of a hash of `half` and `key`, the round function of permuted_at. */
static inline uint64_t permuted_round(uint64_t half, uint64_t key, int bits) {
    uint64_t x = (half ^ key) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return x >> (64 - bits);
}

/* Return element i of the permutation of 0 .. n-1, 0 <= i < n, which takes no memory. */
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
