/* Tables for training: reading, splitting, preparing. */
#include "tools/network/table.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include <tyto/table_rows.h>
#include "table/table.h"
#include "tools/command.h"
#include "tools/options/message.h"

bool table_named(const char *path) {
    static const char *const endings[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t m = strlen(endings[i]);
        if (n > m && !strcmp(path + n - m, endings[i])) return true;
    }
    return reader_streams(path);
}

/* ---- splitting ---- */

/* Rows of the parts: of row k, the k-th of its class, part[k]; the arrays have room for all rows. */
struct split {
    int64_t n[PARTS_OF_TABLE];
    int64_t *rows[PARTS_OF_TABLE];
};

/* Return the part of row k, in random order, of the `count` rows of its class. */
static enum table_part part_of(const struct table_split_options *o, int64_t k, int64_t count) {
    if (o->folds && k % o->folds == o->fold) return PART_TEST;
    int64_t test = o->folds ? 0 : (int64_t)(o->test * (double)count + 0.5);
    int64_t rest = o->folds ? count - count / o->folds : count - test;
    int64_t held = (int64_t)(o->validate * (double)rest + 0.5);
    if (!o->folds) {
        if (k < test) return PART_TEST;
        return k < test + held ? PART_VALIDATE : PART_TRAIN;
    }
    int64_t before = k - k / o->folds - (k % o->folds > o->fold); /* rows in front that are not in the test */
    return before < held ? PART_VALIDATE : PART_TRAIN;
}

/* Deal the rows order[0 .. n) to the parts by their classes, numbers below `classes`. */
static bool deal(struct split *s, const struct table_split_options *o, int64_t n, const int64_t *order,
                 const int32_t *class, int64_t classes) {
    int64_t *counts = calloc((size_t)classes, sizeof *counts), *seen = calloc((size_t)classes, sizeof *seen);
    bool well = counts && seen;
    for (int i = 0; i < PARTS_OF_TABLE; i++) {
        s->rows[i] = calloc((size_t)n + 1, sizeof **s->rows);
        well = well && s->rows[i];
    }
    for (int64_t i = 0; well && i < n; i++)
        well = class[order[i]] >= 0 && ++counts[class[order[i]]]; /* known_rows left no other */
    for (int64_t i = 0; well && i < n; i++) {
        int32_t c = class[order[i]];
        enum table_part part = part_of(o, seen[c]++, counts[c]);
        s->rows[part][s->n[part]++] = order[i];
    }
    free(counts);
    free(seen);
    return well;
}

/* Return the table without the rows whose target is missing, at most `limit` of them by the seed; NULL after a message.
   The caller frees it. */
static ty_table *known_rows(struct table_parts *parts, const char *path, const ty_table *table,
                            const char *target, const struct table_split_options *o) {
    int64_t column = ty_table_find(table, target);
    ty_tensor *missing = ty_table_missing(table, column);
    if (ty_table_kind(table, column) == TY_COLUMN_NUMBER) /* infinities count as missing */
        missing = ty_logical_not(ty_is_finite(ty_table_values(table, column)));
    parts->unknown = (int64_t)ty_item(ty_sum(ty_cast(missing, TY_I64), TY_ALL));
    ty_table *known = ty_table_filter(table, ty_eq(missing, ty_int(0)));
    int64_t n = ty_table_rows(known);
    if (o->limit && o->limit < n) {
        ty_tensor *order = ty_permutation(n, ty_fold(ty_key(o->seed), 5));
        ty_table *cut = ty_table_take(known, ty_slice(order, 0, 0, o->limit, 1));
        ty_table_free(known);
        known = cut;
    }
    if (!*ty_table_error(known)) return known;
    COMPLAIN_FAILURE_ABOUT(ty_table_failure(known), "%s", path);
    ty_table_free(known);
    return NULL;
}

