/*
 * The samplers.  Integers: multiplication and rejection (Lemire, ACM TOMACS 29, 2019).  Gamma: Marsaglia and Tsang
 * (ACM TOMS 26, 2000), below 1 with a power of a uniform number.  Beta: ratio of gammas, by logarithms.  Poisson and
 * binomial: inversion for small means, else transformed rejection (Hoermann, Insurance: Mathematics and Economics 12,
 * 1993, PTRS; Journal of Statistical Computation and Simulation 46, 1993, BTRS).  Hypergeometric: inversion, else
 * ratio of uniforms (Stadlober, Computing 45, 1990).  Von Mises: rejection from a wrapped Cauchy distribution (Best
 * and Fisher, Applied Statistics 28, 1979).
 */
#include "ops/random/sampler.h"

#include <math.h>

#include "base/math/scalar.h"
#include "base/wide.h"
#include "ops/random/permuted.h"
#include "ops/random/philox.h"
#include "ops/random/random.h"
#include "ops/random/ziggurat.h"

/* ---- random numbers ---- */

struct sample_source sample_source_of(const struct sample_attr *attr, uint64_t k0, uint64_t k1) {
    return (struct sample_source){.key = k0, .sequence = k1 + attr->stream * RANDOM_STREAM_STEP};
}

/* Return 64 random bits, from the source's current block or, if that is used up, a new one. */
static uint64_t bits(struct sample_source *s) {
    if (s->count == 0) {
        uint32_t high = (uint32_t)(s->element >> 32) ^ (s->draw + 1) << 16;
        uint32_t w[4] = {(uint32_t)s->element, high, (uint32_t)s->sequence, (uint32_t)(s->sequence >> 32)};
        philox(w, (uint32_t)s->key, (uint32_t)(s->key >> 32));
        sample_refill(s, w);
    }
    return s->left[--s->count];
}

/* Return a uniform random number in (0, 1), without the ends. */
static double uniform(struct sample_source *s) { return ((double)(int64_t)(bits(s) >> 12) + 0.5) * 0x1p-52; }

/* Return a standard normal random number above the last edge of the ziggurat (G. Marsaglia, Technometrics 6,
   1964). */
static double normal_tail(struct sample_source *s) {
    for (;;) {
        double x = -math_log(uniform(s)) / ziggurat_edges[1], y = -math_log(uniform(s));
        if (2 * y >= x * x) return ziggurat_edges[1] + x;
    }
}

/* Return a standard normal random number, by a ziggurat. Usually needs one integer: 8 bits for the layer, the
   upper 52 for sign and position in it. */
static double normal(struct sample_source *s) {
    for (;;) {
        uint64_t number = bits(s);
        const double *edge = &ziggurat_edges[number & (ZIGGURAT_LAYERS - 1)];
        double u = ((double)(int64_t)(number >> 12) + 0.5) * 0x1p-51 - 1, x = u * edge[0];
        if (fabs(x) < edge[1]) return x;
        if (edge == ziggurat_edges) return u < 0 ? -normal_tail(s) : normal_tail(s);
        double low = math_exp(-0.5 * edge[0] * edge[0]), high = math_exp(-0.5 * edge[1] * edge[1]);
        if (low + uniform(s) * (high - low) < math_exp(-0.5 * x * x)) return x;
    }
}

/* ---- integers: low <= x < high ---- */

static const char *integer_wrong(const union sample_number *p) {
    return p[0].whole < p[1].whole ? NULL : "low must be below high";
}

static const char *natural_wrong(const union sample_number *p) {
    return (uint64_t)p[0].whole < (uint64_t)p[1].whole ? NULL : "low must be below high";
}

static union sample_number integer_draw(struct sample_source *s, const union sample_number *p) {
    uint64_t span = (uint64_t)p[1].whole - (uint64_t)p[0].whole;
    uint64_t number = bits(s);
    if (number * span < span) /* the low part tells whether this value would be too likely */
        for (uint64_t excess = -span % span; number * span < excess;) number = bits(s);
    uint64_t x = (uint64_t)p[0].whole + product_high(number, span);
    return (union sample_number){.whole = (int64_t)x};
}

