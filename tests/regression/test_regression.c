/* Models against statsmodels, and degenerate data. */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* ---- statsmodels ---- */

#define LIST(...) ((const double[]){__VA_ARGS__})
#define DATA(name, ...) static const double name[] = {__VA_ARGS__};
#define MODEL(...)
#define PREDICTED(...)
#include "tests/regression/statsmodels_values.def"
#undef DATA
#undef MODEL
#undef PREDICTED

enum { ROWS = 40, COLUMNS = 3, LISTS = 6, NUMBERS = 8 };
static const double *const none = NULL;
struct known {
    const char *name;
    ty_family family;
    ty_robust robust;
    const double *y, *weights, *offset;
    const double *lists[LISTS]; /* in the order of ty_regression_values */
    const double *numbers;
};
struct predicted {
    const char *model;
    const double *lists[LISTS];
};
#define DATA(...)
#define MODEL(name, family, robust, y, weights, offset, beta, errors, statistics, p, low, high, numbers)     \
    {#name, family, robust, y, weights, offset, {beta, errors, statistics, p, low, high}, numbers},
#define PREDICTED(...)
static const struct known known[] = {
#include "tests/regression/statsmodels_values.def"
};
#undef MODEL
#undef PREDICTED
#define MODEL(...)
#define PREDICTED(model, ...) {#model, {__VA_ARGS__}},
static const struct predicted predicted[] = {
#include "tests/regression/statsmodels_values.def"
};

static ty_tensor *column(const double *values) {
    return values ? ty_from(TY_F64, TY_SHAPE(ROWS), values) : NULL;
}

static void release(void *r) { ty_regression_free(r); }
static ty_regression *own(ty_regression *r) { return test_own(r, release); }
/* Return the summary, "" without memory. */
static const char *summary_of(const ty_regression *r) {
    const char *text = test_text(ty_regression_summary(r));
    return text ? text : "";
}

static ty_regression *refit(const struct known *k) {
    ty_regression_options o = {.family = k->family, .robust = k->robust};
    o.weights = column(k->weights);
    o.offset = column(k->offset);
    return own(ty_regress(ty_from(TY_F64, TY_SHAPE(ROWS, COLUMNS), x), column(k->y), o));
}

static void check_numbers(const struct known *k, const ty_regression *r) {
    static const char *const names[] = {"log-likelihood", "AIC",  "BIC", "deviance", "R^2",
                                        "adjusted",       "test", "p"};
    ty_regression_report o;
    ty_regression_describe(r, &o);
    CHECK(o.converged && !o.separated && o.constant && o.rank == COLUMNS, "%s: has not converged", k->name);
    double ours[NUMBERS] = {o.log_likelihood, o.aic,      o.bic,  o.deviance,
                            o.r_squared,      o.adjusted, o.test, o.test_p};
    for (int i = 0; i < NUMBERS; i++)
        CHECK(fabs(ours[i] - k->numbers[i]) <= 1e-9 * (i < 7 ? fabs(k->numbers[i]) : 10 * k->numbers[i]) ||
                  (isnan(ours[i]) && isnan(k->numbers[i])),
              "%s: %s is %.17g, not %.17g", k->name, names[i], ours[i], k->numbers[i]);
}

static void models(void) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ty_regression *r = refit(&known[i]);
        CHECK(!*ty_regression_error(r), "%s: %s", known[i].name, ty_regression_error(r));
        for (int list = 0; list < LISTS; list++) {
            ty_tensor *want = ty_from(TY_F64, TY_SHAPE(COLUMNS), known[i].lists[list]);
            compare_near(ty_regression_part(r, (ty_regression_values)list), want, 1e-9, 0, "%s",
                         known[i].name);
        }
        check_numbers(&known[i], r);
    }
}

