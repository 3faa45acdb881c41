/* Metrics and answers of networks on tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/metrics.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/text.h"
#include "tools/command.h"
#include "tools/table.h"

enum { SHOWN_CLASSES = 30, CONFUSED = 12, CLASS_WIDTH = 16, COUNT_WIDTH = 8 };

/* Print precision, recall, F1 and the number of rows of each class. */
static void print_classes(const ty_preparation *p, int64_t n, const double *pairs) {
    printf("  %-*s precision  recall      F1    rows\n", CLASS_WIDTH, "class");
    for (int64_t i = 0; i < n && i < SHOWN_CLASSES; i++) {
        double right = pairs[i * n + i], said = 0, rows = 0;
        for (int64_t k = 0; k < n; k++) {
            said += pairs[k * n + i];
            rows += pairs[i * n + k];
        }
        double precision = said > 0 ? right / said : 0, recall = rows > 0 ? right / rows : 0;
        double f = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
        printf("  ");
        print_padded(ty_preparation_class(p, i), CLASS_WIDTH);
        printf("   %7.4f %7.4f %7.4f %7.0f\n", precision, recall, f, rows);
    }
    if (n > SHOWN_CLASSES) printf("  ... %" PRId64 " further classes\n", n - SHOWN_CLASSES);
}

/* Print the confusion matrix of few classes: rows are true classes. */
static void print_confusion(const ty_preparation *p, int64_t n, const double *pairs) {
    if (n > CONFUSED) return;
    printf("  %-*s", CLASS_WIDTH, "true \\ predicted");
    for (int64_t k = 0; k < n; k++) {
        const char *class = ty_preparation_class(p, k);
        size_t bytes = text_prefix(class, strlen(class), COUNT_WIDTH);
        printf(" %*s%.*s", COUNT_WIDTH - text_width(class, bytes), "", (int)bytes, class);
    }
    printf("\n");
    for (int64_t i = 0; i < n; i++) {
        printf("  ");
        print_padded(ty_preparation_class(p, i), CLASS_WIDTH);
        for (int64_t k = 0; k < n; k++) printf(" %*.0f", COUNT_WIDTH, pairs[i * n + k]);
        printf("\n");
    }
}

/* Return the area under the ROC curve of scores of the second of two classes, exact with ties: the share of pairs of
   rows that are in order (Mann and Whitney 1947). */
static ty_tensor *area(ty_tensor *scores, ty_tensor *labels) {
    ty_tensor *s = ty_cast(ty_sub(ty_take(scores, ty_int(1), 1), ty_take(scores, ty_int(0), 1)), TY_F64);
    ty_tensor *positive = ty_cast(ty_eq(labels, ty_int(1)), TY_F64), *one = ty_num(1);
    ty_tensor *sorted = ty_sort(s, 0, false);
    ty_tensor *below = ty_searchsorted(sorted, s, false), *upto = ty_searchsorted(sorted, s, true);
    ty_tensor *rank = ty_mul(ty_cast(ty_add(ty_add(below, upto), ty_int(1)), TY_F64), ty_num(0.5));
    ty_tensor *p = ty_sum(positive, TY_ALL), *n = ty_sum(ty_sub(one, positive), TY_ALL);
    ty_tensor *least = ty_mul(ty_mul(p, ty_add(p, one)), ty_num(0.5));
    return ty_div(ty_sub(ty_sum(ty_mul(rank, positive), TY_ALL), least), ty_mul(p, n));
}

static bool report_classes(const ty_preparation *p, const char *what, ty_tensor *scores, ty_tensor *labels,
                           double *score) {
    int64_t n = ty_preparation_classes(p);
    ty_metric_options o = {.classes = n};
    ty_tensor *pairs = ty_metric_confusion(scores, labels, o);
    double *counts = malloc((size_t)(n * n) * sizeof *counts);
    bool well = counts && ty_read(pairs, TY_F64, counts);
    if (!well) {
        complain("%s: %s", what, ty_ok(pairs) ? "out of memory" : ty_error(pairs));
        free(counts);
        return false;
    }
    *score = ty_item(ty_metric_accuracy(scores, labels, o));
    printf("%s: %" PRId64 " rows, accuracy %.2f %%, macro F1 %.4f", what, ty_shape(labels)[0], 100 * *score,
           ty_item(ty_metric_f_score(scores, labels, o)));
    if (n == 2) printf(", area under the ROC curve %.4f", ty_item(area(scores, labels)));
    printf("\n");
    print_classes(p, n, counts);
    print_confusion(p, n, counts);
    free(counts);
    return true;
}

