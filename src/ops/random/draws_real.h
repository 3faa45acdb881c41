/*
 * Text: random draws of doubles.  Gamma: Marsaglia and Tsang (ACM TOMS 26, 2000), below 1 with a power of a uniform
 * number.  Beta: ratio of gammas, by logarithms.  Poisson and binomial: inversion for small means, else transformed
 * rejection (Hoermann, Insurance: Mathematics and Economics 12, 1993, PTRS; Journal of Statistical Computation and
 * Simulation 46, 1993, BTRS).  Hypergeometric: inversion, else ratio of uniforms (Stadlober, Computing 45, 1990).  Von
 * Mises: rejection from a wrapped Cauchy distribution (Best and Fisher, Applied Statistics 28, 1979).
 */
#ifndef OPS_RANDOM_DRAWS_REAL_H
#define OPS_RANDOM_DRAWS_REAL_H
#include <math.h>

#include "base/math/scalar.h"
#include "ops/random/draws.h"
#include "ops/random/ziggurat.h"

/* Return a uniform random number in (0, 1), without the ends. */
static inline double draw_uniform(struct sample_source *s) {
    return ((double)(int64_t)(draw_bits(s) >> 12) + 0.5) * 0x1p-52;
}

/* Return a standard normal random number above the last edge of the ziggurat (G. Marsaglia, Technometrics 6,
   1964). */
static inline double draw_tail(struct sample_source *s) {
    for (;;) {
        double x = -math_log(draw_uniform(s)) / ziggurat_edges[1], y = -math_log(draw_uniform(s));
        if (2 * y >= x * x) return ziggurat_edges[1] + x;
    }
}

/* Return a standard normal random number, by a ziggurat. Usually needs one integer: 8 bits for the layer, the
   upper 52 for sign and position in it. */
static inline double draw_normal(struct sample_source *s) {
    for (;;) {
        uint64_t number = draw_bits(s);
        int layer = (int)(number & (ZIGGURAT_LAYERS - 1));
        double edge = ziggurat_edges[layer], above = ziggurat_edges[layer + 1];
        double u = ((double)(int64_t)(number >> 12) + 0.5) * 0x1p-51 - 1, x = u * edge;
        if (fabs(x) < above) return x;
        if (layer == 0) return u < 0 ? -draw_tail(s) : draw_tail(s);
        double low = math_exp(-0.5 * edge * edge), high = math_exp(-0.5 * above * above);
        if (low + draw_uniform(s) * (high - low) < math_exp(-0.5 * x * x)) return x;
    }
}

/* ---- gamma and beta ---- */

static inline int gamma_wrong(const union sample_number *p) {
    return !(p[0].real >= 0 && isfinite(p[0].real));
}

/* Return x, and in *log_factor the logarithm of a factor: their product is a gamma random number of this
   shape and scale 1. The factor is separate because it may underflow. */
static inline double gamma_parts(struct sample_source *s, double shape, double *log_factor) {
    *log_factor = shape < 1 ? math_log(draw_uniform(s)) / shape : 0;
    double d = shape + (shape < 1) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = draw_normal(s), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        double u = draw_uniform(s);
        if (u < 1 - 0.0331 * (x * x) * (x * x))
            return d * v; /* quick acceptance, implied by the test
                             below */
        if (math_log(u) < 0.5 * x * x + d - d * v + d * math_log(v)) return d * v;
    }
}

static inline union sample_number gamma_draw(struct sample_source *s, const union sample_number *p) {
    double log_factor, x = p[0].real == 0 ? 0 : gamma_parts(s, p[0].real, &log_factor);
    return (union sample_number){.real = x == 0 ? 0 : x * math_exp(log_factor)};
}

static inline int beta_wrong(const union sample_number *p) {
    return !(p[0].real > 0 && p[1].real > 0 && isfinite(p[0].real) && isfinite(p[1].real));
}

static inline union sample_number beta_draw(struct sample_source *s, const union sample_number *p) {
    double first, second, x = gamma_parts(s, p[0].real, &first), y = gamma_parts(s, p[1].real, &second);
    /* both are 0 if neither parameter is below 1 */
    double odds = y / x * (first == second ? 1 : math_exp(second - first));
    return (union sample_number){.real = 1 / (1 + odds)};
}

/* ---- Poisson ---- */

static inline int poisson_wrong(const union sample_number *p) {
    return !(p[0].real >= 0 && p[0].real <= 1e18);
}

/* Log-probabilities without cancellation of large terms (C. Loader, "Fast and accurate computation of binomial
   probabilities", 2000): log k! = k log k - k + log(2 pi k) / 2 + draw_stirling(k); the remaining powers are the
   deviance. */

/* Return log k! minus Stirling's formula without its series, for an integer k >= 0: from a table, or by
   the series. */
