/* Metrics and answers of networks on tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/io.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/contract.h>
#include <tyto/metrics.h>
#include <tyto/reduce.h>
#include <tyto/regression.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/text.h"
#include "tools/command.h"
#include "tools/network/table.h"
#include "tools/options/result.h"
#include "tools/options/message.h"

enum { SHOWN_CLASSES = 30, CONFUSED = 12, CLASS_WIDTH = 16, COUNT_WIDTH = 8, DIGITS = 6, NUMBER_DIGITS = 9 };

/* Print precision, recall, F1 and the number of rows of each class. */
static void print_classes(const struct labels *l, int64_t n, const double *pairs) {
    char room[LABEL_ROOM];
    result_open("classes", '[');
    say("  %-*s precision  recall      F1    rows\n", CLASS_WIDTH, "class");
    for (int64_t i = 0; i < n && (i < SHOWN_CLASSES || result_json()); i++) {
        double right = pairs[i * n + i], said = 0, rows = 0;
        for (int64_t k = 0; k < n; k++) {
            said += pairs[k * n + i];
            rows += pairs[i * n + k];
        }
        double precision = said > 0 ? right / said : 0, recall = rows > 0 ? right / rows : 0;
        double f = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
        say("  ");
        print_padded(labels_name(l, i, room), CLASS_WIDTH);
        say("   %7s %7s %7s %7.0f\n", shown((char[SHOWN]){0}, 4, precision),
            shown((char[SHOWN]){0}, 4, recall), shown((char[SHOWN]){0}, 4, f), rows);
        result_open(NULL, '{');
        result_text("name", labels_name(l, i, room));
        result_number("precision", precision);
        result_number("recall", recall);
        result_number("f1", f);
        result_number("rows", rows);
        result_close();
    }
    result_close();
    if (n > SHOWN_CLASSES) say("  ... %" PRId64 " further classes\n", n - SHOWN_CLASSES);
}

/* Print the confusion matrix of few classes: rows are true classes. */
static void print_confusion(const struct labels *l, int64_t n, const double *pairs) {
    char room[LABEL_ROOM];
    if (n > CONFUSED) return;
    say("  %-*s", CLASS_WIDTH, "true \\ predicted");
    for (int64_t k = 0; k < n; k++) {
        const char *class = labels_name(l, k, room);
        int width = text_visible_width(class);
        say(" %*s", width < COUNT_WIDTH ? COUNT_WIDTH - width : 0, "");
        print_padded(class, width < COUNT_WIDTH ? width : COUNT_WIDTH);
    }
    say("\n");
    for (int64_t i = 0; i < n; i++) {
        say("  ");
        print_padded(labels_name(l, i, room), CLASS_WIDTH);
        for (int64_t k = 0; k < n; k++) say(" %*.0f", COUNT_WIDTH, pairs[i * n + k]);
        say("\n");
    }
}

/* Return scores of the second of two classes, f64 [n]: the difference of both. */
static ty_tensor *second(ty_tensor *scores) {
    return ty_cast(ty_sub(ty_take(scores, ty_int(1), 1), ty_take(scores, ty_int(0), 1)), TY_F64);
}

/* Write the ROC curve of the second of two classes as csv; false after a message. */
static bool write_curve(const char *path, ty_tensor *scores, ty_tensor *labels) {
    const char *name = "curve";
    ty_tensor *error = NULL, *curve = ty_roc_curve(second(scores), ty_eq(labels, ty_int(1)));
    ty_file_options o = {.format = "csv", .header = "false_positive_rate,true_positive_rate,threshold"};
    return ty_archive_save(path, 1, &name, &curve, o, &error) || complain_of(error) == EXIT_SUCCESS;
}

/* Begin the object of the rows in the JSON. */
static void begin_report(const char *what, int64_t rows) {
    result_open(NULL, '{');
    result_text("of", what);
    result_whole("rows", rows);
}

