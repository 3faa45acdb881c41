/* Columns in memory, their distinct values, and numbers that describe them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/sort.h>
#include "base/alloc.h"
#include "array/remote.h"
#include "prepare/prepare.h"

/* Read the n elements of x to `to`; false sets the fault. */
static bool read(ty_tensor *x, ty_dtype dtype, void *to, int64_t n, struct fault *fault) {
    if (!ty_ok(x)) return fault_tensor(fault, x);
    return !n || ty_read(x, dtype, to) || fault_memory(fault, tensor_bytes(x));
}

bool series_read(struct series *series, const ty_table *table, int64_t i, struct fault *fault) {
    *series = (struct series){.table = table, .column = i, .kind = ty_table_kind(table, i)};
    series->n = ty_table_rows(table);
    size_t n = series->n ? (size_t)series->n : 1;
    bool words = series->kind == TY_COLUMN_WORDS;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_table_at(table, i);
    if (words)
        series->codes = mem_array(n, sizeof *series->codes);
    else
        series->numbers = mem_array(n, sizeof *series->numbers);
    bool ok = series->codes || series->numbers || fault_memory(fault, n * sizeof *series->numbers);
    if (ok && ty_ok(x) && ty_dtype_of(x) >= TY_C64)
        ok = fault_set(fault, E_DTYPE, "preparation: column \"%.100s\" is complex; expected real numbers",
                       ty_table_name(table, i));
    ok = ok && (words ? read(x, TY_I32, series->codes, series->n, fault)
                      : read(x, TY_F64, series->numbers, series->n, fault));
    ty_close(scope);
    for (int64_t k = 0; ok && !words && k < series->n; k++)
        if (!isfinite(series->numbers[k])) series->numbers[k] = NAN;
    return ok;
}

void series_drop(struct series *series) {
    mem_free(series->numbers);
    mem_free(series->codes);
    series->numbers = NULL;
    series->codes = NULL;
}

/* Write a number as a word to room[VALUE_WORD] and return it. */
static const char *number_word(double x, ty_column_kind kind, char *room) {
    if (kind == TY_COLUMN_BOOL) return x != 0 ? "True" : "False";
    bool whole = x == floor(x) && fabs(x) <= 0x1p53;
    text_print(room, VALUE_WORD, whole ? "%.0f" : "%.15g", x + 0.0); /* zeros of both signs are one value */
    return room;
}

const char *series_word(const struct series *c, int64_t i, char *room) {
    if (c->codes) return c->codes[i] < 0 ? NULL : ty_table_word(c->table, c->column, c->codes[i]);
    return isnan(c->numbers[i]) ? NULL : number_word(c->numbers[i], c->kind, room);
}

/* ---- numbers ---- */

/* Return the m numbers of x[0 .. n) that are not NaN in ascending order, f64 [m], owned by the scope; poison without
   memory. */
static ty_tensor *sorted(int64_t n, const double *x) {
    double *present = mem_array(n ? (size_t)n : 1, sizeof *present);
    if (!present) return tensor_out_of_memory();
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) present[m++] = x[i];
    ty_tensor *all = ty_from(TY_F64, 1, &m, present);
    mem_free(present);
    return at_home(ty_eval(ty_sort(all, 0, false)));
}

/* Return the q-quantile of n ascending numbers, interpolated linearly; NaN if n is 0. */
static double quantile(const double *x, int64_t n, double q) {
    if (!n) return NAN;
    double at = q * (double)(n - 1);
    int64_t i = (int64_t)at;
    double part = at - (double)i;
    return part > 0 ? x[i] * (1 - part) + x[i + 1] * part : x[i];
}

/* Set mean and deviation of n numbers; the deviation has the divisor n. */
static void moments(struct numbers *s, const double *x, int64_t n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    s->mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) squares += (x[i] - s->mean) * (x[i] - s->mean);
    s->deviation = sqrt(squares / (double)n);
}

/* Set the number of distinct ones of n ascending numbers, the most frequent, and whether all are whole. */
static void runs(struct numbers *s, const double *x, int64_t n) {
    int64_t longest = 0;
    s->whole = true;
    s->frequent = NAN;
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && x[end] == x[i];) end++;
        s->distinct++;
        s->whole = s->whole && x[i] == floor(x[i]) && fabs(x[i]) <= 0x1p53;
        if (end - i > longest) {
            longest = end - i;
            s->frequent = x[i];
        }
    }
}

