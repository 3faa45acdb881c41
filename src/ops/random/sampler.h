/*
 * Random draws that need a varying number of random words, as a function of (key, stream, element, parameters) alone.
 * Results are bitwise reproducible, so both engines call this implementation.
 *
 * Each element i has its own blocks.  Block j (from 1) of it is
 *
 *   philox4x32_10(counter = {lo(i), hi(i) ^ j << 16, lo(c), hi(c)}, key = {lo(k0), hi(k0)})
 *
 * with c as in ops/random/random.h: two 64-bit integers, of which the top 52 bits and a half become a number in (0,
 * 1).  i is below 2^48.
 */
#ifndef OPS_RANDOM_SAMPLER_H
#define OPS_RANDOM_SAMPLER_H
#include "ops/core/attributes.h"
#include "ops/core/kernel/kernel.h"

/* Stream of random words for one element. */
struct sample_source {
    uint64_t key, sequence, element;
    uint32_t draw;    /* blocks used so far */
    uint64_t left[2]; /* unused integers of the last block */
    int count;        /* number of unused integers */
};

/* A parameter or a result: whole for samplers of i64 and u64, else real. */
union sample_number {
    double real;
    int64_t whole;
};

enum { SAMPLE_PARAMETERS = 3 };
struct sampler {
    const char *name;
    ty_dtype takes, makes; /* dtype of the parameters; dtype of draws before they are cast */
    int classes;           /* classes of dtypes that draws may be cast to */
    /* Return what is wrong with the parameters, NULL if they are valid. */
    const char *(*wrong)(const union sample_number *p);
    union sample_number (*draw)(struct sample_source *s, const union sample_number *p);
    const char *parameters[SAMPLE_PARAMETERS]; /* names of the parameters */
    /* Draw elements s->element .. + n-1 with equal parameters, given their first blocks in `words`.  NULL: one by
       one. */
    void (*draw_alike)(struct sample_source *s, const union sample_number *p, int64_t n,
                       const uint32_t *words, union sample_number *out);
    bool wordless; /* draws use no blocks of their elements: words is NULL */
};
extern const struct sampler sampler_table[SAMPLE_KINDS];

/* Return the source of random numbers for element 0 of a draw by key (k0, k1). The caller sets element, draw
   and count for each element. */
struct sample_source sample_source_of(const struct sample_attr *attr, uint64_t k0, uint64_t k1);
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
/* Check that the parameters p[] are in the sampler's domain and, for integers with bounds, that `dtype` holds
   all results. False, with a fault that names parameters, values and domain, otherwise. */
bool sample_check(const struct sampler *s, ty_dtype dtype, const union sample_number *p, struct fault *fault);
#endif