static void predictions(void) {
    static const double at[] = {1, 0, 0, 1, 2.5, -1, 1, -1, 3};
    const struct predicted *p = predicted;
    ty_regression *r = refit(&known[0]);
    CHECK(!strcmp(p->model, known[0].name), "the first model is %s", known[0].name);
    ty_prediction ours = ty_regression_predict(r, ty_from(TY_F64, TY_SHAPE(3, COLUMNS), at));
    ty_tensor *parts[] = {ours.mean, ours.error, ours.low, ours.high, ours.new_low, ours.new_high};
    for (int i = 0; i < LISTS; i++)
        compare_near(parts[i], ty_from(TY_F64, TY_SHAPE(3), p->lists[i]), 1e-11, 0, "predictions");
    CHECK_POISON(ty_regression_predict(r, ty_ones(TY_F64, TY_SHAPE(3, 2))).low, "x must be [m,3]");
}

/* ---- columns and rows that do not count ---- */

static ty_regression *fit(int64_t n, int64_t p, const double *rows, const double *y,
                          ty_regression_options o) {
    return own(ty_regress(ty_from(TY_F64, 2, (int64_t[]){n, p}, rows), ty_from(TY_F64, 1, &n, y), o));
}
static double number_at(const ty_regression *r, ty_regression_values which, int64_t i) {
    const double *values = ty_data(ty_regression_part(r, which));
    return values ? values[i] : NAN;
}

/* The third column is the sum of the first two, and the fourth is 0: R gives both NA. */
static void aliased_columns(void) {
    double rows[6 * 5], y[6];
    for (int i = 0; i < 6; i++) {
        double at = i, row[] = {1, at, 1 + at, 0, at * at};
        memcpy(rows + 5 * i, row, sizeof row);
        y[i] = 2 + 3 * at - at * at + (i % 2 ? 0.5 : -0.5);
    }
    ty_regression *r = fit(6, 5, rows, y, (ty_regression_options){0});
    ty_regression_report o;
    ty_regression_describe(r, &o);
    CHECK(o.rank == 3 && o.columns == 5 && o.freedom == 3, "rank %d", (int)o.rank);
    for (int i = 0; i < 5; i++)
        CHECK(isnan(number_at(r, TY_REGRESSION_COEFFICIENTS, i)) == (i == 2 || i == 3), "column %d", i);
    double kept[6 * 3];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++) kept[3 * i + j] = rows[5 * i + (int[]){0, 1, 4}[j]];
    ty_regression *less = fit(6, 3, kept, y, (ty_regression_options){0});
    for (int j = 0; j < 3; j++)
        CHECK(number_at(less, TY_REGRESSION_P, j) == number_at(r, TY_REGRESSION_P, (int[]){0, 1, 4}[j]),
              "p of %d", j);
    const char *text = summary_of(r);
    CHECK(strstr(text, "2 aliased columns") && strstr(text, "NA"), "%s", text);
}

/* Rows with NaN are dropped, rows of weight 0 do not count; results keep the places of rows. */
static void dropped_rows(void) {
    static const double rows[] = {1, 0, 1, 1, 1, NAN, 1, 3, 1, 4, 1, 5, 1, 6},
                        y[] = {1, 3, 2, 8, NAN, 10, 50};
    static const double heavy[] = {1, 1, 1, 1, 1, 1, 0}, few[] = {1, 0, 1, 1, 1, 3, 1, 5},
                        few_y[] = {1, 3, 8, 10};
    ty_regression *r =
        fit(7, 2, rows, y, (ty_regression_options){.weights = ty_from(TY_F64, TY_SHAPE(7), heavy)});
    ty_regression *want = fit(4, 2, few, few_y, (ty_regression_options){0});
    ty_regression_report o;
    ty_regression_describe(r, &o);
    CHECK(o.rows == 4 && o.dropped == 2, "%d rows, %d dropped", (int)o.rows, (int)o.dropped);
    for (int i = 0; i < TY_REGRESSION_FITTED; i++)
        compare_bits(ty_regression_part(r, (ty_regression_values)i),
                     ty_regression_part(want, (ty_regression_values)i), "without the rows");
    for (int i = 0; i < 7; i++) {
        bool missing = i == 2 || i == 4;
        CHECK(isnan(number_at(r, TY_REGRESSION_FITTED, i)) == missing, "fitted value %d", i);
        CHECK(isnan(number_at(r, TY_REGRESSION_LEVERAGES, i)) == missing, "leverage %d", i);
    }
    CHECK(number_at(r, TY_REGRESSION_LEVERAGES, 6) == 0, "a row of weight 0 has leverage");
}