bool numbers_of(struct numbers *s, int64_t n, const double *x, struct fault *fault) {
    *s = (struct numbers){0};
    ty_scope *scope = ty_open();
    ty_tensor *order = sorted(n, x);
    bool ok = ty_ok(order) || fault_tensor(fault, order);
    int64_t m = ok ? ty_size(order) : 0;
    const double *v = m ? ty_data(order) : NULL;
    if (ok) {
        s->present = m;
        moments(s, v, m);
        runs(s, v, m);
        s->least = m ? v[0] : NAN;
        s->greatest = m ? v[m - 1] : NAN;
        s->lower = quantile(v, m, 0.25);
        s->median = quantile(v, m, 0.5);
        s->upper = quantile(v, m, 0.75);
    }
    ty_close(scope);
    return ok;
}

/* ---- distinct values ---- */

/* Append a value with its number of rows; false sets the fault. */
static bool tally_add(struct tally *t, const char *word, int64_t count, struct fault *fault) {
    int64_t i = words_add(t->values, word, strlen(word));
    if (i < 0) return fault_memory(fault, strlen(word));
    t->counts[i] += count;
    t->present += count;
    return true;
}

/* Return the counts of each word of a column, by code; the caller frees them.  NULL sets the fault. */
static int64_t *code_counts(const struct series *c, struct fault *fault) {
    int64_t n = ty_table_words(c->table, c->column);
    int64_t *counts = mem_array(n ? (size_t)n : 1, sizeof *counts);
    if (!counts) fault_memory(fault, (size_t)n * sizeof *counts);
    for (int64_t i = 0; counts && i < n; i++) counts[i] = 0;
    for (int64_t i = 0; counts && i < c->n; i++)
        if (c->codes[i] >= 0) counts[c->codes[i]]++;
    return counts;
}

/* Put the values of a tally in ascending order of their bytes; false sets the fault. */
static bool by_bytes(struct tally *t, struct fault *fault) {
    size_t n = (size_t)t->values->count;
    int32_t *ranks = mem_array(n ? n : 1, sizeof *ranks);
    int64_t *counts = mem_array(n ? n : 1, sizeof *counts);
    bool ok = (ranks && counts && words_sort(t->values, ranks)) || fault_memory(fault, n * sizeof *counts);
    for (size_t i = 0; ok && i < n; i++) counts[ranks[i]] = t->counts[i];
    for (size_t i = 0; ok && i < n; i++) t->counts[i] = counts[i];
    mem_free(ranks);
    mem_free(counts);
    return ok;
}

static bool count_words(struct tally *t, const struct series *c, int64_t most, struct fault *fault) {
    int64_t n = ty_table_words(c->table, c->column), *counts = code_counts(c, fault);
    bool ok = counts;
    for (int64_t i = 0; ok && i < n && !t->many; i++) {
        if (!counts[i]) continue;
        t->many = t->values->count == most;
        ok = t->many || tally_add(t, ty_table_word(c->table, c->column, i), counts[i], fault);
    }
    mem_free(counts);
    return ok && by_bytes(t, fault);
}

static bool count_numbers(struct tally *t, const struct series *c, int64_t most, struct fault *fault) {
    char room[VALUE_WORD];
    ty_scope *scope = ty_open();
    ty_tensor *order = sorted(c->n, c->numbers);
    bool ok = ty_ok(order) || fault_tensor(fault, order);
    int64_t n = ok ? ty_size(order) : 0;
    const double *x = n ? ty_data(order) : NULL;
    for (int64_t i = 0, end; ok && i < n && !t->many; i = end) {
        for (end = i + 1; end < n && x[end] == x[i];) end++;
        t->many = t->values->count == most;
        ok = t->many || tally_add(t, number_word(x[i], c->kind, room), end - i, fault);
    }
    ty_close(scope);
    return ok;
}

bool tally_count(struct tally *t, const struct series *c, int64_t most, struct fault *fault) {
    *t = (struct tally){.values = words_new()};
    int64_t all = c->codes ? ty_table_words(c->table, c->column) : c->n, room = most < all ? most : all;
    t->counts = mem_array((size_t)room + 1, sizeof *t->counts);
    if (!t->values || !t->counts) return fault_memory(fault, (size_t)room * sizeof *t->counts);
    for (int64_t i = 0; i < room; i++) t->counts[i] = 0;
    return c->codes ? count_words(t, c, most, fault) : count_numbers(t, c, most, fault);
}

void tally_drop(struct tally *t) {
    words_release(t->values);
    mem_free(t->counts);
    t->values = NULL;
    t->counts = NULL;
}
