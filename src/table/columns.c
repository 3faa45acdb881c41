/* Columns of tables from tensors, and tensors from columns. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "table/groups.h"

/* Return x as a contiguous value without history in the host's memory; poison stays. */
static ty_tensor *settle(ty_tensor *x) { return at_home(ty_contiguous(ty_detach(ty_eval(x)))); }

/* Return the message of x, which is poison, as the fault of a column. */
static bool refuse_tensor(struct fault *fault, const ty_tensor *x, const char *what) {
    return fault_set(fault, ty_error_code(x), "table: %s: %.800s", what, ty_error(x));
}

/* Check that x, a value, is a vector; `rows` -1: of any length.  False sets the fault. */
static bool check_vector(const ty_tensor *x, const char *what, int64_t rows, struct fault *fault) {
    if (!ty_ok(x)) return refuse_tensor(fault, x, what);
    if (dtype_stored(x->dtype))
        return fault_set(fault, E_DTYPE, "table: %s are %s, which is for storage alone; ty_cast them", what,
                         ty_dtype_name(x->dtype));
    if (x->layout.rank != 1)
        return fault_set(fault, E_SHAPE, "table: %s have %d axes; expected one, of rows", what,
                         x->layout.rank);
    if (rows >= 0 && x->layout.shape[0] != rows)
        return fault_set(fault, E_SHAPE, "table: %s have %" PRId64 " elements for %" PRId64 " rows", what,
                         x->layout.shape[0], rows);
    return true;
}

/* Return x with `other`, a number, where the mask is set, in the dtype of x. */
static ty_tensor *blank(ty_tensor *x, ty_tensor *mask, double other) {
    return ty_where(mask, ty_cast(ty_num(other), x->dtype), x);
}

bool mask_any(ty_tensor *mask, struct fault *fault) {
    ty_tensor *any = ty_any(mask, TY_ALL);
    double found = ty_item(any);
    if (isnan(found)) return ty_ok(any) ? fault_memory(fault, tensor_bytes(mask)) : fault_tensor(fault, any);
    return found > 0;
}

bool column_from(struct table_column *column, ty_tensor *values, ty_tensor *missing, struct fault *fault) {
    ty_scope *scope = ty_open();
    ty_tensor *x = settle(values), *mask = missing ? settle(missing) : NULL;
    bool ok = check_vector(x, "the values", -1, fault);
    if (ok && mask) ok = check_vector(mask, "the marks of missing elements", x->layout.shape[0], fault);
    if (ok && mask && mask->dtype != TY_BOOL)
        ok = fault_set(fault, E_DTYPE, "table: the marks of missing elements are %s; expected bool",
                       ty_dtype_name(mask->dtype));
    bool holes = ok && mask && mask_any(mask, fault);
    ok = ok && !fault->set;
    bool real = ok && dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX);
    if (holes) {
        x = settle(blank(x, mask, real ? NAN : 0));
        ok = ty_ok(x) || refuse_tensor(fault, x, "the values");
    }
    if (ok) {
        column->kind = real ? TY_COLUMN_NUMBER : x->dtype == TY_BOOL ? TY_COLUMN_BOOL : TY_COLUMN_WHOLE;
        column->values = ty_retain(x);
        column->missing = holes && !real ? ty_retain(mask) : NULL;
        column->words = NULL;
    }
    ty_close(scope);
    return ok;
}

bool column_of_kind(struct table_column *to, const struct table_column *like, ty_tensor *values,
                    ty_tensor *missing, struct fault *fault) {
    if (like->kind != TY_COLUMN_WORDS) {
        if (!column_from(to, values, missing, fault)) return false;
        if (like->kind == TY_COLUMN_EMPTY) to->kind = TY_COLUMN_EMPTY;
        return true;
    }
    ty_scope *scope = ty_open();
    values = settle(values);
    bool ok = check_vector(values, "the codes", -1, fault);
    if (ok)
        *to = (struct table_column){
            .kind = TY_COLUMN_WORDS, .values = ty_retain(values), .words = words_retain(like->words)};
    ty_close(scope);
    return ok;
}

