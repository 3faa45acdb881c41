/* Sparse matrices through expressions: SciPy's values (scipy_values.py), eagerly, lazily and on the reference. */
#include <math.h>
#include <tyto/expression.h>
#include "tests/support/harness.h"
#include "tests/support/samples/sparse_samples.h"

static const struct row {
    const char *expression;
    double tolerance;
    int64_t n;
    const double *numbers;
} rows[] = {
#define SCIPY(expression, tolerance, ...)                                                                    \
    {expression, tolerance, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),                     \
     (const double[]){__VA_ARGS__}},
#include "tests/sparse/scipy_values.def"
};
enum { ROWS = sizeof rows / sizeof *rows, SIDE = 16 };

static const char *const names[] = {"v", "i", "s", "x", "m", "b", "pv", "pi", "ps"};
enum { INPUTS = sizeof names / sizeof *names };

static ty_tensor *counted(int64_t n) { return ty_arange(TY_F64, 0, n, 1); }

static void make_inputs(ty_tensor **x) {
    ty_tensor *e = counted(18);
    x[0] = ty_add(ty_cos(e), ty_mul(ty_num(0.1), e));
    x[1] = ty_cast(ty_mod(ty_add(ty_mul(ty_num(7), ty_square(e)), e), ty_num(9)), TY_I64);
    x[2] = ty_from(TY_I64, TY_SHAPE(9), (int64_t[]){0, 3, 3, 7, 9, 14, 15, 15, 18});
    x[3] = ty_sin(counted(9));
    x[4] = ty_reshape(ty_cos(counted(27)), TY_SHAPE(9, 3));
    x[5] = ty_sin(ty_add(counted(SIDE), ty_num(1)));
    ty_tensor *lines[] = {ty_add(ty_num(4), ty_cos(counted(SIDE))), ty_num(-1), ty_num(-1), ty_num(0.5),
                          ty_num(0.5)};
    ty_sparse p = ty_sparse_diagonals(5, lines, (int64_t[]){0, 1, -1, 4, -4}, SIDE, SIDE);
    x[6] = ty_cast(p.values, TY_F64);
    x[7] = p.indices;
    x[8] = p.starts;
}

static void compare_row(const struct row *row, ty_tensor *const *inputs, const char *how) {
    ty_tensor *y = ty_contiguous(ty_eval(ty_expression(row->expression, INPUTS, names, inputs)));
    const double *got = ty_data(CHECK_OK(y));
    CHECK(ty_size(y) == row->n, "%s (%s): %lld numbers, and not %lld", row->expression, how,
          (long long)ty_size(y), (long long)row->n);
    for (int64_t k = 0; k < row->n; k++)
        CHECK(fabs(got[k] - row->numbers[k]) <= row->tolerance * (1 + fabs(row->numbers[k])),
              "%s (%s): element %lld is %.17g, SciPy's %.17g", row->expression, how, (long long)k, got[k],
              row->numbers[k]);
}

static void scipy_values(void) {
    ty_tensor *x[INPUTS], *lazy[INPUTS];
    make_inputs(x);
    for (int k = 0; k < INPUTS; k++) lazy[k] = k == 0 || k == 3 || k == 4 ? ty_var(x[k], names[k]) : x[k];
    for (int k = 0; k < ROWS; k++) {
        struct test_round round = test_round();
        compare_row(&rows[k], x, "now");
        compare_row(&rows[k], lazy, "later");
        ty_use_engine("ref");
        if (rows[k].tolerance < 1e-10) compare_row(&rows[k], x, "on the reference");
        ty_use_engine("cpu");
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(scipy_values))
