/* Linear algebra as expressions against SciPy's values (scipy_tables.py). */
#include <tyto/expression.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

#define SIZES(...)                                                                                           \
    sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]) { __VA_ARGS__ }
#define REALS(...)                                                                                           \
    (const double[]) { __VA_ARGS__ }

static ty_tensor *tensor_of(bool complex_values, int rank, const int64_t *shape, const double *numbers) {
    return ty_from(complex_values ? TY_C128 : TY_F64, rank, shape, (const void *)numbers);
}

struct expected {
    const char *text;
    int which;
    bool complex_values;
    int rank;
    const int64_t *shape;
    const double *numbers;
};

static void compare(const struct expected *e, int n, const char *const *names, ty_tensor *const *values) {
    struct test_round round = test_round();
    ty_tensor *results[4];
    int count = ty_expressions(e->text, n, names, values, 4, results);
    CHECK(count > e->which, "%s: %d results", e->text, count);
    ty_tensor *got = CHECK_OK(results[e->which]);
    ty_tensor *want = tensor_of(e->complex_values, e->rank, e->shape, e->numbers);
    compare_near(ty_cast(got, ty_dtype_of(want)), want, 1e-9, 1e-10, "%s, result %d", e->text, e->which);
    test_round_end(round);
}

static void numbers_of_scipy(void) {
    const char *names[8];
    ty_tensor *values[8];
    int n = 0;
#define OPERAND(name, complex_values, sizes, numbers)                                                        \
    names[n] = #name;                                                                                        \
    values[n++] = tensor_of(complex_values, SIZES sizes, REALS numbers);
#define EXPRESSION(text, which, complex_values, sizes, numbers)                                              \
    compare(&(struct expected){text, which, complex_values, SIZES sizes, REALS numbers}, n, names, values);
#include "tests/ops/linalg/scipy.def"
}

TESTS_MAIN(TEST(numbers_of_scipy))