ty_tensor *column_missing(const struct table_column *column) {
    ty_tensor *x = column->values;
    if (column->missing) return tensor_share(column->missing);
    ty_scope *scope = ty_open();
    ty_tensor *mask = column->kind == TY_COLUMN_WORDS ? ty_lt(x, ty_int(0))
                      : dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX)
                          ? ty_ne(x, x)
                          : ty_zeros(TY_BOOL, 1, x->layout.shape);
    mask = ty_keep(ty_eval(mask));
    ty_close(scope);
    return mask;
}

/* ---- tables of tensors ---- */

ty_table *ty_table_new(int64_t n, const char *const *names, ty_tensor *const *columns) {
    FLOATING_DEFAULT;
    ty_table *t = table_begin();
    if (n < 0) fault_set(&t->fault, E_ARGUMENT, "table_new: %" PRId64 " columns; expected 0 or more", n);
    if (n > 0 && !columns)
        fault_set(&t->fault, E_ARGUMENT, "table_new: the array of %" PRId64 " tensors is NULL", n);
    for (int64_t i = 0; i < n && !t->fault.set; i++) {
        struct table_column column = {0};
        char number[24];
        text_print(number, sizeof number, "%" PRId64, i);
        const char *name = names ? names[i] : number;
        if (!name)
            fault_set(&t->fault, E_ARGUMENT, "table_new: name %" PRId64 " is NULL", i);
        else if (column_from(&column, columns[i], NULL, &t->fault))
            table_add(t, name, strlen(name), column);
    }
    return table_end(t);
}

/* Return a copy of a table in which `column`, whose references move to it, replaces the one of that name, or follows
   all others.  The fault is that of making the column. */
static ty_table *with(const ty_table *from, const char *name, struct table_column column,
                      const struct fault *fault) {
    ty_table *t = table_begin();
    if (fault->set) fault_copy(&t->fault, fault);
    int64_t at = fault->set ? -1 : ty_table_find(from, name);
    bool placed = fault->set;
    for (int64_t i = 0; i <= from->count && !t->fault.set; i++) {
        if (i == at || (i == from->count && !placed)) {
            table_add(t, name, strlen(name), column);
            placed = true;
        } else if (i < from->count) {
            table_add_shared(t, from, i);
        }
    }
    if (!placed) column_drop(&column);
    return table_end(t);
}

/* Set the fault of a failed table or a NULL name; true if there is none. */
static bool check_with(const ty_table *t, const char *name, struct fault *fault) {
    if (t->fault.set) return fault_copy(fault, &t->fault);
    return name || fault_set(fault, E_ARGUMENT, "table: the name of a column is NULL");
}

ty_table *ty_table_with(const ty_table *table, const char *name, ty_tensor *values, ty_tensor *missing) {
    FLOATING_DEFAULT;
    struct table_column column = {0};
    struct fault fault = {0};
    const ty_table *t = table_of(table);
    if (check_with(t, name, &fault)) column_from(&column, values, missing, &fault);
    return with(t, name, column, &fault);
}

/* Return a set of n words with one reference; NULL sets the fault. */
static struct words *set_of(int64_t n, const char *const *words, struct fault *fault) {
    struct words *set = words_new();
    if (!set) fault_memory(fault, sizeof *set);
    if (n < 0 || n > WORDS_MOST)
        fault_set(fault, E_ARGUMENT, "table: %" PRId64 " words; expected 0..%d", n, WORDS_MOST);
    if (n > 0 && !words) fault_set(fault, E_ARGUMENT, "table: the array of %" PRId64 " words is NULL", n);
    for (int64_t i = 0; i < n && !fault->set; i++) {
        if (!words[i])
            fault_set(fault, E_ARGUMENT, "table: word %" PRId64 " is NULL", i);
        else if (words_find(set, words[i], strlen(words[i])) >= 0)
            fault_set(fault, E_ARGUMENT,
                      "table: word %" PRId64 ", \"%.100s\", is there twice; words must differ", i, words[i]);
        else if (words_add(set, words[i], strlen(words[i])) < 0)
            fault_memory(fault, strlen(words[i]));
    }
    if (!fault->set) return set;
    words_release(set);
    return NULL;
}