/* As many coefficients as rows, and fewer rows than columns: no errors can be estimated. */
static void few_rows(void) {
    static const double rows[] = {1, 2, 3, 1, 5, 7}, y[] = {1, 4};
    for (int64_t p = 1; p <= 3; p++) {
        ty_regression *r = fit(1, p, rows, y, (ty_regression_options){0});
        ty_regression_report o;
        ty_regression_describe(r, &o);
        CHECK(o.rank == 1 && o.freedom == 0 && isnan(o.scale), "one row of %d columns: %s", (int)p,
              ty_regression_error(r));
        CHECK(isnan(number_at(r, TY_REGRESSION_ERRORS, 0)), "an error of one row");
    }
    ty_regression *r = fit(2, 3, rows, y, (ty_regression_options){0});
    const char *text = summary_of(r);
    CHECK(strstr(text, "No degrees of freedom") && isnan(number_at(r, TY_REGRESSION_COEFFICIENTS, 2)), "%s",
          text);
}

/* ---- searches ---- */

/* In all of them some coefficient is infinite; the last also has one that is not. */
static void separation(void) {
    static const double rows[] = {1, -3, 1, -2, 1, -1, 1, 1, 1, 2, 1, 3}, apart[] = {0, 0, 0, 1, 1, 1};
    static const double groups[] = {1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1}, events[] = {3, 5, 2, 0, 0, 0};
    static const double nearly[] = {0, 1, 0, 1, 1, 1};
    ty_regression *all[] = {fit(6, 2, rows, apart, (ty_regression_options){.family = TY_FAMILY_BINOMIAL}),
                            fit(6, 2, groups, events, (ty_regression_options){.family = TY_FAMILY_POISSON}),
                            fit(6, 2, groups, nearly, (ty_regression_options){.family = TY_FAMILY_BINOMIAL})};
    for (int i = 0; i < 3; i++) {
        ty_regression_report o;
        ty_regression_describe(all[i], &o);
        CHECK(!*ty_regression_error(all[i]) && o.separated && !o.converged, "%d: %d iterations %s", i,
              (int)o.iterations, ty_regression_error(all[i]));
        const char *text = summary_of(all[i]);
        CHECK(strstr(text, "Separated"), "%s", text);
    }
}

/* A search that is cut says so. */
static void limited_search(void) {
    ty_regression_options o = {.family = TY_FAMILY_BINOMIAL, .iterations = 2};
    ty_regression *r = own(ty_regress(ty_from(TY_F64, TY_SHAPE(ROWS, COLUMNS), x), column(binary), o));
    ty_regression_report report;
    ty_regression_describe(r, &report);
    const char *text = summary_of(r);
    CHECK(!report.converged && report.iterations == 2 && strstr(text, "Not converged after 2"), "%s", text);
}

/* Weights as numbers of trials give the fit of the single trials. */
static void trials(void) {
    static const double rows[] = {1, 0, 1, 1, 1, 2}, shares[] = {0.25, 0.5, 0.75}, numbers[] = {4, 2, 4};
    double single[20], outcomes[10];
    for (int i = 0, at = 0; i < 3; i++)
        for (int k = 0; k < numbers[i]; k++, at++) {
            single[2 * at] = 1, single[2 * at + 1] = i;
            outcomes[at] = k < shares[i] * numbers[i];
        }
    ty_regression_options o = {.family = TY_FAMILY_BINOMIAL};
    ty_regression *want = fit(10, 2, single, outcomes, o);
    o.weights = ty_from(TY_F64, TY_SHAPE(3), numbers);
    ty_regression *r = fit(3, 2, rows, shares, o);
    for (int i = 0; i < TY_REGRESSION_FITTED; i++)
        compare_near(ty_regression_part(r, (ty_regression_values)i),
                     ty_regression_part(want, (ty_regression_values)i), 1e-11, 1e-12, "trials");
}

