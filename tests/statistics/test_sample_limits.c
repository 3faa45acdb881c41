/*
 * Tests of samples below, at and above each size at which they change their way (exact distributions, limits of many
 * elements): SciPy's values (limit_values.py), and refusals where a table ends.
 */
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const struct row {
    const char *expression;
    double digits, number;
} rows[] = {
#define SCIPY(expression, digits, number) {expression, digits, number},
#include "tests/statistics/limit_values.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void scipy_values(void) {
    for (int i = 0; i < ROWS; i += test_some(1, 1, 47)) {
        struct test_round round = test_round();
        ty_tensor *y = CHECK_OK(ty_expression(rows[i].expression, 0, NULL, NULL));
        compare_near(y, ty_num(rows[i].number), rows[i].digits, 1e-300, "%s", rows[i].expression);
        test_round_end(round);
    }
}

static ty_tensor *counted(int64_t n) { return ty_add(ty_iota(TY_F64, 1, &n, 0), ty_num(1)); }

static void tables_end(void) {
    ty_test_options exact = {.method = TY_METHOD_EXACT};
    for (int64_t more = test_starving() ? 1 : -1; more <= 1; more++) {
        ty_tensor *x = counted(2000 + more), *y = counted(170 + more);
        ty_tensor *wilcoxon = ty_wilcoxon(x, NULL, -1, exact).p;
        ty_tensor *kendall = ty_kendalltau(y, y, -1, exact).p;
        ty_tensor *shapiro = ty_shapiro(counted(5000 + more), -1).p;
        if (more <= 0) {
            /* All signs are +, and all pairs in order: two orders of 2^n, and of n!, which f64 holds no more. */
            compare_near(wilcoxon, ty_num(0), 0, 1e-300, "the rarest signs");
            compare_near(kendall, ty_num(0), 0, 1e-300, "the rarest order");
            CHECK_OK(shapiro);
        } else {
            CHECK_POISON(
                wilcoxon,
                "2001 elements are too many for an exact p, more than 2000; use TY_METHOD_ASYMPTOTIC");
            CHECK_POISON(kendall,
                         "171 pairs are too many for an exact p, more than 170; use TY_METHOD_ASYMPTOTIC");
            CHECK_POISON(shapiro, "5001 elements; expected at most 5000");
        }
    }
}

TESTS_MAIN(TEST(scipy_values), TEST(tables_end))
