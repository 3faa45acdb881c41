/* A fitted model as JSON. */
#include <math.h>
#include "tools/fit.h"
#include "tools/options/result.h"

static void add_report(const ty_regression_report *o) {
    const struct {
        const char *name;
        double number;
    } numbers[] = {{"scale", o->scale},
                   {"r_squared", o->r_squared},
                   {"adjusted_r_squared", o->adjusted},
                   {"test", o->test},
                   {"test_freedom", o->test_freedom},
                   {"test_p", o->test_p},
                   {"log_likelihood", o->log_likelihood},
                   {"aic", o->aic},
                   {"bic", o->bic},
                   {"deviance", o->deviance},
                   {"null_deviance", o->null_deviance}};
    const struct {
        const char *name;
        int64_t count;
    } counts[] = {{"rows", o->rows},
                  {"dropped", o->dropped},
                  {"rank", o->rank},
                  {"freedom", o->freedom},
                  {"iterations", o->iterations}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) result_whole(counts[i].name, counts[i].count);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        result_number(numbers[i].name, numbers[i].number);
    result_flag("converged", o->converged);
    result_flag("separated", o->separated);
}

void fit_json(const char *formula, const ty_regression *r) {
    static const struct {
        const char *name;
        ty_regression_values which;
    } columns[] = {{"estimate", TY_REGRESSION_COEFFICIENTS},
                   {"error", TY_REGRESSION_ERRORS},
                   {"statistic", TY_REGRESSION_STATISTICS},
                   {"p", TY_REGRESSION_P},
                   {"low", TY_REGRESSION_LOW},
                   {"high", TY_REGRESSION_HIGH}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    ty_regression_report o;
    ty_regression_describe(r, &o);
    result_text("formula", formula);
    add_report(&o);
    const double *values[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) values[k] = ty_data(ty_regression_part(r, columns[k].which));
    result_open("coefficients", '[');
    for (int64_t j = 0; j < o.columns; j++) {
        result_open(NULL, '{');
        result_text("name", ty_regression_name(r, j));
        for (int k = 0; k < COLUMNS; k++) result_number(columns[k].name, values[k] ? values[k][j] : NAN);
        result_close();
    }
    result_close();
}