/* Exact values are found again, of either sign; errors are those of the linearised model. */
static void exponentials(void) {
    for (int sign = -1; sign <= 1; sign += 2) {
        ty_tensor *at = ty_mul(ty_iota(TY_F64, TY_SHAPE(12), 0), ty_num(0.25));
        ty_tensor *y = ty_mul(ty_exp(ty_mul(at, ty_num(-0.7))), ty_num(3.0 * sign));
        ty_regression *r = own(ty_regress_exponential(at, y, (ty_regression_options){0}));
        CHECK(fabs(number_at(r, TY_REGRESSION_COEFFICIENTS, 0) - 3 * sign) < 1e-12 &&
                  fabs(number_at(r, TY_REGRESSION_COEFFICIENTS, 1) + 0.7) < 1e-12,
              "a is %g: %s", number_at(r, TY_REGRESSION_COEFFICIENTS, 0), ty_regression_error(r));
        ty_prediction p = ty_regression_predict(r, at);
        compare_near(p.mean, y, 1e-12, 0, "predictions of an exponential");
    }
    static const double t[] = {0, 1, 2, 3, 4, 5}, y[] = {5.1, 3.2, 1.9, 1.1, 0.8, 0.4};
    ty_regression *r = own(ty_regress_exponential(
        ty_from(TY_F64, TY_SHAPE(6), t), ty_from(TY_F64, TY_SHAPE(6), y), (ty_regression_options){0}));
    /* scipy.optimize.curve_fit(lambda x, a, b: a * np.exp(b * x), t, y, (5, -.5), ftol=1e-15, xtol=1e-15) */
    static const double want[] = {5.12220423623143, -0.490644252654925},
                        errors[] = {0.0641048451472936, 0.011432386742974};
    compare_near(ty_regression_part(r, TY_REGRESSION_COEFFICIENTS), ty_from(TY_F64, TY_SHAPE(2), want), 1e-9,
                 0, "curve_fit's coefficients");
    compare_near(ty_regression_part(r, TY_REGRESSION_ERRORS), ty_from(TY_F64, TY_SHAPE(2), errors), 1e-6, 0,
                 "curve_fit's errors");
    ty_tensor *noisy = ty_from(TY_F64, TY_SHAPE(6), LIST(5, 1, 4, 0.5, 3, 0.1));
    r = own(ty_regress_exponential(ty_from(TY_F64, TY_SHAPE(6), t), noisy,
                                   (ty_regression_options){.iterations = 1}));
    compare_near(
        ty_add(ty_regression_part(r, TY_REGRESSION_FITTED), ty_regression_part(r, TY_REGRESSION_RESIDUALS)),
        noisy, 1e-14, 0, "fitted and residual of a search that was cut");
}

/* The greatest degree fits; names are cut to 40 characters in the summary. */
static void limits(void) {
    ty_tensor *at = ty_div(ty_sub(ty_iota(TY_F64, TY_SHAPE(80), 0), ty_num(40)), ty_num(40)), *y = ty_exp(at);
    for (int degree = 63; degree <= 64; degree++) {
        ty_regression *r = own(ty_regress_polynomial(at, y, degree, (ty_regression_options){0}));
        CHECK(!*ty_regression_error(r) && ty_regression_name(r, degree), "%s", ty_regression_error(r));
        compare_near(ty_regression_part(r, TY_REGRESSION_FITTED), y, 1e-9, 0, "a polynomial of high degree");
    }
    static const double rows[] = {1, 1, 2, 1, 4, 1, 3, 2}, values[] = {1, 2, 4, 3};
    static const char *const names[][2] = {
        {"short", "thirty-nine letters of a name, one less"},
        {"short", "forty letters of a n\xc3\xa4me, th\xc3\xa4t is all fit"},
        {"short", "a name that is longer than 40 letters \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"}};
    for (int i = 0; i < 3; i++) {
        const char *text = summary_of(fit(4, 2, rows, values, (ty_regression_options){.names = names[i]}));
        CHECK(test_starving() || !strstr(text, names[i][1]) == (i == 2), "%s", text);
        CHECK(test_starving() || i < 2 || strstr(text, "than 40 letters .. "), "%s", text);
    }
}