/* Set column->values to codes of n words, i32; false sets the fault. */
static bool codes_of(struct table_column *column, ty_tensor *codes, int64_t n, struct fault *fault) {
    ty_scope *scope = ty_open();
    ty_tensor *x = settle(codes);
    bool ok = check_vector(x, "the codes", -1, fault);
    if (ok && !dtype_is(x->dtype, CLASS_INTEGER))
        ok = fault_set(fault, E_DTYPE, "table: the codes are %s; expected integers", ty_dtype_name(x->dtype));
    if (ok) x = settle(ty_cast(x, TY_I64));
    const int64_t *code = ok && ty_size(x) ? ty_data(x) : NULL;
    for (int64_t i = 0; code && i < ty_size(x) && ok; i++)
        if (code[i] < -1 || code[i] >= n)
            ok =
                fault_set(fault, E_INDEX,
                          "table: code %" PRId64 " of row %" PRId64 " is out of bounds for %" PRId64 " words",
                          code[i], i, n);
    if (ok) x = settle(ty_cast(x, TY_I32));
    if (ok && !ty_ok(x)) ok = refuse_tensor(fault, x, "the codes");
    if (ok) column->values = ty_retain(x);
    ty_close(scope);
    return ok;
}

ty_table *ty_table_with_words(const ty_table *table, const char *name, ty_tensor *codes, int64_t n,
                              const char *const *words) {
    FLOATING_DEFAULT;
    struct table_column column = {.kind = TY_COLUMN_WORDS};
    struct fault fault = {0};
    const ty_table *t = table_of(table);
    if (check_with(t, name, &fault)) column.words = set_of(n, words, &fault);
    if (column.words) codes_of(&column, codes, n, &fault);
    if (fault.set) column_drop(&column);
    return with(t, name, column, &fault);
}

ty_table *ty_table_select(const ty_table *table, int64_t n, const char *const *names) {
    ty_table *t = table_begin();
    const ty_table *from = table_of(table);
    if (from->fault.set) fault_copy(&t->fault, &from->fault);
    if (n < 0) fault_set(&t->fault, E_ARGUMENT, "table_select: %" PRId64 " columns; expected 0 or more", n);
    if (n > 0 && !names)
        fault_set(&t->fault, E_ARGUMENT, "table_select: the array of %" PRId64 " names is NULL", n);
    for (int64_t k = 0; k < n && !t->fault.set; k++) {
        int64_t i = table_find(from, names[k], &t->fault);
        if (i >= 0) table_add_shared(t, from, i);
    }
    return table_end(t);
}

/* ---- tensors of columns ---- */

/* Return column i, from 0; NULL sets *bad to poison. */
static const struct table_column *column_at(const ty_table *table, int64_t i, ty_tensor **bad) {
    const ty_table *t = table_of(table);
    if (!t->fault.set && i >= 0 && i < t->count) return &t->columns[i];
    struct fault fault = {0};
    if (t->fault.set)
        fault_copy(&fault, &t->fault);
    else
        fault_set(&fault, E_INDEX, "table: column %" PRId64 " is out of bounds; expected 0..%" PRId64, i,
                  t->count - 1);
    *bad = tensor_fault(&fault);
    return NULL;
}

bool column_fits(ty_tensor *values, struct fault *fault) {
    ty_dtype dtype = values->dtype;
    if (!dtype_is(dtype, CLASS_INTEGER)) return true;
    ty_tensor *x = ty_cast(values, TY_F64);
    /* The greatest integer rounds to a power of 2, from which the cast back saturates to the same integer. */
    double end = ldexp(1, (int)(8 * ty_dtype_size(dtype)) - dtype_is(dtype, CLASS_SIGNED));
    ty_tensor *lost = ty_logical_or(ty_ne(ty_cast(x, dtype), values), ty_ge(x, ty_num(end)));
    return !mask_any(lost, fault) && !fault->set;
}

