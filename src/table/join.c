/* Joined tables: rows of both tables are grouped together by their keys, then paired within each group. */
#include <inttypes.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include <tyto/table_groups.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "table/append.h"
#include "table/groups.h"

/* One of two tables, and the group of each of its rows. */
struct side {
    const ty_table *table;
    ty_tensor *group; /* i64 [rows] */
};
/* Rows that become one: i64 [pairs], -1: no partner. */
struct pairs {
    ty_tensor *left, *right;
};

static ty_tensor *with_end(ty_tensor *x) {
    return ty_concat(2, (ty_tensor *[]){x, ty_expand(ty_int(-1), 0)}, 0);
}
static ty_tensor *sums_before(ty_tensor *counts) {
    return ty_cumsum(counts, 0, (ty_running){.exclusive = true});
}

/* Return the pairs of rows of `a` and `b` in one of `groups` groups, in the order of a's, then b's rows; with `all` also
   rows of `a` without partner. */
static struct pairs pair(const struct side *a, const struct side *b, int64_t groups, bool all) {
    struct pairs p;
    ty_tensor *zero = ty_int(0), *counts = ty_bincount(b->group, NULL, groups);
    ty_tensor *partners = ty_take(counts, a->group, 0);
    ty_tensor *copies = all ? ty_max(partners, ty_int(1)) : partners;
    p.left = ty_repeat_each(ty_iota(TY_I64, 1, &a->table->rows, 0), copies, 0);
    if (!ty_ok(p.left)) {
        p.right = p.left;
        return p;
    }
    /* The k-th copy of a row gets the k-th row of its group, if there is one. */
    ty_tensor *k = ty_sub(ty_iota(TY_I64, 1, ty_shape(p.left), 0), ty_take(sums_before(copies), p.left, 0));
    ty_tensor *start = ty_take(ty_take(sums_before(counts), a->group, 0), p.left, 0);
    ty_tensor *found = ty_gt(ty_take(partners, p.left, 0), zero);
    ty_tensor *order = with_end(ty_argsort(b->group, 0, false));
    p.right = ty_take(order, ty_where(found, ty_add(start, k), ty_int(-1)), 0);
    return p;
}

/* Return the group of each pair. */
static ty_tensor *group_of(const struct pairs *p, const struct side *left, const struct side *right) {
    ty_tensor *in_left = ty_take(with_end(left->group), p->left, 0);
    ty_tensor *in_right = ty_take(with_end(right->group), p->right, 0);
    return ty_max(in_left, in_right);
}

/* Return the pairs of a join. */
static struct pairs join_rows(const struct side *left, const struct side *right, int64_t groups,
                              ty_pairing pairing) {
    if (pairing == TY_PAIRS_RIGHT) {
        struct pairs swapped = pair(right, left, groups, true);
        return (struct pairs){swapped.right, swapped.left};
    }
    struct pairs p = pair(left, right, groups, pairing != TY_PAIRS_INNER);
    if (pairing != TY_PAIRS_OUTER) return p;
    ty_tensor *partners = ty_take(ty_bincount(left->group, NULL, groups), right->group, 0);
    ty_tensor *alone = mask_places(ty_eq(partners, ty_int(0)));
    if (!ty_ok(alone)) return (struct pairs){alone, alone};
    p.left = ty_concat(2, (ty_tensor *[]){p.left, ty_full(TY_I64, 1, ty_shape(alone), -1)}, 0);
    p.right = ty_concat(2, (ty_tensor *[]){p.right, alone}, 0);
    ty_tensor *order = ty_argsort(group_of(&p, left, right), 0, false);
    return (struct pairs){ty_take(p.left, order, 0), ty_take(p.right, order, 0)};
}

/* ---- columns of the result ---- */

/* Append column i of one table at its rows; `suffix` follows the name if `other` has it, too.  False, with t's fault
   set, on failure. */
static bool add_column(ty_table *t, const ty_table *from, int64_t i, ty_tensor *rows, const ty_table *other,
                       const char *suffix) {
    struct table_column column = {0};
    struct text name = {0};
    const char *own = words_at(from->names, i);
    text_add(&name, "%s%s", own, words_find(other->names, own, strlen(own)) >= 0 ? suffix : "");
    bool ok = !name.failed || fault_memory(&t->fault, name.length);
    ok = ok && column_take_or_miss(&column, &from->columns[i], rows, &t->fault) &&
         table_add(t, name.data ? name.data : "", name.length, column);
    text_drop(&name);
    return ok;
}

