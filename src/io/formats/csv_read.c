/* Reader of csv as one array: the reader of tables reads its columns, which are joined in their common dtype. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/formats/matches.h"
#include "io/tables.h"

/* ---- the array ---- */

/* Return true if elements of a column are missing, other than as NaN. */
static bool has_holes(const struct table_column *c) {
    if (c->missing || c->kind != TY_COLUMN_WORDS) return c->missing;
    const int32_t *code = tensor_data(c->values);
    for (int64_t i = 0; i < tensor_size(c->values); i++)
        if (code[i] < 0) return true;
    return false;
}

/* Return true if a column of integers has one below 0. */
static bool has_negative(const struct table_column *c) {
    if (c->values->dtype != TY_I64) return false;
    const int64_t *x = tensor_data(c->values);
    for (int64_t i = 0; i < tensor_size(c->values); i++)
        if (x[i] < 0) return true;
    return false;
}

/* Return the dtype that holds all columns of a table; f64 if it has no elements. */
static ty_dtype common_dtype(const ty_table *t) {
    bool pairs = false, real = t->count == 0 || t->rows == 0, whole = false, large = false, negative = false;
    for (int64_t i = 0; i < t->count; i++) {
        const struct table_column *c = &t->columns[i];
        pairs |= c->values->dtype == TY_C128;
        large |= c->values->dtype == TY_U64;
        whole |= c->kind == TY_COLUMN_WHOLE || c->kind == TY_COLUMN_WORDS;
        real |= c->kind == TY_COLUMN_NUMBER || c->kind == TY_COLUMN_EMPTY || has_holes(c);
        negative |= has_negative(c);
    }
    if (pairs) return TY_C128;
    if (real || (large && negative)) return TY_F64;
    return large ? TY_U64 : whole ? TY_I64 : TY_BOOL;
}

/* Check that f64 represents the integers of column i, from 0; false sets a's fault. */
static bool check_digits(struct ty_archive *a, const ty_table *t, int64_t i) {
    const struct table_column *c = &t->columns[i];
    if (c->kind != TY_COLUMN_WHOLE) return true;
    const int64_t *x = tensor_data(c->values);
    bool large = c->values->dtype == TY_U64;
    char digits[32];
    for (int64_t row = 0; row < t->rows; row++) {
        uint64_t size = large || x[row] >= 0 ? (uint64_t)x[row] : -(uint64_t)x[row];
        if (value_exact(size)) continue;
        text_print(digits, sizeof digits, large ? "%" PRIu64 : "%" PRId64, x[row]);
        return fault_set(
            &a->fault, E_FORMAT,
            "%.200s: column %" PRId64 " (%.80s) has %s in row %" PRId64
            ", counted from 0, which would lose digits as f64, the dtype of an array with missing elements, "
            "real numbers or integers of both signs beyond 64 bits: write it with a point, read a table, "
            "whose columns have dtypes of their own (ty_table_read), or allow rounding (.rounded; tyto "
            "--rounded)",
            a->input->name, i + 1, words_at(t->names, i), digits, row);
    }
    return true;
}

/* Return a column in the dtype of the array, missing elements as NaN. */
static ty_tensor *elements_of(const struct table_column *c, ty_dtype dtype) {
    ty_tensor *x = ty_cast(ty_lazy(tensor_share(c->values)), dtype);
    return has_holes(c) ? ty_where(column_missing(c), ty_cast(ty_num(NAN), dtype), x) : x;
}

/* Return the columns of a table as one array, owned by the scope: a vector if there is one column or no row.  NULL sets
   a's fault. */
static ty_tensor *join(struct ty_archive *a, const ty_table *t) {
    ty_dtype dtype = common_dtype(t);
    if (t->count == 0 || t->rows == 0) return ty_zeros(dtype, 1, (int64_t[]){t->rows});
    bool rounds = dtype == TY_F64 || dtype == TY_C128;
    ty_tensor **columns = mem_array((size_t)t->count, sizeof *columns);
    if (!columns) fault_memory(&a->fault, (size_t)t->count * sizeof *columns);
    for (int64_t i = 0; i < t->count && !a->fault.set; i++)
        if (!rounds || a->options.rounded || check_digits(a, t, i))
            columns[i] = elements_of(&t->columns[i], dtype);
    ty_tensor *x = NULL;
    if (!a->fault.set)
        x = ty_contiguous(
            ty_detach(ty_eval(t->count == 1 ? columns[0] : ty_stack((int)t->count, columns, 1))));
    mem_free(columns);
    return x;
}

