/*
 * Sampling: chains on densities with known moments, within five standard errors, with fixed keys; the same bits for any
 * number of threads. Gibbs sampling of a normal pair; diagnostics against their definitions; the bootstrap against
 * theory.
 */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* ---- densities ---- */

/* Return the log density of independent normal distributions of means 1, 2, 3 and standard deviations 1, 10, 0.1. */
static ty_tensor *scaled(void *context, ty_tensor *x) {
    (void)context;
    ty_tensor *mean = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}),
              *s = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 10, 0.1});
    ty_dtype dtype = ty_dtype_of(x);
    x = ty_div(ty_sub(x, ty_cast(mean, dtype)), ty_cast(s, dtype));
    return ty_mul(ty_sum(ty_square(x), TY_ALL), ty_num(-0.5));
}
/* Return the log density of a normal pair of correlation 0.9. */
static ty_tensor *correlated(void *context, ty_tensor *x) {
    (void)context;
    ty_tensor *a = ty_at(x, "0"), *b = ty_at(x, "1");
    ty_tensor *q = ty_sub(ty_add(ty_square(a), ty_square(b)), ty_mul(ty_mul(a, b), ty_num(1.8)));
    return ty_mul(q, ty_num(-0.5 / 0.19));
}
/* Return the log density of a banana: the first element is normal of deviation 1, the second around half
   of its square. */
static ty_tensor *banana(void *context, ty_tensor *x) {
    (void)context;
    ty_tensor *a = ty_at(x, "0"), *b = ty_at(x, "1");
    ty_tensor *bend = ty_sub(b, ty_mul(ty_square(a), ty_num(0.5)));
    return ty_mul(ty_add(ty_square(a), ty_square(bend)), ty_num(-0.5));
}
/* Return the log density of four exponential distributions of scale 2; -infinity if an element is below 0. */
static ty_tensor *sided(void *context, ty_tensor *x) {
    (void)context;
    ty_tensor *inside = ty_all(ty_ge(x, ty_num(0)), TY_ALL);
    return ty_where(inside, ty_mul(ty_sum(x, TY_ALL), ty_num(-0.5)), ty_num(-(double)INFINITY));
}

typedef ty_samples (*sampler)(ty_log_density, void *, ty_tensor *, ty_tensor *, ty_sampler_options);
static const struct target {
    const char *name;
    ty_log_density f;
    int rank;
    int64_t shape[2];
    double mean[4], variance[4];
} targets[] = {
    {"scaled", scaled, 1, {3}, {1, 2, 3}, {1, 100, 0.01}},
    {"correlated", correlated, 1, {2}, {0, 0}, {1, 1}},
    {"banana", banana, 1, {2}, {0, 0.5}, {1, 1.5}},
    {"sided", sided, 2, {2, 2}, {2, 2, 2, 2}, {4, 4, 4, 4}},
};
static const struct way {
    const char *name;
    sampler call;
    int64_t draws;
    unsigned suits; /* bit i: suits targets[i]; trajectories do not turn back at walls */
} ways[] = {
    {"metropolis", ty_metropolis, 60000, 15},
    {"hmc", ty_hmc, 4000, 7},
    {"nuts", ty_nuts, 4000, 7},
};
enum { CHAINS = 4 };

/* Check that mean and mean square lie within five standard errors of the truth, by the effective sample
   size. */
static void check_moments(const char *what, ty_tensor *draws, const struct target *t) {
    int64_t size = ty_size(draws) / ty_shape(draws)[0] / ty_shape(draws)[1];
    ty_tensor *x = ty_cast(ty_reshape(draws, TY_SHAPE(ty_shape(draws)[0], ty_shape(draws)[1], size)), TY_F64);
    ty_tensor *mean = ty_from(TY_F64, 1, &size, t->mean), *variance = ty_from(TY_F64, 1, &size, t->variance);
    ty_axes all = ty_axes_of(2, (int[]){0, 1}, false);
    ty_tensor *tested[] = {ty_sub(x, mean), ty_sub(ty_square(ty_sub(x, mean)), variance)};
    for (int i = 0; i < 2; i++) {
        ty_tensor *error = ty_sqrt(ty_div(ty_variance(tested[i], all), ty_effective_size(tested[i])));
        ty_tensor *off = ty_abs(ty_div(ty_mean(tested[i], all), error));
        CHECK(ty_item(ty_amax(off, TY_ALL)) < 5, "%s of %s: moment %d is %g errors off", what, t->name, i + 1,
              ty_item(ty_amax(off, TY_ALL)));
        double rhat = ty_item(ty_amax(ty_split_rhat(tested[i]), TY_ALL));
        CHECK(rhat < 1.01, "%s of %s: R-hat is %g", what, t->name, rhat);
    }
}