/* Draw n integers in p[0] .. p[1]-1 into out[n], for elements s->element, s->element + 1, .., as integer_draw
   does. words[4 n] has the first block of each element; its first random integer is nearly always accepted. */
static void integers_alike(struct sample_source *s, const union sample_number *p, int64_t n,
                           const uint32_t *words, union sample_number *out) {
    uint64_t low = (uint64_t)p[0].whole, span = (uint64_t)p[1].whole - low;
    for (int64_t k = 0; k < n; k++) {
        uint64_t number = words[4 * k] | (uint64_t)words[4 * k + 1] << 32;
        out[k].whole = (int64_t)(low + product_high(number, span));
        if (__builtin_expect(number * span >= span, 1)) continue;
        struct sample_source again = {
            .key = s->key, .sequence = s->sequence, .element = s->element + (uint64_t)k};
        out[k] = integer_draw(&again, p);
    }
}

/* ---- random permutation: elements of n, starting at `first`; all share the keys ---- */

static const char *permuted_wrong(const union sample_number *p) {
    bool well = p[0].whole > 0 && p[1].whole >= 0 && p[1].whole < p[0].whole;
    return well ? NULL : "the first must be one of them";
}

/* Return the permutation of p[0] elements that source s selects. Its keys are the random integers of the last
   possible element of the source's stream. */
static struct permuted permuted_of(const struct sample_source *s, const union sample_number *p) {
    struct sample_source last = {.key = s->key, .sequence = s->sequence, .element = SAMPLE_FIRST - 1};
    struct permuted order;
    permuted_begin(&order, (uint64_t)p[0].whole);
    for (int i = 0; i < PERMUTED_ROUNDS; i++) order.keys[i] = bits(&last);
    return order;
}

static union sample_number permuted_draw(struct sample_source *s, const union sample_number *p) {
    struct permuted order = permuted_of(s, p);
    uint64_t at = ((uint64_t)p[1].whole + s->element) % order.n;
    return (union sample_number){.whole = (int64_t)permuted_at(&order, at)};
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

/* ---- gamma and beta ---- */

static const char *gamma_wrong(const union sample_number *p) {
    return p[0].real >= 0 && isfinite(p[0].real) ? NULL : "it must be 0 or more and finite";
}

/* Return x, and in *log_factor the logarithm of a factor: their product is a gamma random number of this
   shape and scale 1. The factor is separate because it may underflow. */
static double gamma_parts(struct sample_source *s, double shape, double *log_factor) {
    *log_factor = shape < 1 ? math_log(uniform(s)) / shape : 0;
    double d = shape + (shape < 1) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(s), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        double u = uniform(s);
        if (u < 1 - 0.0331 * (x * x) * (x * x))
            return d * v; /* quick acceptance, implied by the test
                             below */
        if (math_log(u) < 0.5 * x * x + d - d * v + d * math_log(v)) return d * v;
    }
}

static union sample_number gamma_draw(struct sample_source *s, const union sample_number *p) {
    double log_factor, x = p[0].real == 0 ? 0 : gamma_parts(s, p[0].real, &log_factor);
    return (union sample_number){.real = x == 0 ? 0 : x * math_exp(log_factor)};
}

static const char *beta_wrong(const union sample_number *p) {
    bool well = p[0].real > 0 && p[1].real > 0 && isfinite(p[0].real) && isfinite(p[1].real);
    return well ? NULL : "both must be positive and finite";
}

static union sample_number beta_draw(struct sample_source *s, const union sample_number *p) {
    double first, second, x = gamma_parts(s, p[0].real, &first), y = gamma_parts(s, p[1].real, &second);
    /* both are 0 if neither parameter is below 1 */
    double odds = y / x * (first == second ? 1 : math_exp(second - first));
    return (union sample_number){.real = 1 / (1 + odds)};
}