bool report_classes(const struct report *r, const char *what, ty_tensor *scores, ty_tensor *labels) {
    int64_t n = ty_shape(scores)[1];
    ty_metric_options o = {.classes = n};
    ty_tensor *pairs = ty_metric_confusion(scores, labels, o);
    double *counts = malloc((size_t)(n * n) * sizeof *counts);
    bool well = counts && ty_read(pairs, TY_F64, counts);
    if (!well) {
        complain_about(ty_ok(pairs) ? NULL : pairs, "%s", what);
        free(counts);
        return false;
    }
    double score = ty_item(ty_metric_accuracy(scores, labels, o));
    double f = ty_item(ty_metric_f_score(scores, labels, o));
    if (r->score) *r->score = score;
    begin_report(what, ty_shape(labels)[0]);
    say("%s: %" PRId64 " rows, accuracy %s %%, macro F1 %s", what, ty_shape(labels)[0],
        shown((char[SHOWN]){0}, 2, 100 * score), shown((char[SHOWN]){0}, 4, f));
    result_number("accuracy", score);
    result_number("macro_f1", f);
    if (n == 2) {
        double area = ty_item(ty_roc_auc(second(scores), ty_eq(labels, ty_int(1))));
        say(", area under the ROC curve %s", shown((char[SHOWN]){0}, 4, area));
        result_number("area", area);
    }
    say("\n");
    print_classes(r->labels, n, counts);
    print_confusion(r->labels, n, counts);
    free(counts);
    well = result_elements("confusion", pairs);
    result_close();
    if (!well) return false;
    if (r->curve && n != 2)
        return complain("--roc: %" PRId64 " classes; a curve needs two", n) == EXIT_SUCCESS;
    return !r->curve || write_curve(r->curve, scores, labels);
}

/* Return predictions [n, 1] or [n] as [n]. */
static ty_tensor *numbers(ty_tensor *x) { return ty_ok(x) && ty_rank(x) == 2 ? ty_squeeze(x, 1) : x; }

static bool report_numbers(const ty_preparation *p, const struct report *r, const char *what, ty_tensor *x,
                           ty_tensor *y) {
    ty_tensor *said = ty_preparation_answers(p, ty_cast(numbers(x), TY_F64));
    ty_tensor *right = ty_preparation_answers(p, ty_cast(y, TY_F64));
    ty_tensor *r2 = ty_metric_r2(said, right, (ty_metric_options){0});
    if (!ty_ok(r2)) return complain_about(r2, "%s", what) == EXIT_SUCCESS;
    double score = ty_item(r2);
    if (r->score) *r->score = score;
    double rmse = ty_item(ty_metric_rmse(said, right, (ty_metric_options){0})),
           mae = ty_item(ty_metric_mae(said, right, (ty_metric_options){0}));
    begin_report(what, ty_shape(y)[0]);
    say("%s: %" PRId64 " rows, R2 %s, root mean squared error %.*g, mean absolute error %.*g\n", what,
        ty_shape(y)[0], shown((char[SHOWN]){0}, 4, score), precision_or(DIGITS), rmse, precision_or(DIGITS),
        mae);
    result_number("r2", score);
    result_number("rmse", rmse);
    result_number("mae", mae);
    result_close();
    return true;
}

/* Return scores of classes [n, classes] from predictions; a single logit [n, 1] is that of the second of two. */
static ty_tensor *scores_of(const ty_preparation *p, ty_tensor *x) {
    if (!ty_ok(x) || ty_rank(x) != 2 || ty_shape(x)[1] != 1 || ty_preparation_classes(p) != 2) return x;
    ty_tensor *both[] = {ty_zeros_like(x), x};
    return ty_concat(2, both, 1);
}

/* Return true if the results of a network fit the classes; false after a message. */
static bool fits_classes(const ty_preparation *p, ty_tensor *x) {
    int64_t classes = ty_preparation_classes(p), found = ty_rank(x) == 2 ? ty_shape(x)[1] : 0;
    if (!classes || !ty_ok(x) || found == classes || (found == 1 && classes == 2)) return true;
    return complain("the network has %lld results for a row; expected %lld, one for each class",
                    (long long)found, (long long)classes) == EXIT_SUCCESS;
}

