/* tyto fit: fits a model to the columns of a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tyto/shape.h>
#include "regression/family.h"
#include "regression/model.h"
#include "tools/fit.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/out.h"
#include "tools/options/result.h"

struct settings {
    const char *formula, *table, *weights, *predict, *output;
    int family, robust;
    double confidence;
    struct reader_in reader;
};

static const char *family_name(int i) { return i < TY_FAMILIES ? families[i].name : NULL; }
static const char *robust_name(int i) { return i < TY_ROBUSTS ? robust_names[i] : NULL; }
static const struct option_type option_family = OPTION_NAMED("NAME", family_name);
static const struct option_type option_robust = OPTION_NAMED("NAME", robust_name);

/* ---- predictions ---- */

enum { PARTS = sizeof(ty_prediction) / sizeof(ty_tensor *) };

/* Write the predictions for the rows of another table as csv to `out`, or to stdout; false after a message. */
static bool predict(const struct settings *s, const ty_design *d, const ty_regression *r) {
    static const char header[] = "mean,error,low,high,new_low,new_high";
    ty_table *t = reader_open(s->predict, &s->reader);
    if (!t) return false;
    ty_prediction p = ty_regression_predict(r, ty_design_apply(d, t));
    ty_tensor *parts[] = {p.mean, p.error, p.low, p.high, p.new_low, p.new_high};
    ty_table_free(t);
    if (!ty_ok(p.mean)) return complain_of(p.mean) == EXIT_SUCCESS;
    ty_tensor *all = ty_stack(s->family ? PARTS - 2 : PARTS, parts, 1);
    ty_file_options options = {.header = s->family ? "mean,error,low,high" : header};
    const char *name = "predictions";
    const struct file_out out = {s->output ? s->output : "/dev/stdout", "csv"};
    return out_save(&out, 1, &name, &all, options);
}

/* ---- fitting ---- */

/* Print the model, or its predictions; false after a message on stderr. */
static bool report(const struct settings *s, const ty_design *d, const ty_regression *r) {
    if (*ty_regression_error(r)) return COMPLAIN_FAILURE(ty_regression_failure(r)) == EXIT_SUCCESS;
    if (s->predict) return predict(s, d, r);
    if (result_json()) {
        result_to(s->output);
        fit_json(s->formula, r);
        return true;
    }
    return file_write_text(s->output ? s->output : "/dev/stdout", regression_summary(r, precision_or(0)));
}

static bool fit(const struct settings *s, const ty_table *t) {
    ty_regression_options o = {.family = (ty_family)s->family, .robust = (ty_robust)s->robust};
    o.confidence = s->confidence;
    int64_t column = s->weights ? ty_table_find(t, s->weights) : -1;
    if (column >= 0 && ty_table_kind(t, column) == TY_COLUMN_WORDS)
        return complain("--weights %s: the column has words; expected numbers", s->weights) == EXIT_SUCCESS;
    if (s->weights) o.weights = ty_table_column(t, s->weights);
    ty_design *d = ty_design_new(s->formula, t);
    ty_regression *r = ty_regress_design(d, o);
    bool well =
        *ty_design_error(d) ? COMPLAIN_FAILURE(ty_design_failure(d)) == EXIT_SUCCESS : report(s, d, r);
    ty_regression_free(r);
    ty_design_free(d);
    return well;
}

static int run(const void *settings) {
    const struct settings *s = settings;
    if (!s->formula || !s->table) {
        complain("fit needs a formula and a table, such as 'y ~ x' t.csv; see tyto fit --help");
        return EXIT_USAGE;
    }
    if (strchr(s->table, '~') && access(s->table, F_OK)) {
        complain("%s: is no file; the formula comes first: tyto fit '%s' %s", s->table, s->table, s->formula);
        return EXIT_USAGE;
    }
    ty_scope *scope = ty_open();
    ty_table *t = reader_open(s->table, &s->reader);
    bool well = t && fit(s, t);
    ty_table_free(t);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"FORMULA", &option_text, AT(formula),
     "the model, such as 'y ~ x1 + I(x1^2) + log(x2) * group'; x1^2 alone is x1, as in R"},
    {"TABLE", &option_file, AT(table),
     "a table of delimited text with a line of names (csv, tsv, ...; gz; - for the standard input)"},
    {"--family", &option_family, AT(family),
     "fit gaussian (least squares), binomial (logistic: y of two values) or poisson (counts) [gaussian]"},
    {"--robust", &option_robust, AT(robust),
     "estimate errors that hold for unequal variances: HC0, HC1, HC2 or HC3 [none]"},
    {"--weights", &option_name, AT(weights), "weigh rows by this column (none)"},
    {"--confidence", &option_share, AT(confidence), "give intervals of this confidence (0.95)"},
    {"--predict", &option_file, AT(predict), "print predictions for the rows of this table, as csv"},
    READER_OPTIONS(AT(reader)),
    {"--output", &option_target, AT(output), "write to this file"},
    {0}};
static const struct settings defaults = {0};

const struct command command_fit = {
    .name = "fit",
    .doc = "Fit a model to the columns of a table: coefficients, errors, tests.",
    .details =
        "The formula says which column depends on which, as in R.\n"
        "  tyto fit 'price ~ area' homes.csv                    price = a + b area\n"
        "  tyto fit 'price ~ area + city' homes.csv             a word adds a number for each city but the "
        "first\n"
        "  tyto fit 'price ~ area * city' homes.csv             each city has a slope of its own\n"
        "  tyto fit 'log(price) ~ poly(area, 2) - city' homes.csv\n"
        "  tyto fit 'price ~ .' homes.csv                       all other columns\n"
        "  tyto fit 'sold ~ price' homes.csv --family binomial  the probability of the second of two values\n"
        "  tyto fit 'price ~ area' homes.csv --predict new.csv\n"
        "a + b: both; a:b: their product; a * b: a + b + a:b; (a + b)^2: all products of two; - a: without "
        "a;\n"
        "0 + or - 1: no constant; I(a + b^2): arithmetic; factor(a): numbers as categories; `a name`: any "
        "name.\n"
        "Functions: log, log2, log10, log1p, exp, expm1, sqrt, abs, sin, cos, tan, tanh, poly(a, degree).\n\n"
        "Of each coefficient the summary shows the estimate, its standard error, their ratio t, the "
        "probability of\n"
        "a ratio as large if the coefficient were 0, and the confidence interval.  NA: the column depends on "
        "those\n"
        "before it.  Rows with missing values are dropped and counted.  docs/regression.md explains the "
        "numbers.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .prints = true,
    .run = run,
    .computes = true};