/* The joined columns of n keys: the elements of the left table, then those of the right one. */
struct keys {
    int64_t n;
    const char *const *names;
    struct table_column *columns;
    const struct table_column **list; /* the addresses of `columns` */
};

/* Return the number of the key of a name, n if there is none. */
static int64_t key_named(const struct keys *keys, const char *name) {
    int64_t k = 0;
    while (k < keys->n && strcmp(keys->names[k], name) != 0) k++;
    return k;
}

static bool keys_of(struct keys *keys, const ty_table *left, const ty_table *right, struct fault *fault) {
    if (keys->n < 1 || !keys->names)
        return fault_set(fault, E_ARGUMENT,
                         "table_join: %" PRId64 " keys, %s; expected an array of 1 or more", keys->n,
                         keys->names ? "an array" : "NULL");
    if (keys->n > left->count)
        return fault_set(fault, E_ARGUMENT,
                         "table_join: %" PRId64 " keys; the left table has %" PRId64 " columns", keys->n,
                         left->count);
    keys->columns = mem_array((size_t)keys->n, sizeof *keys->columns);
    keys->list = mem_array((size_t)keys->n, sizeof *keys->list);
    if (!keys->columns || !keys->list) return fault_memory(fault, (size_t)keys->n * sizeof *keys->columns);
    for (int64_t k = 0; k < keys->n && !fault->set; k++) {
        int64_t i = table_find(left, keys->names[k], fault);
        int64_t j = i < 0 ? -1 : table_find(right, keys->names[k], fault);
        if (j >= 0)
            column_append(&keys->columns[k], keys->names[k], &left->columns[i], &right->columns[j], 0, fault);
        keys->list[k] = &keys->columns[k];
    }
    return !fault->set;
}

static void drop(struct keys *keys) {
    for (int64_t k = 0; keys->columns && k < keys->n; k++)
        if (keys->columns[k].values) column_drop(&keys->columns[k]);
    mem_free(keys->columns);
    mem_free(keys->list);
}

/* Append all columns at the pairs. */
static void add_all(ty_table *t, const struct side *left, const struct side *right, const struct pairs *p,
                    const struct keys *keys, const char *const *suffixes) {
    ty_tensor *behind = ty_add(p->right, ty_int(left->table->rows));
    ty_tensor *row = ty_where(ty_ge(p->left, ty_int(0)), p->left, behind);
    for (int64_t i = 0; i < left->table->count && !t->fault.set; i++) {
        const char *name = words_at(left->table->names, i);
        int64_t k = key_named(keys, name);
        if (k == keys->n)
            add_column(t, left->table, i, p->left, right->table, suffixes[0]);
        else
            table_add_rows(t, name, &keys->columns[k], row);
    }
    for (int64_t i = 0; i < right->table->count && !t->fault.set; i++)
        if (key_named(keys, words_at(right->table->names, i)) == keys->n)
            add_column(t, right->table, i, p->right, left->table, suffixes[1]);
}

ty_table *ty_table_join(const ty_table *left, const ty_table *right, int64_t n, const char *const *keys,
                        ty_pairing pairing, const char *left_suffix, const char *right_suffix) {
    FLOATING_DEFAULT;
    const char *const suffixes[] = {left_suffix ? left_suffix : "_x", right_suffix ? right_suffix : "_y"};
    struct side a = {.table = table_of(left)}, b = {.table = table_of(right)};
    struct keys on = {.n = n, .names = keys};
    ty_table *t = table_begin();
    const struct fault *failed = a.table->fault.set ? &a.table->fault : &b.table->fault;
    if (failed->set) fault_copy(&t->fault, failed);
    if ((unsigned)pairing >= TY_PAIRINGS)
        fault_set(&t->fault, E_ARGUMENT, "table_join: unknown pairing %d", (int)pairing);
    ty_scope *scope = ty_open();
    if (!t->fault.set && keys_of(&on, a.table, b.table, &t->fault)) {
        struct groups g = groups_of(n, on.list, true);
        int64_t all = a.table->rows + b.table->rows;
        ty_tensor *group = ty_scatter(ty_zeros(TY_I64, 1, &all), g.order, g.group, 0, TY_SCATTER_SET);
        a.group = ty_slice(group, 0, 0, a.table->rows, 1);
        b.group = ty_slice(group, 0, a.table->rows, all, 1);
        struct pairs p = join_rows(&a, &b, g.count, pairing);
        add_all(t, &a, &b, &p, &on, suffixes);
    }
    ty_close(scope);
    drop(&on);
    return table_end(t);
}
