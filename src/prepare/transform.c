/* Tables to tensors, by a preparation. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/nearest.h"
#include "prepare/prepare.h"
#include "prepare/treat.h"
#include "table/table.h"

/* ---- columns by name ---- */

/* Append up to 400 bytes of names. */
static void add_name(struct text *t, const char *name) {
    if (t->length < 400)
        text_add(t, "%s%.60s", t->length ? ", " : "", name);
    else if (t->data[t->length - 1] != '.')
        text_add(t, ", ...");
}

/* Set the fault that a table lacks a column, with the names of both sides; return false. */
static bool refuse_names(const ty_preparation *p, const ty_table *table, const char *lacks,
                         struct fault *fault) {
    struct text expected = {0}, found = {0};
    for (int64_t i = 0; i < p->count; i++)
        if (p->columns[i].encoding != TY_ENCODE_DROP) add_name(&expected, p->columns[i].name);
    struct nearest near = {.wanted = lacks};
    for (int64_t i = 0; i < ty_table_columns(table); i++) {
        add_name(&found, ty_table_name(table, i));
        nearest_offer(&near, ty_table_name(table, i));
    }
    if (expected.failed || found.failed)
        fault_memory(fault, expected.length + found.length);
    else
        fault_set(fault, E_ARGUMENT, "the table has no column \"%.100s\"%s: expected %s; found %s", lacks,
                  nearest_hint(&near, (char[NEAREST_HINT]){0}), expected.data ? expected.data : "no columns",
                  found.data ? found.data : "no columns");
    text_drop(&expected);
    text_drop(&found);
    return false;
}

/* Set the fault if a column of words has numbers now, none of which is a word of the fit, and unseen words have no feature
   of their own; return false then. */
static bool check_words(const struct treatment *t, const struct series *series, struct fault *fault) {
    char room[VALUE_WORD];
    int64_t first = -1;
    if (t->kind != TY_COLUMN_WORDS || t->other || !t->values || !t->values->count || !series->numbers)
        return true;
    for (int64_t i = 0; i < series->n; i++) {
        if (treat_value(t, series, i) >= 0) return true;
        if (first < 0 && series_word(series, i, room)) first = i;
    }
    return first < 0 || fault_set(fault, E_DTYPE,
                                  "column \"%.100s\" has numbers, such as %s in row %" PRId64
                                  "; expected words, such as \"%.40s\"",
                                  t->name, series_word(series, first, room), first, words_at(t->values, 0));
}

/* Read the series of a treatment's column; false sets the fault. */
static bool find_series(const ty_preparation *p, const struct treatment *t, const ty_table *table,
                        struct series *series, struct fault *fault) {
    int64_t i = ty_table_find(table, t->name);
    if (i < 0) return refuse_names(p, table, t->name, fault);
    if (!series_read(series, table, i, fault) || !check_words(t, series, fault)) return false;
    if (t->encoding != TY_ENCODE_NUMBER || !series->codes) return true;
    /* A column without a single value has no words either. */
    for (int64_t k = 0; k < series->n; k++)
        if (series->codes[k] >= 0)
            return fault_set(fault, E_DTYPE,
                             "column \"%.100s\" has words, such as \"%.40s\" in row %" PRId64
                             "; expected numbers",
                             t->name, ty_table_word(table, i, series->codes[k]), k);
    series->numbers = mem_array((size_t)series->n + 1, sizeof *series->numbers);
    if (!series->numbers) return fault_memory(fault, (size_t)series->n);
    for (int64_t k = 0; k < series->n; k++) series->numbers[k] = NAN;
    return true;
}

/* ---- features ---- */

/* Rows of features in memory, f32 or f64. */
struct matrix {
    void *data;
    ty_dtype dtype;
    int64_t width;
};
static void put(const struct matrix *m, int64_t row, int64_t column, double x) {
    int64_t i = row * m->width + column;
    if (m->dtype == TY_F32)
        ((float *)m->data)[i] = (float)x;
    else
        ((double *)m->data)[i] = x;
}

/* Write the features of one row of a column, from `at` on; the others of the row are 0. */
static void put_row(const struct matrix *m, const struct treatment *t, const struct series *c, int64_t row,
                    int64_t at) {
    char room[VALUE_WORD];
    bool missing;
    if (t->encoding == TY_ENCODE_ONE_HOT) {
        int64_t value = treat_value(t, c, row);
        missing = value < 0 && !series_word(c, row, room);
        if (value < 0 && !missing && t->other) value = t->values->count;
        if (value >= 0) put(m, row, at + value, 1);
    } else {
        double x = treat_raw(t, c, row);
        missing = isnan(x);
        put(m, row, at, (treat_number(t, x) - t->shift) / t->scale);
    }
    if (t->flagged && missing) put(m, row, at + treatment_features(t) - 1, 1);
}

/* Write the features of all columns; false sets the fault. */
static bool put_all(const struct matrix *m, const ty_preparation *p, const ty_table *table,
                    struct fault *fault) {
    int64_t at = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const struct treatment *t = &p->columns[i];
        struct series series = {0};
        if (t->encoding == TY_ENCODE_DROP) continue;
        bool ok = find_series(p, t, table, &series, fault);
        for (int64_t row = 0; ok && row < series.n; row++) put_row(m, t, &series, row, at);
        series_drop(&series);
        if (!ok) return false;
        at += treatment_features(t);
    }
    return true;
}