/* ---- Poisson ---- */

static const char *poisson_wrong(const union sample_number *p) {
    return p[0].real >= 0 && p[0].real <= 1e18 ? NULL : "it must be in 0..1e18";
}

/* Log-probabilities without cancellation of large terms (C. Loader, "Fast and accurate computation of binomial
   probabilities", 2000): log k! = k log k - k + log(2 pi k) / 2 + stirling(k); the remaining powers are the
   deviance. */

/* Return log k! minus Stirling's formula without its series, for an integer k >= 0: from a table, or by
   the series. */
static double stirling(double k) {
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
static double deviance(double k, double mean) {
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
static double log_poisson(double k, double rate) {
    return -stirling(k) - deviance(k, rate) - 0.5 * math_log(6.28318530717958647693 * k);
}

/* Return the log-probability of k successes in n draws, each with success probability p, 0 < k < n. */
static double log_binomial(double k, double n, double p) {
    return stirling(n) - stirling(k) - stirling(n - k) - deviance(k, n * p) - deviance(n - k, n * (1 - p)) -
           0.5 * math_log(6.28318530717958647693 * k * ((n - k) / n));
}

/* Return a Poisson random number of this small rate (mean), by inversion. */
static double poisson_small(struct sample_source *s, double rate) {
    double u = uniform(s), p = math_exp(-rate), k = 0;
    while (u > p && k < 200) {
        u -= p;
        p *= rate / ++k;
    }
    return k;
}

/* Return a Poisson random number of this large rate (mean), by transformed rejection. (W. Hormann, "The
   transformed rejection method for generating Poisson random variables", 1993.) */
static double poisson_large(struct sample_source *s, double rate) {
    double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    double scale = 1.1239 + 1.1328 / (b - 3.4), inside = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = uniform(s) - 0.5, v = uniform(s), edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + rate + 0.43);
        if (edge >= 0.07 && v <= inside) return k;
        if (k < 0 || (edge < 0.013 && v > edge)) continue;
        double chance = k > 0 ? log_poisson(k, rate) : -rate;
        if (math_log(v * scale / (a / (edge * edge) + b)) <= chance) return k;
    }
}

static union sample_number poisson_draw(struct sample_source *s, const union sample_number *p) {
    double rate = p[0].real;
    return (union sample_number){.real = rate < 10 ? poisson_small(s, rate) : poisson_large(s, rate)};
}

/* ---- binomial ---- */

static const char *binomial_wrong(const union sample_number *p) {
    if (!(p[0].real >= 0 && p[0].real <= 0x1p53)) return "the number of trials must be in 0..2^53";
    return p[1].real >= 0 && p[1].real <= 1 ? NULL : "the probability must be in 0..1";
}

/* Return the log-probability of k successes in n draws, each with success probability p, 0 <= k <= n, 0 < p <
   1. */
static double log_binomial_any(double k, double n, double p) {
    return k == 0 ? n * math_log1p(-p) : k == n ? n * math_log(p) : log_binomial(k, n, p);
}

/* Return a random number of successes in n draws, each with success probability p, by inversion; n p < 10, p
   <= 1/2. */
static double binomial_small(struct sample_source *s, double n, double p) {
    double u = uniform(s), odds = p / (1 - p), chance = math_exp(n * math_log1p(-p)), k = 0;
    while (u > chance && k < n && k < 300) {
        u -= chance;
        k++;
        chance *= (n - k + 1) / k * odds;
    }
    return k;
}

/* Return a random number of successes in n draws, each with success probability p, by transformed rejection,
   for large n p; p <= 1/2. */
