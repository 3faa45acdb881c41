/* Summaries of the columns of a table. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include <tyto/table_groups.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "table/groups.h"

static const char *const statistics[] = {"count", "mean", "std", "min", "25%", "50%", "75%", "max"};
enum { STATISTICS = sizeof statistics / sizeof *statistics };

/* Return the elements of a column that are not missing. */
static ty_tensor *present(const struct table_column *c) {
    return ty_take(c->values, mask_gaps(column_missing(c)), 0);
}

/* Return the statistics of a column of real numbers, f64 [STATISTICS]. */
static ty_tensor *describe_numbers(const struct table_column *c) {
    static const double quarters[] = {0, 0.25, 0.5, 0.75, 1};
    int64_t nquarters = sizeof quarters / sizeof *quarters, rest = STATISTICS - 1;
    ty_tensor *x = ty_cast(present(c), TY_F64);
    if (!ty_ok(x)) return x;
    int64_t n = ty_shape(x)[0];
    ty_tensor *count = ty_expand(ty_scalar(TY_F64, (double)n), 0), *mean = ty_mean(x, TY_ALL);
    if (!n) return ty_concat(2, (ty_tensor *[]){count, ty_full(TY_F64, 1, &rest, NAN)}, 0);
    ty_tensor *std = n > 1 ? ty_std(x, TY_ALL, 1) : ty_scalar(TY_F64, NAN);
    ty_tensor *parts = ty_quantile(x, ty_from(TY_F64, 1, &nquarters, quarters), TY_ALL, NULL);
    return ty_concat(4, (ty_tensor *[]){count, ty_expand(mean, 0), ty_expand(std, 0), parts}, 0);
}

/* Return true for a column of real numbers. */
static bool is_real(const struct table_column *c) {
    return c->kind == TY_COLUMN_EMPTY || c->kind == TY_COLUMN_WHOLE ||
           (c->kind == TY_COLUMN_NUMBER && !dtype_is(c->values->dtype, CLASS_COMPLEX));
}

/* Return a table of one column, of n different words; the caller frees it. */
static ty_table *table_of_words(const char *name, int64_t n, const char *const *words) {
    ty_table *empty = ty_table_new(0, NULL, NULL);
    ty_table *t = ty_table_with_words(empty, name, ty_iota(TY_I32, 1, &n, 0), n, words);
    ty_table_free(empty);
    return t;
}

ty_table *ty_table_describe(const ty_table *table) {
    FLOATING_DEFAULT;
    const ty_table *from = table_of(table);
    if (from->fault.set) return table_failed(&from->fault);
    ty_scope *scope = ty_open();
    struct text first = {0};
    struct fault fault = {0};
    if (!table_free_name(&first, "statistic", strlen("statistic"), from->names, NULL))
        fault_memory(&fault, first.length);
    ty_table *t = fault.set ? table_failed(&fault) : table_of_words(first.data, STATISTICS, statistics);
    text_drop(&first);
    for (int64_t i = 0; i < from->count && !t->fault.set; i++) {
        struct table_column column = {0};
        const char *name = words_at(from->names, i);
        if (is_real(&from->columns[i]) &&
            column_from(&column, describe_numbers(&from->columns[i]), NULL, &t->fault))
            table_add(t, name, strlen(name), column);
    }
    ty_close(scope);
    return table_end(t);
}

/* ---- words and truth values ---- */

/* Columns of the summary, with an element for each of n columns. */
struct summary {
    int64_t n, *count, *unique, *freq;
    bool *without; /* the column has no elements */
    int32_t *top;  /* codes of `words`, -1: none */
    const char **names;
    struct words *words;
};

static bool is_words(const struct table_column *c) {
    return c->kind == TY_COLUMN_WORDS || c->kind == TY_COLUMN_BOOL;
}

