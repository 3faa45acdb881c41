/* Random streams stay those of earlier releases: values recorded by streams.py, for every function that
   draws. */
#include <math.h>
#include <string.h>
#include <tyto/expression.h>
#include "array/dtype.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { MOST = 10 };
static const struct row {
    const char *expression;
    int n;
    double numbers[MOST];
} rows[] = {
#define STREAM(expression, n, ...) {expression, n, {__VA_ARGS__}},
#include "tests/ops/random/streams.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Instruction sets may differ by a few units in the last place, by the functions that shape a draw. */
static void streams(void) {
    for (int i = 0; i < ROWS; i++) {
        struct test_round round = test_round();
        ty_tensor *y = CHECK_OK(ty_expression(rows[i].expression, 0, NULL, NULL));
        double unit = ldexp(1, -dtype_table[ty_dtype_of(y)].digits);
        int64_t n = ty_size(y);
        CHECK(n == rows[i].n || test_starving(), "%s has %d numbers", rows[i].expression, (int)n);
        compare_near(ty_reshape(ty_cast(y, TY_F64), 1, &n), ty_from(TY_F64, 1, &n, rows[i].numbers),
                     64 * unit, 64 * unit, "%s", rows[i].expression);
        test_round_end(round);
    }
}

/* Every expression function with a key has a row above. */
static void every_function_is_there(void) {
    const char *line;
    for (int i = 0; (line = ty_expression_function(i)); i++) {
        char call[64] = "";
        const char *open = strchr(line, '(');
        if (!strstr(line, "key)") && !strstr(line, "key,") && !strstr(line, "key=")) continue;
        if (!strncmp(line, "fold_by(", 8) || !strncmp(line, "kmeans(", 7) ||
            !strncmp(line, "randomised_svd(", 15))
            continue; /* folding only computes keys; other functions' own tests cover their starts */
        memcpy(call, line, (size_t)(open - line) + 1);
        bool there = false;
        for (int k = 0; k < ROWS; k++) there = there || strstr(rows[k].expression, call);
        CHECK(there, "no stream of %s)", call);
    }
}

TESTS_MAIN(TEST(streams), TEST(every_function_is_there))
