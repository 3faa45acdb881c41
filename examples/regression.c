/* Regression: the program of docs/regression.md, whose lines of code are taken from it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/formula.h>
#include <tyto/tyto.h>

enum { ROWS = 10 };

/* Return a table of homes. */
static ty_table *homes(void) {
    static const double area[ROWS] = {50, 62, 70, 75, 81, 90, 95, 104, 120, 133};
    static const double price[ROWS] = {151, 190, 205, 240, 236, 275, 268, 320, 345, 401};
    static const int64_t city[ROWS] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    ty_tensor *columns[] = {ty_from(TY_F64, TY_SHAPE(ROWS), area), ty_from(TY_F64, TY_SHAPE(ROWS), price)};
    ty_table *numbers = ty_table_new(2, (const char *const[]){"area", "price"}, columns);
    ty_tensor *codes = ty_from(TY_I64, TY_SHAPE(ROWS), city);
    ty_table *all = ty_table_with_words(numbers, "city", codes, 2, (const char *const[]){"Bern", "Ulm"});
    ty_table_free(numbers);
    return all;
}

static bool by_columns(ty_tensor *area, ty_tensor *y) {
    ty_tensor *x = ty_stack(2, (ty_tensor *[]){ty_ones_like(area), area}, 1);
    const char *const names[] = {"(Intercept)", "area"};
    ty_regression *r = ty_regress(x, y, (ty_regression_options){.names = names, .response = "price"});
    char *text = ty_regression_summary(r);
    if (text) fputs(text, stdout);
    ty_free(text);
    ty_tensor *b = ty_regression_part(r, TY_REGRESSION_COEFFICIENTS);
    ty_prediction p = ty_regression_predict(r, x); /* p.mean, p.error, p.low, p.high, p.new_low, p.new_high */
    ty_regression_free(r);
    return fabs(ty_item(ty_at(b, "1")) - 2.9055) < 1e-3 && ty_ok(p.new_low);
}

static bool by_formula(const ty_table *t) {
    ty_design *d = ty_design_new("price ~ log(area) * city", t);
    ty_regression *r = ty_regress_design(d, (ty_regression_options){.robust = TY_ROBUST_HC3});
    ty_prediction p = ty_regression_predict(r, ty_design_apply(d, t));
    if (*ty_regression_error(r)) printf("%s\n", ty_regression_error(r));
    bool named = ty_regression_name(r, 3) && !strcmp(ty_regression_name(r, 3), "log(area):cityUlm");
    ty_regression_free(r);
    ty_design_free(d);
    return named && ty_ok(p.mean);
}

/* Two principal components of columns, and back. */
static bool components(ty_tensor *x, double n) {
    ty_pca_parts c = ty_pca(x, 2);
    ty_tensor *scores = ty_matmul(ty_sub(x, c.mean), ty_transpose(c.components));
    ty_tensor *back = ty_add(ty_matmul(scores, c.components), c.mean);
    ty_tensor *all = ty_div(ty_sum(ty_square(ty_sub(x, c.mean)), TY_ALL), ty_num(n - 1)); /* the variance */
    ty_tensor *shares = ty_div(c.variances, all);
    return fabs(ty_item(ty_sum(shares, TY_ALL)) - 1) < 1e-12 &&
           ty_item(ty_amax(ty_abs(ty_sub(back, x)), TY_ALL)) < 1e-9;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_table *t = homes();
    ty_tensor *area = ty_table_column(t, "area"), *price = ty_table_column(t, "price");
    bool well = by_columns(area, price) && by_formula(t) &&
                components(ty_stack(2, (ty_tensor *[]){area, price}, 1), ROWS);
    ty_table_free(t);
    ty_close(scope);
    puts(well ? "ok" : "not as expected");
    return !well;
}
