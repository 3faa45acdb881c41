/*
 * Draws whose number of random words is not known beforehand, as a function of (key, stream, element,
 * parameters) alone.  The bits are the promise, so both engines call this one implementation.
 *
 * Element i has blocks of its own: draw j (from 1) of it is
 *
 *   philox4x32_10(counter = {lo(i), hi(i) ^ j << 16, lo(c), hi(c)}, key = {lo(k0), hi(k0)})
 *
 * with c as in ops/random/random.h: two numbers of 64 bits, of which the top 52 and a half bit are a number of (0,
 * 1). i is below 2^48.
 */
#ifndef OPS_RANDOM_SAMPLER_H
#define OPS_RANDOM_SAMPLER_H
#include "ops/core/attributes.h"
#include "ops/core/kernel.h"

struct sample_source {
    uint64_t key, sequence, element;
    uint32_t draw;    /* blocks taken so far */
    uint64_t left[2]; /* of the last block */
    int count;        /* how many of them */
};

/* The member is chosen by the sampler's dtypes: whole for i64 and u64, else real. */
union sample_number {
    double real;
    int64_t whole;
};

enum { SAMPLE_PARAMETERS = 3 };
struct sampler {
    const char *name;
    ty_dtype takes, makes; /* dtype of the parameters, of what is drawn before it is cast */
    int classes;           /* dtypes that it may be cast to */
    /* NULL, or what is wrong with the parameters. */
    const char *(*wrong)(const union sample_number *p);
    union sample_number (*draw)(struct sample_source *s, const union sample_number *p);
    const char *parameters[SAMPLE_PARAMETERS]; /* their names */
    /* NULL, or n draws of elements s->element .. with the same parameters, whose first blocks are `words`. */
    void (*draw_alike)(struct sample_source *s, const union sample_number *p, int64_t n,
                       const uint32_t *words, union sample_number *out);
    bool wordless; /* draws take no blocks of their element's own: words is NULL */
};
extern const struct sampler sampler_table[SAMPLE_KINDS];

/* The source of element 0; element, draw and count are to be set for each. */
struct sample_source sample_source_of(const struct sample_attr *attr, uint64_t k0, uint64_t k1);
/* What is added to the element in the counter of its first block. */
#define SAMPLE_FIRST (UINT64_C(1) << 48)
/* Takes four words as the source's next block: an engine may make the first blocks of many elements at once. */
static inline void sample_refill(struct sample_source *s, const uint32_t *w) {
    s->draw++;
    s->left[1] = w[0] | (uint64_t)w[1] << 32;
    s->left[0] = w[2] | (uint64_t)w[3] << 32;
    s->count = 2;
}
/* Whether the parameters are in the sampler's domain, and for whole numbers between bounds whether `dtype` holds all
   that may be drawn; false after a fault that names parameters, values and domain. */
bool sample_check(const struct sampler *s, ty_dtype dtype, const union sample_number *p, struct fault *fault);
#endif
