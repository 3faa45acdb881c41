/* Norms, moments, functions that skip NaN, covariances; and composites of large values, with the same bits
   fused or not. */
#include <math.h>

#include "array/tensor.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const double infinite = (double)INFINITY;

static void norms(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){3, -4, 0, 1, 2, -2});
    compare_numbers(ty_norm(x, 2, ty_axis(1)), NUMBERS(5, 3), "norm 2");
    compare_numbers(ty_norm(x, 1, ty_axis(0)), NUMBERS(4, 6, 2), "norm 1");
    compare_numbers(ty_norm(x, 0, ty_axis(1)), NUMBERS(2, 3), "norm 0");
    compare_numbers(ty_norm(x, infinite, TY_ALL), NUMBERS(4), "norm of infinite order");
    compare_numbers(ty_norm(x, -infinite, TY_ALL), NUMBERS(0), "norm of minus infinite order");
    compare_near(ty_norm(x, 3, ty_axis(1)), ty_from(TY_F64, TY_SHAPE(2), (double[]){cbrt(91), cbrt(17)}),
                 1e-15, 0, "norm 3");
    ty_tensor *z = ty_from(TY_C64, TY_SHAPE(2), (void *)(float[]){3, 4, 0, -12});
    compare_numbers(ty_norm(z, 2, TY_ALL), NUMBERS(13), "norm of complex numbers");
    CHECK(ty_dtype_of(ty_norm(z, 1, TY_ALL)) == TY_F32, "norms of complex numbers are real");
    compare_numbers(ty_norm(ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){3, 4}), 2, TY_ALL), NUMBERS(5),
                    "norm of integers");
    ty_tensor *half = ty_full(TY_F16, TY_SHAPE(10000), 100);
    compare_numbers(ty_norm(half, 2, TY_ALL), NUMBERS(10000), "the squares do not overflow f16");
    ty_tensor *leaf = ty_track(ty_zeros(TY_F64, TY_SHAPE(3)), "x"), *gradient;
    CHECK(ty_grad(ty_norm(leaf, 2, TY_ALL), 1, &leaf, &gradient), "no gradient: %s", ty_error(gradient));
    compare_numbers(gradient, NUMBERS(0, 0, 0), "the slope of the norm at 0");
}

static void without_nan(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3, 3), (double[]){1, NAN, 3, NAN, NAN, NAN, -2, 4, infinite});
    compare_numbers(ty_nansum(x, ty_axis(1)), NUMBERS(4, 0, infinite), "nansum");
    compare_numbers(ty_nanprod(x, ty_axis(1)), NUMBERS(3, 1, -infinite), "nanprod");
    compare_numbers(ty_nanmax(x, ty_axis(1)), NUMBERS(3, NAN, infinite), "nanmax");
    compare_numbers(ty_nanmin(x, ty_axis(0)), NUMBERS(-2, 4, 3), "nanmin");
    compare_numbers(ty_nanargmax(x, ty_axis(1)), NUMBERS(2, 0, 2), "nanargmax");
    compare_numbers(ty_nanargmin(x, ty_axis(0)), NUMBERS(2, 2, 0), "nanargmin");
    compare_numbers(ty_nanmean(x, ty_axis(0)), NUMBERS(-0.5, 4, infinite), "nanmean");
    compare_numbers(ty_nanmean(x, ty_axis(1)), NUMBERS(2, NAN, infinite), "nanmean of nothing");
    compare_numbers(ty_nanvar(x, ty_axis(1), 0), NUMBERS(1, NAN, NAN), "nanvar");
    compare_numbers(ty_nanvar(ty_slice(x, 0, 0, 2, 1), ty_axis(1), 1), NUMBERS(2, NAN), "nanvar over n - 1");
    compare_numbers(ty_nanstd(ty_slice(x, 0, 0, 1, 1), TY_ALL, 0), NUMBERS(1), "nanstd");
    ty_tensor *whole = ty_from(TY_I8, TY_SHAPE(3), (int8_t[]){100, 100, -3});
    compare_numbers(ty_nansum(whole, TY_ALL), NUMBERS(197), "nansum of integers");
    compare_numbers(ty_nanmax(whole, TY_ALL), NUMBERS(100), "nanmax of integers");
}

static void spreads(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 4), (double[]){1, 2, 3, 4, -1, 5, 5, 7});
    compare_numbers(ty_variance_ddof(x, ty_axis(1), 1), NUMBERS(5.0 / 3, 12), "variance over n - 1");
    compare_numbers(ty_std(x, ty_axis(1), 0), NUMBERS(sqrt(1.25), 3), "std");
    CHECK(isnan(ty_item(ty_variance_ddof(ty_ones(TY_F32, TY_SHAPE(1)), TY_ALL, 1))),
          "no spread of one over 0");
    compare_numbers(ty_ptp(x, ty_axis(0)), NUMBERS(2, 3, 2, 3), "ptp");
    compare_numbers(ty_count_nonzero(ty_sub(x, ty_num(5)), ty_axis(1)), NUMBERS(4, 2), "count_nonzero");
    ty_tensor *weights = ty_from(TY_F64, TY_SHAPE(4), (double[]){1, 0, 0, 3});
    compare_numbers(ty_average(x, weights, ty_axis(1)), NUMBERS(3.25, 5), "average");
    compare_numbers(ty_average(x, x, TY_ALL), NUMBERS(130.0 / 26), "average by itself");
    ty_tensor *bytes = ty_full(TY_U8, TY_SHAPE(2, 3), 200);
    compare_numbers(ty_sum_as(bytes, ty_axis(0), TY_U8), NUMBERS(144, 144, 144), "sums in u8 wrap");
    compare_numbers(ty_prod_as(bytes, ty_axis(0), TY_F32), NUMBERS(40000, 40000, 40000), "products in f32");
    CHECK(ty_dtype_of(ty_prod_as(bytes, TY_ALL, TY_F32)) == TY_F32, "the dtype that was asked for");
}

