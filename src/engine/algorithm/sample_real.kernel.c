/* Text: draws of doubles by rejection; the file's only TYPE is f64. */
#define math_log(x) one_log(x)
#define math_exp(x) one_exp(x)
#define math_log1p(x) one_log1p(x)
#define math_cos(x) one_cos(x)
#define math_asin(x) one_asin(x)
#include "ops/random/draws_real.h"

/* A function for each sampler, with up to three parameters; status is 1 if they are wrong, and then nothing is
   drawn. */
#define SAMPLE(name)                                                                                         \
    static void T(sample_##name)(i64 item, MEMORY const u64 *key, MEMORY const TYPE *a,                      \
                                 MEMORY const TYPE *b, MEMORY const TYPE *c, MEMORY TYPE *out,               \
                                 MEMORY i64 *status, u64 step) {                                             \
        struct sample_source s = sample_source_at(key[0], key[1] + step, (u64)item);                         \
        union sample_number p[SAMPLE_PARAMETERS];                                                            \
        p[0].real = a[item], p[1].real = b[item], p[2].real = c[item];                                       \
        status[item] = name##_wrong(p) != 0;                                                                 \
        out[item] = 0;                                                                                       \
        if (!status[item]) out[item] = name##_draw(&s, p).real;                                              \
    }
SAMPLE(gamma)
SAMPLE(beta)
SAMPLE(poisson)
SAMPLE(binomial)
SAMPLE(urn)
SAMPLE(mises)
#undef SAMPLE
#undef math_log
#undef math_exp
#undef math_log1p
#undef math_cos
#undef math_asin
