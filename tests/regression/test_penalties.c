/* Ridge, lasso, support vector machines and neighbours against scikit-learn, and conditions of their minima. */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

#define KNOWN(name, ...) static const double name[] = {__VA_ARGS__};
#include "tests/regression/sklearn_values.def"

enum { ROWS = 30, COLUMNS = 4 };
static ty_tensor *points(void) { return ty_from(TY_F64, TY_SHAPE(ROWS, COLUMNS), x); }
static ty_tensor *targets(void) { return ty_from(TY_F64, TY_SHAPE(ROWS), y); }
static ty_tensor *classes_of(int64_t n) {
    ty_tensor *all = ty_cast(ty_from(TY_F64, TY_SHAPE(ROWS), labels), TY_I64);
    return n == 2 ? ty_cast(ty_gt(all, ty_num(0)), TY_I64) : all;
}
static ty_tensor *vector(int64_t n, const double *values) { return ty_from(TY_F64, 1, &n, values); }

static void ridge(void) {
    const struct {
        double alpha;
        bool intercept;
        const double *known;
    } cases[] = {{0, true, ridge_0_1},      {0, false, ridge_0_0},  {0.5, true, ridge_0_5_1},
                 {0.5, false, ridge_0_5_0}, {20, true, ridge_20_1}, {20, false, ridge_20_0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_regression_parts r = ty_ridge(points(), targets(), cases[i].alpha, cases[i].intercept);
        compare_near(r.coefficients, vector(COLUMNS, cases[i].known), 1e-12, 1e-13, "coefficients of ridge");
        compare_near(r.intercept, ty_scalar(TY_F64, cases[i].known[COLUMNS]), 1e-12, 1e-13, "its constant");
        ty_regression_parts two = ty_ridge(points(), ty_stack(2, (ty_tensor *[]){targets(), targets()}, 1),
                                           cases[i].alpha, cases[i].intercept);
        compare_near(ty_at(two.coefficients, ":, 1"), r.coefficients, 1e-13, 1e-14, "two targets");
        ty_regression_parts lazy = ty_ridge(ty_lazy(points()), targets(), cases[i].alpha, cases[i].intercept);
        compare_near(ty_eval(lazy.determination), r.determination, 1e-13, 0, "lazily");
    }
    CHECK_POISON(ty_ridge(points(), targets(), -1, true).intercept, "alpha is -1; expected 0 or more");
    CHECK_POISON(ty_ridge(points(), points(), NAN, true).intercept, "alpha is nan");
    CHECK_POISON(ty_ridge(targets(), targets(), 1, true).intercept, "x must be [n,p]");
    CHECK_POISON(
        ty_ridge(ty_zeros(TY_F64, TY_SHAPE(0, 2)), ty_zeros(TY_F64, TY_SHAPE(0)), 1, true).coefficients,
        "x has 0 rows and 2 columns; expected at least one of each");
    CHECK_POISON(
        ty_ridge(ty_zeros(TY_F32, TY_SHAPE(3, 0)), ty_zeros(TY_F32, TY_SHAPE(3, 2)), 1, false).intercept,
        "x has 3 rows and 0 columns; expected at least one of each");
}

/* The sum of coefficients of ridge at x and y. */
static ty_tensor *ridge_sum(void *context, ty_tensor *const *operands) {
    (void)context;
    ty_regression_parts r = ty_ridge(operands[0], operands[1], 0.7, true);
    return ty_add(ty_sum(ty_square(r.coefficients), TY_ALL), ty_add(r.intercept, r.determination));
}
static void ridge_gradients(void) {
    ty_tensor *error = NULL, *operands[] = {points(), targets()};
    ty_check_report report;
    bool well = ty_check_gradient(ridge_sum, NULL, 2, operands, (ty_check_options){0}, &report, &error);
    CHECK(well || test_starving(), "%s", error ? ty_error(error) : "gradients differ");
}

static void lasso(void) {
    const struct {
        double alpha, share;
        bool plain;
        const double *known;
    } cases[] = {{0.01, 1, false, lasso_0_01_1_1},   {0.01, 1, true, lasso_0_01_1_0},
                 {0.1, 1, false, lasso_0_1_1_1},     {0.1, 1, true, lasso_0_1_1_0},
                 {0.1, 0.3, false, lasso_0_1_0_3_1}, {0.1, 0.3, true, lasso_0_1_0_3_0},
                 {5, 1, false, lasso_5_1_1},         {5, 1, true, lasso_5_1_0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_lasso_options o = {
            .alphas = ty_scalar(TY_F64, cases[i].alpha), .share = cases[i].share, .plain = cases[i].plain};
        ty_lasso_parts l = ty_lasso(points(), targets(), o);
        compare_near(l.coefficients, vector(COLUMNS, cases[i].known), 1e-9, 1e-10,
                     "coefficients of the lasso");
        compare_near(l.intercepts, ty_scalar(TY_F64, cases[i].known[COLUMNS]), 1e-9, 1e-10, "its constant");
        CHECK_OK(l.gaps);
        CHECK(test_starving() || (ty_item(l.converged) == 1 && fabs(ty_item(l.gaps)) < 1e-8), "the gap is %g",
              ty_item(l.gaps));
    }
}

/* The path begins where all coefficients are 0, and its points are those of single penalties. */
static void lasso_path(void) {
    ty_lasso_parts path = ty_lasso(points(), targets(), (ty_lasso_options){0});
    CHECK_OK(path.coefficients);
    if (!ty_ok(path.coefficients)) return;
    CHECK(ty_shape(path.coefficients)[0] == 100 && ty_shape(path.coefficients)[1] == COLUMNS,
          "the path's shape");
    CHECK(ty_item(ty_amax(ty_abs(ty_at(path.coefficients, "0")), TY_ALL)) < 1e-15,
          "the first penalty is too small");
    CHECK(ty_item(ty_amax(ty_abs(ty_at(path.coefficients, "1")), TY_ALL)) > 0,
          "the first penalty is too large");
    CHECK(ty_item(ty_all(path.converged, TY_ALL)) == 1, "the path has not converged");
    ty_tensor *alpha = ty_at(path.alphas, "60");
    compare_near(ty_lasso(points(), targets(), (ty_lasso_options){.alphas = alpha}).coefficients,
                 ty_at(path.coefficients, "60"), 1e-9, 1e-10, "one penalty of the path");
    ty_lasso_parts cut = ty_lasso(points(), targets(), (ty_lasso_options){.alphas = alpha, .iterations = 1});
    CHECK(test_starving() || (ty_item(cut.converged) == 0 && ty_item(cut.gaps) > 0), "one sweep is too few");
    static const double constant[] = {0.1, 1, 0.1, 2, 0.1, 4}, few[] = {1, 2, 4};
    ty_lasso_parts flat = ty_lasso(ty_from(TY_F64, TY_SHAPE(3, 2), constant), vector(3, few),
                                   (ty_lasso_options){.alphas = ty_scalar(TY_F64, 1e-3)});
    CHECK(test_starving() || ty_item(ty_at(flat.coefficients, "0")) == 0,
          "a constant column has a coefficient");
    CHECK_POISON(ty_lasso(points(), targets(), (ty_lasso_options){.share = 2}).gaps, "share is 2");
    CHECK_POISON(ty_lasso(points(), targets(), (ty_lasso_options){.alphas = ty_num(-1)}).gaps,
                 "alphas[0] is -1");
    CHECK_POISON(
        ty_lasso(ty_zeros(TY_F64, TY_SHAPE(0, 2)), ty_zeros(TY_F64, TY_SHAPE(0)), (ty_lasso_options){0}).gaps,
        "x has 0 rows and 2 columns; expected at least one of each");
    CHECK_POISON(ty_lasso(ty_mul(points(), ty_num(NAN)), targets(), (ty_lasso_options){0}).gaps,
                 "element 0 of x is nan");
}

static void machines(void) {
    const struct {
        double c;
        bool plain;
        int64_t classes;
        const double *known;
    } cases[] = {{0.1, false, 2, svm_0_1_1_2}, {0.1, false, 3, svm_0_1_1_3}, {0.1, true, 2, svm_0_1_0_2},
                 {0.1, true, 3, svm_0_1_0_3},  {1, false, 2, svm_1_1_2},     {1, false, 3, svm_1_1_3},
                 {1, true, 2, svm_1_0_2},      {1, true, 3, svm_1_0_3},      {30, false, 2, svm_30_1_2},
                 {30, false, 3, svm_30_1_3},   {30, true, 2, svm_30_0_2},    {30, true, 3, svm_30_0_3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t k = cases[i].classes == 2 ? 1 : cases[i].classes;
        ty_svm_options o = {.c = cases[i].c, .plain = cases[i].plain};
        ty_svm_parts v = ty_linear_svm(points(), classes_of(cases[i].classes), cases[i].classes, o);
        compare_near(v.coefficients, ty_from(TY_F64, TY_SHAPE(k, COLUMNS), cases[i].known), 1e-6, 1e-8,
                     "coefficients");
        compare_near(v.intercepts, vector(k, cases[i].known + k * COLUMNS), 1e-6, 1e-8,
                     "constants of machines");
        CHECK_OK(v.converged);
        CHECK(test_starving() || ty_item(ty_all(v.converged, TY_ALL)) == 1, "case %d has not converged",
              (int)i);
    }
    ty_svm_options one = {.iterations = 1, .c = 30};
    ty_svm_parts cut = ty_linear_svm(points(), classes_of(3), 3, one);
    CHECK(test_starving() || ty_item(ty_any(cut.converged, TY_ALL)) == 0, "one step is too few");
    CHECK_POISON(ty_linear_svm(points(), classes_of(3), 2, one).intercepts, "expected whole numbers 0..1");
    CHECK_POISON(ty_linear_svm(points(), classes_of(3), 1, one).intercepts, "1 classes; expected 2..65536");
    CHECK_POISON(ty_linear_svm(points(), points(), 3, one).intercepts, "x must be [n,p], and labels [n]");
    CHECK_POISON(ty_linear_svm(points(), classes_of(3), 3, (ty_svm_options){.c = -1}).intercepts, "c is -1");
}

static void neighbours(void) {
    ty_tensor *at = ty_from(TY_F64, TY_SHAPE(5, COLUMNS), queries);
    for (int inverse = 0; inverse < 2; inverse++) {
        ty_knn_options o = {.inverse = inverse};
        ty_tensor *means = vector(5, inverse ? knn_regress_distance : knn_regress_uniform);
        ty_tensor *shares =
            ty_from(TY_F64, TY_SHAPE(5, 3), inverse ? knn_classify_distance : knn_classify_uniform);
        compare_near(ty_knn_regress(points(), targets(), at, 4, o), means, 1e-12, 0, "means of neighbours");
        compare_near(ty_knn_classify(points(), classes_of(3), 3, at, 5, o), shares, 1e-12, 1e-15,
                     "shares of classes");
        ty_tensor *lazy = ty_eval(ty_knn_regress(ty_lazy(points()), targets(), at, 4, o));
        compare_near(lazy, means, 1e-12, 0, "lazily");
        ty_tensor *both = ty_stack(2, (ty_tensor *[]){targets(), targets()}, 1);
        compare_near(ty_at(ty_knn_regress(points(), both, at, 4, o), ":, 1"), means, 1e-12, 0, "two values");
    }
    CHECK_POISON(ty_knn_regress(points(), targets(), at, 31, (ty_knn_options){0}),
                 "31 neighbours of 30 points");
    CHECK_POISON(ty_knn_regress(points(), at, at, 3, (ty_knn_options){0}), "values [n] or [n,t]");
    CHECK_POISON(ty_knn_classify(points(), points(), 3, at, 3, (ty_knn_options){0}), "labels [n]");
    CHECK_POISON(ty_knn_classify(points(), classes_of(3), 0, at, 3, (ty_knn_options){0}), "0 classes");
}

TESTS_MAIN(TEST(ridge), TEST(ridge_gradients), TEST(lasso), TEST(lasso_path), TEST(machines),
           TEST(neighbours))
