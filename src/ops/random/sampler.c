/*
 * The samplers.  Integers: multiplication and rejection (Lemire, ACM TOMACS 29, 2019).  Other
 * draws are those of draws_real.h.
 */
#include "ops/random/sampler.h"

#include <math.h>

#include "base/math/scalar.h"
#include "base/wide.h"
#include "ops/random/draws_real.h"
#include "ops/random/random.h"

struct sample_source sample_source_of(const struct sample_attr *attr, uint64_t k0, uint64_t k1) {
    return sample_source_at(k0, k1 + attr->stream * RANDOM_STREAM_STEP, 0);
}

/* ---- draws with equal parameters ---- */

/* Draw n integers in p[0] .. p[1]-1 into out[n], for elements s->element, s->element + 1, .., as integer_draw
   does. words[4 n] has the first block of each element; its first random integer is nearly always accepted. */
static void integers_alike(struct sample_source *s, const union sample_number *p, int64_t n,
                           const uint32_t *words, union sample_number *out) {
    uint64_t low = (uint64_t)p[0].whole, span = (uint64_t)p[1].whole - low;
    for (int64_t k = 0; k < n; k++) {
        uint64_t number = words[4 * k] | (uint64_t)words[4 * k + 1] << 32;
        out[k].whole = (int64_t)(low + product_high(number, span));
        if (__builtin_expect(number * span >= span, 1)) continue;
        struct sample_source again = sample_source_at(s->key, s->sequence, s->element + (uint64_t)k);
        out[k] = integer_draw(&again, p);
    }
}

/* Write elements p[1] + e, p[1] + e + 1, .. (modulo p[0]) of the permutation of p[0] elements to out[n],
   where e is s->element. words[] is not used. */
static void permuted_alike(struct sample_source *s, const union sample_number *p, int64_t n,
                           const uint32_t *words, union sample_number *out) {
    struct permuted order = permuted_of(s, p);
    (void)words;
    for (int64_t k = 0; k < n; k++) {
        uint64_t at = ((uint64_t)p[1].whole + s->element + (uint64_t)k) % order.n;
        out[k].whole = (int64_t)permuted_at(&order, at);
    }
}

/* ---- the table ---- */

#define NUMBERS (CLASS_INTEGER | CLASS_FLOAT)
const struct sampler sampler_table[SAMPLE_KINDS] = {
    [SAMPLE_INTEGER] = {"randint",
                        TY_I64,
                        TY_I64,
                        CLASS_INTEGER,
                        integer_wrong,
                        {"low must be below high", NULL},
                        integer_draw,
                        {"low", "high"},
                        integers_alike,
                        false},
    [SAMPLE_NATURAL] = {"randint",
                        TY_U64,
                        TY_U64,
                        CLASS_UNSIGNED,
                        natural_wrong,
                        {"low must be below high", NULL},
                        integer_draw,
                        {"low", "high"},
                        integers_alike,
                        false},
    [SAMPLE_GAMMA] = {"random_gamma",
                      TY_F64,
                      TY_F64,
                      CLASS_FLOAT,
                      gamma_wrong,
                      {"it must be 0 or more and finite", NULL},
                      gamma_draw,
                      {"shape parameter", NULL},
                      NULL,
                      false},
    [SAMPLE_BETA] = {"random_beta",
                     TY_F64,
                     TY_F64,
                     CLASS_FLOAT,
                     beta_wrong,
                     {"both must be positive and finite", NULL},
                     beta_draw,
                     {"a", "b"},
                     NULL,
                     false},
    [SAMPLE_POISSON] = {"poisson",
                        TY_F64,
                        TY_F64,
                        NUMBERS,
                        poisson_wrong,
                        {"it must be in 0..1e18", NULL},
                        poisson_draw,
                        {"rate", NULL},
                        NULL,
                        false},
    [SAMPLE_BINOMIAL] = {"binomial",
                         TY_F64,
                         TY_F64,
                         NUMBERS,
                         binomial_wrong,
                         {"the number of trials must be in 0..2^53", "the probability must be in 0..1"},
                         binomial_draw,
                         {"number of trials", "probability"},
                         NULL,
                         false},
    [SAMPLE_HYPERGEOMETRIC] = {"hypergeometric",
                               TY_F64,
                               TY_F64,
                               NUMBERS,
                               urn_wrong,
                               {"they must be in 0..2^52", "there are not as many"},
                               urn_draw,
                               {"good ones", "bad ones", "number drawn"},
                               NULL,
                               false},
    [SAMPLE_VON_MISES] = {"von_mises",
                          TY_F64,
                          TY_F64,
                          CLASS_FLOAT,
                          mises_wrong,
                          {"it must be 0 or more and finite", NULL},
                          mises_draw,
                          {"concentration", NULL},
                          NULL,
                          false},
    [SAMPLE_PERMUTED] = {"permutation",
                         TY_I64,
                         TY_I64,
                         CLASS_SIGNED,
                         permuted_wrong,
                         {"the first must be one of them", NULL},
                         permuted_draw,
                         {"number of elements", "first"},
                         permuted_alike,
                         .wordless = true},
};

/* Return the reason why the parameters p[] of sampler s are invalid, or its integers do not fit `dtype`; NULL
   if they are valid. The text is static. */
static const char *sample_wrong(const struct sampler *s, ty_dtype dtype, const union sample_number *p) {
    int number = s->wrong(p);
    const char *wrong = number ? s->words[number - 1] : NULL;
    if (wrong || s->classes & CLASS_FLOAT || dtype == s->makes) return wrong;
    struct element low = {.i = p[0].whole}, last = {.i = p[1].whole - 1};
    bool held = !element_beyond(dtype, s->takes, low) && !element_beyond(dtype, s->takes, last);
    return held ? NULL : "the dtype does not hold all numbers from low to below high";
}

bool sample_check(const struct sampler *s, ty_dtype dtype, const union sample_number *p,
                  struct fault *fault) {
    const char *wrong = sample_wrong(s, dtype, p);
    if (!wrong) return true;
    char found[SAMPLE_PARAMETERS][48] = {""};
    for (int i = 0; i < SAMPLE_PARAMETERS && s->parameters[i]; i++) {
        if (s->takes == TY_F64)
            text_print(found[i], sizeof found[i], "%.17g", p[i].real);
        else
            snprintf(found[i], sizeof found[i], s->takes == TY_U64 ? "%llu" : "%lld", (long long)p[i].whole);
    }
    if (!s->parameters[1])
        return fault_set(fault, E_DOMAIN, "%s: the %s is %s; %s", s->name, s->parameters[0], found[0], wrong);
    if (s->parameters[2])
        return fault_set(fault, E_DOMAIN, "%s: %s is %s, %s is %s and %s is %s; %s", s->name,
                         s->parameters[0], found[0], s->parameters[1], found[1], s->parameters[2], found[2],
                         wrong);
    return fault_set(fault, E_DOMAIN, "%s of %s: %s is %s and %s is %s; %s", s->name, ty_dtype_name(dtype),
                     s->parameters[0], found[0], s->parameters[1], found[1], wrong);
}
