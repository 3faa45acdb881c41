/*
 * Logarithm, sine and cosine of pairs of doubles by simple series: log x = e log 2 + 2 atanh((m - 1) / (m + 1)) for x
 * = m 2^e, m within a factor sqrt(2) of 1 (DLMF 4.6.4), and Taylor's series (DLMF 4.19.1, 4.19.2).
 */
#include "engine/cpu/math/special_pair.h"

struct pair pair_log(struct pair x) {
    static const struct pair log_two = {0.69314718055994528623, 2.3190468138462995584e-17};
    int exponent;
    if (frexp(x.high, &exponent) < 0.70710678118654752440) exponent--;
    struct pair m = {ldexp(x.high, -exponent), ldexp(x.low, -exponent)};
    struct pair s = pair_divide(pair_add(m, pair_of(-1)), pair_add(m, pair_of(1)));
    struct pair z = pair_multiply(s, s), sum = pair_of(0);
    for (int k = 45; k > 1; k -= 2) sum = pair_multiply(z, pair_add(sum, pair_divide_by(pair_of(1), k)));
    sum = pair_multiply(s, pair_add(sum, pair_of(1)));
    return pair_add(pair_multiply(log_two, pair_of(exponent)), pair_add(sum, sum));
}

void pair_sine_cosine(struct pair angle, struct pair *sine, struct pair *cosine) {
    struct pair z = pair_multiply(angle, angle), one = pair_of(1);
    *sine = *cosine = one;
    for (int k = 34; k > 0; k -= 2) { /* 1 - z / ((k - 1) k) (1 - ...) */
        *cosine = pair_subtract(one, pair_divide_by(pair_multiply(z, *cosine), (k - 1) * k));
        *sine = pair_subtract(one, pair_divide_by(pair_multiply(z, *sine), k * (k + 1)));
    }
    *sine = pair_multiply(*sine, angle);
}