/* Print the error of a preparation; always return false. */
static bool refuse_preparation(const ty_preparation *p, const char *path) {
    return COMPLAIN_FAILURE_ABOUT(ty_preparation_failure(p), "%s", path) == EXIT_SUCCESS;
}

/* Fit on the training rows and transform all parts; false after a message. */
static bool prepare(struct table_parts *parts, const char *path, const ty_table *table, const struct split *s,
                    ty_preparation_options options) {
    ty_table *some[PARTS_OF_TABLE] = {0};
    bool well = true;
    for (int i = 0; i < PARTS_OF_TABLE; i++)
        some[i] = ty_table_take(table, ty_from(TY_I64, 1, &s->n[i], s->rows[i]));
    parts->preparation =
        ty_preparation_fit(some[PART_TRAIN], (ty_preparation_options){.target = options.target});
    /* The training rows may choose another task than all rows, or the caller has chosen one. */
    if (ty_preparation_task(parts->preparation) != options.task) {
        ty_preparation_free(parts->preparation);
        parts->preparation = ty_preparation_fit(some[PART_TRAIN], options);
    }
    if (*ty_preparation_error(parts->preparation)) well = refuse_preparation(parts->preparation, path);
    for (int i = 0; i < PARTS_OF_TABLE && well; i++) {
        if (!s->n[i]) continue;
        ty_tensor *x = ty_preparation_inputs(parts->preparation, some[i], TY_F32);
        ty_tensor *y = ty_preparation_targets(parts->preparation, some[i]);
        well = (ty_ok(x) && ty_ok(y)) || complain_about(ty_ok(x) ? y : x, "%s", path) == EXIT_SUCCESS;
        parts->x[i] = x;
        parts->y[i] = y;
    }
    for (int i = 0; i < PARTS_OF_TABLE; i++) ty_table_free(some[i]);
    return well;
}

/* Split rows whose targets are known. */
static bool split_known(struct table_parts *parts, const char *path, const ty_table *table,
                        const char *target, const struct table_split_options *o) {
    /* A first fit on all rows finds the task and the classes, by which the rows are dealt. */
    ty_preparation_options options = {.target = target, .task = o->task};
    ty_preparation *all = ty_preparation_fit(table, options);
    struct split s = {0};
    int64_t n = ty_table_rows(table), classes = ty_preparation_classes(all);
    options.task = ty_preparation_task(all);
    bool well = !*ty_preparation_error(all) || refuse_preparation(all, path);
    if (well && o->folds > n)
        well = complain("--folds %lld: %s has %lld rows; expected as many at least", (long long)o->folds,
                        path, (long long)n) == EXIT_SUCCESS;
    bool told = !well;
    int32_t *class = calloc((size_t)n + 1, sizeof *class);
    int64_t *order = calloc((size_t)n + 1, sizeof *order);
    ty_tensor *shuffled = ty_permutation(n, ty_fold(ty_key(o->seed), 3));
    if (well)
        well = class && order && ty_read(shuffled, TY_I64, order) &&
               (!classes || ty_read(ty_preparation_targets(all, table), TY_I32, class)) &&
               deal(&s, o, n, order, class, classes ? classes : 1);
    if (!well && !told) complain("%s: the rows could not be split: no memory", path);
    ty_preparation_free(all);
    free(class);
    free(order);
    well = well && prepare(parts, path, table, &s, options);
    for (int i = 0; i < PARTS_OF_TABLE; i++) free(s.rows[i]);
    return well;
}

/* Return the name of the target's column; NULL after a message. */
static const char *target_of(const char *path, const ty_table *table, const char *wanted) {
    int64_t n = ty_table_columns(table);
    struct fault fault = {0};
    char owner[320];
    if (n < 2) {
        complain("%s: expected a table of at least two columns: inputs and a target", path);
        return NULL;
    }
    if (!wanted) return ty_table_name(table, n - 1);
    if (ty_table_find(table, wanted) >= 0) return wanted;
    text_print(owner, sizeof owner, "%.300s:", path);
    table_refuse(table, owner, wanted, ", the target", &fault);
    complain_fault(&fault);
    return NULL;
}

