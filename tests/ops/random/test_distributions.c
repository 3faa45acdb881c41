/*
 * Random numbers of many distributions: the same bits from both engines and any number of threads; moments;
 * Kolmogorov-Smirnov distance or chi-square from the exact distribution, with fixed keys.
 */
#include <math.h>
#include <stdlib.h>

#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { MANY = 100000 };

/* Define every distribution with one signature; parameters use both of its algorithms. */
#define DRAW(name, value)                                                                                    \
    static ty_tensor *draw_##name(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key) {          \
        return value;                                                                                        \
    }
DRAW(integers, ty_cast(ty_randint(TY_I64, rank, shape, ty_int(-5), ty_int(1000003), key), dtype))
DRAW(gamma, ty_random_gamma(dtype, rank, shape, ty_num(2.5), key))
DRAW(gamma_small, ty_random_gamma(dtype, rank, shape, ty_num(0.3), key))
DRAW(beta, ty_random_beta(dtype, rank, shape, ty_num(0.5), ty_num(3), key))
DRAW(poisson, ty_poisson(dtype, rank, shape, ty_num(3.5), key))
DRAW(poisson_large, ty_poisson(dtype, rank, shape, ty_num(100), key))
DRAW(binomial, ty_binomial(dtype, rank, shape, ty_num(20), ty_num(0.7), key))
DRAW(binomial_large, ty_binomial(dtype, rank, shape, ty_num(1000), ty_num(0.3), key))
DRAW(exponential, ty_exponential(dtype, rank, shape, ty_num(2), key))
DRAW(laplace, ty_laplace(dtype, rank, shape, ty_num(1), ty_num(2), key))
DRAW(logistic, ty_logistic(dtype, rank, shape, ty_num(1), ty_num(2), key))
DRAW(gumbel, ty_gumbel(dtype, rank, shape, ty_num(1), ty_num(2), key))
DRAW(cauchy, ty_cauchy(dtype, rank, shape, ty_num(1), ty_num(2), key))
DRAW(truncated, ty_truncated_normal(dtype, rank, shape, ty_num(-1), ty_num(2), key))

typedef ty_tensor *(*drawer)(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key);
static const struct {
    const char *name;
    drawer draw;
    bool exact; /* the same bits on every engine, since it uses no mathematical functions */
} draws[] = {{"integers", draw_integers, true},        {"gamma", draw_gamma, true},
             {"small gamma", draw_gamma_small, true},  {"beta", draw_beta, true},
             {"poisson", draw_poisson, true},          {"large poisson", draw_poisson_large, true},
             {"binomial", draw_binomial, true},        {"large binomial", draw_binomial_large, true},
             {"exponential", draw_exponential, false}, {"laplace", draw_laplace, false},
             {"logistic", draw_logistic, false},       {"gumbel", draw_gumbel, false},
             {"cauchy", draw_cauchy, false},           {"truncated", draw_truncated, false}};
enum { DRAWS = sizeof draws / sizeof *draws };

struct drawing {
    int which;
    ty_dtype dtype;
    int64_t n;
};

static ty_tensor *draw_it(const void *context) {
    const struct drawing *d = context;
    return draws[d->which].draw(d->dtype, 1, &d->n, ty_fold(ty_key(99), (uint64_t)d->n));
}

static void draws_agree(void) {
    static const int64_t sizes[] = {1, 7, 1500};
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_BF16};
    for (int i = 0; i < DRAWS; i++)
        for (int d = 0; d < 4; d++)
            for (int s = 0; s < 3; s++) {
                struct test_round round = test_round();
                struct drawing drawing = {i, dtypes[d], sizes[s]};
                double unit = draws[i].exact ? 0 : 64 * relative_ulp(dtypes[d]);
                compare_engines(draw_it, &drawing, unit, unit, "%s as %s", draws[i].name,
                                ty_dtype_name(dtypes[d]));
                test_round_end(round);
            }
}

static void draws_of_any_width(void) {
    static const int widths[] = {1, 2, 5};
    for (int i = 0; i < DRAWS; i++) {
        struct test_round round = test_round();
        ty_tensor *first = draws[i].draw(TY_F32, TY_SHAPE(20011), ty_key(3));
        for (int w = 0; w < 3; w++) {
            ty_set_threads(widths[w]);
            compare_bits(draws[i].draw(TY_F32, TY_SHAPE(20011), ty_key(3)), first, "%s, %d threads",
                         draws[i].name, widths[w]);
        }
        compare_bits(draws[i].draw(TY_F32, TY_SHAPE(7, 11, 13), ty_key(3)),
                     ty_reshape(ty_slice(first, 0, 0, 1001, 1), TY_SHAPE(7, 11, 13)), "%s in another shape",
                     draws[i].name);
        test_round_end(round);
    }
}

