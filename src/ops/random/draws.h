/*
 * Text: random draws of integers, and what all draws share.  Programs for devices contain this file, so it is in the
 * common subset of C99 and OpenCL C.  A function name_wrong returns 0, or 1 + the number of the words in sampler_table
 * that say what is wrong with the parameters.
 */
#ifndef OPS_RANDOM_DRAWS_H
#define OPS_RANDOM_DRAWS_H
#include <stdint.h>

#include "base/wide.h"
#include "ops/random/permuted.h"
#include "ops/random/philox.h"

/* Stream of random words for one element. */
struct sample_source {
    uint64_t key, sequence, element;
    uint32_t draw;    /* blocks used so far */
    uint64_t left[2]; /* unused integers of the last block */
    int count;        /* number of unused integers */
};

/* Return the source of an element, of which nothing is drawn yet. */
static inline struct sample_source sample_source_at(uint64_t key, uint64_t sequence, uint64_t element) {
    return (struct sample_source){key, sequence, element, 0, {0, 0}, 0};
}

/* A parameter or a result: whole for samplers of i64 and u64, else real. */
union sample_number {
    int64_t whole;
#if !defined(HAS_F64) || HAS_F64 /* 0: a program for a device without doubles */
    double real;
#endif
};

enum { SAMPLE_PARAMETERS = 3 };
/* Added to the element in the counter of its first block. */
#define SAMPLE_FIRST (UINT64_C(1) << 48)
/* Make the four words w[0..3] the source's next block, of two 64-bit integers, and count it: an engine may
   compute the first blocks of several elements at once. */
static inline void sample_refill(struct sample_source *s, const uint32_t *w) {
    s->draw++;
    s->left[1] = w[0] | (uint64_t)w[1] << 32;
    s->left[0] = w[2] | (uint64_t)w[3] << 32;
    s->count = 2;
}

/* Return 64 random bits, from the source's current block or, if that is used up, a new one. */
static inline uint64_t draw_bits(struct sample_source *s) {
    if (s->count == 0) {
        uint32_t high = (uint32_t)(s->element >> 32) ^ (s->draw + 1) << 16;
        uint32_t w[4] = {(uint32_t)s->element, high, (uint32_t)s->sequence, (uint32_t)(s->sequence >> 32)};
        philox(w, (uint32_t)s->key, (uint32_t)(s->key >> 32));
        sample_refill(s, w);
    }
    return s->left[--s->count];
}

/* ---- integers: low <= x < high ---- */

static inline int integer_wrong(const union sample_number *p) { return p[0].whole >= p[1].whole; }

static inline int natural_wrong(const union sample_number *p) {
    return (uint64_t)p[0].whole >= (uint64_t)p[1].whole;
}

static inline union sample_number integer_draw(struct sample_source *s, const union sample_number *p) {
    uint64_t span = (uint64_t)p[1].whole - (uint64_t)p[0].whole;
    uint64_t number = draw_bits(s);
    if (number * span < span) /* the low part tells whether this value would be too likely */
        for (uint64_t excess = -span % span; number * span < excess;) number = draw_bits(s);
    uint64_t x = (uint64_t)p[0].whole + product_high(number, span);
    return (union sample_number){.whole = (int64_t)x};
}

/* ---- random permutation: elements of n, starting at `first`; all share the keys ---- */

static inline int permuted_wrong(const union sample_number *p) {
    return !(p[0].whole > 0 && p[1].whole >= 0 && p[1].whole < p[0].whole);
}

/* Return the permutation of p[0] elements that source s selects. Its keys are the random integers of the last
   possible element of the source's stream. */
static inline struct permuted permuted_of(const struct sample_source *s, const union sample_number *p) {
    struct sample_source last = sample_source_at(s->key, s->sequence, SAMPLE_FIRST - 1);
    struct permuted order;
    permuted_begin(&order, (uint64_t)p[0].whole);
    for (int i = 0; i < PERMUTED_ROUNDS; i++) order.keys[i] = draw_bits(&last);
    return order;
}

static inline union sample_number permuted_draw(struct sample_source *s, const union sample_number *p) {
    struct permuted order = permuted_of(s, p);
    uint64_t at = ((uint64_t)p[1].whole + s->element) % order.n;
    return (union sample_number){.whole = (int64_t)permuted_at(&order, at)};
}
#endif