static ty_tensor *start_of(const struct target *t, ty_dtype dtype) {
    int64_t shape[] = {CHAINS, t->shape[0], t->shape[1]};
    return ty_cast(ty_add(ty_uniform(TY_F64, t->rank + 1, shape, ty_key(5)), ty_num(0.1)), dtype);
}

static void moments(void) {
    if (test_starving()) return;
    for (size_t w = 0; w < 3; w++)
        for (size_t i = 0; i < 4; i++) {
            if (!(ways[w].suits >> i & 1)) continue;
            struct test_round round = test_round();
            const struct target *t = &targets[i];
            ty_samples s = ways[w].call(t->f, NULL, start_of(t, TY_F64), ty_key(1),
                                        (ty_sampler_options){.draws = ways[w].draws});
            CHECK_OK(s.draws);
            check_moments(ways[w].name, s.draws, t);
            CHECK(ty_rank(s.draws) == t->rank + 2 && ty_shape(s.draws)[0] == CHAINS &&
                      ty_shape(s.draws)[1] == ways[w].draws,
                  "%s: the shape of draws", ways[w].name);
            double share = ty_item(ty_mean(s.accepted, TY_ALL)), target = w ? 0.8 : 0.3;
            CHECK(fabs(share - target) < 0.2, "%s of %s accepts %g", ways[w].name, t->name, share);
            ty_tensor *one = ty_at(s.draws, "2, 7"), *logp = t->f(NULL, one);
            compare_near(ty_at(s.logp, "2, 7"), logp, 1e-10, 1e-10, "%s of %s: the logarithm", ways[w].name,
                         t->name);
            test_round_end(round);
        }
}

/* The adapted scale is the variance; f32 and f16 chains work, too. */
static void adaptation(void) {
    if (test_starving()) return;
    ty_samples s =
        ty_nuts(scaled, NULL, start_of(&targets[0], TY_F32), ty_key(3), (ty_sampler_options){.draws = 2000});
    CHECK(ty_dtype_of(CHECK_OK(s.draws)) == TY_F32, "f32 stays f32");
    check_moments("nuts in f32", s.draws, &targets[0]);
    ty_tensor *ratio =
        ty_log(ty_div(ty_cast(s.scale, TY_F64), ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 100, 0.01})));
    CHECK(ty_item(ty_amax(ty_abs(ratio), TY_ALL)) < 0.7, "scales are off by exp(%g)",
          ty_item(ty_amax(ty_abs(ratio), TY_ALL)));
    CHECK(ty_item(ty_mean(s.leaps, TY_ALL)) < 20, "%g leaps a draw", ty_item(ty_mean(s.leaps, TY_ALL)));
    s = ty_hmc(correlated, NULL, start_of(&targets[1], TY_F16), ty_key(3),
               (ty_sampler_options){.draws = 100});
    CHECK(ty_dtype_of(CHECK_OK(s.draws)) == TY_F16 && ty_dtype_of(s.logp) == TY_F16, "f16 stays f16");
    s = ty_hmc(scaled, NULL, start_of(&targets[0], TY_F64), ty_key(3),
               (ty_sampler_options){.draws = 50, .warmup = -1, .step_size = 0.05, .leaps = 3});
    CHECK(ty_item(CHECK_OK(ty_amax(ty_abs(ty_sub(s.step_size, ty_num(0.05))), TY_ALL))) == 0,
          "a given step stays");
    s = ty_hmc(scaled, NULL, start_of(&targets[0], TY_F64), ty_key(3),
               (ty_sampler_options){.draws = 20, .warmup = -1, .step_size = 100});
    CHECK(ty_item(ty_sum(CHECK_OK(s.divergent), TY_ALL)) > 60, "steps that are too large diverge");
}

