/*
 * The hashes of all tables and caches: of a number, of words one after another, of bytes.  Values of hash_number and
 * hash_bytes are formats: the drawn digits (data/digits/digits.c) and files of trainers depend on them.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio, odd */

/* Return a hash of x in which every bit depends on all bits of x.  Of the multiples of HASH_STEP it is the generator
   splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t hash_number(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Return the hash of a sequence of words that begins with hash h, 0 at first, and goes on with `word`.  Its upper bits
   are the better ones. */
static inline uint64_t hash_join(uint64_t h, uint64_t word) { return (h ^ word ^ h >> 29) * HASH_STEP; }

/* Return the hash of n 64-bit words (8 n bytes, of any alignment); n itself is hashed too. */
static inline uint64_t hash_words(const void *words, size_t n) {
    const char *bytes = words;
    uint64_t h = (n + 1) * HASH_STEP, word; /* far from small words, which would cancel n */
    for (size_t i = 0; i < n; i++) {
        __builtin_memcpy(&word, bytes + i * sizeof word, sizeof word);
        h = hash_join(h, word);
    }
    return h;
}

/* Return the hash of n bytes: FNV-1a (Fowler, Noll, Vo) by 8-byte words, then by bytes. */
static inline uint64_t hash_bytes(const void *bytes, size_t n) {
    const unsigned char *at = bytes;
    uint64_t h = UINT64_C(0xcbf29ce484222325), word;
    size_t i = 0;
    for (; i + sizeof word <= n; i += sizeof word) {
        __builtin_memcpy(&word, at + i, sizeof word);
        h = (h ^ word) * UINT64_C(0x100000001b3);
        h ^= h >> 29;
    }
    for (; i < n; i++) h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Return a hash of n bytes, whose value is no format: words of 8 bytes, of which the last two may overlap.  Its upper
   bits are the better ones. */
static inline uint64_t hash_text(const void *bytes, size_t n) {
    const char *at = bytes;
    uint64_t h = (n + 1) * HASH_STEP, first = 0, last = 0;
    uint32_t half;
    for (; n > 16; at += 8, n -= 8) {
        __builtin_memcpy(&first, at, 8);
        h = hash_join(h, first);
    }
    if (n >= 8) {
        __builtin_memcpy(&first, at, 8);
        __builtin_memcpy(&last, at + n - 8, 8);
    } else if (n >= 4) {
        __builtin_memcpy(&half, at, 4);
        first = half;
        __builtin_memcpy(&half, at + n - 4, 4);
        last = half;
    } else if (n) {
        first = (uint64_t)(unsigned char)at[0] << 16 | (uint64_t)(unsigned char)at[n / 2] << 8 |
                (unsigned char)at[n - 1];
    }
    return hash_join(hash_join(h, first), last);
}
#endif
