/* Keys by which rows are sorted and grouped, and groups of equal rows. */
#include "table/groups.h"
#include <inttypes.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/alloc.h"

/* Return the place of each of a set's words in the order of their bytes, i32 [words]; poison without memory. */
static ty_tensor *places(const struct words *w) {
    int32_t *ranks = mem_array((size_t)w->count + 1, sizeof *ranks);
    ty_tensor *result = ranks && words_rank(w, ranks) ? ty_from(TY_I32, 1, &w->count, ranks) : NULL;
    mem_free(ranks);
    return result ? result : tensor_out_of_memory();
}

void order_keys(const struct table_column *c, bool descending, ty_tensor **keys) {
    ty_tensor *x = c->values;
    if (c->kind == TY_COLUMN_WORDS)
        x = c->words->count ? ty_take(places(c->words), ty_max(x, ty_int(0)), 0) : x;
    if (dtype_is(x->dtype, CLASS_COMPLEX))
        x = ty_poison_code(E_DTYPE, "table: complex numbers have no order");
    else if (x->dtype == TY_BOOL)
        x = ty_cast(x, TY_U8);
    /* -x - 1 reverses integers modulo their range, also the least one and unsigned ones. */
    if (descending && dtype_is(x->dtype, CLASS_FLOAT))
        x = ty_neg(x);
    else if (descending)
        x = ty_sub(ty_sub(ty_scalar(x->dtype, 0), x), ty_scalar(x->dtype, 1));
    keys[1] = column_missing(c);
    /* Missing elements are equal, so that they keep the order of less significant columns. */
    keys[0] = ty_where(keys[1], ty_cast(ty_int(0), x->dtype), x);
    keys[1] = ty_cast(keys[1], TY_U8);
}

/* ---- groups ---- */

ty_tensor *mask_places(ty_tensor *mask) { return ty_squeeze(ty_nonzero(mask), 0); }
ty_tensor *mask_gaps(ty_tensor *mask) { return mask_places(ty_eq(mask, ty_int(0))); }

/* Return the mask of the elements of a vector that differ from the one before; the first one does. */
static ty_tensor *differs(ty_tensor *x) {
    if (!ty_ok(x)) return x;
    int64_t m = ty_shape(x)[0], first = m > 0;
    ty_tensor *later = ty_ne(ty_slice(x, 0, first, m, 1), ty_slice(x, 0, 0, m - first, 1));
    return ty_concat(2, (ty_tensor *[]){ty_ones(TY_BOOL, 1, &first), later}, 0);
}

/* Set starts and counts by group and count. */
static void measure(struct groups *g) {
    g->counts = ty_bincount(g->group, NULL, g->count);
    g->starts = ty_cumsum(g->counts, 0, (ty_running){.exclusive = true});
}

struct groups groups_one(int64_t rows) {
    struct groups g = {
        .count = 1, .order = ty_iota(TY_I64, 1, &rows, 0), .group = ty_zeros(TY_I64, 1, &rows)};
    measure(&g);
    return g;
}

struct groups groups_of(int64_t n, const struct table_column *const *columns, bool missing) {
    struct groups g = {0};
    ty_tensor **keys = mem_array(2 * (size_t)n, sizeof *keys), *any = NULL, *change = NULL;
    if (!keys) {
        g.order = g.group = g.starts = g.counts = tensor_out_of_memory();
        return g;
    }
    for (int64_t k = 0; k < n; k++) {
        ty_tensor **pair = keys + 2 * (n - 1 - k);
        order_keys(columns[k], false, pair);
        any = any ? ty_logical_or(any, pair[1]) : pair[1];
    }
    g.order = ty_lexsort((int)(2 * n), keys, 0);
    if (!missing) g.order = ty_take(g.order, mask_gaps(ty_take(any, g.order, 0)), 0);
    for (int64_t k = 0; k < 2 * n; k++) {
        ty_tensor *now = differs(ty_take(keys[k], g.order, 0));
        change = change ? ty_logical_or(change, now) : now;
    }
    mem_free(keys);
    g.group = ty_sub(ty_cumsum(ty_cast(change, TY_I64), 0, (ty_running){0}), ty_int(1));
    ty_tensor *total = ty_sum(ty_cast(change, TY_I64), TY_ALL);
    if (ty_ok(g.group) && !ty_read(total, TY_I64, &g.count))
        g.group = ty_ok(total) ? tensor_out_of_memory() : total;
    if (ty_ok(g.group))
        measure(&g);
    else
        g.starts = g.counts = g.order = g.group;
    return g;
}