static void variables(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){1, 2, 3, 6, 4, 2});
    compare_numbers(ty_cov(x, true, 1), NUMBERS(1, -2, -2, 4), "cov");
    compare_numbers(ty_cov(ty_transpose(x), false, 0), NUMBERS(2.0 / 3, -4.0 / 3, -4.0 / 3, 8.0 / 3),
                    "cov of columns");
    compare_numbers(ty_corrcoef(x, true), NUMBERS(1, -1, -1, 1), "corrcoef");
    CHECK(ty_rank(CHECK_OK(ty_cov(ty_slice(x, 0, 0, 1, 1), true, 1))) == 0, "one variable makes a number");
}

/* ---- composites of large values ---- */

static ty_tensor *softmax(ty_tensor *x) { return ty_softmax(x, 1); }
static ty_tensor *mean(ty_tensor *x) { return ty_mean(x, ty_axis(1)); }
static ty_tensor *variance(ty_tensor *x) { return ty_variance(x, ty_axis(0)); }
static ty_tensor *norm(ty_tensor *x) { return ty_norm(x, 2, TY_ALL); }
static ty_tensor *nansum(ty_tensor *x) { return ty_nansum(x, ty_axis(1)); }
static ty_tensor *logsumexp(ty_tensor *x) { return ty_logsumexp(x, ty_axis(1)); }

/* Composites give the same bits fused, and operator by operator on a tracked value. */
static void fused_composites(void) {
    static const struct {
        const char *name;
        ty_tensor *(*run)(ty_tensor *x);
    } composites[] = {{"softmax", softmax}, {"mean", mean},    {"variance", variance},   {"norm", norm},
                      {"nansum", nansum},   {"gelu", ty_gelu}, {"logsumexp", logsumexp}, {"silu", ty_silu}};
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(300, 500), -3, 3);
    for (size_t i = 0; i < sizeof composites / sizeof *composites; i++) {
        struct test_round round = test_round();
        ty_tensor *fused = CHECK_OK(composites[i].run(x)),
                  *plain = CHECK_OK(composites[i].run(ty_track(x, "x")));
        CHECK(!ty_is_promise(fused), "%s of a value is a promise", composites[i].name);
        CHECK(!fused->tracked && plain->tracked, "%s: only what is tracked remembers", composites[i].name);
        compare_bits(fused, plain, "%s", composites[i].name);
        CHECK(ty_is_promise(composites[i].run(ty_lazy(x))), "%s of a promise is computed",
              composites[i].name);
        test_round_end(round);
    }
}

/* ---- products without a matrix ---- */

struct product {
    const char *equation;
    ty_tensor *a, *b;
};
static ty_tensor *multiply(const void *context) {
    const struct product *p = context;
    return ty_einsum(p->equation, p->a, p->b);
}

static void flat_products(void) {
    static const char *const equations[] = {"ij,ij->",   "ij,ij->i", "ij,ij->j",
                                            "ij,ij->ji", "ij,j->ij", "ij,ij->ij"};
    for (int dtype = TY_I8; dtype < TY_DTYPES; dtype++)
        for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) {
            struct test_round round = test_round();
            ty_tensor *a = sample_shape((ty_dtype)dtype, TY_SHAPE(37, 70), 0, 3);
            ty_tensor *b = ty_transpose(sample_shape((ty_dtype)dtype, TY_SHAPE(70, 37), 0, 3));
            if (i == 4) b = ty_slice(sample_shape((ty_dtype)dtype, TY_SHAPE(140), 0, 3), 0, 0, TY_END, 2);
            struct product p = {equations[i], a, b};
            compare_engines(multiply, &p, 64 * relative_ulp((ty_dtype)dtype), 0, "einsum %s of %s",
                            equations[i], ty_dtype_name((ty_dtype)dtype));
            ty_tensor *lazy = ty_eval(ty_neg(ty_einsum(equations[i], ty_lazy(a), b)));
            compare_bits(lazy, ty_neg(multiply(&p)), "einsum %s of %s, fused", equations[i],
                         ty_dtype_name((ty_dtype)dtype));
            test_round_end(round);
        }
}

static void statistics_errors(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3));
    CHECK_POISON(ty_norm(x, NAN, TY_ALL), "the order is NaN");
    CHECK_POISON(ty_norm(x, 2, ty_axis(2)), "axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_average(x, ty_ones(TY_F32, TY_SHAPE(2)), ty_axis(1)),
                 "axis 1 has 3 elements, but there are 2 weights");
    CHECK_POISON(ty_average(x, ty_ones(TY_F32, TY_SHAPE(2)), TY_ALL), "the shape of the first");
    CHECK_POISON(ty_cov(ty_ones(TY_F32, TY_SHAPE(2, 3, 4)), true, 1), "one or two axes");
    CHECK_POISON(ty_nanmax(ty_zeros(TY_F32, TY_SHAPE(2, 0)), ty_axis(1)), "empty");
    ty_tensor *z = ty_from(TY_C128, TY_SHAPE(3), (void *)(double[]){1, 0, 0, 3, -2, 0}); /* from 1 to 3i */
    compare_numbers(ty_imag(ty_ptp(z, TY_ALL)), NUMBERS(3), "imaginary part of a complex range");
    compare_numbers(ty_real(ty_ptp(z, TY_ALL)), NUMBERS(-1), "real part of a complex range");
    CHECK_POISON(ty_nanvar(ty_norm(x, NAN, TY_ALL), TY_ALL, 0), "the order is NaN");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/reduce/statistics.def"
};
TESTS_MAIN_TABLE(cases)
