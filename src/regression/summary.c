/* Models as text. */
#include <math.h>
#include <string.h>
#include "base/machine/floating.h"
#include "base/text.h"
#include "regression/model.h"

enum { NAME_LEAST = 11, NAME_MOST = 40, NUMBER = 12, LEFT = 26, TABLE = 6 };

static void add_number(struct text *t, double x) {
    char word[32];
    if (isnan(x))
        text_print(word, sizeof word, "NA");
    else
        text_print(word, sizeof word, "%.5g", x);
    text_add(t, " %*s", NUMBER - 1, word);
}

/* A p-value as R prints it. */
static void add_p(struct text *t, double p) {
    char word[32];
    text_print(word, sizeof word, isnan(p) ? "NA" : p < 2.2e-16 ? "<2e-16" : p < 1e-4 ? "%.2e" : "%.4f", p);
    text_add(t, " %*s", NUMBER - 1, word);
}

/* ---- numbers about the model ---- */

/* Append a line of two facts: a count, and a number or p-value. */
static void add_facts(struct text *t, const char *left, double count, const char *right, double number,
                      bool p) {
    char word[32];
    text_print(word, sizeof word, count == floor(count) && fabs(count) < 1e15 ? "%.0f" : "%.6g", count);
    int gap = LEFT - (int)strlen(left) - 8;
    text_add(t, "%s%*s    %-24s", left, gap + 4, isnan(count) ? "" : word, right);
    (p ? add_p : add_number)(t, number);
    text_add(t, "\n");
}

static void add_head(struct text *t, const ty_regression *r, size_t width) {
    const ty_regression_report *o = &r->report;
    bool squares = r->o.family == TY_FAMILY_GAUSSIAN;
    static const char *const titles[] = {NULL, "Polynomial regression", "Exponential regression a exp(b x)"};
    text_add(t, "%s of ", titles[r->curve] ? titles[r->curve] : families[r->o.family].title);
    text_add_visible(t, r->response);
    text_add(t, "\n");
    text_pad(t, '=', width);
    text_add(t, "\n");
    char test[40];
    text_print(test, sizeof test, squares ? "F(%.0f, %.0f)" : "chi-squared(%.0f)", o->test_freedom,
               (double)o->freedom);
    add_facts(t, "rows", (double)o->rows, squares ? "R-squared" : "pseudo R-squared", o->r_squared, false);
    add_facts(t, "dropped rows", (double)o->dropped, squares ? "adjusted R-squared" : "deviance",
              squares ? o->adjusted : o->deviance, false);
    add_facts(t, "columns", (double)o->columns, test, o->test, false);
    add_facts(t, "coefficients", (double)o->rank, "p-value of the test", o->test_p, true);
    add_facts(t, "residual freedom", (double)o->freedom, "log-likelihood", o->log_likelihood, false);
    add_facts(t, "iterations", (double)o->iterations, "AIC", o->aic, false);
    add_facts(t, squares ? "residual error" : "", squares ? sqrt(o->scale) : NAN, "BIC", o->bic, false);
}

/* ---- the table ---- */

static void add_table(struct text *t, const ty_regression *r, size_t name_width, size_t width) {
    static const ty_regression_values shown[TABLE] = {TY_REGRESSION_COEFFICIENTS, TY_REGRESSION_ERRORS,
                                                      TY_REGRESSION_STATISTICS,   TY_REGRESSION_P,
                                                      TY_REGRESSION_LOW,          TY_REGRESSION_HIGH};
    bool squares = r->o.family == TY_FAMILY_GAUSSIAN;
    double share = r->o.confidence;
    const char *heads[TABLE] = {"estimate", "std. error", squares ? "t" : "z",
                                squares ? "P(>|t|)" : "P(>|z|)"};
    char low[24], high[24];
    text_print(low, sizeof low, "[%.4g", (1 - share) / 2);
    text_print(high, sizeof high, "%.4g]", (1 + share) / 2);
    heads[4] = low;
    heads[5] = high;
    text_pad(t, '-', width);
    text_add(t, "\n");
    text_pad(t, ' ', name_width);
    for (int i = 0; i < TABLE; i++) text_add(t, " %*s", NUMBER - 1, heads[i]);
    text_add(t, "\n");
    for (int64_t j = 0; j < r->p; j++) {
        text_add_padded(t, r->names[j], (int)name_width);
        for (int i = 0; i < TABLE; i++) {
            double number = ((const double *)tensor_data(r->values[shown[i]]))[j];
            (shown[i] == TY_REGRESSION_P ? add_p : add_number)(t, number);
        }
        text_add(t, "\n");
    }
    text_pad(t, '-', width);
    text_add(t, "\n");
}

static void add_notes(struct text *t, const ty_regression *r) {
    const ty_regression_report *o = &r->report;
    if (r->o.robust) text_add(t, "Standard errors are robust (%s).\n", robust_names[r->o.robust]);
    if (o->rank < o->columns)
        text_add(t, "NA: %lld aliased columns depend on the columns before them.\n",
                 (long long)(o->columns - o->rank));
    if (o->freedom <= 0) text_add(t, "No degrees of freedom are left, so errors cannot be estimated.\n");
    if (o->separated)
        text_add(t, "Separated: some combination of columns tells values of y apart without error.  Its\n"
                    "coefficients grow without bound; estimates, errors and p-values here mean nothing.\n");
    else if (!o->converged)
        text_add(t, "Not converged after %lld iterations: do not rely on these numbers.\n",
                 (long long)o->iterations);
    bool perfect = r->o.family == TY_FAMILY_GAUSSIAN && o->deviance <= 1e-28 * fabs(o->null_deviance);
    if (perfect && o->freedom > 0)
        text_add(t, "The fit is exact: errors and tests measure rounding alone.\n");
}

char *ty_regression_summary(const ty_regression *r) {
    FLOATING_DEFAULT;
    struct text t = {0};
    r = regression_of(r);
    if (r->fault.set) {
        text_add(&t, "error: %s", r->fault.text);
        return text_take(&t);
    }
    size_t name_width = NAME_LEAST;
    for (int64_t j = 0; j < r->p; j++) {
        size_t own = (size_t)text_visible_width(r->names[j]);
        if (own > name_width) name_width = own;
    }
    if (name_width > NAME_MOST) name_width = NAME_MOST;
    size_t width = name_width + TABLE * NUMBER;
    add_head(&t, r, width);
    add_table(&t, r, name_width, width);
    add_notes(&t, r);
    return text_take(&t);
}