bool table_split(struct table_parts *parts, const char *path, const ty_table *table,
                 const struct table_split_options *o) {
    *parts = (struct table_parts){0};
    const char *target = target_of(path, table, o->target);
    ty_table *known = target ? known_rows(parts, path, table, target, o) : NULL;
    bool well = known && split_known(parts, path, known, target, o);
    ty_table_free(known);
    return well;
}

void table_drop(struct table_parts *parts) {
    ty_preparation_free(parts->preparation);
    parts->preparation = NULL;
}

/* ---- training ---- */

/*
 * Length of the training of a table that the user did not state.  With rows for validation, patience ends it, and the
 * model is that of the best epoch.  On 19 tables of 112 to 15,000 rows, 2000 steps with a patience of 20 epochs were at
 * most a point below scikit-learn's multilayer perceptrons, in accuracy or R2, and up to 28 points above a fixed number of
 * 500 steps, which overfits noisy rows.  Without rows for validation, 500 steps overfit less than more steps.
 */
enum {
    TABLE_STEPS = 500,
    PATIENT_STEPS = 2000,
    PATIENCE = 20, /* epochs */
    LEAST_EPOCHS = 5,
    MOST_EPOCHS = 1000,  /* of 2 steps */
    SMALL_TABLE = 10000, /* rows */
    SMALL_BATCH = 32,
    LARGE_BATCH = 100
};

void table_length(const struct table_parts *parts, int64_t *epochs, int64_t *batch, int64_t *patience) {
    int64_t n = parts->preparation ? ty_shape(parts->x[PART_TRAIN])[0] : 0;
    if (!n) return;
    if (!*batch) *batch = n < SMALL_TABLE ? SMALL_BATCH : LARGE_BATCH;
    if (*batch > n) *batch = n;
    if (*epochs) return;
    if (!*patience && parts->x[PART_VALIDATE]) *patience = PATIENCE;
    *epochs = (*patience ? PATIENT_STEPS : TABLE_STEPS) * *batch / n;
    if (*epochs < LEAST_EPOCHS) *epochs = LEAST_EPOCHS;
    if (*epochs > MOST_EPOCHS) *epochs = MOST_EPOCHS;
}

bool table_keep(const struct table_parts *parts, const char *path, ty_model *model) {
    if (!parts->preparation) return true;
    char *text = ty_preparation_to_json(parts->preparation);
    bool kept = text && ty_model_set_note(model, TY_NOTE_PREPARATION, text);
    ty_free(text);
    return kept || complain("%s: the preparation could not be kept: no memory, or names that are not UTF-8",
                            path) == EXIT_SUCCESS;
}

bool table_network(struct network *n, const char *name, const ty_preparation *p, const char *weights,
                   int layout) {
    int64_t classes = ty_preparation_classes(p), shape[] = {1, ty_preparation_features(p)};
    ty_tensor *error = NULL;
    if (!network_open(n, name, classes ? classes : 1, (ty_model_options){.lazy = true})) return false;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_lazy(ty_zeros(TY_F32, 2, shape));
    bool built = ty_model_build(n->model, 1, &x, &error);
    if (!built) complain_about(error, "%s", weights);
    ty_close(scope);
    return built && network_load(n, weights, layout);
}

void table_warn(const ty_preparation *p, const char *path, const ty_table *table) {
    char *lines = ty_preparation_unseen(p, table);
    for (char *line = lines; line && *line;) {
        char *end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = 0;
        complain("%s: note: %s", path, line);
        line = end + !last;
    }
    ty_free(lines);
}

static const char *task_named(int i) {
    static const char *const names[] = {"auto", "classes", "regression", NULL};
    return names[i];
}
const struct option_type option_task = OPTION_NAMED("NAME", task_named);
