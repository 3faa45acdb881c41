/* Rows for which an expression of the columns is true. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/table_rows.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "expression/expression.h"
#include "table/table.h"

/* Compare the words of column i of a table with a text: see struct expression_words. */
static ty_tensor *compare_column(void *context, int i, const char *text) {
    const ty_table *table = context;
    int64_t n = ty_table_words(table, i);
    double *order = mem_array((size_t)n + 1, sizeof *order); /* the last is that of a missing word, code -1 */
    if (!order) return ty_poison_code(TY_ERROR_MEMORY, "out of memory");
    for (int64_t w = 0; w < n; w++) order[w] = strcmp(ty_table_word(table, i, w), text);
    order[n] = NAN;
    ty_tensor *found = ty_take(ty_from(TY_F64, 1, &(int64_t){n + 1}, order), ty_table_at(table, i), 0);
    mem_free(order);
    return found;
}

/* Find a column by its own name: see struct expression_words. */
static int find_column(void *context, const char *name, int n) {
    const ty_table *table = context;
    for (int i = 0; i < table->count; i++) {
        const char *own = ty_table_name(table, i);
        if (strlen(own) == (size_t)n && !memcmp(own, name, (size_t)n)) return i;
    }
    return -1;
}

/* Write the name of a column as expressions have it to the n + 1 bytes at `out`: a first digit and other characters become
   "_". */
static void plain_name(char *out, const char *name, size_t n) {
    for (size_t i = 0; i <= n; i++) {
        char c = name[i];
        bool fits =
            !c || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i && c >= '0' && c <= '9');
        out[i] = (char)(fits ? c : '_');
    }
}

/* Return true if column i needs its plain name, which another of the n columns has, too; it stands in backquotes then. */
static bool is_shared(const ty_table *t, const char *const *plain, int64_t n, int64_t i) {
    if (!strcmp(plain[i], ty_table_name(t, i))) return false; /* its own name needs no change */
    for (int64_t k = 0; k < n; k++)
        if (k != i && !strcmp(plain[k], plain[i])) return true;
    return false;
}

/* Return the value of an expression of the columns, or poison. */
static ty_tensor *mask_of(const ty_table *t, const char *expression) {
    int64_t n = t->count;
    size_t room = 1;
    for (int64_t i = 0; i < n; i++) room += 2 * strlen(ty_table_name(t, i)) + 4;
    const char **names = mem_array(2 * (size_t)n + 1, sizeof *names);
    ty_tensor **values = mem_array((size_t)n + 1, sizeof *values);
    char *texts = mem_array(room, 1), *at = texts;
    ty_tensor *mask;
    if (!names || !values || !texts) {
        mask = ty_poison_code(TY_ERROR_MEMORY, "table_where: out of memory");
    } else {
        const char **plain = names + n;
        for (int64_t i = 0; i < n; i++) {
            size_t length = strlen(ty_table_name(t, i));
            plain_name(at, ty_table_name(t, i), length);
            plain[i] = at;
            values[i] = ty_table_kind(t, i) == TY_COLUMN_WORDS ? NULL : ty_table_at(t, i);
            at += length + 1;
        }
        for (int64_t i = 0; i < n; i++) {
            bool shared = is_shared(t, plain, n, i); /* a name that two columns would have is that of none */
            names[i] = shared ? at : plain[i];
            size_t space = strlen(ty_table_name(t, i)) + sizeof "``";
            if (shared) snprintf(at, space, "`%s`", ty_table_name(t, i));
            at += shared ? space : 0;
        }
        struct expression_words words = {(void *)(uintptr_t)t, compare_column, find_column};
        expression_of_words(&words, expression, (int)n, names, values, 1, &mask);
    }
    mem_free(texts);
    mem_free(values);
    mem_free(names);
    return mask;
}

ty_table *ty_table_where(const ty_table *table, const char *expression) {
    FLOATING_DEFAULT;
    const ty_table *t = table_of(table);
    struct fault fault = {0};
    if (t->fault.set) fault_copy(&fault, &t->fault);
    if (!expression) fault_set(&fault, E_ARGUMENT, "table_where: the expression is NULL");
    if (fault.set) return table_failed(&fault);
    ty_scope *scope = ty_open();
    ty_tensor *mask = mask_of(t, expression);
    if (!ty_ok(mask))
        fault_tensor(&fault, mask);
    else if (ty_dtype_of(mask) != TY_BOOL || ty_rank(mask) != 1)
        fault_set(&fault, E_ARGUMENT,
                  "table_where %s: expected true or false for each row, found %s with %d ax%s", expression,
                  ty_dtype_name(ty_dtype_of(mask)), ty_rank(mask), ty_rank(mask) == 1 ? "is" : "es");
    ty_table *made = fault.set ? table_failed(&fault) : ty_table_filter(t, mask);
    ty_close(scope);
    return made;
}
