/* NIST's reference regressions: relative errors of coefficients, standard errors, residual deviation and R^2. */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum columns { POWERS, PLAIN, CONSTANT };

/* One set: y [n]; x [n], or [n, p - 1] for CONSTANT; exact results. */
struct set {
    const char *name;
    enum columns columns;
    int64_t p, n;
    const double *x, *y, *beta, *errors;
    double deviation, r_squared;
};
#define LIST(...) ((const double[]){__VA_ARGS__})
#define NIST(name, columns, p, x, y, beta, errors, deviation, r_squared)                                     \
    {#name, columns, p, (int64_t)(sizeof(y) / sizeof(double)), x, y, beta, errors, deviation, r_squared},
static const struct set sets[] = {
#include "tests/regression/nist.def"
};

/* Largest errors that pass, of coefficients and of standard errors; relative, but absolute where the result is 0. */
static const struct {
    const char *name;
    double beta, errors;
} limits[] = {{"Norris", 1e-13, 1e-13},   {"Pontius", 1e-13, 1e-13},  {"NoInt1", 1e-15, 1e-14},
              {"NoInt2", 1e-15, 1e-14},   {"Filip", 1e-12, 1e-12},    {"Longley", 1e-13, 1e-12},
              {"Wampler1", 1e-14, 1e-12}, {"Wampler2", 1e-12, 1e-12}, {"Wampler3", 1e-14, 1e-12},
              {"Wampler4", 1e-14, 1e-12}, {"Wampler5", 1e-14, 1e-12}};

static ty_regression *fit(const struct set *s) {
    ty_regression_options o = {0};
    ty_tensor *y = ty_from(TY_F64, 1, &s->n, s->y);
    if (s->columns == POWERS) return ty_regress_polynomial(ty_from(TY_F64, 1, &s->n, s->x), y, s->p - 1, o);
    int64_t width = s->columns == PLAIN ? 1 : s->p - 1;
    ty_tensor *x = ty_from(TY_F64, 2, (int64_t[]){s->n, width}, s->x);
    if (s->columns == CONSTANT) x = ty_concat(2, (ty_tensor *[]){ty_ones(TY_F64, TY_SHAPE(s->n, 1)), x}, 1);
    return ty_regress(x, y, o);
}

/* Return the largest error of values[n]: relative, absolute where the exact one is 0. */
static double error_of(ty_tensor *x, const double *want, int64_t n) {
    double most = 0, values[16];
    CHECK(ty_size(x) == n && ty_read(x, TY_F64, values), "%s", ty_error(x));
    for (int64_t i = 0; i < n; i++) {
        double error = fabs(values[i] - want[i]) / (want[i] == 0 ? 1 : fabs(want[i]));
        if (!(error <= most)) most = error;
    }
    return most;
}

/* The variance of a mean at a row of the data is that row's leverage times the residual variance. */
static void check_predictions(const struct set *s, const ty_regression *r, double scale) {
    if (s->columns != POWERS) return;
    ty_prediction p = ty_regression_predict(r, ty_from(TY_F64, 1, &s->n, s->x));
    ty_tensor *leverages = ty_regression_part(r, TY_REGRESSION_LEVERAGES);
    compare_near(p.error, ty_sqrt(ty_mul(leverages, ty_num(scale))), 1e-6, 0, s->name);
    compare_near(p.mean, ty_regression_part(r, TY_REGRESSION_FITTED), 1e-9, 0, s->name);
}

static void reference_sets(void) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const struct set *s = &sets[i];
        ty_regression *r = test_own(fit(s), (void (*)(void *))ty_regression_free);
        CHECK(!*ty_regression_error(r), "%s: %s", s->name, ty_regression_error(r));
        double beta = error_of(ty_regression_part(r, TY_REGRESSION_COEFFICIENTS), s->beta, s->p);
        double errors = error_of(ty_regression_part(r, TY_REGRESSION_ERRORS), s->errors, s->p);
        ty_regression_report report;
        ty_regression_describe(r, &report);
        double deviation = fabs(sqrt(report.scale) - s->deviation) / (s->deviation == 0 ? 1 : s->deviation);
        double r_squared = fabs(report.r_squared - s->r_squared);
        CHECK(!strcmp(limits[i].name, s->name), "limits of %s stand where %s is", limits[i].name, s->name);
        CHECK(beta <= limits[i].beta, "%s: coefficients are off by %g", s->name, beta);
        CHECK(errors <= limits[i].errors, "%s: standard errors are off by %g", s->name, errors);
        CHECK(deviation <= limits[i].errors, "%s: the residual deviation is off by %g", s->name, deviation);
        check_predictions(s, r, report.scale);
        CHECK(r_squared <= 1e-13, "%s: R^2 is off by %g", s->name, r_squared);
    }
}

TESTS_MAIN(TEST(reference_sets))