/* Return true if an array of room for n elements was made. */
static bool make_room(struct summary *s, int64_t n) {
    size_t room = (size_t)n + 1;
    s->count = mem_array(room, sizeof *s->count), s->unique = mem_array(room, sizeof *s->unique);
    s->freq = mem_array(room, sizeof *s->freq), s->without = mem_array(room, sizeof *s->without);
    s->top = mem_array(room, sizeof *s->top), s->names = mem_array(room, sizeof *s->names);
    s->words = words_new();
    return s->count && s->unique && s->freq && s->without && s->top && s->names && s->words;
}

static void drop(struct summary *s) {
    mem_free(s->count), mem_free(s->unique), mem_free(s->freq), mem_free(s->without);
    mem_free(s->top), mem_free(s->names);
    words_release(s->words);
}

/* Append the summary of a column; false sets the fault. */
static bool summarise(struct summary *s, const char *name, const struct table_column *c,
                      struct fault *fault) {
    struct groups g = groups_of(1, &c, false);
    ty_tensor *rows, *counts, *total = ty_sum(g.counts, TY_ALL);
    int64_t code, k = s->n;
    groups_by_frequency(&g, &rows, &counts);
    ty_tensor *all = ty_ok(rows) ? total : rows;
    if (!ty_ok(all)) return fault_tensor(fault, all);
    s->names[k] = name;
    s->unique[k] = g.count;
    s->top[k] = -1;
    s->without[k] = g.count == 0;
    bool read = ty_read(total, TY_I64, &s->count[k]);
    if (g.count) {
        ty_tensor *most = ty_slice(rows, 0, 0, 1, 1);
        read = read && ty_read(ty_slice(counts, 0, 0, 1, 1), TY_I64, &s->freq[k]) &&
               ty_read(ty_take(c->values, most, 0), TY_I64, &code);
        const char *top = !read ? "" : c->words ? words_at(c->words, code) : code ? "True" : "False";
        int64_t number = words_add(s->words, top, strlen(top));
        read = read && number >= 0;
        s->top[k] = (int32_t)number;
    }
    s->n++;
    return read || fault_memory(fault, sizeof code);
}

/* Return the table of a summary. */
static ty_table *summary_table(const struct summary *s) {
    const int64_t n = s->n;
    ty_table *t = table_begin();
    struct table_column tops = {.kind = TY_COLUMN_WORDS, .words = s->words}, column = {0};
    const struct {
        const char *name;
        const int64_t *values;
        const bool *missing;
    } numbers[] = {{"count", s->count, NULL}, {"unique", s->unique, NULL}, {"freq", s->freq, s->without}};
    ty_table *names = table_of_words("column", n, s->names);
    if (names->fault.set)
        fault_copy(&t->fault, &names->fault);
    else
        table_add_shared(t, names, 0);
    for (int k = 0; k < 3 && !t->fault.set; k++) {
        if (k == 2 && column_of_kind(&column, &tops, ty_from(TY_I32, 1, &n, s->top), NULL, &t->fault))
            table_add(t, "top", strlen("top"), column);
        ty_tensor *missing = numbers[k].missing ? ty_from(TY_BOOL, 1, &n, numbers[k].missing) : NULL;
        if (!t->fault.set &&
            column_from(&column, ty_from(TY_I64, 1, &n, numbers[k].values), missing, &t->fault))
            table_add(t, numbers[k].name, strlen(numbers[k].name), column);
    }
    ty_table_free(names);
    return table_end(t);
}

ty_table *ty_table_describe_words(const ty_table *table) {
    FLOATING_DEFAULT;
    const ty_table *from = table_of(table);
    struct fault fault = {0};
    struct summary s = {0};
    ty_scope *scope = ty_open();
    if (from->fault.set)
        fault_copy(&fault, &from->fault);
    else if (!make_room(&s, from->count))
        fault_memory(&fault, (size_t)from->count * sizeof(int64_t));
    for (int64_t i = 0; i < from->count && !fault.set; i++)
        if (is_words(&from->columns[i])) summarise(&s, words_at(from->names, i), &from->columns[i], &fault);
    ty_table *t = fault.set ? table_failed(&fault) : summary_table(&s);
    ty_close(scope);
    drop(&s);
    return t;
}
