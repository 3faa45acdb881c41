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
#include "ops/random/draws.h"

struct sampler {
    const char *name;
    ty_dtype takes, makes; /* dtype of the parameters; dtype of draws before they are cast */
    int classes;           /* classes of dtypes that draws may be cast to */
    int (*wrong)(const union sample_number *p); /* as in draws.h */
    const char *words[2];                       /* what is wrong */
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
/* Check that the parameters p[] are in the sampler's domain and, for integers with bounds, that `dtype` holds
   all results. False, with a fault that names parameters, values and domain, otherwise. */
bool sample_check(const struct sampler *s, ty_dtype dtype, const union sample_number *p, struct fault *fault);
#endif