static inline double draw_stirling(double k) {
    static const double tabled[] = {0, /* log k! - k log k + k - log(2 pi k) / 2 for k = 1 .. 15 */
                                    0.08106146679532725822,
                                    0.04134069595540929409,
                                    0.02767792568499833915,
                                    0.02079067210376509311,
                                    0.01664469118982119216,
                                    0.01387612882307074800,
                                    0.01189670994589177010,
                                    0.01041126526197209650,
                                    0.00925546218271273292,
                                    0.00833056343336287126,
                                    0.00757367548795184079,
                                    0.00694284010720952987,
                                    0.00640899418800420707,
                                    0.00595137011275884774,
                                    0.00555473355196280137};
    if (k < 16) return tabled[(int)k];
    double r = 1 / (k * k);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - r / 1680) * r) * r) / k;
}

/* Return k log(k / mean) + mean - k, without cancellation where k is near the mean. */
static inline double draw_deviance(double k, double mean) {
    double apart = k - mean, v = apart / (k + mean);
    if (fabs(v) >= 0.1) return k * math_log(k / mean) - apart;
    double sum = apart * v, term = 2 * k * v;
    for (int i = 3; i < 60; i += 2) {
        term *= v * v;
        double more = sum + term / i;
        if (more == sum) break;
        sum = more;
    }
    return sum;
}

/* Return the log-probability of k > 0 under a Poisson distribution of this rate. */
static inline double log_poisson(double k, double rate) {
    return -draw_stirling(k) - draw_deviance(k, rate) - 0.5 * math_log(6.28318530717958647693 * k);
}

/* Return the log-probability of k successes in n draws, each with success probability p, 0 < k < n. */
static inline double log_binomial(double k, double n, double p) {
    return draw_stirling(n) - draw_stirling(k) - draw_stirling(n - k) - draw_deviance(k, n * p) -
           draw_deviance(n - k, n * (1 - p)) - 0.5 * math_log(6.28318530717958647693 * k * ((n - k) / n));
}

/* Return a Poisson random number of this small rate (mean), by inversion. */
static inline double poisson_small(struct sample_source *s, double rate) {
    double u = draw_uniform(s), p = math_exp(-rate), k = 0;
    while (u > p && k < 200) {
        u -= p;
        p *= rate / ++k;
    }
    return k;
}

/* Return a Poisson random number of this large rate (mean), by transformed rejection. (W. Hormann, "The
   transformed rejection method for generating Poisson random variables", 1993.) */
static inline double poisson_large(struct sample_source *s, double rate) {
    double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    double scale = 1.1239 + 1.1328 / (b - 3.4), inside = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = draw_uniform(s) - 0.5, v = draw_uniform(s), edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + rate + 0.43);
        if (edge >= 0.07 && v <= inside) return k;
        if (k < 0 || (edge < 0.013 && v > edge)) continue;
        double chance = k > 0 ? log_poisson(k, rate) : -rate;
        if (math_log(v * scale / (a / (edge * edge) + b)) <= chance) return k;
    }
}

static inline union sample_number poisson_draw(struct sample_source *s, const union sample_number *p) {
    double rate = p[0].real;
    return (union sample_number){.real = rate < 10 ? poisson_small(s, rate) : poisson_large(s, rate)};
}

/* ---- binomial ---- */

static inline int binomial_wrong(const union sample_number *p) {
    if (!(p[0].real >= 0 && p[0].real <= 0x1p53)) return 1;
    return p[1].real >= 0 && p[1].real <= 1 ? 0 : 2;
}

/* Return the log-probability of k successes in n draws, each with success probability p, 0 <= k <= n, 0 < p <
   1. */
static inline double log_binomial_any(double k, double n, double p) {
    return k == 0 ? n * math_log1p(-p) : k == n ? n * math_log(p) : log_binomial(k, n, p);
}

/* Return a random number of successes in n draws, each with success probability p, by inversion; n p < 10, p
   <= 1/2. */
static inline double binomial_small(struct sample_source *s, double n, double p) {
    double u = draw_uniform(s), odds = p / (1 - p), chance = math_exp(n * math_log1p(-p)), k = 0;
    while (u > chance && k < n && k < 300) {
        u -= chance;
        k++;
        chance *= (n - k + 1) / k * odds;
    }
    return k;
}

/* Return a random number of successes in n draws, each with success probability p, by transformed rejection,
   for large n p; p <= 1/2. */
static inline double binomial_large(struct sample_source *s, double n, double p) {
    double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p, inside = 0.92 - 4.2 / b;
    double scale = (2.83 + 5.1 / b) * deviation, top = log_binomial_any(floor((n + 1) * p), n, p);
    for (;;) {
        double u = draw_uniform(s) - 0.5, v = draw_uniform(s), edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + n * p + 0.5);
        if (k < 0 || k > n) continue;
        if (edge >= 0.07 && v <= inside) return k;
        if (math_log(v * scale / (a / (edge * edge) + b)) <= log_binomial_any(k, n, p) - top) return k;
    }
}

