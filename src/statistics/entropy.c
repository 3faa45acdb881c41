/*
 * Entropies without short formulas: of the gamma distribution, whose terms cancel for large shapes, and of
 * integer distributions.
 */
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "statistics/words.h"

/* Return the entropy of the gamma distribution of shape a and scale 1: a + lgamma(a) + (1 - a) digamma(a).
   Above 200 by Stirling's series, whose next term is below
   1e-14. */
T standard_gamma_entropy(T a) {
    const double far = 200;
    T near = ty_min(a, N(far)), r = over(N(1), ty_max(a, N(far)));
    T exact = plus(plus(near, ty_lgamma(near)), times(rest(near), ty_digamma(near)));
    T series = plus(N(-1.0 / 12), times(r, plus(N(-1.0 / 90), times(r, N(1.0 / 120)))));
    series = times(r, plus(N(-1.0 / 3), times(r, series)));
    series = plus(series, minus(N(1.41893853320467274178), times(N(0.5), ty_log(r))));
    return ty_where(ty_lt(a, N(far)), exact, series);
}

/*
 * Return the entropy of the integer distribution d with parameters v, given its mean and standard deviation:
 * the sum of -p log p over 256 terms around the mean. They suffice up to 12 deviations of 1. For larger
 * deviations terms are a twelfth of the deviation apart, also between integers. For such smooth functions the
 * sum with any step is the integral, up to exp(-2 (12 pi)^2) (Poisson's summation formula).
 */
T distribution_sum_entropy(const struct distribution *d, const struct values *v, T mean, T deviation) {
    enum { TERMS = 256 };
    T middle = ty_detach(ty_expand(ty_floor(mean), -1));
    T step = ty_detach(ty_expand(ty_max(over(deviation, N(12)), N(1)), -1));
    T place = ty_sub(ty_iota(TY_F64, TY_SHAPE(TERMS), 0), N(TERMS / 2));
    struct values at = {plus(middle, times(step, place)), ty_expand(v->a, -1), ty_expand(v->b, -1),
                        ty_expand(v->c, -1), false};
    T inside = d->inside(&at);
    at.x = ty_where(inside, at.x, middle);
    T logs = d->logpdf(&at);
    inside = both(inside, ty_gt(logs, N(-700)));
    logs = ty_where(inside, logs, N(0));
    T terms = ty_where(inside, times(times(ty_exp(logs), logs), step), N(0));
    return ty_neg(ty_sum(terms, ty_axis(-1)));
}

/*
 * Return the entropy of the negative binomial distribution of a = r failures and success probability b = p.
 * It follows from Malmsten's integral for log Gamma(x), with the mean taken first (C. Knessl, Applied
 * Mathematics Letters 11, 1998). With G the generating function of the failures, q = 1 - p and z = exp(-t):
 *
 *   E[log (Gamma(x + r) / (Gamma(r) Gamma(x + 1)))] = integral over t > 0 of (1 - G(z)) / (1 - z) (z - z^r) / t
 *
 * The trapezoidal rule over log t starts where z and z^r vanish and covers a range of 64.
 */
T negative_binomial_entropy(T a, T b) {
    enum { STEPS = 256 };
    const double step = 0.25;
    T r = ty_expand(a, -1), p = ty_expand(b, -1), q = rest(p), small = ty_lt(r, N(1));
    T end = ty_detach(ty_log(over(N(40), ty_min(r, N(1)))));
    T t = ty_exp(minus(end, times(ty_iota(TY_F64, TY_SHAPE(STEPS), 0), N(step))));
    T gap = ty_neg(ty_expm1(ty_neg(t))); /* 1 - z */
    T seen = ty_neg(ty_expm1(ty_neg(times(r, ty_log1p(times(gap, over(q, p)))))));
    /* z - z^r, on either side of r = 1 */
    T below = ty_where(small, r, N(1)), above = ty_where(small, N(1), r);
    T less = times(ty_exp(ty_neg(times(below, t))), ty_expm1(times(minus(below, N(1)), t)));
    T more = ty_neg(times(ty_exp(ty_neg(t)), ty_expm1(times(minus(N(1), above), t))));
    T terms = times(over(seen, gap), ty_where(small, less, more));
    T integral = times(ty_sum(terms, ty_axis(-1)), N(step));
    T mean = over(times(a, rest(b)), b);
    return minus(ty_neg(plus(ty_xlogy(a, b), ty_xlog1py(mean, ty_neg(b)))), integral);
}
