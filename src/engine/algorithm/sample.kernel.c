/* Text, template: draws of integers.  Parameter: TYPE, i64 or u64. */
#include "ops/random/draws.h"

/* True if a result as wide as x is outside of least .. most, bits of TYPE. */
static int T(sample_beyond)(TYPE x, u64 least, u64 most) { return x < (TYPE)least || x > (TYPE)most; }

/* Set *s to the source of element `item` of a stream, and p[] to the parameters.  True if these are wrong: the first is
   not below the second (`permuted`: as of a permutation), or a result would be outside of least .. most. */
static int T(sample_begin)(i64 item, MEMORY const u64 *key, TYPE a, TYPE b, u64 step, u64 least, u64 most,
                           int permuted, struct sample_source *s, union sample_number *p) {
    *s = sample_source_at(key[0], key[1] + step, (u64)item);
    p[0].whole = (i64)a;
    p[1].whole = (i64)b;
    return (permuted ? permuted_wrong(p) : a >= b) || T(sample_beyond)(a, least, most) ||
           T(sample_beyond)((TYPE)((u64)b - 1), least, most);
}

/* Draw an integer from a .. b - 1.  status is 1 if the parameters are wrong. */
static void T(sample_integer)(i64 item, MEMORY const u64 *key, MEMORY const TYPE *a, MEMORY const TYPE *b,
                              MEMORY TYPE *out, MEMORY i64 *status, u64 step, u64 least, u64 most) {
    struct sample_source s;
    union sample_number p[SAMPLE_PARAMETERS];
    status[item] = T(sample_begin)(item, key, a[item], b[item], step, least, most, 0, &s, p);
    out[item] = 0;
    if (!status[item]) out[item] = (TYPE)integer_draw(&s, p).whole;
}

/* Find element b + item of a permutation of a elements. */
static void T(sample_permuted)(i64 item, MEMORY const u64 *key, MEMORY const TYPE *a, MEMORY const TYPE *b,
                               MEMORY TYPE *out, MEMORY i64 *status, u64 step, u64 least, u64 most) {
    struct sample_source s;
    union sample_number p[SAMPLE_PARAMETERS];
    status[item] = T(sample_begin)(item, key, a[item], b[item], step, least, most, 1, &s, p);
    out[item] = 0;
    if (!status[item]) out[item] = (TYPE)permuted_draw(&s, p).whole;
}
