/*
 * Parameters outside a distribution's domain are refused with name, value and domain; draws at the ends of the domains
 * have the theoretical moments.
 */
#include <math.h>
#include <tyto/expression.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const struct row {
    const char *text, *refusal; /* NULL: a bool that must be true */
} rows[] = {
    {"randint(4, 0, 300, key, dtype=u8)", "high is 300; the dtype does not hold all numbers"},
    {"randint(4, -1, 3, key, dtype=u8)", "the dtype does not hold"},
    {"randint(4, -129, 0, key, dtype=i8)", "the dtype does not hold"},
    {"all(randint(200, 0, 256, key, dtype=u8) <= 255)", NULL},
    {"all(randint(200, -128, 128, key, dtype=i8) >= -128)", NULL},
    {"randint(4, 3, 3, key)", "low must be below high"},
    {"bernoulli(4, 1.5, key)", "probability 1.5 is out of range; expected 0..1"},
    {"bernoulli(4, nan, key)", "probability nan is out of range; expected 0..1"},
    {"exponential(4, -1, key)", "the scale is -1; expected 0 or more"},
    {"exponential(4, [1, 2, -3, 4], key)", "the scale is -3"},
    {"exponential(4, nan, key)", "the scale is nan"},
    {"all(exponential(4, 0, key) == 0)", NULL},
    {"laplace(4, 0, -2, key)", "laplace: the scale is -2; expected 0 or more"},
    {"logistic(4, 0, -2, key)", "logistic: the scale is -2"},
    {"gumbel(4, 0, -2, key)", "gumbel: the scale is -2"},
    {"cauchy(4, 0, -2, key)", "cauchy: the scale is -2"},
    {"random_gamma(4, -1, key)", "0 or more"},
    {"random_beta(4, 0, 1, key)", "positive"},
    {"poisson(4, -1, key)", "0..1e18"},
    {"poisson(4, 1e19, key)", "0..1e18"},
    {"binomial(4, -1, 0.5, key)", "number of trials"},
    {"binomial(4, 9, 1.5, key)", "probability"},
    {"truncated_normal(4, 2, 1, key)", "the low end is 2; expected below the high end"},
    {"truncated_normal(4, nan, 1, key)", "low end"},
    {"multinomial(5, [0.5, -0.1, 0.6], key)", "the probability is -0.1"},
    {"multinomial(5, [0.0, 0.0], key)", "the sum of the probabilities is 0; expected above 0"},
    {"multinomial(-5, [0.5, 0.5], key)", "number of trials"},
    {"categorical([0.0, nan], key)", "a number"},
    {"choice(3, 2, key, p=[0.5, -0.5, 1])", "-0.5"},
};

static void domains(void) {
    const char *const name = "key";
    ty_tensor *key = ty_key(7);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        ty_tensor *y = ty_expression(rows[i].text, 1, &name, &key);
        if (rows[i].refusal)
            CHECK_POISON(y, rows[i].refusal);
        else
            CHECK(ty_item(CHECK_OK(y)) == 1, "not true: %s", rows[i].text);
        test_round_end(round);
    }
    ty_tensor *lazy =
        ty_exponential(TY_F64, TY_SHAPE(3), ty_lazy(ty_from(TY_F64, TY_SHAPE(3), (double[]){1, -1, 2})), key);
    compare_numbers(ty_is_nan(lazy), NUMBERS(0, 1, 0),
                    "a promised scale outside of its domain makes NaN there");
}

/* Check mean and variance of n draws against theory. */
static void moments(const char *what, ty_tensor *x, double mean, double variance) {
    double n = (double)ty_size(x), got_mean = ty_item(ty_mean(CHECK_OK(x), TY_ALL));
    double got_variance = ty_item(ty_variance(x, TY_ALL));
    if (test_starving()) return;
    CHECK(fabs(got_mean - mean) < 5 * sqrt(variance / n), "%s: mean %.17g, in theory %.17g", what, got_mean,
          mean);
    CHECK(fabs(got_variance / variance - 1) < 5 * sqrt(2 / n), "%s: variance %.6g of theory", what,
          got_variance / variance);
}

static void far_ends(void) {
    enum { MANY = 20000 };
    static const double rates[] = {12, 1e3, 1e6, 1e12, 1e15, 1e17, 1e18};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct test_round round = test_round();
        moments("poisson", ty_poisson(TY_F64, TY_SHAPE(MANY), ty_num(rates[i]), ty_key(i)), rates[i],
                rates[i]);
        test_round_end(round);
    }
    static const struct {
        double n, p;
    } trials[] = {{40, 0.3},     {1e4, 0.5},    {1e9, 1e-6},    {0x1p40, 0.25},
                  {0x1p52, 0.5}, {0x1p53, 0.4}, {0x1p53, 1e-12}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        struct test_round round = test_round();
        double n = trials[i].n, p = trials[i].p;
        moments("binomial", ty_binomial(TY_F64, TY_SHAPE(MANY), ty_num(n), ty_num(p), ty_key(i)), n * p,
                n * p * (1 - p));
        test_round_end(round);
    }
}

/* Far in the tail the distance from the truncation point is nearly exponential, with that point as its
   rate (1 / (a + 1/a)). */
static void tails(void) {
    static const double ends[] = {3, 5, 12, 20, 40, 100};
    for (int dtype = TY_F32; dtype <= TY_F64; dtype++)
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            for (int side = -1; side <= 1; side += 2) {
                struct test_round round = test_round();
                double a = ends[i], low = side < 0 ? -a - 1 : a, high = side < 0 ? -a : a + 1;
                ty_tensor *x = ty_truncated_normal((ty_dtype)dtype, TY_SHAPE(4000), ty_num(low), ty_num(high),
                                                   ty_key(i));
                ty_tensor *inside = ty_logical_and(ty_ge(CHECK_OK(x), ty_num(low)), ty_le(x, ty_num(high)));
                CHECK(ty_item(ty_all(inside, TY_ALL)) == 1 || test_starving(), "outside of %g..%g", low,
                      high);
                ty_tensor *way = ty_sub(ty_abs(ty_cast(x, TY_F64)), ty_num(a));
                double mean = ty_item(ty_mean(way, TY_ALL)) * a,
                       rounding = dtype == TY_F32 ? a * a * 1e-7 : 0;
                double theory =
                    1 - 1 / (a * a) + 2.5 / (a * a * a * a); /* Mills' ratio; the far end is negligible */
                CHECK(test_starving() || fabs(mean - theory) < 0.09 + rounding + (a < 4 ? 0.15 : 0),
                      "[%g, %g] of %s: mean distance %g / %g, in theory %g / %g", low, high,
                      ty_dtype_name((ty_dtype)dtype), mean, a, theory, a);
                test_round_end(round);
            }
}

TESTS_MAIN(TEST(domains), TEST(far_ends), TEST(tails))