struct groups groups_without(const struct groups *g, ty_tensor *mask) {
    struct groups some = {.count = g->count};
    ty_tensor *kept = mask_gaps(ty_take(mask, g->order, 0));
    some.order = ty_take(g->order, kept, 0);
    some.group = ty_take(g->group, kept, 0);
    measure(&some);
    return some;
}

struct groups groups_by_value(const struct groups *g, const struct table_column *column) {
    ty_tensor *keys[2];
    struct groups sorted = *g;
    order_keys(column, false, keys);
    keys[0] = ty_take(keys[0], g->order, 0);
    keys[1] = g->group;
    sorted.order = ty_take(g->order, ty_lexsort(2, keys, 0), 0);
    return sorted;
}

ty_tensor *groups_changes(const struct groups *g, const struct table_column *column) {
    ty_tensor *keys[2];
    order_keys(column, false, keys);
    return ty_logical_or(differs(g->group), differs(ty_take(keys[0], g->order, 0)));
}

void groups_by_frequency(const struct groups *g, ty_tensor **rows, ty_tensor **counts) {
    ty_tensor *first = groups_row(g, ty_int(0));
    ty_tensor *order = ty_lexsort(2, (ty_tensor *[]){first, ty_neg(g->counts)}, 0);
    *rows = ty_take(first, order, 0);
    *counts = ty_take(g->counts, order, 0);
}

ty_tensor *groups_row(const struct groups *g, ty_tensor *shift) {
    /* An element of -1 at the end stands for the rows of empty groups. */
    ty_tensor *rows = ty_concat(2, (ty_tensor *[]){g->order, ty_expand(ty_int(-1), 0)}, 0);
    ty_tensor *at = ty_where(ty_gt(g->counts, ty_int(0)), ty_add(g->starts, shift), ty_int(-1));
    return ty_take(rows, at, 0);
}

const struct table_column **columns_named(const ty_table *t, int64_t n, const char *const *names,
                                          int64_t least, const char *function, struct fault *fault) {
    if (t->fault.set) fault_copy(fault, &t->fault);
    if (n < least)
        fault_set(fault, E_ARGUMENT, "%s: %" PRId64 " columns; expected %" PRId64 " or more", function, n,
                  least);
    if (n > t->count)
        fault_set(fault, E_ARGUMENT, "%s: %" PRId64 " columns; the table has %" PRId64, function, n,
                  t->count);
    if (n > 0 && !names)
        fault_set(fault, E_ARGUMENT, "%s: the array of %" PRId64 " names is NULL", function, n);
    const struct table_column **columns = fault->set ? NULL : mem_array((size_t)n + 1, sizeof *columns);
    if (!fault->set && !columns) fault_memory(fault, (size_t)(n + 1) * sizeof *columns);
    for (int64_t k = 0; k < n && !fault->set; k++) {
        int64_t i = table_find(t, names[k], fault);
        if (i >= 0) columns[k] = &t->columns[i];
    }
    if (!fault->set) return columns;
    mem_free(columns);
    return NULL;
}

const struct table_column **columns_named_or_all(const ty_table *t, int64_t *n, const char *const *names,
                                                 const char *function, struct fault *fault) {
    if (*n || t->fault.set) return columns_named(t, *n, names, 0, function, fault);
    *n = t->count;
    const struct table_column **columns = mem_array((size_t)*n + 1, sizeof *columns);
    if (!columns) fault_memory(fault, (size_t)*n * sizeof *columns);
    for (int64_t k = 0; columns && k < *n; k++) columns[k] = &t->columns[k];
    return columns;
}