static double binomial_large(struct sample_source *s, double n, double p) {
    double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p, inside = 0.92 - 4.2 / b;
    double scale = (2.83 + 5.1 / b) * deviation, top = log_binomial_any(floor((n + 1) * p), n, p);
    for (;;) {
        double u = uniform(s) - 0.5, v = uniform(s), edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + n * p + 0.5);
        if (k < 0 || k > n) continue;
        if (edge >= 0.07 && v <= inside) return k;
        if (math_log(v * scale / (a / (edge * edge) + b)) <= log_binomial_any(k, n, p) - top) return k;
    }
}

static union sample_number binomial_draw(struct sample_source *s, const union sample_number *p) {
    double n = floor(p[0].real), chance = fmin(p[1].real, 1 - p[1].real);
    double k = n * chance < 10 ? binomial_small(s, n, chance) : binomial_large(s, n, chance);
    return (union sample_number){.real = p[1].real > 0.5 ? n - k : k};
}

/* ---- hypergeometric: a number drawn from good and bad ones ---- */

static const char *urn_wrong(const union sample_number *p) {
    for (int i = 0; i < 3; i++)
        if (!(p[i].real >= 0 && p[i].real <= 0x1p52)) return "they must be in 0..2^52";
    return floor(p[2].real) <= floor(p[0].real) + floor(p[1].real) ? NULL : "there are not as many";
}

static double log_factorial(double k) {
    return k > 0 ? (k + 0.5) * math_log(k) - k + stirling(k) : -0.91893853320467274178;
}

/* Return the log-probability, up to a constant, that k of `few` special ones are among m drawn from `all`; m
   and few are at most half of `all`. For large `all` it is the sum of two binomial log-probabilities with
   equal, arbitrary p. */
static double log_urn(double k, double m, double few, double all) {
    if (all < 1e6) /* the cancellation error is below 1e-9 then */
        return -(log_factorial(k) + log_factorial(few - k) + log_factorial(m - k) +
                 log_factorial(all - few - m + k));
    double p = m / all;
    return log_binomial_any(k, few, p) + log_binomial_any(m - k, all - few, p);
}

/* Return a random number of the `few` special ones among m drawn without replacement from `all`, by
   inversion; for small counts. */
static double urn_small(struct sample_source *s, double m, double few, double all) {
    double p = m / all;
    double none =
        log_binomial_any(0, few, p) + log_binomial_any(m, all - few, p) - log_binomial_any(m, all, p);
    double u = uniform(s), chance = math_exp(none), k = 0, most = fmin(m, few);
    while (u > chance && k < most && k < 300) {
        u -= chance;
        chance *= (few - k) * (m - k) / ((k + 1) * (all - few - m + k + 1));
        k++;
    }
    return k;
}

/* Return a random number of the `few` special ones among m drawn without replacement from `all`, by rejection
   from a ratio of uniforms; for large counts. */
static double urn_large(struct sample_source *s, double m, double few, double all) {
    double share = few / all, middle = m * share + 0.5;
    double deviation = sqrt((all - m) / (all - 1) * m * share * (1 - share) + 0.5);
    /* sqrt(8 / e), 3 - sqrt(12 / e) */
    double width = 1.71552776992141359 * deviation + 0.89891616205889883;
    double top = log_urn(floor((m + 1) * (few + 1) / (all + 2)), m, few, all), most = fmin(m, few);
    for (;;) {
        double u = uniform(s), k = floor(middle + width * (uniform(s) - 0.5) / u);
        if (k < 0 || k > most) continue;
        double chance = log_urn(k, m, few, all) - top;
        if (u * (4 - u) - 3 <= chance) return k; /* quick acceptance: a bound of 2 log u */
        if (u * (u - chance) < 1 && 2 * math_log(u) <= chance) return k;
    }
}

static union sample_number urn_draw(struct sample_source *s, const union sample_number *p) {
    double good = floor(p[0].real), bad = floor(p[1].real), drawn = floor(p[2].real), all = good + bad;
    double few = fmin(good, bad), m = fmin(drawn, all - drawn), k = 0;
    if (few > 0 && m > 0) k = m * few / all < 10 ? urn_small(s, m, few, all) : urn_large(s, m, few, all);
    if (good > bad) k = m - k;
    return (union sample_number){.real = m < drawn ? good - k : k};
}

