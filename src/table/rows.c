/* Rows of tables: selection and sorting. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include <tyto/table_rows.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "table/groups.h"

/* Return the elements of x, [rows], at the indices as a contiguous value; poison if one is outside. */
static ty_tensor *elements(ty_tensor *x, ty_tensor *index) {
    return ty_contiguous(ty_detach(ty_eval(ty_take(x, index, 0))));
}

/* Set *to to the rows `index` of a column, with references of its own; false sets the fault. */
static bool column_take(struct table_column *to, const struct table_column *from, ty_tensor *index,
                        struct fault *fault) {
    ty_scope *scope = ty_open();
    ty_tensor *values = elements(from->values, index);
    ty_tensor *missing = from->missing ? elements(from->missing, index) : NULL;
    bool ok = column_of_kind(to, from, values, missing, fault);
    ty_close(scope);
    return ok;
}

bool table_add_rows(ty_table *t, const char *name, const struct table_column *from, ty_tensor *index) {
    struct table_column column = {0};
    return column_take(&column, from, index, &t->fault) && table_add(t, name, strlen(name), column);
}

bool column_take_or_miss(struct table_column *to, const struct table_column *from, ty_tensor *index,
                         struct fault *fault) {
    ty_scope *scope = ty_open();
    bool words = from->kind == TY_COLUMN_WORDS,
         real = dtype_is(from->values->dtype, CLASS_FLOAT | CLASS_COMPLEX);
    ty_tensor *end = ty_cast(words ? ty_int(-1) : real ? ty_num(NAN) : ty_int(0), from->values->dtype);
    ty_tensor *values = ty_concat(2, (ty_tensor *[]){from->values, ty_expand(end, 0)}, 0), *missing = NULL;
    if (!words && !real)
        missing = ty_concat(2, (ty_tensor *[]){column_missing(from), ty_ones(TY_BOOL, 1, (int64_t[]){1})}, 0);
    values = elements(values, index);
    if (missing) missing = elements(missing, index);
    bool ok = column_of_kind(to, from, values, missing, fault);
    ty_close(scope);
    return ok;
}

/* Return the table of the rows `index`, a tensor [n] or poison, and close the scope. */
static ty_table *taken(const ty_table *from, ty_tensor *index, ty_scope *scope) {
    ty_table *t = table_begin();
    index = ty_eval(index);
    if (from->fault.set)
        fault_copy(&t->fault, &from->fault);
    else if (!ty_ok(index))
        fault_tensor(&t->fault, index);
    else if (ty_rank(index) != 1)
        fault_set(&t->fault, E_SHAPE, "table: the numbers of rows have %d axes; expected one",
                  ty_rank(index));
    for (int64_t i = 0; i < from->count && !t->fault.set; i++)
        table_add_rows(t, words_at(from->names, i), &from->columns[i], index);
    ty_close(scope);
    return table_end(t);
}

ty_table *ty_table_take(const ty_table *table, ty_tensor *index) {
    FLOATING_DEFAULT;
    ty_scope *scope = ty_open();
    return taken(table_of(table), index, scope);
}

ty_table *ty_table_filter(const ty_table *table, ty_tensor *mask) {
    FLOATING_DEFAULT;
    const ty_table *t = table_of(table);
    ty_scope *scope = ty_open();
    mask = ty_eval(mask);
    bool vector = ty_ok(mask) && ty_rank(mask) == 1;
    ty_tensor *index = mask;
    if (ty_ok(mask) && ty_dtype_of(mask) != TY_BOOL)
        index = ty_poison_code(E_DTYPE, "table_filter: the mask is %s; expected bool",
                               ty_dtype_name(ty_dtype_of(mask)));
    else if (vector && ty_shape(mask)[0] != t->rows)
        index =
            ty_poison_code(E_SHAPE, "table_filter: the mask has %" PRId64 " elements for %" PRId64 " rows",
                           ty_shape(mask)[0], t->rows);
    else if (vector)
        index = mask_places(mask);
    return taken(t, index, scope);
}

ty_table *ty_table_drop_missing(const ty_table *table, int64_t n, const char *const *names) {
    FLOATING_DEFAULT;
    const ty_table *t = table_of(table);
    struct fault fault = {0};
    const struct table_column **columns = columns_named_or_all(t, &n, names, "table_drop_missing", &fault);
    if (!columns) return table_failed(&fault);
    ty_scope *scope = ty_open();
    ty_tensor *missing = ty_zeros(TY_BOOL, 1, &t->rows);
    for (int64_t k = 0; k < n; k++) missing = ty_logical_or(missing, column_missing(columns[k]));
    mem_free(columns);
    return taken(t, mask_gaps(missing), scope);
}

ty_table *ty_table_rows_between(const ty_table *table, int64_t start, int64_t stop) {
    const ty_table *t = table_of(table);
    int64_t bounds[] = {start, stop};
    for (int i = 0; i < 2; i++) {
        if (bounds[i] < 0) bounds[i] = bounds[i] < -t->rows ? 0 : bounds[i] + t->rows;
        if (bounds[i] > t->rows) bounds[i] = t->rows;
    }
    int64_t n = bounds[1] > bounds[0] ? bounds[1] - bounds[0] : 0;
    ty_scope *scope = ty_open();
    return taken(t, ty_add(ty_iota(TY_I64, 1, &n, 0), ty_int(bounds[0])), scope);
}

/* ---- sorting ---- */

ty_table *ty_table_sort(const ty_table *table, int64_t n, const char *const *names, const bool *descending) {
    FLOATING_DEFAULT;
    const ty_table *t = table_of(table);
    struct fault fault = {0};
    if (t->fault.set) fault_copy(&fault, &t->fault);
    if (n < 1 || n > t->count)
        fault_set(&fault, E_ARGUMENT, "table_sort: %" PRId64 " columns to sort by; expected 1..%" PRId64, n,
                  t->count);
    if (!names) fault_set(&fault, E_ARGUMENT, "table_sort: the array of %" PRId64 " names is NULL", n);
    ty_tensor **keys = fault.set ? NULL : mem_array(2 * (size_t)n, sizeof *keys);
    if (!fault.set && !keys) fault_memory(&fault, 2 * (size_t)n * sizeof *keys);
    if (fault.set) return table_failed(&fault);
    ty_scope *scope = ty_open();
    for (int64_t k = 0; k < n && !fault.set; k++) {
        int64_t i = table_find(t, names[k], &fault);
        if (i >= 0) order_keys(&t->columns[i], descending && descending[k], keys + 2 * (n - 1 - k));
    }
    ty_tensor *order = fault.set ? tensor_fault(&fault) : ty_lexsort((int)(2 * n), keys, 0);
    mem_free(keys);
    return taken(t, order, scope);
}