/* Bits are the same for any number of threads, for values and promises; another key gives other numbers. */
static void same(void) {
    ty_sampler_options o = {.draws = 12, .warmup = 30, .depth = 4};
    for (size_t w = 0; w < 3; w += (size_t)test_some(1, 1, 2)) {
        struct test_round round = test_round();
        ty_tensor *start = start_of(&targets[1], TY_F64);
        ty_set_threads(1);
        ty_samples a = ways[w].call(correlated, NULL, start, ty_key(9), o);
        CHECK_OK(a.draws);
        ty_set_threads(4);
        ty_samples b = ways[w].call(correlated, NULL, start, ty_key(9), o);
        ty_samples c = ways[w].call(correlated, NULL, ty_lazy(start), ty_key(9), o);
        ty_samples d = ways[w].call(correlated, NULL, start, ty_key(10), o);
        CHECK(ty_is_promise(c.draws), "of a promise a promise");
        compare_bits(b.draws, a.draws, "%s with more threads", ways[w].name);
        compare_bits(ty_eval(c.draws), a.draws, "%s of a promise", ways[w].name);
        CHECK(!ty_item(ty_array_equal(CHECK_OK(d.draws), a.draws, false)), "%s with another key",
              ways[w].name);
        test_round_end(round);
    }
    ty_set_threads(0);
}

/* ---- Gibbs ---- */

static ty_tensor *half_normal(ty_tensor *other, ty_tensor *key) {
    ty_tensor *z = ty_normal(TY_F64, ty_rank(other), ty_shape(other), key);
    return ty_add(ty_mul(other, ty_num(0.8)), ty_mul(z, ty_num(0.6)));
}
static ty_tensor *first_given(void *context, ty_tensor *const *x, ty_tensor *key) {
    (void)context;
    return half_normal(x[1], key);
}
static ty_tensor *second_given(void *context, ty_tensor *const *x, ty_tensor *key) {
    (void)context;
    return half_normal(x[0], key);
}
static ty_tensor *short_given(void *context, ty_tensor *const *x, ty_tensor *key) {
    (void)context, (void)key;
    return ty_at(x[0], "0");
}
static const ty_conditional pair[] = {first_given, second_given};

static void gibbs(void) {
    ty_tensor *start[] = {ty_zeros(TY_F64, TY_SHAPE(CHAINS)), ty_ones(TY_F64, TY_SHAPE(CHAINS))}, *draws[2];
    ty_sampler_options o = {.draws = test_some(6000, 3000, 20), .warmup = 20};
    bool well = ty_gibbs(2, pair, NULL, start, ty_key(4), o, draws);
    CHECK_OK(draws[0]);
    CHECK(well && ty_shape(draws[1])[0] == o.draws && ty_shape(draws[1])[1] == CHAINS, "the shape of draws");
    static const struct target plain = {"a pair", NULL, 0, {0}, {0}, {1}};
    if (!test_starving()) check_moments("gibbs", ty_transpose(draws[0]), &plain);
    ty_tensor *product = ty_mean(ty_mul(draws[0], draws[1]), TY_ALL);
    CHECK(test_starving() || fabs(ty_item(product) - 0.8) < 0.06, "a covariance of %g", ty_item(product));
    ty_conditional wrong[] = {first_given, short_given};
    CHECK(!ty_gibbs(2, wrong, NULL, start, ty_key(4), o, draws), "another shape");
    CHECK_POISON(draws[0], "function 1 returns another dtype or shape");
    wrong[1] = NULL;
    CHECK(!ty_gibbs(2, wrong, NULL, start, ty_key(4), o, draws), "no function");
    CHECK_POISON(draws[1], "function 1 is NULL");
}

/* ---- diagnostics ---- */

/* Compute the effective sample size by its definition: halves, autocovariances, Geyer's pairs. */
static double effective_size_of(int chains, int n, const double *x, double *rhat) {
    int half = n / 2, m = 2 * chains;
    double mean[16], total = 0, within = 0, between = 0, sum = 0, last = INFINITY;
    for (int c = 0; c < m; c++) {
        const double *h = x + c / 2 * n + (c % 2 ? n - half : 0);
        mean[c] = 0;
        for (int i = 0; i < half; i++) mean[c] += h[i] / half;
        for (int i = 0; i < half; i++) within += (h[i] - mean[c]) * (h[i] - mean[c]) / (half - 1) / m;
        total += mean[c] / m;
    }
    for (int c = 0; c < m; c++) between += (mean[c] - total) * (mean[c] - total) / (m - 1);
    double all = within * (half - 1) / half + between;
    *rhat = sqrt(all / within);
    for (int k = 0; 2 * k + 1 < half; k++) {
        double two = 0;
        for (int lag = 2 * k; lag < 2 * k + 2; lag++) {
            double covariance = 0;
            for (int c = 0; c < m; c++) {
                const double *h = x + c / 2 * n + (c % 2 ? n - half : 0);
                for (int i = 0; i + lag < half; i++)
                    covariance += (h[i] - mean[c]) * (h[i + lag] - mean[c]) / half / m;
            }
            two += lag ? 1 - (within - covariance) / all : 1;
        }
        if (!(two > 0)) break;
        sum += last = fmin(two, last);
    }
    return m * half / fmax(2 * sum - 1, 1 / log10((double)(m * half)));
}