/* Set the fault of a failed preparation or table; false if one has failed. */
static bool check(const ty_preparation *p, const ty_table *table, struct fault *fault) {
    if (p->fault.set) return fault_copy(fault, &p->fault);
    if (!*ty_table_error(table)) return true;
    ty_scope *scope = ty_open();
    fault_tensor(fault, ty_table_failure(table));
    ty_close(scope);
    return false;
}

ty_tensor *ty_preparation_inputs(const ty_preparation *preparation, const ty_table *table, ty_dtype dtype) {
    FLOATING_DEFAULT;
    const ty_preparation *p = preparation_of(preparation);
    struct fault fault = {0};
    if (check(p, table, &fault) && dtype != TY_F32 && dtype != TY_F64)
        fault_set(&fault, E_DTYPE, "preparation_inputs: features are f32 or f64");
    if (fault.set) return tensor_fault(&fault);
    int64_t shape[] = {ty_table_rows(table), p->features->count};
    ty_tensor *x = ty_empty(dtype, 2, shape);
    struct matrix m = {.dtype = dtype, .width = shape[1]};
    if (!ty_ok(x)) return x;
    m.data = (void *)(uintptr_t)ty_data(x); /* nobody else has the new tensor yet */
    return put_all(&m, p, table, &fault) ? x : tensor_fault(&fault);
}

/* Append a line about the words of a column that have no feature. */
static void add_unseen(struct text *out, const struct treatment *t, const struct series *c) {
    char room[VALUE_WORD];
    int64_t count = 0, first = -1;
    for (int64_t i = 0; i < c->n; i++) {
        if (treat_value(t, c, i) >= 0 || !series_word(c, i, room)) continue;
        if (!count++) first = i;
    }
    if (!count) return;
    text_add(out, "column \"");
    text_add_visible(out, t->name);
    text_add(out, "\": %" PRId64 " of %" PRId64 " rows have words that the training had not, such as \"",
             count, c->n);
    text_add_visible(out, series_word(c, first, room));
    text_add(out, "\"\n");
}

char *ty_preparation_unseen(const ty_preparation *preparation, const ty_table *table) {
    FLOATING_DEFAULT;
    const ty_preparation *p = preparation_of(preparation);
    struct fault fault = {0};
    struct text out = {0};
    bool ok = check(p, table, &fault);
    text_add(&out, "%s", "");
    for (int64_t i = 0; i < p->count && ok; i++) {
        const struct treatment *t = &p->columns[i];
        struct series series = {0};
        if (!t->values || t->other) continue;
        ok = find_series(p, t, table, &series, &fault);
        if (ok) add_unseen(&out, t, &series);
        series_drop(&series);
    }
    if (ok) return text_take(&out);
    text_drop(&out);
    return NULL;
}

/* ---- targets ---- */

/* Return the numbers of classes of n elements, i32. */
static ty_tensor *class_numbers(const ty_preparation *p, const struct series *c) {
    char room[VALUE_WORD];
    int32_t *y = mem_array((size_t)c->n + 1, sizeof *y);
    if (!y) return tensor_out_of_memory();
    for (int64_t i = 0; i < c->n; i++) {
        const char *word = series_word(c, i, room);
        y[i] = word ? (int32_t)words_find(p->classes, word, strlen(word)) : -1;
    }
    ty_tensor *x = ty_from(TY_I32, 1, &c->n, y);
    mem_free(y);
    return x;
}

/* Return the standardised numbers of n elements, f32. */
static ty_tensor *target_numbers(const ty_preparation *p, const struct series *c) {
    float *y = mem_array((size_t)c->n + 1, sizeof *y);
    if (!y) return tensor_out_of_memory();
    for (int64_t i = 0; i < c->n; i++) y[i] = (float)((c->numbers[i] - p->mean) / p->deviation);
    ty_tensor *x = ty_from(TY_F32, 1, &c->n, y);
    mem_free(y);
    return x;
}

ty_tensor *ty_preparation_targets(const ty_preparation *preparation, const ty_table *table) {
    FLOATING_DEFAULT;
    const ty_preparation *p = preparation_of(preparation);
    struct fault fault = {0};
    struct series series = {0};
    int64_t i = p->target ? ty_table_find(table, p->target) : -1;
    if (check(p, table, &fault) && !p->target)
        fault_set(&fault, E_ARGUMENT, "preparation_targets: the preparation has no target");
    if (!fault.set && i < 0) table_refuse(table, "the table", p->target, ", the target", &fault);
    bool ok = !fault.set && series_read(&series, table, i, &fault);
    if (ok && p->task == TY_TASK_REGRESSION && series.codes)
        ok = fault_set(&fault, E_DTYPE, "the target \"%.100s\" has words; expected numbers", p->target);
    ty_tensor *y = !ok                          ? tensor_fault(&fault)
                   : p->task == TY_TASK_CLASSES ? class_numbers(p, &series)
                                                : target_numbers(p, &series);
    series_drop(&series);
    return y;
}

ty_tensor *ty_preparation_answers(const ty_preparation *preparation, ty_tensor *y) {
    FLOATING_DEFAULT;
    const ty_preparation *p = preparation_of(preparation);
    if (p->fault.set) return tensor_fault(&p->fault);
    if (p->task != TY_TASK_REGRESSION) return ty_add(y, ty_int(0));
    return ty_add(ty_mul(y, ty_num(p->deviation)), ty_num(p->mean));
}