/* Keep the rows of *x and *y whose target is a class. */
static bool known(ty_tensor **x, ty_tensor **y) {
    ty_tensor *rows = ty_squeeze(ty_nonzero(ty_ge(*y, ty_int(0))), 0);
    *x = ty_take(*x, rows, 0);
    *y = ty_take(*y, rows, 0);
    return ty_ok(*x) && ty_ok(*y);
}

/* Say that no row has a known target; always return false. */
static bool refuse_targets(const ty_preparation *p, const char *what) {
    struct text known = {0};
    for (int64_t i = 0; i < ty_preparation_classes(p) && known.length < 400; i++)
        text_add(&known, "%s%.60s", i ? ", " : "", ty_preparation_class(p, i));
    complain("%s: no row has a value in %s that the network knows%s%s", what, ty_preparation_target(p),
             ty_preparation_classes(p) ? "; expected " : "", known.data && !known.failed ? known.data : "");
    text_drop(&known);
    return false;
}

bool table_report(const ty_preparation *p, const struct report *r, const char *what, ty_tensor *x,
                  ty_tensor *y) {
    if (!fits_classes(p, x)) return false;
    ty_scope *scope = ty_open();
    bool classes = ty_preparation_task(p) == TY_TASK_CLASSES;
    if (classes) x = scores_of(p, x);
    bool well = ty_ok(x) && ty_ok(y) && (!classes || known(&x, &y));
    if (!well)
        complain_about(ty_ok(x) ? y : x, "%s", what);
    else if (!ty_size(y))
        well = refuse_targets(p, what);
    else
        well = classes ? report_classes(r, what, x, y) : report_numbers(p, r, what, x, y);
    ty_close(scope);
    return well;
}

/* Return R2 of least squares on the training rows for those of a part, a linear model beside the network; NaN if it cannot
   be computed.  Features of words depend on each other, so a small penalty chooses among equal models. */
static double linear_score(const struct table_parts *t, int part) {
    const double penalty = 1e-6; /* of 1 for each standardised row, below the digits of f32 */
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_cast(t->x[PART_TRAIN], TY_F64), *y = ty_cast(t->y[PART_TRAIN], TY_F64);
    ty_regression_parts fit = ty_ridge(x, y, penalty * (double)ty_shape(x)[0], true);
    ty_tensor *said = ty_add(ty_matmul(ty_cast(t->x[part], TY_F64), fit.coefficients), fit.intercept);
    double score = ty_item(ty_metric_r2(said, ty_cast(t->y[part], TY_F64), (ty_metric_options){0}));
    ty_close(scope);
    return score;
}

/* Print a linear model's score beside that of a network for numbers, if it is better. */
static void compare_linear(const struct table_parts *t, int part, double score) {
    if (ty_preparation_task(t->preparation) != TY_TASK_REGRESSION || part == PART_TRAIN) return;
    double linear = linear_score(t, part);
    if (linear > score)
        say("  a linear model of the same rows is better: R2 %s (tyto fit '%s ~ .' shows its coefficients)\n",
            shown((char[SHOWN]){0}, 4, linear), ty_preparation_target(t->preparation));
}

bool table_report_parts(const struct table_parts *t, ty_model *model, double *score) {
    static const char *const names[] = {"training", "validation", "test"};
    struct labels labels = {0};
    const struct report r = {.labels = &labels, .score = score};
    bool held = t->x[PART_VALIDATE] || t->x[PART_TEST], well = labels_of(&labels, t->preparation, NULL);
    result_open("reports", '[');
    for (int i = held ? PART_VALIDATE : PART_TRAIN; i < PARTS_OF_TABLE && well; i++) {
        if (!t->x[i]) continue;
        ty_scope *scope = ty_open();
        ty_tensor *x = t->x[i], *y[TY_MAX_RANK];
        ty_model_predict(model, 1, &x, y);
        well = table_report(t->preparation, &r, names[i], y[0], t->y[i]);
        if (well) compare_linear(t, i, *score);
        ty_close(scope);
    }
    result_close();
    labels_drop(&labels);
    return well;
}

/* ---- answers ---- */

/* Append a word as a cell of csv, in quotes if it needs them. */
static void add_cell(struct text *t, const char *word) {
    if (!strpbrk(word, ",\"\r\n")) {
        text_add(t, "%s", word);
        return;
    }
    text_add(t, "\"");
    for (; *word; word++) text_add(t, *word == '"' ? "\"\"" : "%c", *word);
    text_add(t, "\"");
}