/* Return predictions [n, 1] or [n] as [n]. */
static ty_tensor *numbers(ty_tensor *x) { return ty_ok(x) && ty_rank(x) == 2 ? ty_squeeze(x, 1) : x; }

static bool report_numbers(const ty_preparation *p, const char *what, ty_tensor *x, ty_tensor *y,
                           double *score) {
    ty_tensor *said = ty_preparation_answers(p, ty_cast(numbers(x), TY_F64));
    ty_tensor *right = ty_preparation_answers(p, ty_cast(y, TY_F64));
    ty_tensor *r2 = ty_metric_r2(said, right, (ty_metric_options){0});
    if (!ty_ok(r2)) return complain("%s: %s", what, ty_error(r2)) == EXIT_SUCCESS;
    *score = ty_item(r2);
    printf("%s: %" PRId64 " rows, R2 %.4f, root mean squared error %.6g, mean absolute error %.6g\n", what,
           ty_shape(y)[0], *score, ty_item(ty_metric_rmse(said, right, (ty_metric_options){0})),
           ty_item(ty_metric_mae(said, right, (ty_metric_options){0})));
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

bool table_report(const ty_preparation *p, const char *what, ty_tensor *x, ty_tensor *y, double *score) {
    if (!fits_classes(p, x)) return false;
    ty_scope *scope = ty_open();
    bool classes = ty_preparation_task(p) == TY_TASK_CLASSES;
    if (classes) x = scores_of(p, x);
    bool well = ty_ok(x) && ty_ok(y) && (!classes || known(&x, &y));
    if (!well)
        complain("%s: %s", what, ty_error(ty_ok(x) ? y : x));
    else if (!ty_size(y))
        well = complain("%s: no row has a target that the network knows", what) == EXIT_SUCCESS;
    else
        well = classes ? report_classes(p, what, x, y, score) : report_numbers(p, what, x, y, score);
    ty_close(scope);
    return well;
}

bool table_report_parts(const struct table_parts *t, ty_model *model, double *score) {
    static const char *const names[] = {"training", "validation", "test"};
    bool held = t->x[PART_VALIDATE] || t->x[PART_TEST], well = true;
    for (int i = held ? PART_VALIDATE : PART_TRAIN; i < PARTS_OF_TABLE && well; i++) {
        if (!t->x[i]) continue;
        ty_scope *scope = ty_open();
        ty_tensor *x = t->x[i], *y[TY_MAX_RANK];
        ty_model_predict(model, 1, &x, y);
        well = table_report(t->preparation, names[i], y[0], t->y[i], score);
        ty_close(scope);
    }
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

/* Append a line for each of n rows of probabilities. */
static void add_classes(struct text *t, const ty_preparation *p, int64_t n, const double *shares) {
    int64_t classes = ty_preparation_classes(p);
    add_cell(t, ty_preparation_target(p));
    for (int64_t k = 0; k < classes; k++) {
        text_add(t, ",");
        add_cell(t, ty_preparation_class(p, k));
    }
    text_add(t, "\n");
    for (int64_t i = 0; i < n; i++) {
        int64_t best = 0;
        for (int64_t k = 1; k < classes; k++)
            if (shares[i * classes + k] > shares[i * classes + best]) best = k;
        add_cell(t, ty_preparation_class(p, best));
        for (int64_t k = 0; k < classes; k++) text_add(t, ",%.6g", shares[i * classes + k]);
        text_add(t, "\n");
    }
}

char *table_answers(const ty_preparation *p, ty_tensor *x) {
    struct text t = {0};
    if (!fits_classes(p, x)) return NULL;
    ty_scope *scope = ty_open();
    bool classes = ty_preparation_task(p) == TY_TASK_CLASSES;
    ty_tensor *y = classes ? ty_softmax(ty_cast(scores_of(p, x), TY_F64), 1)
                           : ty_preparation_answers(p, ty_cast(numbers(x), TY_F64));
    double *values = ty_ok(y) ? malloc((size_t)(ty_size(y) + 1) * sizeof *values) : NULL;
    bool well = values && ty_read(y, TY_F64, values);
    int64_t n = well ? ty_shape(y)[0] : 0;
    if (!well) {
        complain("%s", ty_ok(y) ? "out of memory" : ty_error(y));
    } else if (classes) {
        add_classes(&t, p, n, values);
    } else {
        add_cell(&t, ty_preparation_target(p));
        text_add(&t, "\n");
        for (int64_t i = 0; i < n; i++) text_add(&t, "%.9g\n", values[i]);
    }
    free(values);
    ty_close(scope);
    if (well && t.failed) complain("out of memory");
    return well ? text_take(&t) : NULL;
}
