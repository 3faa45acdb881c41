/* 2F1 and Jacobi polynomials against mpmath's values, their gradients against differences, their errors. */
#include <math.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const struct known {
    double value, operands[4];
} gauss[] = {
#define HYP2F1(value, ...) {value, {__VA_ARGS__}},
#define CANCEL(...)
#define JACOBI(...)
#include "tests/special/values.def"
};
static const struct known cancelling[] = {
#define HYP2F1(...)
#define CANCEL(value, ...) {value, {__VA_ARGS__}},
#define JACOBI(...)
#include "tests/special/values.def"
};
static const struct known jacobi[] = {
#define HYP2F1(...)
#define CANCEL(...)
#define JACOBI(value, ...) {value, {__VA_ARGS__}},
#include "tests/special/values.def"
};
enum { GAUSS = sizeof gauss / sizeof *gauss, JACOBI_VALUES = sizeof jacobi / sizeof *jacobi };

static ty_tensor *column(const struct known *k, int64_t n, int i, ty_dtype dtype) {
    double numbers[32];
    for (int64_t j = 0; j < n; j++) numbers[j] = i < 0 ? k[j].value : k[j].operands[i];
    return ty_cast(ty_from(TY_F64, 1, &n, numbers), dtype);
}

static void gauss_values(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32};
    for (int d = 0; d < 2; d++) {
        ty_tensor *o[4];
        for (int i = 0; i < 4; i++) o[i] = column(gauss, GAUSS, i, dtypes[d]);
        ty_tensor *y = CHECK_OK(ty_hyp2f1(o[0], o[1], o[2], o[3]));
        CHECK(ty_dtype_of(y) == dtypes[d], "the result is %s", ty_dtype_name(ty_dtype_of(y)));
        compare_near(y, column(gauss, GAUSS, -1, dtypes[d]), d ? 1e-6 : 1e-13, 0, "hyp2f1");
    }
    for (size_t k = 0; k < sizeof cancelling / sizeof *cancelling; k++) {
        const double *at = cancelling[k].operands, want = cancelling[k].value;
        ty_tensor *y = ty_hyp2f1(ty_num(at[0]), ty_num(at[1]), ty_num(at[2]), ty_scalar(TY_F64, at[3]));
        double got = ty_item(CHECK_OK(y));
        CHECK(isnan(got) || fabs(got - want) <= 1e-10 * fabs(want), "2F1, row %d: %.17g and not %.17g",
              (int)k, got, want);
        CHECK(k > 0 || isnan(got), "2F1 of the first row has no digits, but is %g", got);
    }
    ty_tensor *high = ty_hyp2f1(ty_num(-1500), ty_num(1.5), ty_num(2), ty_scalar(TY_F64, -0.5));
    compare_numbers(ty_expand(high, 0), NUMBERS((double)NAN), "a polynomial of more than 1000 terms");
    ty_tensor *far = ty_from(TY_F64, TY_SHAPE(5), (double[]){-9.5, 0.95, 2, (double)INFINITY, (double)NAN});
    ty_tensor *none = ty_hyp2f1(ty_num(0.5), ty_num(1), ty_num(2), far);
    compare_numbers(none, NUMBERS((double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN),
                    "outside");
}

static void jacobi_values(void) {
    for (int i = 0; i < JACOBI_VALUES; i++) {
        const double *o = jacobi[i].operands;
        ty_tensor *y =
            CHECK_OK(ty_eval_jacobi((int)o[0], ty_num(o[1]), ty_num(o[2]), ty_scalar(TY_F64, o[3])));
        compare_near(y, ty_scalar(TY_F64, jacobi[i].value), 1e-13, 1e-14, "degree %g", o[0]);
    }
}

/* The derivative by x is a b / c times the next function; those by a, b and c agree with differences. */
static void gradients(void) {
    double at[] = {0.5, 1.5, 2.25, -0.625};
    ty_tensor *o[4], *g[4];
    for (int i = 0; i < 4; i++) o[i] = ty_track(ty_scalar(TY_F64, at[i]), "operand");
    CHECK(ty_grad(ty_hyp2f1(o[0], o[1], o[2], o[3]), 4, o, g), "no gradient");
    for (int i = 0; i < 4; i++) {
        double y[2];
        for (int side = 0; side < 2; side++) {
            ty_tensor *x[4];
            for (int k = 0; k < 4; k++)
                x[k] = ty_scalar(TY_F64, at[k] + (k == i ? (side ? 1e-5 : -1e-5) : 0));
            y[side] = ty_item(CHECK_OK(ty_hyp2f1(x[0], x[1], x[2], x[3])));
        }
        compare_near(g[i], ty_scalar(TY_F64, (y[1] - y[0]) / 2e-5), 1e-8, 1e-9, "by operand %d", i);
    }
    ty_tensor *x = ty_track(ty_scalar(TY_F64, 0.25), "x"), *slope;
    CHECK(ty_grad(ty_eval_jacobi(5, ty_num(0.5), ty_num(1.5), x), 1, &x, &slope), "no gradient");
    ty_tensor *want = ty_mul(ty_num(4), ty_eval_jacobi(4, ty_num(1.5), ty_num(2.5), ty_scalar(TY_F64, 0.25)));
    compare_near(slope, want, 1e-12, 0, "of a polynomial");
}

static void shapes_and_refusals(void) {
    ty_tensor *a = ty_full(TY_F64, TY_SHAPE(3, 1), 0.5), *x = ty_full(TY_F32, TY_SHAPE(2), 0.25);
    ty_tensor *y = CHECK_OK(ty_hyp2f1(a, ty_int(1), ty_num(2), x));
    CHECK(ty_rank(y) == 2 && ty_shape(y)[0] == 3 && ty_shape(y)[1] == 2, "operands broadcast");
    CHECK(ty_size(CHECK_OK(ty_hyp2f1(ty_zeros(TY_F64, TY_SHAPE(0)), ty_num(1), ty_num(2), ty_num(0.5)))) == 0,
          "of nothing nothing");
    CHECK_POISON(ty_hyp2f1(a, ty_complex(0, 1), ty_num(2), x), "complex");
    CHECK_POISON(ty_hyp2f1(a, ty_zeros(TY_F64, TY_SHAPE(3, 4)), ty_num(2), x), "broadcast");
    CHECK_POISON(ty_eval_jacobi(-1, a, a, x), "degree");
    CHECK_POISON(ty_eval_jacobi(2, ty_poison("first"), a, x), "first");
}

TESTS_MAIN(TEST(gauss_values), TEST(jacobi_values), TEST(gradients), TEST(shapes_and_refusals))
