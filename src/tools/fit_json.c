/* A fitted model as JSON. */
#include <math.h>
#include "base/json_text.h"
#include "tools/fit.h"

/* Append "name": and a number, null for NaN and infinities. */
static void add_number(struct text *t, const char *name, double number) {
    text_add(t, "\"%s\": ", name);
    if (isfinite(number))
        text_add(t, "%.17g", number);
    else
        text_add(t, "null");
}

/* Append a string; bytes that are not UTF-8 make it null. */
static void add_text(struct text *t, const char *name, const char *words) {
    struct fault fault = {0};
    struct text value = {0};
    bool well = json_add_text(&value, words, &fault) && !value.failed;
    text_add(t, "\"%s\": ", name);
    if (well)
        text_add_bytes(t, value.data, value.length);
    else
        text_add(t, "null");
    text_drop(&value);
}

static void add_report(struct text *t, const ty_regression_report *o) {
    const struct {
        const char *name;
        double number;
    } numbers[] = {{"rows", (double)o->rows},
                   {"dropped", (double)o->dropped},
                   {"rank", (double)o->rank},
                   {"freedom", (double)o->freedom},
                   {"iterations", (double)o->iterations},
                   {"scale", o->scale},
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
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        add_number(t, numbers[i].name, numbers[i].number);
        text_add(t, ",\n ");
    }
    text_add(t, "\"converged\": %s,\n \"separated\": %s,\n ", o->converged ? "true" : "false",
             o->separated ? "true" : "false");
}

char *fit_json(const char *formula, const ty_regression *r) {
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
    struct text t = {0};
    ty_regression_report o;
    ty_regression_describe(r, &o);
    text_add(&t, "{");
    add_text(&t, "formula", formula);
    text_add(&t, ",\n ");
    add_report(&t, &o);
    text_add(&t, "\"coefficients\": [");
    const double *values[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) values[k] = ty_data(ty_regression_part(r, columns[k].which));
    for (int64_t j = 0; j < o.columns; j++) {
        text_add(&t, j ? ",\n  {" : "\n  {");
        add_text(&t, "name", ty_regression_name(r, j));
        for (int k = 0; k < COLUMNS; k++) {
            text_add(&t, ", ");
            add_number(&t, columns[k].name, values[k] ? values[k][j] : NAN);
        }
        text_add(&t, "}");
    }
    text_add(&t, "]}\n");
    return text_take(&t);
}