static void draws_by_promise(void) {
    for (int i = 0; i < DRAWS; i++) {
        struct test_round round = test_round();
        ty_tensor *lazy = draws[i].draw(TY_F64, TY_SHAPE(5, 30), ty_lazy(ty_key(4)));
        CHECK(ty_is_promise(CHECK_OK(lazy)), "%s: a promised key gives promised numbers", draws[i].name);
        compare_bits(ty_eval(lazy), draws[i].draw(TY_F64, TY_SHAPE(5, 30), ty_key(4)), "%s", draws[i].name);
        compare_bits(ty_eval(ty_add(lazy, ty_num(1))),
                     ty_add(draws[i].draw(TY_F64, TY_SHAPE(5, 30), ty_key(4)), ty_num(1)), "%s, fused",
                     draws[i].name);
        test_round_end(round);
    }
    ty_tensor *rate = ty_linspace(TY_F64, 0, 30, 40), *v = ty_var(rate, "rate");
    compare_bits(ty_eval(ty_poisson(TY_I32, TY_SHAPE(3, 40), v, ty_key(6))),
                 ty_poisson(TY_I32, TY_SHAPE(3, 40), rate, ty_key(6)), "a promised parameter");
}

static void split_keys(void) {
    ty_tensor *keys = CHECK_OK(ty_split_key(ty_key(1), 5));
    CHECK(ty_dtype_of(keys) == TY_U64 && ty_rank(keys) == 2 && ty_shape(keys)[0] == 5, "five keys");
    ty_tensor *drawn[6];
    for (int i = 0; i < 5; i++) {
        ty_tensor *key = ty_squeeze(ty_slice(keys, 0, i, i + 1, 1), 0);
        drawn[i] = ty_uniform(TY_F64, TY_SHAPE(8), key);
    }
    drawn[5] = ty_uniform(TY_F64, TY_SHAPE(8), ty_fold(ty_key(1), 0));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            CHECK(ty_item(ty_any(ty_eq(CHECK_OK(drawn[i]), drawn[j]), TY_ALL)) == 0,
                  "keys %d and %d share a number", i, j);
    compare_bits(ty_split_key(ty_key(1), 2), ty_slice(keys, 0, 0, 2, 1), "fewer keys are the first of more");
}

/* ---- against exact distributions
   ---------------------------------------------------------------------------- */

static double *doubles(ty_tensor *x) {
    double *out = test_room((size_t)ty_size(CHECK_OK(x)) * sizeof *out);
    CHECK(ty_read(x, TY_F64, out), "numbers must be readable");
    return out;
}

