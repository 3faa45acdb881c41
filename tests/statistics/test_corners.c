/*
 * First derivatives of distributions where values are known without a formula: at ends of the support, at p = 0 and 1, at
 * parameters on the border of their domain.  They are limits from inside, by mpmath (end_values.py).
 */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

struct end {
    const char *function, *name;
    int n, fixed; /* parameters; how many of x and these are not compared */
    double at[4], first[4];
};
#define LIST(...)                                                                                            \
    { __VA_ARGS__ }
static const struct end rows[] = {
#define END(function, name, n, fixed, at, first) {function, name, n, fixed, LIST at, LIST first},
#include "tests/statistics/end_values.def"
    {"logcdf",
     "von_mises",
     2,
     0,
     {-3.14159265358979323846, 2, 0},
     {(double)INFINITY, -1.6977746579640079, -(double)INFINITY}},
    {"sf",
     "von_mises",
     2,
     0,
     {-3.14159265358979323846, 2, 0},
     {-0.0094487709145060963, 0, 0.0094487709145060963}},
    {"cdf",
     "von_mises",
     2,
     0,
     {3.14159265358979323846, 2, 0},
     {0.0094487709145060963, 0, -0.0094487709145060963}},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef ty_tensor *(*asked)(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *p);
static asked function_of(const char *name) {
    static const struct {
        const char *name;
        asked f;
    } all[] = {{"pdf", ty_pdf},       {"logpdf", ty_logpdf}, {"cdf", ty_cdf}, {"sf", ty_sf},
               {"logcdf", ty_logcdf}, {"logsf", ty_logsf},   {"ppf", ty_ppf}, {"isf", ty_isf}};
    int i = 0;
    while (strcmp(all[i].name, name)) i++;
    return all[i].f;
}

/* By a parameter that decides the order at an end where the density is infinite, two infinities may meet. */
static bool may_be_unknown(const struct end *e, double density, double want) {
    return !strcmp(e->function, "pdf") && isinf(density) && isinf(want);
}

static void check_one(const struct end *e, const char *how, int i, double got, double density) {
    double want = e->first[i];
    bool same = got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= 1e-10 * fabs(want) + 1e-14;
    CHECK(same || (isnan(got) && may_be_unknown(e, density, want)),
          "%s, %s of %s(%g, %g, %g, %g), derivative by %d: %.15g and not %.15g", how, e->function, e->name,
          e->at[0], e->at[1], e->at[2], e->at[3], i, got, want);
}

/* x alone, or beside a place where derivatives are finite: each has its own there. */
static void operands_of(const struct end *e, bool lazy, ty_tensor **x) {
    for (int i = 0; i <= e->n; i++) {
        ty_tensor *value = ty_scalar(TY_F64, e->at[i]);
        x[i] = lazy ? ty_var(value, "x") : ty_track(value, "x");
    }
}

static void check_reverse(const struct end *e, bool lazy) {
    struct test_round round = test_round();
    ty_tensor *x[4], *g[4];
    operands_of(e, lazy, x);
    ty_allow_unused(true);
    ty_tensor *y = CHECK_OK(function_of(e->function)(ty_distribution_named(e->name), x[0], e->n, x + 1));
    double value = ty_item(ty_eval(y));
    int from = e->fixed;
    CHECK(ty_grad(y, e->n + 1 - from, x + from, g), "%s", ty_error(g[0]));
    for (int i = from; i <= e->n; i++)
        check_one(e, lazy ? "lazy" : "eager", i, ty_item(ty_eval(g[i - from])), value);
    ty_allow_unused(false);
    test_round_end(round);
}

static void check_forward(const struct end *e) {
    struct test_round round = test_round();
    ty_allow_unused(true);
    for (int i = e->fixed; i <= e->n; i++) {
        ty_tensor *x[4], *moved, *one = ty_scalar(TY_F64, 1);
        operands_of(e, false, x);
        ty_tensor *y = CHECK_OK(function_of(e->function)(ty_distribution_named(e->name), x[0], e->n, x + 1));
        CHECK(ty_jvp(1, &y, 1, &x[i], &one, &moved), "%s", ty_error(moved));
        check_one(e, "forward", i, ty_item(moved), ty_item(y));
    }
    ty_allow_unused(false);
    test_round_end(round);
}

static void limits(void) {
    for (int i = 0; i < ROWS; i += test_some(1, 1, 41)) {
        check_reverse(&rows[i], false);
        if (i % 4 == 0) check_reverse(&rows[i], true);
        if (i % 4 == 1) check_forward(&rows[i]);
    }
}

/* The end of one element does not change the derivatives of the others. */
static void beside_others(void) {
    for (int i = 0; i < ROWS; i += test_some(3, 3, 41)) {
        const struct end *e = &rows[i];
        bool inverse = !strcmp(e->function, "ppf") || !strcmp(e->function, "isf");
        if (!inverse && !isfinite(e->at[0])) continue;
        struct test_round round = test_round();
        ty_tensor *p[3], *g[2];
        for (int k = 0; k < e->n; k++) p[k] = ty_scalar(TY_F64, e->at[k + 1]);
        ty_distribution d = ty_distribution_named(e->name);
        double inner = inverse ? 0.25 : ty_item(ty_ppf(d, ty_num(0.25), e->n, p));
        asked f = function_of(e->function);
        ty_tensor *one = ty_track(ty_scalar(TY_F64, inner), "one");
        ty_tensor *two = ty_track(ty_from(TY_F64, TY_SHAPE(2), (double[]){e->at[0], inner}), "two");
        ty_allow_unused(true);
        CHECK(ty_grad(CHECK_OK(f(d, one, e->n, p)), 1, &one, g), "%s", ty_error(g[0]));
        CHECK(ty_grad(ty_sum(CHECK_OK(f(d, two, e->n, p)), TY_ALL), 1, &two, g + 1), "%s", ty_error(g[1]));
        ty_allow_unused(false);
        CHECK(ty_item(g[0]) == ty_item(ty_get(g[1], TY_ITEMS(TY_AT(1)))), "%s of %s beside %g", e->function,
              e->name, e->at[0]);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(limits), TEST(beside_others))