static void diagnostics(void) {
    for (int n = 5; n < 60; n += test_some(9, 9, 40))
        for (int k = 0; k < 3; k++) {
            struct test_round round = test_round();
            ty_tensor *noise = ty_normal(TY_F64, TY_SHAPE(3, n), ty_key((uint64_t)(n + k)));
            ty_tensor *x = ty_linear_recurrence(ty_full_like(noise, 0.4 * k - 0.4), noise, 1, false);
            double values[3 * 60], rhat, size;
            CHECK(ty_read(CHECK_OK(x), TY_F64, values), "values");
            size = effective_size_of(3, n, values, &rhat);
            double got = ty_item(CHECK_OK(ty_effective_size(x)));
            CHECK(fabs(got - size) < 1e-8 * size, "of %d draws %g count, not %g", n, size, got);
            CHECK(fabs(ty_item(CHECK_OK(ty_split_rhat(x))) - rhat) < 1e-12, "R-hat");
            ty_tensor *two = ty_stack(2, (ty_tensor *[]){x, ty_flip(x, 1)}, 2);
            CHECK(fabs(ty_item(ty_at(CHECK_OK(ty_effective_size(two)), "0")) - size) < 1e-8 * size,
                  "of several variables");
            test_round_end(round);
        }
    CHECK_POISON(ty_split_rhat(ty_ones(TY_F64, TY_SHAPE(3))), "draws must be [chains, draws, ...]");
    CHECK_POISON(ty_effective_size(ty_ones(TY_F64, TY_SHAPE(2, 3))), "at least 4 draws");
}

/* ---- the bootstrap ---- */

static ty_tensor *mean_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mean(x[0], ty_axis(0));
}
static ty_tensor *slope_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_pearsonr(x[0], x[1], 0, (ty_test_options){0}).statistic;
}
static ty_tensor *difference_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sub(ty_mean(x[0], ty_axis(0)), ty_mean(x[1], ty_axis(0)));
}

static void bootstrap(void) {
    int64_t resamples = test_some(4000, 2000, 30);
    ty_tensor *x[] = {ty_exp(ty_normal(TY_F64, TY_SHAPE(80), ty_key(1))),
                      ty_normal(TY_F64, TY_SHAPE(80), ty_key(2))};
    x[1] = ty_add(x[1], x[0]);
    ty_tensor *q = ty_from(TY_F64, TY_SHAPE(2), (double[]){0.025, 0.975});
    for (int m = 0; m < TY_BOOTSTRAPS; m++) {
        struct test_round round = test_round();
        ty_bootstrap_options o = {.resamples = resamples, .method = (ty_bootstrap_method)m};
        ty_bootstrap_parts b = ty_bootstrap(mean_of, NULL, 1, x, ty_key(3), o);
        double error = ty_item(ty_std(x[0], ty_axis(0), 0)) / sqrt(80), mean = ty_item(ty_mean(x[0], TY_ALL));
        CHECK_OK(b.low);
        CHECK(ty_size(b.distribution) == resamples, "the size of the distribution");
        ty_tensor *ends = ty_quantile(b.distribution, q, TY_ALL, NULL), *want[] = {b.low, b.high};
        if (m == TY_BOOTSTRAP_BASIC) ends = ty_flip(ty_sub(ty_num(2 * mean), ends), 0);
        if (m != TY_BOOTSTRAP_BCA)
            compare_near(ty_stack(2, want, 0), ends, 1e-12, 1e-12, "ends of the interval");
        if (!test_starving()) {
            CHECK(fabs(ty_item(b.error) / error - 1) < 0.06, "an error of %g, not %g", ty_item(b.error),
                  error);
            double near = m == TY_BOOTSTRAP_BCA ? 1.5 * error : 0.5 * error;
            CHECK(fabs(ty_item(b.low) - mean + 1.96 * error) < near &&
                      fabs(ty_item(b.high) - mean - 1.96 * error) < near,
                  "from %g to %g", ty_item(b.low), ty_item(b.high));
            /* the sample is skewed to the right, and so is the corrected interval */
            CHECK(m != TY_BOOTSTRAP_BCA || ty_item(b.high) > ty_item(ty_at(ends, "1")), "the correction");
        }
        o.alternative = TY_LESS;
        CHECK(isinf(ty_item(CHECK_OK(ty_bootstrap(mean_of, NULL, 1, x, ty_key(3), o).low))), "one-sided");
        test_round_end(round);
    }
    ty_bootstrap_options o = {.resamples = resamples, .paired = true};
    ty_bootstrap_parts b = ty_bootstrap(slope_of, NULL, 2, x, ty_key(3), o);
    double r = ty_item(ty_pearsonr(x[0], x[1], 0, (ty_test_options){0}).statistic);
    CHECK(ty_item(CHECK_OK(b.low)) < r && r < ty_item(b.high) && ty_item(b.high) <= 1, "pairs: %g to %g",
          ty_item(b.low), ty_item(b.high));
    o.paired = false;
    b = ty_bootstrap(difference_of, NULL, 2, x, ty_key(3), o);
    double error = sqrt((ty_item(ty_variance(x[0], TY_ALL)) + ty_item(ty_variance(x[1], TY_ALL))) / 80);
    CHECK(test_starving() || fabs(ty_item(CHECK_OK(b.error)) / error - 1) < 0.06, "two samples: %g, not %g",
          ty_item(b.error), error);
    b = ty_bootstrap(mean_of, NULL, 1, (ty_tensor *[]){ty_cast(x[0], TY_F32)}, ty_key(3), o);
    CHECK(ty_dtype_of(CHECK_OK(b.low)) == TY_F32 && ty_dtype_of(b.distribution) == TY_F32, "f32 stays f32");
}

