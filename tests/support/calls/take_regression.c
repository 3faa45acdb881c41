/* Models, their options and results. */
#include <math.h>
#include <tyto/formula.h>
#include "tests/support/calls/take.h"

TAKE(ty_regression_values, ty_regression_values) {
    (void)name;
    return (ty_regression_values)take_enumerator(c, TY_REGRESSION_VALUES);
}

TAKE(ty_regression_options, ty_regression_options) {
    ty_regression_options o = {.confidence = take_real_option(c, 0), .tolerance = take_real_option(c, 0)};
    (void)name;
    if (calls_choose(c, 2)) o.family = (ty_family)take_enumerator(c, TY_FAMILIES);
    if (calls_choose(c, 2)) o.robust = (ty_robust)take_enumerator(c, TY_ROBUSTS);
    o.weights = calls_choose(c, 4) == 3 ? calls_tensor(c, "weights") : NULL;
    o.offset = calls_choose(c, 4) == 3 ? calls_tensor(c, "offset") : NULL;
    o.response = calls_choose(c, 4) == 3 ? "y\xff" : NULL;
    o.iterations = take_option(c, 0);
    if (o.iterations > CALLS_MOST) o.iterations = CALLS_MOST;
    return o;
}

TAKE(ty_lasso_options, ty_lasso_options) {
    ty_lasso_options o = {.share = take_real_option(c, 0), .iterations = take_option(c, 0)};
    (void)name;
    o.alphas = calls_choose(c, 4) == 3 ? calls_tensor(c, "alphas") : NULL;
    o.tolerance = take_real_option(c, 0);
    o.plain = calls_choose(c, 2);
    if (o.iterations == 0 || o.iterations > CALLS_MOST) o.iterations = CALLS_MOST;
    return o;
}

TAKE(ty_svm_options, ty_svm_options) {
    (void)name;
    return (ty_svm_options){
        .c = take_real_option(c, 0), .iterations = take_option(c, 0), .plain = calls_choose(c, 2)};
}

TAKE(ty_knn_options, ty_knn_options) {
    ty_knn_options o = {.inverse = calls_choose(c, 2)};
    o.distance = take_ty_distance_options(c, name);
    return o;
}

TAKE(ty_regression_report_p, ty_regression_report *) {
    (void)name;
    return calls_room(c, sizeof(ty_regression_report));
}

TAKE(owned_ty_regression_p, ty_regression *) {
    static const double elements[] = {1, 0, 1, 1, 1, 2, 1, 4}, targets[] = {1, 0, 3, 1};
    static const int64_t shape[] = {4, 2};
    ty_tensor *x = ty_from(TY_F64, 2, shape, elements), *y = ty_from(TY_F64, 1, shape, targets);
    int way = calls_refusal(c, 6);
    ty_regression_options o = {.family = way == 2 ? (ty_family)99 : (ty_family)0};
    if (way == 1 && !c->refusal) o = take_ty_regression_options(c, name);
    if (way == 1) o.weights = ty_poison("none");
    if (way == 3) y = ty_mul(y, ty_num(INFINITY));
    if (way == 4) return ty_regress_polynomial(y, y, -1, o);
    return ty_regress(way == 5 ? NULL : x, y, o);
}
/* For take_ty_table_p's columns. */
TAKE(formula, const char *) {
    static const char *const menu[] = {"y ~ x", "y ~ x * z", "~ poly(x, 2):z", "z ~", "\xff ~ x", "y ~ .^9"};
    (void)name;
    return menu[calls_choose(c, 6)];
}

/* A formula with an unknown column, a failed table, a formula that ends too early. */
TAKE(owned_ty_design_p, ty_design *) {
    ty_tensor *x = ty_iota(TY_F64, 1, (int64_t[]){4}, 0), *columns[] = {x, ty_mul(x, x)};
    (void)name;
    int way = calls_refusal(c, 4);
    ty_table *t = ty_table_new(way == 2 ? -1 : 2, (const char *const[]){"x", "y"}, columns);
    ty_design *d = ty_design_new(way == 1 ? "y ~ c" : way == 3 ? "y ~ log(" : "y ~ poly(x, 2)", t);
    ty_table_free(t);
    return d;
}
HANDLE(ty_design_p, ty_design, ty_design_free)
HANDLE(ty_regression_p, ty_regression, ty_regression_free)