/* Append the names of columns: of the file if there are several, of the target, of the classes. */
static void add_names(struct text *t, const struct answers *a) {
    char room[LABEL_ROOM];
    if (a->file) text_add(t, "file,");
    add_cell(t, a->target);
    for (int64_t k = 0; k < a->classes; k++) {
        text_add(t, ",");
        add_cell(t, labels_name(a->labels, k, room));
    }
    text_add(t, "\n");
}

/* Return the number of the greatest of n values, the first of equal ones. */
static int64_t greatest(const double *values, int64_t n) {
    int64_t best = 0;
    for (int64_t k = 1; k < n; k++)
        if (values[k] > values[best]) best = k;
    return best;
}

/* Append the line of a row of probabilities of classes, or of one number. */
static void add_row(struct text *t, const struct answers *a, const double *values) {
    char room[LABEL_ROOM];
    if (a->file) {
        add_cell(t, a->file);
        text_add(t, ",");
    }
    if (a->classes)
        add_cell(t, labels_name(a->labels, greatest(values, a->classes), room));
    else
        text_add(t, "%.*g", precision_or(NUMBER_DIGITS), *values);
    for (int64_t k = 0; k < a->classes; k++) text_add(t, ",%.*g", precision_or(DIGITS), values[k]);
    text_add(t, "\n");
}

/* Append the names of the classes and the probabilities of n rows to the JSON. */
static void add_probabilities(const struct answers *a, int64_t n, const double *values) {
    char room[LABEL_ROOM];
    result_open("classes", '[');
    for (int64_t k = 0; k < a->classes; k++) result_text(NULL, labels_name(a->labels, k, room));
    result_close();
    result_open("probabilities", '[');
    for (int64_t i = 0; i < n; i++) {
        result_open(NULL, '[');
        for (int64_t k = 0; k < a->classes; k++) result_number(NULL, values[i * a->classes + k]);
        result_close();
    }
    result_close();
}

/* Append the answers of n rows to the JSON: classes with their probabilities, or numbers. */
static void add_answers(const struct answers *a, int64_t n, const double *values) {
    char room[LABEL_ROOM];
    result_open(NULL, '{');
    result_text("file", a->file);
    result_text("target", a->target);
    result_open("answers", '[');
    for (int64_t i = 0; i < n; i++) {
        if (a->classes)
            result_text(NULL, labels_name(a->labels, greatest(values + i * a->classes, a->classes), room));
        else
            result_number(NULL, values[i]);
    }
    result_close();
    if (a->classes) add_probabilities(a, n, values);
    result_close();
}

bool answers_add(struct text *t, const struct answers *a, ty_tensor *y) {
    ty_scope *scope = ty_open();
    if (a->classes) y = ty_softmax(ty_cast(y, TY_F64), 1);
    double *values = ty_ok(y) ? malloc((size_t)(ty_size(y) + 1) * sizeof *values) : NULL;
    bool well = values && ty_read(y, TY_F64, values);
    int64_t n = well ? ty_shape(y)[0] : 0, width = a->classes ? a->classes : 1;
    if (!well) complain_of(ty_ok(y) ? NULL : y);
    if (well) add_answers(a, n, values);
    if (well && !t->length) add_names(t, a);
    for (int64_t i = 0; i < n; i++) add_row(t, a, values + i * width);
    free(values);
    ty_close(scope);
    return well && (!t->failed || complain("out of memory") == EXIT_SUCCESS);
}

bool table_answers(struct text *t, const ty_preparation *p, const struct labels *labels, const char *file,
                   ty_tensor *x) {
    if (!fits_classes(p, x)) return false;
    bool classes = ty_preparation_task(p) == TY_TASK_CLASSES;
    const struct answers a = {.labels = labels,
                              .classes = ty_preparation_classes(p),
                              .target = ty_preparation_target(p),
                              .file = file};
    return answers_add(t, &a,
                       classes ? scores_of(p, x) : ty_preparation_answers(p, ty_cast(numbers(x), TY_F64)));
}