/* Return integers or bool with missing elements as f64; poison if an integer would lose digits. */
static ty_tensor *widened(const struct table_column *column) {
    struct fault fault = {0};
    if (!column_fits(column->values, &fault))
        fault_set(&fault, E_DOMAIN,
                  "table: an integer of more than 53 bits would lose digits as f64, the dtype of a column "
                  "with missing "
                  "elements: use ty_table_values and ty_table_missing");
    if (fault.set) return tensor_fault(&fault);
    return ty_eval(blank(ty_cast(column->values, TY_F64), column->missing, NAN));
}

ty_tensor *ty_table_at(const ty_table *table, int64_t i) {
    FLOATING_DEFAULT;
    ty_tensor *bad;
    const struct table_column *column = column_at(table, i, &bad);
    if (!column) return bad;
    if (!column->missing) return tensor_share(column->values);
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_keep(widened(column));
    ty_close(scope);
    return x;
}

ty_tensor *ty_table_column(const ty_table *table, const char *name) {
    struct fault fault = {0};
    int64_t i = table_find(table_of(table), name, &fault);
    return i < 0 ? tensor_fault(&fault) : ty_table_at(table, i);
}

ty_tensor *ty_table_values(const ty_table *table, int64_t i) {
    ty_tensor *bad;
    const struct table_column *column = column_at(table, i, &bad);
    return column ? tensor_share(column->values) : bad;
}

ty_tensor *ty_table_missing(const ty_table *table, int64_t i) {
    FLOATING_DEFAULT;
    ty_tensor *bad;
    const struct table_column *column = column_at(table, i, &bad);
    return column ? column_missing(column) : bad;
}

/* Return the fault of column i in a matrix of `dtype`; false if it does not fit. */
static bool check_matrix(const ty_table *t, int64_t i, ty_dtype dtype, struct fault *fault) {
    const struct table_column *c = &t->columns[i];
    const char *name = words_at(t->names, i);
    if (c->kind == TY_COLUMN_WORDS)
        return fault_set(
            fault, E_DTYPE,
            "table_matrix: column \"%.100s\" has words, such as \"%.40s\": leave it out (ty_table_select), "
            "or encode words as numbers",
            name, c->words->count ? words_at(c->words, 0) : "");
    if (dtype_is(c->values->dtype, CLASS_COMPLEX) && !dtype_is(dtype, CLASS_COMPLEX))
        return fault_set(fault, E_DTYPE, "table_matrix: column \"%.100s\" is complex; expected real numbers",
                         name);
    if (dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX)) return true;
    bool any = mask_any(column_missing(c), fault);
    return !fault->set &&
           (!any || fault_set(fault, E_DTYPE,
                              "table_matrix: column \"%.100s\" has missing elements, which %s cannot "
                              "represent: use a floating dtype",
                              name, ty_dtype_name(dtype)));
}

ty_tensor *ty_table_matrix(const ty_table *table, ty_dtype dtype) {
    FLOATING_DEFAULT;
    const ty_table *t = table_of(table);
    struct fault fault = {0};
    char words[100];
    if (t->fault.set) return tensor_fault(&t->fault);
    if (!dtype_valid(dtype)) {
        dtype_refusal(words, sizeof words, (int)dtype);
        return ty_poison_code(E_DTYPE, "table_matrix: %s", words);
    }
    if (!t->count) return ty_zeros(dtype, 2, (int64_t[]){t->rows, 0});
    ty_tensor **columns = mem_array((size_t)t->count, sizeof *columns);
    if (!columns) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    for (int64_t i = 0; i < t->count && !fault.set; i++)
        if (check_matrix(t, i, dtype, &fault)) columns[i] = ty_cast(ty_lazy(ty_table_at(t, i)), dtype);
    ty_tensor *x = fault.set ? tensor_fault(&fault) : ty_eval(ty_stack((int)t->count, columns, 1));
    x = ty_keep(x);
    ty_close(scope);
    mem_free(columns);
    return x;
}
