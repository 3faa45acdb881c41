/* Tables of groups: reductions, counts, distinct rows. */
#include <inttypes.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/sort.h>
#include <tyto/table_groups.h>
#include <tyto/table_rows.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "table/reductions.h"

/* ---- reductions ---- */

/* Append the result of one reduction; false, with t's fault set, on failure. */
static bool add_reduction(ty_table *t, const ty_table *from, const struct groups *g,
                          const ty_group_column *wanted) {
    if ((unsigned)wanted->value >= TY_GROUP_VALUES)
        return fault_set(&t->fault, E_ARGUMENT, "table_group: unknown value %d", (int)wanted->value);
    bool sized = wanted->value == TY_GROUP_SIZE;
    int64_t i = sized ? -1 : table_find(from, wanted->column, &t->fault);
    if (t->fault.set) return false;
    struct text name = {0};
    struct table_column column = {0};
    if (wanted->name)
        text_add(&name, "%s", wanted->name);
    else
        text_add(&name, "%s%s%s", sized ? "" : wanted->column, sized ? "" : "_",
                 ty_group_value_name(wanted->value));
    struct reduced r = reduced_begin(wanted->column, sized ? NULL : &from->columns[i], g);
    bool ok = !name.failed || fault_memory(&t->fault, name.length);
    ok = ok && reduced_column(&column, &r, wanted->value, &t->fault) &&
         table_add(t, name.data ? name.data : "", name.length, column);
    text_drop(&name);
    return ok;
}

ty_table *ty_table_group(const ty_table *table, int64_t n, const char *const *keys, int64_t nvalues,
                         const ty_group_column *values, bool missing) {
    FLOATING_DEFAULT;
    const ty_table *from = table_of(table);
    ty_table *t = table_begin();
    const struct table_column **columns = columns_named(from, n, keys, 0, "table_group", &t->fault);
    if (nvalues < 0 || (nvalues && !values))
        fault_set(&t->fault, E_ARGUMENT,
                  "table_group: %" PRId64 " values, %s; expected an array of 0 or more", nvalues,
                  values ? "an array" : "NULL");
    if (t->fault.set) {
        mem_free(columns);
        return table_end(t);
    }
    ty_scope *scope = ty_open();
    struct groups g = n ? groups_of(n, columns, missing) : groups_one(from->rows);
    ty_tensor *first = n ? groups_row(&g, ty_int(0)) : NULL;
    for (int64_t k = 0; k < n && !t->fault.set; k++) table_add_rows(t, keys[k], columns[k], first);
    for (int64_t k = 0; k < nvalues && !t->fault.set; k++) add_reduction(t, from, &g, &values[k]);
    ty_close(scope);
    mem_free(columns);
    return table_end(t);
}

/* ---- counts and distinct rows ---- */

ty_table *ty_table_counts(const ty_table *table, int64_t n, const char *const *names) {
    FLOATING_DEFAULT;
    ty_table *t = table_begin();
    const struct table_column **columns =
        columns_named(table_of(table), n, names, 1, "table_counts", &t->fault);
    if (!columns) return table_end(t);
    ty_scope *scope = ty_open();
    struct groups g = groups_of(n, columns, false);
    ty_tensor *rows, *counts;
    groups_by_frequency(&g, &rows, &counts);
    struct table_column count = {0};
    struct text name = {0};
    for (int64_t k = 0; k < n && !t->fault.set; k++) table_add_rows(t, names[k], columns[k], rows);
    if (!t->fault.set && !table_free_name(&name, "count", strlen("count"), t->names, NULL))
        fault_memory(&t->fault, name.length);
    if (!t->fault.set && column_from(&count, counts, NULL, &t->fault))
        table_add(t, name.data, name.length, count);
    text_drop(&name);
    ty_close(scope);
    mem_free(columns);
    return table_end(t);
}

ty_table *ty_table_unique(const ty_table *table, int64_t n, const char *const *names) {
    FLOATING_DEFAULT;
    const ty_table *from = table_of(table);
    struct fault fault = {0};
    const struct table_column **columns = columns_named_or_all(from, &n, names, "table_unique", &fault);
    if (!columns) return table_failed(&fault);
    ty_scope *scope = ty_open();
    /* A table without columns has no rows. */
    struct groups g =
        n ? groups_of(n, columns, true) : (struct groups){.order = ty_zeros(TY_I64, 1, &(int64_t){0})};
    ty_table *t = ty_table_take(from, n ? ty_sort(groups_row(&g, ty_int(0)), 0, false) : g.order);
    ty_close(scope);
    mem_free(columns);
    return t;
}