static void check_moments(const char *name, ty_tensor *x, double mean, double variance) {
    double *v = doubles(x), n = (double)ty_size(x), m = 0, s = 0;
    for (int64_t i = 0; i < ty_size(x); i++) m += v[i] / n;
    for (int64_t i = 0; i < ty_size(x); i++) s += (v[i] - m) * (v[i] - m) / n;
    CHECK(fabs(m - mean) < 4.5 * sqrt(variance / n), "%s: mean %g, expected %g", name, m, mean);
    CHECK(fabs(s - variance) < 20 * variance / sqrt(n), "%s: variance %g, expected %g", name, s, variance);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Check the Kolmogorov-Smirnov statistic: sqrt(n) times the greatest distance exceeds 2 once in 1500
   times. */
static void check_distance(const char *name, ty_tensor *x, double (*below)(double)) {
    double *v = doubles(x), n = (double)ty_size(x), distance = 0;
    qsort(v, (size_t)ty_size(x), sizeof *v, ascending);
    for (int64_t i = 0; i < ty_size(x); i++) {
        double p = below(v[i]);
        distance = fmax(distance, fmax(fabs(p - (double)i / n), fabs(p - (double)(i + 1) / n)));
    }
    CHECK(distance * sqrt(n) < 2, "%s: its distance is %g", name, distance * sqrt(n));
}

/* Check counts of 0 .. bins-1 against n p[k], without bins of few. The statistic has the mean bins and
   standard deviation sqrt(2 bins). */
static void check_counts(const char *name, ty_tensor *x, int bins, double (*chance)(int k)) {
    double *v = doubles(x), n = (double)ty_size(x), sum = 0;
    int64_t *counts = test_room((size_t)bins * sizeof *counts);
    int used = 0;
    for (int64_t i = 0; i < ty_size(x); i++) {
        CHECK(v[i] == floor(v[i]) && v[i] >= 0, "%s: %g is no count", name, v[i]);
        if (v[i] < bins) counts[(int)v[i]]++;
    }
    for (int k = 0; k < bins; k++) {
        double want = n * chance(k);
        if (want < 20) continue;
        sum += ((double)counts[k] - want) * ((double)counts[k] - want) / want;
        used++;
    }
    CHECK(sum < used + 4 * sqrt(2.0 * used) + 4, "%s: chi-square is %g in %d bins", name, sum, used);
}

static double tenth(int k) { return k < 10 ? 0.1 : 0; }

static void whole_numbers(void) {
    static const ty_dtype dtypes[] = {TY_I8, TY_U16, TY_I32, TY_U64};
    for (int d = 0; d < 4; d++) {
        ty_tensor *x = CHECK_OK(ty_randint(dtypes[d], TY_SHAPE(MANY), ty_int(0), ty_int(10), ty_key(21)));
        CHECK(ty_dtype_of(x) == dtypes[d], "the dtype that was asked for");
        check_counts("randint", x, 12, tenth);
    }
    ty_tensor *one = ty_randint(TY_I64, TY_SHAPE(50), ty_int(-7), ty_int(-6), ty_key(1));
    CHECK(ty_item(ty_all(ty_eq(one, ty_int(-7)), TY_ALL)) == 1, "one number only");
    /* three quarters of all 64-bit numbers: a biased method would draw the lower third twice as often */
    ty_tensor *wide = ty_randint(TY_U64, TY_SHAPE(MANY), ty_int(0),
                                 ty_from(TY_U64, TY_SCALAR, (uint64_t[]){3ULL << 62}), ty_key(2));
    check_moments("wide randint", ty_mul(ty_cast(wide, TY_F64), ty_num(0x1p-64)), 0.375, 0.75 * 0.75 / 12);
}

static double gamma_below(double x) { return ty_item(ty_gammainc(ty_num(2.5), ty_num(x))); }
static double gamma_small_below(double x) { return ty_item(ty_gammainc(ty_num(0.3), ty_num(x))); }
static double beta_below(double x) { return ty_item(ty_betainc(ty_num(0.5), ty_num(3), ty_num(x))); }

static void gamma_and_beta(void) {
    int64_t few = 3000, many = MANY;
    check_moments("gamma", draw_gamma(TY_F64, 1, &many, ty_key(31)), 2.5, 2.5);
    check_moments("small gamma", draw_gamma_small(TY_F64, 1, &many, ty_key(32)), 0.3, 0.3);
    check_moments("beta", draw_beta(TY_F64, 1, &many, ty_key(33)), 0.5 / 3.5, 1.5 / (3.5 * 3.5 * 4.5));
    check_distance("gamma", draw_gamma(TY_F64, 1, &few, ty_key(34)), gamma_below);
    check_distance("small gamma", draw_gamma_small(TY_F64, 1, &few, ty_key(35)), gamma_small_below);
    check_distance("beta", draw_beta(TY_F64, 1, &few, ty_key(36)), beta_below);
    compare_numbers(ty_random_gamma(TY_F64, TY_SHAPE(2), ty_num(0), ty_key(1)), NUMBERS(0, 0),
                    "a gamma of shape 0 is 0");
}

static double poisson_chance(int k) { return exp(k * log(3.5) - 3.5 - lgamma(k + 1)); }
static double poisson_large_chance(int k) { return exp(k * log(100) - 100 - lgamma(k + 1)); }
static double binomial_of(int n, double p, int k) {
    if (k > n) return 0;
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
}
static double binomial_chance(int k) { return binomial_of(20, 0.7, k); }
static double binomial_large_chance(int k) { return binomial_of(1000, 0.3, k); }

static void counts(void) {
    int64_t many = MANY;
    check_counts("poisson", draw_poisson(TY_F64, 1, &many, ty_key(41)), 30, poisson_chance);
    check_counts("large poisson", draw_poisson_large(TY_F64, 1, &many, ty_key(42)), 200,
                 poisson_large_chance);
    check_counts("binomial", draw_binomial(TY_F64, 1, &many, ty_key(43)), 22, binomial_chance);
    check_counts("large binomial", draw_binomial_large(TY_F64, 1, &many, ty_key(44)), 500,
                 binomial_large_chance);
    compare_numbers(ty_poisson(TY_I64, TY_SHAPE(3), ty_num(0), ty_key(1)), NUMBERS(0, 0, 0), "no events");
    compare_numbers(ty_binomial(TY_U8, TY_SHAPE(3), ty_num(9),
                                ty_from(TY_F64, TY_SHAPE(3), (double[]){0, 1, 1}), ty_key(1)),
                    NUMBERS(0, 9, 9), "certain");
}

static double exponential_below(double x) { return -expm1(-x / 2); }
static double laplace_below(double x) { return x < 1 ? exp((x - 1) / 2) / 2 : 1 - exp((1 - x) / 2) / 2; }
static double logistic_below(double x) { return 1 / (1 + exp((1 - x) / 2)); }
static double gumbel_below(double x) { return exp(-exp((1 - x) / 2)); }
static double cauchy_below(double x) { return atan((x - 1) / 2) / acos(-1) + 0.5; }

static void located(void) {
    int64_t many = MANY;
    static const ty_dtype dtypes[] = {TY_F32, TY_F64};
    for (int d = 0; d < 2; d++) {
        struct test_round round = test_round();
        check_distance("exponential", draw_exponential(dtypes[d], 1, &many, ty_key(51)), exponential_below);
        check_distance("laplace", draw_laplace(dtypes[d], 1, &many, ty_key(52)), laplace_below);
        check_distance("logistic", draw_logistic(dtypes[d], 1, &many, ty_key(53)), logistic_below);
        check_distance("gumbel", draw_gumbel(dtypes[d], 1, &many, ty_key(54)), gumbel_below);
        check_distance("cauchy", draw_cauchy(dtypes[d], 1, &many, ty_key(55)), cauchy_below);
        test_round_end(round);
    }
    ty_tensor *loc = ty_track(ty_zeros(TY_F64, TY_SHAPE(3)), "loc"), *gradient;
    CHECK(ty_grad(ty_sum(ty_laplace(TY_F64, TY_SHAPE(5, 3), loc, ty_num(1), ty_key(1)), TY_ALL), 1, &loc,
                  &gradient),
          "gradient");
    compare_numbers(gradient, NUMBERS(5, 5, 5), "of the sum by the location");
}

static double truncated_below(double x) {
    double low = erfc(sqrt(0.5)) / 2, high = 1 - erfc(sqrt(2)) / 2;
    return (erfc(-x * sqrt(0.5)) / 2 - low) / (high - low);
}

static void truncated(void) {
    int64_t many = MANY;
    ty_tensor *x = draw_truncated(TY_F64, 1, &many, ty_key(61));
    check_distance("truncated", x, truncated_below);
    CHECK(ty_item(ty_amin(x, TY_ALL)) >= -1 && ty_item(ty_amax(x, TY_ALL)) <= 2, "numbers beyond the ends");
    ty_tensor *tail =
        CHECK_OK(ty_truncated_normal(TY_F64, TY_SHAPE(1000), ty_num(9), ty_num(10), ty_key(62)));
    CHECK(ty_item(ty_amin(tail, TY_ALL)) >= 9 && ty_item(ty_amax(tail, TY_ALL)) <= 10,
          "a tail beyond its ends");
    CHECK(fabs(ty_item(ty_mean(tail, TY_ALL)) - 9.109) < 0.02, "the mean of a tail is %g",
          ty_item(ty_mean(tail, TY_ALL)));
    CHECK_POISON(ty_truncated_normal(TY_F32, TY_SHAPE(1), ty_num(2), ty_num(1), ty_key(1)),
                 "below the high end");
}

static void categories(void) {
    ty_tensor *p = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.2, 0.5, 0.3});
    ty_tensor *x = CHECK_OK(ty_categorical(ty_broadcast(ty_log(p), TY_SHAPE(MANY, 3)), -1, ty_key(71)));
    CHECK(ty_dtype_of(x) == TY_I64 && ty_rank(x) == 1, "indices");
    ty_tensor *n = ty_multinomial(ty_num(1000), ty_broadcast(p, TY_SHAPE(200, 3)), ty_key(72));
    double expected[] = {0.2, 0.5, 0.3};
    for (int k = 0; k < 3; k++) {
        double share = ty_item(ty_mean(ty_cast(ty_eq(x, ty_int(k)), TY_F64), TY_ALL));
        CHECK(fabs(share - expected[k]) < 0.008, "category %d has the share %g", k, share);
        ty_tensor *column = ty_squeeze(ty_slice(CHECK_OK(n), 1, k, k + 1, 1), 1);
        check_moments("multinomial", column, 1000 * expected[k], 1000 * expected[k] * (1 - expected[k]));
    }
    CHECK(ty_dtype_of(n) == TY_I64, "counts are i64");
    CHECK(ty_item(ty_all(ty_eq(ty_sum(n, ty_axis(1)), ty_int(1000)), TY_ALL)) == 1, "all trials are counted");
}

