/* The handle of a table: construction column by column, sharing, inspection. */
#include "table/table.h"
#include <inttypes.h>
#include <string.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/nearest.h"

static ty_table no_memory = {.fault = {true, E_MEMORY, "out of memory: a table could not be made"}};
static ty_table null_table = {.fault = {true, E_ARGUMENT, "table: the table is NULL"}};
const ty_table *table_of(const ty_table *table) { return table ? table : &null_table; }
static bool is_static(const ty_table *t) { return t == &no_memory || t == &null_table; }

ty_table *table_begin(void) {
    ty_table *t = mem_alloc(sizeof *t);
    if (!t) return &no_memory;
    atomic_init(&t->refs, 1);
    t->names = words_new();
    if (t->names) return t;
    mem_free(t);
    return &no_memory;
}

void column_drop(struct table_column *column) {
    ty_release(column->values);
    ty_release(column->missing);
    words_release(column->words);
    *column = (struct table_column){0};
}

struct table_column column_share(const struct table_column *column) {
    struct table_column shared = *column;
    ty_retain(shared.values);
    if (shared.missing) ty_retain(shared.missing);
    if (shared.words) words_retain(shared.words);
    return shared;
}

/* Drop all columns and names. */
static void clear(ty_table *t) {
    for (int64_t i = 0; i < t->count; i++) column_drop(&t->columns[i]);
    mem_free(t->columns);
    words_release(t->names);
    t->columns = NULL;
    t->names = NULL;
    t->rows = t->count = t->capacity = 0;
}

void ty_table_free(ty_table *table) {
    if (!table || is_static(table) || !last_reference(&table->refs)) return;
    clear(table);
    mem_free(table);
}

/* Return true if the column fits the table; else set its fault. */
static bool check(ty_table *t, const char *name, size_t n, const struct table_column *column) {
    int shown = n < 100 ? (int)n : 100;
    int64_t rows = column->values->layout.shape[0];
    if (t->fault.set) return false;
    if (words_find(t->names, name, n) >= 0)
        return fault_set(&t->fault, E_ARGUMENT,
                         "table: two columns have the name \"%.*s\"; names must differ", shown, name);
    if (t->count && rows != t->rows)
        return fault_set(&t->fault, E_SHAPE,
                         "table: column \"%.*s\" has %" PRId64 " rows; the columns before it have %" PRId64,
                         shown, name, rows, t->rows);
    return true;
}

bool table_add(ty_table *t, const char *name, size_t n, struct table_column column) {
    bool ok = check(t, name, n, &column);
    if (ok && (!list_reserve(t->columns, t->count + 1, t->capacity) || words_add(t->names, name, n) < 0))
        ok = fault_memory(&t->fault, n + sizeof column);
    if (!ok) {
        column_drop(&column);
        return false;
    }
    t->rows = column.values->layout.shape[0];
    t->columns[t->count++] = column;
    return true;
}

static bool has_name(const struct words *names, const struct text *name) {
    return names && words_find(names, name->data, name->length) >= 0;
}

bool table_free_name(struct text *name, const char *wanted, size_t n, const struct words *taken,
                     const struct words *also) {
    text_add_bytes(name, wanted, n);
    for (int64_t k = 1; !name->failed && (has_name(taken, name) || has_name(also, name)); k++) {
        name->length = 0;
        text_add_bytes(name, wanted, n);
        text_add(name, ".%" PRId64, k);
    }
    return !name->failed;
}

bool table_add_shared(ty_table *t, const ty_table *from, int64_t i) {
    const char *name = words_at(from->names, i);
    return table_add(t, name, strlen(name), column_share(&from->columns[i]));
}

ty_table *table_end(ty_table *t) {
    if (!t->fault.set || is_static(t)) return t;
    clear(t);
    return t;
}

ty_table *table_failed(const struct fault *fault) {
    ty_table *t = table_begin();
    if (!is_static(t)) fault_copy(&t->fault, fault);
    return table_end(t);
}

static const char *name_of(const void *table, int64_t i) { return ty_table_name(table, i); }

bool table_refuse(const ty_table *t, const char *owner, const char *name, const char *role,
                  struct fault *fault) {
    return nearest_refuse(fault, owner, name, role, ty_table_columns(t), name_of, t);
}

int64_t table_find(const ty_table *t, const char *name, struct fault *fault) {
    int64_t i = !t->fault.set && name ? words_find(t->names, name, strlen(name)) : -1;
    if (i >= 0) return i;
    if (t->fault.set)
        fault_copy(fault, &t->fault);
    else if (!name)
        fault_set(fault, E_ARGUMENT, "table: the name of a column is NULL");
    else
        table_refuse(t, "table:", name, "", fault);
    return -1;
}

/* ---- inspection ---- */

const char *ty_table_error(const ty_table *table) { return table_of(table)->fault.text; }
ty_tensor *ty_table_failure(const ty_table *table) { return tensor_failure(&table_of(table)->fault); }
int64_t ty_table_rows(const ty_table *table) { return table_of(table)->rows; }
int64_t ty_table_columns(const ty_table *table) { return table_of(table)->count; }

/* Return column i, from 0; NULL if it is outside. */
static const struct table_column *column_of(const ty_table *table, int64_t i) {
    const ty_table *t = table_of(table);
    return i >= 0 && i < t->count ? &t->columns[i] : NULL;
}

const char *ty_table_name(const ty_table *table, int64_t i) {
    return column_of(table, i) ? words_at(table->names, i) : NULL;
}

int64_t ty_table_find(const ty_table *table, const char *name) {
    const ty_table *t = table_of(table);
    return name && t->names ? words_find(t->names, name, strlen(name)) : -1;
}

const char *ty_column_kind_name(ty_column_kind kind) {
    static const char *const names[] = {"empty", "bool", "whole", "number", "words"};
    return (unsigned)kind < TY_COLUMN_KINDS ? names[kind] : "?";
}

ty_column_kind ty_table_kind(const ty_table *table, int64_t i) {
    const struct table_column *column = column_of(table, i);
    return column ? column->kind : TY_COLUMN_KINDS;
}

int64_t ty_table_words(const ty_table *table, int64_t i) {
    const struct table_column *column = column_of(table, i);
    return column && column->words ? column->words->count : 0;
}

const char *ty_table_word(const ty_table *table, int64_t i, int64_t code) {
    return code >= 0 && code < ty_table_words(table, i) ? words_at(table->columns[i].words, code) : NULL;
}