/* ---- errors ---- */

static ty_tensor *none(void *context, ty_tensor *x) {
    (void)context, (void)x;
    return NULL;
}
static ty_tensor *many(void *context, ty_tensor *x) {
    (void)context;
    return ty_neg(ty_square(x));
}
static ty_tensor *count_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_argmax(x[0], TY_ALL);
}

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(2, 3)), *key = ty_key(1);
    ty_sampler_options o = {.draws = 4, .warmup = 3};
    CHECK_POISON(ty_nuts(NULL, NULL, x, key, o).draws, "nuts: f is NULL");
    CHECK_POISON(ty_nuts(none, NULL, x, key, o).draws, "nuts: the function returned NULL");
    CHECK_POISON(ty_hmc(many, NULL, x, key, o).logp,
                 "f returned f64 of 1 axes; expected one real number, such as ty_sum returns");
    CHECK_POISON(ty_metropolis(scaled, NULL, ty_num(1), key, o).accepted, "the start must be [chains, ...]");
    CHECK_POISON(ty_nuts(scaled, NULL, ty_ones(TY_I32, TY_SHAPE(2, 3)), key, o).draws,
                 "the start must be floating");
    CHECK_POISON(ty_nuts(scaled, NULL, x, ty_num(1), o).divergent, "key");
    o.depth = 21;
    CHECK_POISON(ty_nuts(scaled, NULL, x, key, o).leaps, "a depth of at most 20");
    o.depth = 0, o.target = 1;
    CHECK_POISON(ty_hmc(scaled, NULL, x, key, o).scale, "a target of 1 between 0 and 1");
    ty_bootstrap_options b = {.resamples = 10};
    CHECK_POISON(ty_bootstrap(NULL, NULL, 1, &x, key, b).low, "the statistic is NULL");
    CHECK_POISON(ty_bootstrap(count_of, NULL, 1, &x, key, b).low, "the statistic is of i64");
    CHECK_POISON(ty_bootstrap(mean_of, NULL, 1, (ty_tensor *[]){ty_num(1)}, key, b).error, "at least two");
    CHECK_POISON(ty_bootstrap(mean_of, NULL, 9, (ty_tensor *[]){x, x, x, x, x, x, x, x, x}, key, b).high,
                 "9 samples; expected");
    b.confidence = 2;
    CHECK_POISON(ty_bootstrap(mean_of, NULL, 1, &x, key, b).distribution, "confidence 2");
}

TESTS_MAIN(TEST(moments), TEST(adaptation), TEST(same), TEST(gibbs), TEST(diagnostics), TEST(bootstrap),
           TEST(refusals))
