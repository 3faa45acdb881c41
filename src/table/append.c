/* Tables after each other: dictionaries are merged, kinds of numbers reconciled. */
#include "table/append.h"
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include <tyto/table_groups.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "table/groups.h"

/* Return the kind of a column; that of one without elements if it is NULL. */
static ty_column_kind kind_of(const struct table_column *c) { return c ? c->kind : TY_COLUMN_EMPTY; }

/* Set map[i] to the number of b's word i among the words of a result, which has a's first, and return them; NULL sets
   the fault. */
static struct words *merge(const struct words *a, const struct words *b, int32_t *map, struct fault *fault) {
    struct words *all = words_new();
    const struct words *both[] = {a, b};
    bool ok = all;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; ok && both[k] && i < both[k]->count; i++) {
            const char *word = words_at(both[k], i);
            int64_t number = words_add(all, word, strlen(word));
            ok = number >= 0;
            if (k == 1) map[i] = (int32_t)number;
        }
    if (ok) return all;
    fault_memory(fault, sizeof *all);
    words_release(all);
    return NULL;
}

/* Return the codes of a column, i32; `missing` codes of -1 for one without words. */
static ty_tensor *codes_of(const struct table_column *c, int64_t missing) {
    int64_t n = c ? c->values->layout.shape[0] : missing;
    return c && c->words ? c->values : ty_full(TY_I32, 1, &n, -1);
}

static bool append_words(struct table_column *to, const struct table_column *a, const struct table_column *b,
                         int64_t missing, struct fault *fault) {
    const struct words *words[] = {a ? a->words : NULL, b ? b->words : NULL};
    int64_t n = words[1] ? words[1]->count : 0, size = n + 1;
    int32_t *map = mem_array((size_t)size, sizeof *map);
    if (!map) return fault_memory(fault, (size_t)size * sizeof *map);
    struct table_column like = {.kind = TY_COLUMN_WORDS, .words = merge(words[0], words[1], map, fault)};
    map[n] = -1; /* a code of -1 takes the last element */
    ty_tensor *second = ty_take(ty_from(TY_I32, 1, &size, map), codes_of(b, missing), 0);
    ty_tensor *codes = ty_concat(2, (ty_tensor *[]){codes_of(a, missing), second}, 0);
    bool ok = like.words && column_of_kind(to, &like, codes, NULL, fault);
    words_release(like.words);
    mem_free(map);
    return ok;
}

/* Set *values and *mask to the elements of a column in a dtype, those of NULL missing; false sets the fault. */
static bool part(const char *name, const struct table_column *c, ty_dtype dtype, int64_t missing,
                 ty_tensor **values, ty_tensor **mask, struct fault *fault) {
    if (!c) {
        *values = ty_zeros(dtype, 1, &missing);
        *mask = ty_ones(TY_BOOL, 1, &missing);
        return true;
    }
    bool rounds = dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX);
    *mask = column_missing(c);
    *values = ty_cast(c->values, dtype);
    return !rounds || column_fits(c->values, fault) ||
           fault_set(fault, E_DOMAIN,
                     "table: column \"%.100s\" has integers of more than 53 bits, which would lose digits as "
                     "%s, the dtype of both tables' elements",
                     name, ty_dtype_name(dtype));
}

/* Return true for integers, none of which is below 0.  False also on failure, with the fault set. */
static bool is_unsigned(const struct table_column *c, struct fault *fault) {
    if (dtype_is(c->values->dtype, CLASS_UNSIGNED)) return true;
    return !mask_any(ty_lt(c->values, ty_int(0)), fault) && !fault->set;
}

/* Return the dtype that holds the elements of two columns: u64 for u64 beside integers that are not below 0, and f64
   for bf16 beside integers, which it would round.  May set the fault. */
static ty_dtype common_dtype(const struct table_column *a, const struct table_column *b,
                             struct fault *fault) {
    ty_dtype dtype = ty_promote(a->values->dtype, b->values->dtype);
    bool left = a->kind == TY_COLUMN_WHOLE, right = b->kind == TY_COLUMN_WHOLE;
    if (left && right && dtype == TY_F64)
        return is_unsigned(a, fault) && is_unsigned(b, fault) ? TY_U64 : TY_F64;
    return (left || right) && dtype == TY_BF16 ? TY_F64 : dtype;
}

static bool append_numbers(struct table_column *to, const char *name, const struct table_column *a,
                           const struct table_column *b, int64_t missing, struct fault *fault) {
    const struct table_column *both[] = {a, b};
    bool first = kind_of(a) != TY_COLUMN_EMPTY, second = kind_of(b) != TY_COLUMN_EMPTY,
         empty = !first && !second;
    ty_dtype dtype = first && second ? common_dtype(a, b, fault)
                     : empty         ? TY_F64
                                     : (first ? a : b)->values->dtype;
    ty_tensor *values[2], *masks[2];
    if (fault->set) return false;
    for (int k = 0; k < 2; k++)
        if (!part(name, both[k], dtype, missing, &values[k], &masks[k], fault)) return false;
    if (!column_from(to, ty_concat(2, values, 0), ty_concat(2, masks, 0), fault)) return false;
    if (empty) to->kind = TY_COLUMN_EMPTY;
    return true;
}

bool column_append(struct table_column *to, const char *name, const struct table_column *a,
                   const struct table_column *b, int64_t missing, struct fault *fault) {
    bool words = kind_of(a) == TY_COLUMN_WORDS || kind_of(b) == TY_COLUMN_WORDS;
    for (int k = 0; words && k < 2; k++) {
        ty_column_kind kind = kind_of(k ? b : a);
        if (kind != TY_COLUMN_WORDS && kind != TY_COLUMN_EMPTY)
            return fault_set(fault, E_DTYPE,
                             "table: column \"%.100s\" has words in one table, and in the other the kind %s",
                             name, ty_column_kind_name(kind));
    }
    ty_scope *scope = ty_open();
    bool ok = words ? append_words(to, a, b, missing, fault) : append_numbers(to, name, a, b, missing, fault);
    ty_close(scope);
    return ok;
}

ty_table *ty_table_append(const ty_table *table, const ty_table *other) {
    FLOATING_DEFAULT;
    const ty_table *a = table_of(table), *b = table_of(other);
    ty_table *t = table_begin();
    if (a->fault.set || b->fault.set) fault_copy(&t->fault, a->fault.set ? &a->fault : &b->fault);
    if (!a->count || !b->count) {
        const ty_table *one = a->count ? a : b;
        for (int64_t i = 0; i < one->count && !t->fault.set; i++) table_add_shared(t, one, i);
        return table_end(t);
    }
    for (int64_t i = 0; i < a->count + b->count && !t->fault.set; i++) {
        const char *name = i < a->count ? words_at(a->names, i) : words_at(b->names, i - a->count);
        int64_t in_a = words_find(a->names, name, strlen(name)),
                in_b = words_find(b->names, name, strlen(name));
        const struct table_column *first = in_a < 0 ? NULL : &a->columns[in_a];
        const struct table_column *second = in_b < 0 ? NULL : &b->columns[in_b];
        struct table_column column = {0};
        if (i >= a->count && first) continue;
        if (column_append(&column, name, first, second, first ? b->rows : a->rows, &t->fault))
            table_add(t, name, strlen(name), column);
    }
    return table_end(t);
}