/* ---- von Mises ---- */

static const char *mises_wrong(const union sample_number *p) {
    return p[0].real >= 0 && isfinite(p[0].real) ? NULL : "it must be 0 or more and finite";
}

/* Return an angle in [-pi, pi], in `real`, of von Mises' distribution of concentration p[0] around 0.
   Computes 1 - cos of the angle, which keeps its precision for large concentrations. */
static union sample_number mises_draw(struct sample_source *s, const union sample_number *p) {
    const double pi = 3.14159265358979323846;
    double many = p[0].real, root = sqrt(1 + 4 * many * many);
    if (many < 1e-8) return (union sample_number){.real = pi * (2 * uniform(s) - 1)};
    double less = (1 + 1 / (root + 2 * many)) / (2 * many),
           edge = less + 1; /* (1 + root) / (2 many): minus 1, and whole */
    for (;;) {
        double z = math_cos(pi * uniform(s)), u = uniform(s), c = many * less * (edge + 1) / (edge + z);
        if (!(c * (2 - c) > u || math_log(c / u) + 1 - c >= 0)) continue;
        double angle = 2 * math_asin(sqrt(fmin(less * (1 - z) / (edge + z) / 2, 1)));
        return (union sample_number){.real = uniform(s) < 0.5 ? -angle : angle};
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
                        integer_draw,
                        {"low", "high"},
                        integers_alike,
                        false},
    [SAMPLE_NATURAL] = {"randint",
                        TY_U64,
                        TY_U64,
                        CLASS_UNSIGNED,
                        natural_wrong,
                        integer_draw,
                        {"low", "high"},
                        integers_alike,
                        false},
    [SAMPLE_GAMMA] = {"random_gamma",
                      TY_F64,
                      TY_F64,
                      CLASS_FLOAT,
                      gamma_wrong,
                      gamma_draw,
                      {"shape parameter", NULL},
                      NULL,
                      false},
    [SAMPLE_BETA] =
        {"random_beta", TY_F64, TY_F64, CLASS_FLOAT, beta_wrong, beta_draw, {"a", "b"}, NULL, false},
    [SAMPLE_POISSON] =
        {"poisson", TY_F64, TY_F64, NUMBERS, poisson_wrong, poisson_draw, {"rate", NULL}, NULL, false},
    [SAMPLE_BINOMIAL] = {"binomial",
                         TY_F64,
                         TY_F64,
                         NUMBERS,
                         binomial_wrong,
                         binomial_draw,
                         {"number of trials", "probability"},
                         NULL,
                         false},
    [SAMPLE_HYPERGEOMETRIC] = {"hypergeometric",
                               TY_F64,
                               TY_F64,
                               NUMBERS,
                               urn_wrong,
                               urn_draw,
                               {"good ones", "bad ones", "number drawn"},
                               NULL,
                               false},
    [SAMPLE_VON_MISES] = {"von_mises",
                          TY_F64,
                          TY_F64,
                          CLASS_FLOAT,
                          mises_wrong,
                          mises_draw,
                          {"concentration", NULL},
                          NULL,
                          false},
    [SAMPLE_PERMUTED] = {"permutation",
                         TY_I64,
                         TY_I64,
                         CLASS_SIGNED,
                         permuted_wrong,
                         permuted_draw,
                         {"number of elements", "first"},
                         permuted_alike,
                         .wordless = true},
};

/* Return the reason why the parameters p[] of sampler s are invalid, or its integers do not fit `dtype`; NULL
   if they are valid. The text is static. */
static const char *sample_wrong(const struct sampler *s, ty_dtype dtype, const union sample_number *p) {
    const char *wrong = s->wrong(p);
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