static void masks(void) {
    ty_tensor *mask = CHECK_OK(ty_dropout_mask(TY_F32, TY_SHAPE(MANY), 0.2, ty_key(81)));
    CHECK(fabs(ty_item(ty_mean(mask, TY_ALL)) - 1) < 0.01, "a mask keeps the mean");
    ty_tensor *either = ty_logical_or(ty_eq(mask, ty_num(0)), ty_eq(mask, ty_num(1.25)));
    CHECK(ty_item(ty_all(either, TY_ALL)) == 1, "0 or 1.25");
}

/* Parameters of any layout: each element has its own. */
static void parameters_along_axes(void) {
    ty_tensor *rate = ty_from(TY_F32, TY_SHAPE(3, 1), (float[]){0, 5, 500}),
              *n = ty_from(TY_I32, TY_SHAPE(4), (int32_t[]){0, 1, 1, 2});
    ty_tensor *x = CHECK_OK(ty_poisson(TY_F64, TY_SHAPE(3, 20000), rate, ty_key(91)));
    check_moments("the second row", ty_slice(x, 0, 1, 2, 1), 5, 5);
    check_moments("the third row", ty_slice(x, 0, 2, 3, 1), 500, 500);
    compare_numbers(ty_binomial(TY_I8, TY_SHAPE(2, 4), ty_flip(n, 0), ty_num(1), ty_key(1)),
                    NUMBERS(2, 1, 1, 0, 2, 1, 1, 0), "a flipped parameter");
    ty_tensor *key = ty_slice(ty_from(TY_U64, TY_SHAPE(4), (uint64_t[]){5, 9, 0, 9}), 0, 0, TY_END, 2);
    compare_bits(ty_poisson(TY_I64, TY_SCALAR, ty_num(50), key),
                 ty_poisson(TY_I64, TY_SCALAR, ty_num(50), ty_key(5)), "a strided key, one number");
    CHECK(ty_size(CHECK_OK(ty_poisson(TY_I64, TY_SHAPE(0, 3), ty_num(1), ty_key(1)))) == 0,
          "nothing to draw");
}

