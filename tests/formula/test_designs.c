/* Formulas over tables: textbook examples of R and of W. Greene, "Econometric analysis". */
#include <math.h>
#include <string.h>
#include <tyto/formula.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static void release_table(void *t) { ty_table_free(t); }
static void release_design(void *d) { ty_design_free(d); }
static void release_model(void *r) { ty_regression_free(r); }

/* A table that is being filled; the test owns each version. */
static ty_table *with_numbers(ty_table *t, const char *name, int64_t n, const double *values) {
    return test_own(ty_table_with(t, name, ty_from(TY_F64, 1, &n, values), NULL), release_table);
}
/* Add a column of words; entry i is words[codes(i)]. */
static ty_table *with_words(ty_table *t, const char *name, int64_t n, const int64_t *codes, int64_t count,
                            const char *const *words) {
    return test_own(ty_table_with_words(t, name, ty_from(TY_I64, 1, &n, codes), count, words), release_table);
}
static ty_table *empty(void) { return test_own(ty_table_new(0, NULL, NULL), release_table); }

static ty_design *design_of(const char *formula, const ty_table *t) {
    ty_design *d = test_own(ty_design_new(formula, t), release_design);
    CHECK(test_starving() || !*ty_design_error(d), "%s: %s", formula, ty_design_error(d));
    return d;
}
static ty_regression *fit(const ty_design *d, ty_family family) {
    return test_own(ty_regress_design(d, (ty_regression_options){.family = family}), release_model);
}

/* Check names between '|', coefficients and errors. */
static void check(const ty_regression *r, const char *names, const double *beta, const double *errors,
                  int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        size_t length = strcspn(names, "|");
        const char *name = ty_regression_name(r, i);
        CHECK(test_starving() || (name && strlen(name) == length && !strncmp(name, names, length)),
              "%s, not %s: %s", name ? name : "NULL", names, ty_regression_error(r));
        names += length + (names[length] != 0);
    }
    compare_near(ty_regression_part(r, TY_REGRESSION_COEFFICIENTS), ty_from(TY_F64, 1, &n, beta), 1e-11,
                 1e-14, "coefficients");
    compare_near(ty_regression_part(r, TY_REGRESSION_ERRORS), ty_from(TY_F64, 1, &n, errors), 1e-11, 0,
                 "errors");
}
static void check_number(double ours, double known, const char *what) {
    CHECK(test_starving() || fabs(ours - known) <= 1e-10 * fabs(known), "%s is %.15g, not %.15g", what, ours,
          known);
}

/* ---- R: example(lm), weights of plants by A. Dobson ---- */

