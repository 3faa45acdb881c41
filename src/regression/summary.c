/* Models as text. */
#include <math.h>
#include <string.h>
#include "base/machine/floating.h"
#include "base/text.h"
#include "regression/model.h"

enum { NAME_LEAST = 11, NAME_MOST = 40, LEFT = 26, TABLE = 6 };
enum {
    DIGITS = 5,
    BESIDE = 7
}; /* digits of numbers; their sign, point and exponent, and a blank before them */

/* How numbers are written. */
struct style {
    int digits; /* 0: the usual ones */
    int width;  /* of a column, with the blank before it */
};

static void add_number(struct text *t, struct style s, double x) {
    char word[160];
    if (isnan(x))
        text_print(word, sizeof word, "NA");
    else
        text_print(word, sizeof word, "%.*g", s.digits ? s.digits : DIGITS, x);
    text_add(t, " %*s", s.width - 1, word);
}

/* A p-value as R prints it, or with the digits asked for. */
static void add_p(struct text *t, struct style s, double p) {
    char word[32];
    if (s.digits) {
        add_number(t, s, p);
        return;
    }
    text_print(word, sizeof word, isnan(p) ? "NA" : p < 2.2e-16 ? "<2e-16" : p < 1e-4 ? "%.2e" : "%.4f", p);
    text_add(t, " %*s", s.width - 1, word);
}

/* ---- numbers about the model ---- */

/* Append a line of two facts: a count, and a number or p-value. */
static void add_facts(struct text *t, struct style s, const char *left, double count, const char *right,
                      double number, bool p) {
    char word[160];
    if (count == floor(count) && fabs(count) < 1e15)
        text_print(word, sizeof word, "%.0f", count);
    else
        text_print(word, sizeof word, "%.*g", s.digits ? s.digits : DIGITS, count);
    text_add(t, "%s%*s    %-24s", left, LEFT - (int)strlen(left), isnan(count) ? "" : word, right);
    (p ? add_p : add_number)(t, s, number);
    text_add(t, "\n");
}

static void add_head(struct text *t, struct style s, const ty_regression *r, size_t width) {
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
    add_facts(t, s, "rows", (double)o->rows, squares ? "R-squared" : "pseudo R-squared", o->r_squared, false);
    add_facts(t, s, "dropped rows", (double)o->dropped, squares ? "adjusted R-squared" : "deviance",
              squares ? o->adjusted : o->deviance, false);
    add_facts(t, s, "columns", (double)o->columns, test, o->test, false);
    add_facts(t, s, "coefficients", (double)o->rank, "p-value of the test", o->test_p, true);
    add_facts(t, s, "residual freedom", (double)o->freedom, "log-likelihood", o->log_likelihood, false);
    add_facts(t, s, "iterations", (double)o->iterations, "AIC", o->aic, false);
    add_facts(t, s, squares ? "residual error" : "", squares ? sqrt(o->scale) : NAN, "BIC", o->bic, false);
}

/* ---- the table ---- */

static void add_table(struct text *t, struct style s, const ty_regression *r, size_t name_width,
                      size_t width) {
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
    for (int i = 0; i < TABLE; i++) text_add(t, " %*s", s.width - 1, heads[i]);
    text_add(t, "\n");
    for (int64_t j = 0; j < r->p; j++) {
        text_add_padded(t, r->names[j], (int)name_width);
        for (int i = 0; i < TABLE; i++) {
            double number = ((const double *)tensor_data(r->values[shown[i]]))[j];
            (shown[i] == TY_REGRESSION_P ? add_p : add_number)(t, s, number);
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

char *regression_summary(const ty_regression *r, int digits) {
    struct text t = {0};
    const int least = (int)strlen(" std. error "), wide = digits + BESIDE; /* the longest head of a column */
    const struct style s = {digits, wide > least ? wide : least};
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
    size_t width = name_width + TABLE * (size_t)s.width;
    add_head(&t, s, r, width);
    add_table(&t, s, r, name_width, width);
    add_notes(&t, r);
    return text_take(&t);
}

char *ty_regression_summary(const ty_regression *r) {
    FLOATING_DEFAULT;
    return regression_summary(r, 0);
}