/* ---- refusals ---- */

static void check_refused(ty_regression *r, const char *message) {
    CHECK(strstr(ty_regression_error(r), message), "\"%s\" does not say \"%s\"", ty_regression_error(r),
          message);
    CHECK_POISON(ty_regression_part(r, TY_REGRESSION_P), message);
}

static void refusals(void) {
    static const double rows[] = {1, 2, 1, 3, 1, INFINITY}, y[] = {1, 2, 3}, zeros[6] = {0},
                        missing[] = {NAN, NAN, NAN};
    static const double negative[] = {1, -1, 1};
    ty_regression_options o = {0}, poisson = {.family = TY_FAMILY_POISSON},
                          binomial = {.family = TY_FAMILY_BINOMIAL};
    ty_regression_options weighted = {.weights = ty_from(TY_F64, TY_SHAPE(3), negative)};
    check_refused(fit(3, 2, rows, y, o), "x[2,1] is inf; expected finite numbers");
    check_refused(fit(3, 2, zeros, y, o), "all 2 columns of x are 0");
    check_refused(fit(3, 1, rows, missing, o), "no row is left: 3 of 3 have missing values");
    check_refused(fit(0, 2, rows, y, o), "no row is left");
    check_refused(fit(3, 0, rows, y, o), "x has no columns");
    check_refused(fit(3, 1, rows, negative, poisson), "y[1] is -1; the poisson family expects 0 or more");
    check_refused(fit(3, 1, rows, y, binomial),
                  "y[1] is 2; the binomial family expects a number from 0 to 1");
    check_refused(fit(3, 1, rows, y, weighted), "weights[1] is -1; expected 0 or more");
    check_refused(fit(2, 1, rows, y, weighted), "weights has 3 rows; expected 2");
    check_refused(own(ty_regress_exponential(ty_from(TY_F64, TY_SHAPE(3), y),
                                             ty_from(TY_F64, TY_SHAPE(3), negative), o)),
                  "y[1] is -1; expected numbers of one sign");
    check_refused(
        own(ty_regress_exponential(ty_ones(TY_F64, TY_SHAPE(3)), ty_from(TY_F64, TY_SHAPE(3), y), o)),
        "all x are equal");
    check_refused(
        own(ty_regress_polynomial(ty_ones(TY_F64, TY_SHAPE(3)), ty_from(TY_F64, TY_SHAPE(3), y), 65, o)),
        "degree 65 is out of range; expected 0..64");
    static const double wide[] = {1, 1e200, INFINITY};
    check_refused(
        own(ty_regress_polynomial(ty_from(TY_F64, TY_SHAPE(2), wide), ty_from(TY_F64, TY_SHAPE(2), y), 2, o)),
        "power 2 of x[1] is inf; expected finite numbers");
    check_refused(own(ty_regress_polynomial(ty_from(TY_F64, TY_SHAPE(2), wide + 1),
                                            ty_from(TY_F64, TY_SHAPE(2), y), 1, o)),
                  "power 1 of x[1] is inf");
    check_refused(fit(3, 1, rows, y, (ty_regression_options){.confidence = 1}), "confidence is 1");
    check_refused(fit(3, 1, rows, y, (ty_regression_options){.family = (ty_family)9}), "unknown family 9");
}

TESTS_MAIN(TEST(models), TEST(predictions), TEST(aliased_columns), TEST(dropped_rows), TEST(few_rows),
           TEST(separation), TEST(limited_search), TEST(trials), TEST(exponentials), TEST(limits),
           TEST(refusals))