static void plants(void) {
    static const double weight[] = {4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14,
                                    4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69};
    static const int64_t group[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const char *const words[] = {"Trt", "Ctl"};
    ty_table *t = with_words(with_numbers(empty(), "weight", 20, weight), "group", 20, group, 2, words);
    ty_regression *r = fit(design_of("weight ~ group", t), TY_FAMILY_GAUSSIAN);
    check(r, "(Intercept)|groupTrt", (double[]){5.032, -0.371},
          (double[]){0.220217695322908, 0.311434851400203}, 2);
    ty_regression_report o;
    ty_regression_describe(r, &o);
    check_number(sqrt(o.scale), 0.6963894982934, "the residual error");
    check_number(o.r_squared, 0.0730775989903852, "R^2");
    check_number(o.adjusted, 0.0215819100454067, "the adjusted R^2");
    check_number(o.test, 1.41910129736231, "F");
    check_number(o.test_p, 0.249023165973005, "its p-value");
    r = fit(design_of("weight ~ group - 1", t), TY_FAMILY_GAUSSIAN);
    check(r, "groupCtl|groupTrt", (double[]){5.032, 4.661}, (double[]){0.220217695322908, 0.220217695322908},
          2);
}

/* ---- R: example(glm), counts of a trial by A. Dobson ---- */

static void counts(void) {
    static const double seen[] = {18, 17, 15, 20, 10, 20, 25, 13, 12},
                        outcome[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    static const int64_t treatment[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    static const char *const words[] = {"1", "2", "3"};
    ty_table *t = with_words(with_numbers(with_numbers(empty(), "counts", 9, seen), "outcome", 9, outcome),
                             "treatment", 9, treatment, 3, words);
    ty_regression *r = fit(design_of("counts ~ factor(outcome) + treatment", t), TY_FAMILY_POISSON);
    check(r, "(Intercept)|factor(outcome)2|factor(outcome)3|treatment2|treatment3",
          (double[]){3.04452243772342, -0.454255272277597, -0.292987124681474, 0, 0},
          (double[]){0.170898651856441, 0.202170759193846, 0.192742345159793, 0.2, 0.2}, 5);
    ty_regression_report o;
    ty_regression_describe(r, &o);
    check_number(o.deviance, 5.12914107700115, "the deviance");
    check_number(o.null_deviance, 10.5814458637509, "the deviance of the constant");
    check_number(o.aic, 56.7613184019577, "AIC");
    CHECK(test_starving() || (o.converged && o.freedom == 4), "it has not converged");
}

/* ---- Greene's grades, table 21.1, of L. Spector and M. Mazzeo, 1980 ---- */

static void grades(void) {
    static const double gpa[] = {2.66, 2.89, 3.28, 2.92, 4,    2.86, 2.76, 2.87, 3.03, 3.92, 2.63,
                                 3.32, 3.57, 3.26, 3.53, 2.74, 2.75, 2.83, 3.12, 3.16, 2.06, 3.62,
                                 2.89, 3.51, 3.54, 2.83, 3.39, 2.67, 3.65, 4,    3.1,  2.39};
    static const double tuce[] = {20, 22, 24, 12, 21, 17, 17, 21, 25, 29, 20, 23, 23, 25, 26, 19,
                                  25, 19, 23, 25, 22, 28, 14, 26, 24, 27, 17, 24, 21, 23, 21, 19};
    static const int64_t better[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0,
                                     0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1};
    static const char *const words[] = {"no", "yes"};
    ty_table *t = with_words(with_numbers(with_numbers(empty(), "GPA", 32, gpa), "TUCE", 32, tuce), "grade",
                             32, better, 2, words);
    int64_t n = 32;
    ty_tensor *later = ty_ge(ty_iota(TY_I64, 1, &n, 0), ty_int(18));
    t = test_own(ty_table_with(t, "PSI", later, NULL), release_table);
    ty_regression *r = fit(design_of("grade ~ GPA + TUCE + PSI", t), TY_FAMILY_BINOMIAL);
    check(r, "(Intercept)|GPA|TUCE|PSITRUE",
          (double[]){-13.0213468581157, 2.82611259488932, 0.0951576613179094, 2.37868765509335},
          (double[]){4.9313242136027, 1.26294107562909, 0.141554205673694, 1.06456425449713}, 4);
    ty_regression_report o;
    ty_regression_describe(r, &o);
    check_number(o.log_likelihood, -12.889634222131416, "the log-likelihood");
    check_number(o.r_squared, 0.3740382953726187, "McFadden's R^2");
    check_number(o.test, 15.404190949005574, "the ratio of likelihoods");
    check_number(o.test_p, 0.0015018786820365808, "its p-value");
}

/* ---- other tables ---- */

static void other_tables(void) {
    static const double y[] = {1, 3, 2, 5, 4}, x[] = {1, 2, 3, 4, NAN}, later[] = {2, 7};
    static const int64_t codes[] = {0, 1, 0, 1, 2}, again[] = {1, 0}, unseen[] = {1, 2};
    static const char *const words[] = {"b", "a", "c"}, *const others[] = {"a", "b", "z"};
    ty_table *t =
        with_words(with_numbers(with_numbers(empty(), "y", 5, y), "x", 5, x), "g", 5, codes, 3, words);
    ty_design *d = design_of("y ~ x + g", t);
    CHECK(test_starving() || ty_design_columns(d) == 3, "a word of a dropped row has a column");
    ty_tensor *rows = ty_slice(CHECK_OK(ty_design_matrix(d)), 0, 0, 2, 1);
    compare_near(rows, ty_from(TY_F64, TY_SHAPE(2, 3), ((double[]){1, 1, 1, 1, 2, 0})), 0, 0,
                 "1, x, and whether g is b");
    ty_table *more = with_words(with_numbers(empty(), "x", 2, later), "g", 2, again, 3, others);
    compare_near(ty_design_apply(d, more), ty_from(TY_F64, TY_SHAPE(2, 3), ((double[]){1, 2, 1, 1, 7, 0})), 0,
                 0, "columns of another table");
    more = with_words(with_numbers(empty(), "x", 2, later), "g", 2, unseen, 3, others);
    CHECK_POISON(ty_design_apply(d, more), "g is \"z\" in row 1; the model has not seen it");
    CHECK_POISON(ty_design_apply(d, with_numbers(empty(), "x", 2, later)), "has no column \"g\"");
    CHECK_POISON(ty_design_apply(d, with_numbers(with_numbers(empty(), "x", 2, later), "g", 2, later)),
                 "g has numbers here, and had words in the model");
    ty_design *none = design_of("~ x", t);
    CHECK_POISON(ty_design_response(none), "no response");
    CHECK_POISON(ty_regression_failure(fit(none, TY_FAMILY_GAUSSIAN)), "no response");
    CHECK(!ty_design_name(d, 3) && !ty_design_name(d, -1) && !ty_design_failure(d),
          "names beyond the columns");
    ty_regression *r = fit(d, TY_FAMILY_GAUSSIAN);
    ty_regression_report o;
    ty_regression_describe(r, &o);
    CHECK(test_starving() || (o.rows == 4 && o.dropped == 1), "%d rows, %d dropped", (int)o.rows,
          (int)o.dropped);
}

TESTS_MAIN(TEST(plants), TEST(counts), TEST(grades), TEST(other_tables))