static inline union sample_number binomial_draw(struct sample_source *s, const union sample_number *p) {
    double n = floor(p[0].real), chance = fmin(p[1].real, 1 - p[1].real);
    double k = n * chance < 10 ? binomial_small(s, n, chance) : binomial_large(s, n, chance);
    return (union sample_number){.real = p[1].real > 0.5 ? n - k : k};
}

/* ---- hypergeometric: a number drawn from good and bad ones ---- */

static inline int urn_wrong(const union sample_number *p) {
    for (int i = 0; i < 3; i++)
        if (!(p[i].real >= 0 && p[i].real <= 0x1p52)) return 1;
    return floor(p[2].real) <= floor(p[0].real) + floor(p[1].real) ? 0 : 2;
}

static inline double log_factorial(double k) {
    return k > 0 ? (k + 0.5) * math_log(k) - k + draw_stirling(k) : -0.91893853320467274178;
}

/* Return the log-probability, up to a constant, that k of `few` special ones are among m drawn from `all`; m
   and few are at most half of `all`. For large `all` it is the sum of two binomial log-probabilities with
   equal, arbitrary p. */
static inline double log_urn(double k, double m, double few, double all) {
    if (all < 1e6) /* the cancellation error is below 1e-9 then */
        return -(log_factorial(k) + log_factorial(few - k) + log_factorial(m - k) +
                 log_factorial(all - few - m + k));
    double p = m / all;
    return log_binomial_any(k, few, p) + log_binomial_any(m - k, all - few, p);
}

/* Return a random number of the `few` special ones among m drawn without replacement from `all`, by
   inversion; for small counts. */
static inline double urn_small(struct sample_source *s, double m, double few, double all) {
    double p = m / all;
    double none =
        log_binomial_any(0, few, p) + log_binomial_any(m, all - few, p) - log_binomial_any(m, all, p);
    double u = draw_uniform(s), chance = math_exp(none), k = 0, most = fmin(m, few);
    while (u > chance && k < most && k < 300) {
        u -= chance;
        chance *= (few - k) * (m - k) / ((k + 1) * (all - few - m + k + 1));
        k++;
    }
    return k;
}

/* Return a random number of the `few` special ones among m drawn without replacement from `all`, by rejection
   from a ratio of uniforms; for large counts. */
static inline double urn_large(struct sample_source *s, double m, double few, double all) {
    double share = few / all, middle = m * share + 0.5;
    double deviation = sqrt((all - m) / (all - 1) * m * share * (1 - share) + 0.5);
    /* sqrt(8 / e), 3 - sqrt(12 / e) */
    double width = 1.71552776992141359 * deviation + 0.89891616205889883;
    double top = log_urn(floor((m + 1) * (few + 1) / (all + 2)), m, few, all), most = fmin(m, few);
    for (;;) {
        double u = draw_uniform(s), k = floor(middle + width * (draw_uniform(s) - 0.5) / u);
        if (k < 0 || k > most) continue;
        double chance = log_urn(k, m, few, all) - top;
        if (u * (4 - u) - 3 <= chance) return k; /* quick acceptance: a bound of 2 log u */
        if (u * (u - chance) < 1 && 2 * math_log(u) <= chance) return k;
    }
}

static inline union sample_number urn_draw(struct sample_source *s, const union sample_number *p) {
    double good = floor(p[0].real), bad = floor(p[1].real), drawn = floor(p[2].real), all = good + bad;
    double few = fmin(good, bad), m = fmin(drawn, all - drawn), k = 0;
    if (few > 0 && m > 0) k = m * few / all < 10 ? urn_small(s, m, few, all) : urn_large(s, m, few, all);
    if (good > bad) k = m - k;
    return (union sample_number){.real = m < drawn ? good - k : k};
}

/* ---- von Mises ---- */

static inline int mises_wrong(const union sample_number *p) { return gamma_wrong(p); }

/* Return an angle in [-pi, pi], in `real`, of von Mises' distribution of concentration p[0] around 0.
   Computes 1 - cos of the angle, which keeps its precision for large concentrations. */
static inline union sample_number mises_draw(struct sample_source *s, const union sample_number *p) {
    const double pi = 3.14159265358979323846;
    double many = p[0].real, root = sqrt(1 + 4 * many * many);
    if (many < 1e-8) return (union sample_number){.real = pi * (2 * draw_uniform(s) - 1)};
    double less = (1 + 1 / (root + 2 * many)) / (2 * many),
           edge = less + 1; /* (1 + root) / (2 many): minus 1, and whole */
    for (;;) {
        double z = math_cos(pi * draw_uniform(s)), u = draw_uniform(s),
               c = many * less * (edge + 1) / (edge + z);
        if (!(c * (2 - c) > u || math_log(c / u) + 1 - c >= 0)) continue;
        double angle = 2 * math_asin(sqrt(fmin(less * (1 - z) / (edge + z) / 2, 1)));
        return (union sample_number){.real = draw_uniform(s) < 0.5 ? -angle : angle};
    }
}
#endif
