/*
 * Special functions at the last orders and degrees that they have, against mpmath (special_limits.py), and NaN beyond;
 * Jacobi polynomials of high degree by their value at 1.
 */
#include <math.h>
#include <stdio.h>
#include <tyto/expression.h>
#include <tyto/special.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const struct {
    const char *name;
    double order, x, value;
} rows[] = {
#define LIMIT(name, order, x, value) {#name, order, x, value},
#include "tests/ops/math/special_limits.def"
};

static ty_tensor *value_of(const char *name, double order, double x) {
    static const char *const names[] = {"n", "x"};
    char text[64];
    snprintf(text, sizeof text, "%s(n, x)", name);
    return CHECK_OK(ty_expression(text, 2, names, (ty_tensor *[]){ty_num(order), ty_num(x)}));
}

static void last_orders(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        compare_near(value_of(rows[i].name, rows[i].order, rows[i].x), ty_num(rows[i].value), 1e-12, 0,
                     "%s of %g", rows[i].name, rows[i].order);
        test_round_end(round);
    }
    CHECK(ty_item(value_of("kv", 1024, 0)) == INFINITY || test_starving(), "kv of 1024 has no pole");
    CHECK(ty_item(value_of("kve", -1024, 0)) == INFINITY || test_starving(), "kve of -1024 has no pole");
}

static void beyond(void) {
    static const struct {
        const char *name;
        double order;
    } nan[] = {{"jv", 1024},
               {"yv", 1024},
               {"iv", 1024},
               {"ive", 1024},
               {"kv", 1024},
               {"kve", 1024},
               {"struve", 32},
               {"modstruve", 32},
               {"struve", -8},
               {"modstruve", -8},
               {"jv", -1024},
               {"kv", -1024},
               {"eval_legendre", 1000},
               {"eval_chebyt", 1000},
               {"eval_chebyu", 1000},
               {"eval_laguerre", 1000}};
    for (size_t i = 0; i < sizeof nan / sizeof *nan; i++) {
        double order = nan[i].order == 1000 ? 1001 : nextafter(nan[i].order, 4 * nan[i].order);
        double y = ty_item(value_of(nan[i].name, order, 0.5));
        CHECK(isnan(y) || test_starving(), "%s of order %.17g is %g", nan[i].name, order, y);
    }
}

/* MOST_DEGREE of Jacobi polynomials: with both parameters 0 Legendre's, which are 1 at 1 and +-1 at -1. */
static void high_degrees(void) {
    for (int n = 9999; n <= 10001; n++) {
        ty_tensor *zero = ty_num(0), *x = CHECK_OK(ty_from(TY_F64, TY_SHAPE(2), (double[]){1, -1}));
        ty_tensor *y = ty_eval_jacobi(n, zero, zero, x);
        double want[] = {1, n % 2 ? -1 : 1};
        if (n <= 10000)
            compare_near(CHECK_OK(y), ty_from(TY_F64, TY_SHAPE(2), want), 1e-9, 0, "degree %d", n);
        else
            CHECK_POISON(y, "the degree is 10001; expected 0 to 10000");
    }
}

TESTS_MAIN(TEST(last_orders), TEST(beyond), TEST(high_degrees))
