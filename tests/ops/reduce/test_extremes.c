/*
 * Statistics for which naive sums would wrap, overflow or cancel: representable results are correct. Each row is an
 * expression that must be true, or the words of its error.
 */
#include <math.h>
#include <tyto/expression.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const struct row {
    const char *text, *refusal;
} rows[] = {
    /* means of integers are those of f64 */
    {"mean(big) == 4611686018427387904.0", NULL},
    {"variance(big) == 0 and std(big) == 0", NULL},
    {"mean(cast([255, 255, 255], u8)) == 255", NULL},
    {"abs(mean(nanoseconds) - 1.7e18) < 1e9", NULL},
    {"average(big, [1, 1, 2]) == 4611686018427387904.0", NULL},
    {"nanmean(big) == 4611686018427387904.0", NULL},
    {"all(cov([big, big]) == 0)", NULL},
    /* roots of sums of squares */
    {"std(cast([1e20, -1e20], f32)) == cast(1e20, f32)", NULL},
    {"abs(std([1e200, -1e200]) / 1e200 - 1) < 1e-15", NULL},
    {"abs(std([1e-200, -1e-200]) / 1e-200 - 1) < 1e-15", NULL},
    {"abs(norm([1e200, 1e200]) / 1e200 - sqrt(2.0)) < 1e-15", NULL},
    {"abs(norm([1e-200, 1e-200]) / 1e-200 - sqrt(2.0)) < 1e-15", NULL},
    {"abs(norm([1e200, 1e200], 3) / 1e200 - 2 ** (1 / 3)) < 1e-15", NULL},
    {"abs(norm(cast([3e38, 4e37], f32)) / 3.0265492e38 - 1) < 1e-6", NULL},
    {"norm([0.0, 0.0]) == 0 and norm([inf, 1]) == inf and is_nan(norm([nan, 1]))", NULL},
    {"norm(zeros((0,))) == 0", NULL},
    {"abs(norm([3e200 + 4e200j]) / 5e200 - 1) < 1e-15", NULL},
    {"all(abs(norm([[3e200, 4e200], [3, 4]], axis=1) / [5e200, 5] - 1) < 1e-15)", NULL},
    {"norm([1.0, 2], axis=7)", "axis 7"},
    /* quantiles */
    {"median([0, inf]) == inf", NULL},
    {"median([-inf, 3]) == -inf", NULL},
    {"is_nan(median([-inf, inf]))", NULL},
    {"median([1.7e308, 1.7e308]) == 1.7e308 and median([-1.7e308, 1.7e308]) == 0", NULL},
    {"nanmedian([nan, 0, inf]) == inf", NULL},
    {"all(quantile([0, 1, 2, 3], [0.125, 0.375, 0.625, 0.875], method=\"closest_observation\") == [0, 1, 1, "
     "3])",
     NULL},
    {"all(nanquantile([0, 1, nan, 2, 3], [0.125, 0.375, 0.625, 0.875], method=\"closest_observation\") == "
     "[0, 1, 1, 3])",
     NULL},
    {"median([[1, 2], [3, 4]], axis=5)", "axis 5"},
    {"nanquantile([[1, 2], [3, 4]], 0.5, axis=-3)", "axis -3"},
    {"average([[1, 2], [3, 4]], ones((2, 2)), axis=5)", "axis 5"},
    /* histograms */
    {"histogram([1.0, nan], 4)", "the range of the data is"},
    {"histogram([1.0, inf], 4)", "the range of the data is"},
    {"all(histogram([1.0, nan, 2, inf], 4, 0, 4)[0] == [0, 1, 1, 0])", NULL},
    {"histogram([1.0], 4, 3, 1)", "bins from 3 to 1"},
    {"histogram([1.0], 4, 0, inf)", "finite"},
    {"histogram([1.0], 4, nan, 1)", "finite"},
    {"histogram_edges([1.0], [0, 2, 1])", "must be non-decreasing"},
    {"histogram_edges([1.0], [0, nan, 1])", "NaN"},
    {"all(histogram(cast([0.9], f32), 10, 0, 1)[0] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])", NULL},
    {"all(histogram(cast([0.3, 0.6, 0.7], f32), 10, 0, 1)[0] == [0, 0, 0, 1, 0, 0, 1, 1, 0, 0])", NULL},
    /* empty softmax */
    {"sum(ones_like(softmax(zeros((3, 0)), 1))) == 0", NULL},
    {"sum(ones_like(log_softmax(zeros((0, 3)), 0))) == 0", NULL},
};

static ty_tensor *evaluate(const char *text) {
    static const char *const names[] = {"big", "nanoseconds"};
    int64_t big[] = {INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62}, times[6];
    for (int i = 0; i < 6; i++) times[i] = INT64_C(1700000000000000000) + i;
    ty_tensor *values[] = {ty_from(TY_I64, TY_SHAPE(3), big), ty_from(TY_I64, TY_SHAPE(6), times)};
    return ty_expression(text, 2, names, values);
}

static void extremes(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        ty_tensor *y = evaluate(rows[i].text);
        if (rows[i].refusal)
            CHECK_POISON(y, rows[i].refusal);
        else
            CHECK(ty_item(CHECK_OK(y)) == 1, "not true: %s", rows[i].text);
        test_round_end(round);
    }
}

/* Composites of half floats equal those of f32, rounded once, eagerly and lazily. */
static void halves(void) {
    static const char *const texts[] = {"softmax(x, -1)", "log_softmax(x, 0)", "logsumexp(x)",
                                        "gelu(x)",        "gelu_tanh(x)",      "silu(x)",
                                        "mish(x)",        "softsign(x)",       "elu(x)",
                                        "hard_swish(x)",  "hard_sigmoid(x)",   "leaky_relu(x)",
                                        "mean(x)",        "std(x, axis=1)",    "variance(x)",
                                        "norm(x)",        "norm(x, 3)",        "average(x, abs(x))",
                                        "cov(x)",         "corrcoef(x)",       "nanmean(x)",
                                        "nanvar(x)",      "trapezoid(x)",      "logcumsumexp(x, 1)"};
    ty_tensor *wide = ty_mul(ty_normal(TY_F32, TY_SHAPE(7, 40), ty_key(3)), ty_num(5));
    for (int half = TY_F16; half <= TY_BF16; half++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            struct test_round round = test_round();
            const char *const name = "x";
            ty_tensor *x = ty_cast(wide, (ty_dtype)half), *single = ty_cast(x, TY_F32), *lazy = ty_lazy(x);
            ty_tensor *want = ty_cast(ty_expression(texts[i], 1, &name, &single), (ty_dtype)half);
            compare_bits(ty_expression(texts[i], 1, &name, &x), want, "%s of %s", texts[i],
                         ty_dtype_name((ty_dtype)half));
            compare_bits(ty_expression(texts[i], 1, &name, &lazy), want, "lazy %s of %s", texts[i],
                         ty_dtype_name((ty_dtype)half));
            test_round_end(round);
        }
    ty_tensor *many = ty_softmax(ty_zeros(TY_F16, TY_SHAPE(70000)), 0); /* 1 / 70000, not 0 */
    CHECK(fabs(ty_item(ty_amax(many, TY_ALL)) * 70000 - 1) < 1e-2 || test_starving(), "equal logits");
}

TESTS_MAIN(TEST(extremes), TEST(halves))