static void draw_errors(void) {
    ty_tensor *key = ty_key(1), *bad = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, -3});
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        CHECK_POISON(ty_poisson(TY_I64, TY_SHAPE(5, 2), bad, key), "-3");
        CHECK_POISON(ty_random_gamma(TY_F32, TY_SHAPE(2), bad, key), "shape parameter is -3");
        CHECK_POISON(ty_random_beta(TY_F32, TY_SHAPE(1), ty_num(0), ty_num(1), key), "positive");
        CHECK_POISON(ty_binomial(TY_I32, TY_SHAPE(2), ty_num(2), ty_num(1.5), key), "0..1");
        CHECK_POISON(ty_randint(TY_I32, TY_SHAPE(2), ty_int(3), ty_int(3), key), "low is 3 and high is 3");
    }
    CHECK_POISON(ty_randint(TY_F32, TY_SHAPE(2), ty_int(0), ty_int(3), key), "integers");
    CHECK_POISON(ty_random_gamma(TY_I32, TY_SHAPE(2), ty_num(1), key), "i32");
    CHECK_POISON(ty_poisson(TY_I32, TY_SHAPE(2), ty_complex(1, 1), key), "real");
    CHECK_POISON(ty_poisson(TY_I32, TY_SHAPE(2), ty_ones(TY_F32, TY_SHAPE(3)), key), "broadcast");
    CHECK_POISON(ty_poisson(TY_I32, TY_SHAPE(2), ty_num(1), ty_num(1)), "key");
    CHECK_POISON(ty_laplace(TY_I32, TY_SHAPE(2), ty_num(0), ty_num(1), key), "laplace");
    CHECK_POISON(ty_categorical(ty_ones(TY_F32, TY_SHAPE(2)), 1, key), "axis 1");
    CHECK_POISON(ty_multinomial(ty_num(3), ty_num(1), key), "categories");
    CHECK_POISON(ty_dropout_mask(TY_F32, TY_SHAPE(2), 1, key), "rate 1");
    CHECK_POISON(ty_fold(key, UINT64_MAX - 1), "smaller");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/random/distributions.def"
};
TESTS_MAIN_TABLE(cases)