/* ---- texts ---- */

/* Append a name to a line of names, after a comma unless it is the first.  It is quoted if it holds a delimiter, a
   quote or #, or if it is the only one and holds a blank, where it would be split. */
static void add_name(struct text *t, const char *name, bool first, bool alone) {
    bool quotes = strpbrk(name, ",;|\t\"#\n\r") || (alone && strchr(name, ' '));
    text_add(t, "%s%s", first ? "" : ",", quotes ? "\"" : "");
    for (; *name; name++) text_add(t, *name == '"' ? "\"\"" : "%c", *name);
    if (quotes) text_add(t, "\"");
}

/* Append the names in a set, in their order, to the archive's texts, whose array must have room; false sets a's
   fault. */
static bool add_pair(struct ty_archive *a, const char *key, const struct words *names) {
    struct text line = {0};
    for (int64_t i = 0; i < names->count; i++)
        add_name(&line, words_at(names, i), i == 0, names->count == 1 && !strcmp(key, "columns"));
    const char *name = archive_text(a, key, strlen(key)),
               *value = line.failed ? NULL : archive_text(a, line.data ? line.data : "", line.length);
    bool well = name && value;
    if (well) a->index.pairs[a->index.npairs++] = (struct archive_pair){name, value};
    text_drop(&line);
    return well || fault_memory(&a->fault, line.length);
}

/* Enter the names of columns, if a line had them, and the words of columns; false sets a's fault. */
static bool add_texts(struct ty_archive *a, const ty_table *t, bool named) {
    char key[40];
    a->index.pairs = arena_array(&a->arena, 1 + (size_t)t->count, sizeof *a->index.pairs);
    if (!a->index.pairs) return fault_memory(&a->fault, sizeof *a->index.pairs);
    bool well = !named || add_pair(a, "columns", t->names);
    for (int64_t i = 0; i < t->count && well; i++) {
        text_print(key, sizeof key, "words:%" PRId64, i);
        if (t->columns[i].kind == TY_COLUMN_WORDS) well = add_pair(a, key, t->columns[i].words);
    }
    return well;
}

/* ---- the format ---- */

bool csv_open(struct ty_archive *a) {
    const ty_file_options *o = &a->options;
    ty_table_options options = {.delimiter = o->delimiter,
                                .comment = o->comment,
                                .decimal = o->decimal,
                                .thousands = o->thousands,
                                .header = (ty_header)o->names,
                                .skip_rows = o->skip_rows,
                                .missing = o->missing,
                                .nmissing = o->nmissing,
                                .ragged = o->ragged,
                                .rounded = o->rounded,
                                .most_bytes = o->most_bytes};
    struct table_rules rules = {.array = true, .words = o->words};
    if (!table_check(&options, &a->fault)) return false;
    ty_scope *scope = ty_open();
    ty_table *t = table_of_input(a->input, &options, &rules);
    struct archive_entry *e = archive_single(a);
    if (t->fault.set) fault_copy(&a->fault, &t->fault);
    ty_tensor *x = e && !a->fault.set ? join(a, t) : NULL;
    if (x && !ty_ok(x)) fault_tensor(&a->fault, x);
    if (x && !a->fault.set) {
        a->held = ty_retain(x);
        e->dtype = x->dtype;
        if (entry_shape(e, &a->arena, x->layout.rank, x->layout.shape, &a->fault))
            add_texts(a, t, rules.named);
    }
    ty_table_free(t);
    ty_close(scope);
    return !a->fault.set;
}

ty_tensor *csv_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    (void)e, (void)fault;
    return tensor_share(a->held);
}
