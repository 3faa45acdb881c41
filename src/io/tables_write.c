/* Tables as delimited text: a line of names and a line for each row, with the quotes of RFC 4180 where reading needs
   them. */
#include <math.h>
#include <string.h>
#include <tyto/table.h>
#include "array/progress.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "io/formats/csv.h"
#include "io/tables.h"

enum { FLUSH = 1 << 16 };

/* A table that is written as text to `out`.  Cells that hold a character of `signs` are quoted. */
struct table_writing {
    const ty_table *table;
    const ty_table_write_options *options;
    struct output *out;
    char delimiter, decimal;
    char signs[8];
    struct text text;
};

/* Append a cell of n bytes, quoted if `quoted`, or if reading would else change or skip it. */
static void add_cell(struct table_writing *w, const char *cell, size_t n, bool quoted) {
    const char *end = cell + n;
    quoted |= !n || strchr(" \t#", *cell) || strchr(" \t", end[-1]) || strcspn(cell, w->signs) < n;
    if (quoted) text_add_bytes(&w->text, "\"", 1);
    while (cell < end) {
        const char *quote = memchr(cell, '"', (size_t)(end - cell)), *stop = quote ? quote + 1 : end;
        text_add_bytes(&w->text, cell, (size_t)(stop - cell));
        if (quote) text_add_bytes(&w->text, "\"", 1);
        cell = stop;
    }
    if (quoted) text_add_bytes(&w->text, "\"", 1);
}

/* Append the names.  Quotes tell the reader that names such as 2024 are no numbers. */
static void add_names(struct table_writing *w) {
    for (int64_t i = 0; i < w->table->count; i++) {
        const char *name = words_at(w->table->names, i);
        if (i) text_add_bytes(&w->text, &w->delimiter, 1);
        add_cell(w, name, strlen(name), strchr("0123456789+-.", *name));
    }
    text_add_bytes(&w->text, "\n", 1);
}

/* Append a number with the decimal sign. */
static void add_number(struct table_writing *w, ty_dtype dtype, struct element e) {
    size_t start = w->text.length;
    csv_add(&w->text, dtype, e, w->options->precision);
    for (size_t i = start; w->decimal != '.' && !w->text.failed && i < w->text.length; i++)
        if (w->text.data[i] == '.') w->text.data[i] = w->decimal;
}

static void add_missing(struct table_writing *w) {
    const char *missing = w->options->missing ? w->options->missing : "";
    size_t n = strlen(missing);
    if (n || w->table->count == 1) add_cell(w, missing, n, false); /* a line without a sign is no record */
}

static bool is_nan(ty_dtype dtype, struct element e) {
    return dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) && (isnan(creall(e.z)) || isnan(cimagl(e.z)));
}

static void add_element(struct table_writing *w, const struct table_column *c, int64_t row) {
    ty_dtype dtype = c->values->dtype;
    const char *at = (const char *)tensor_data(c->values) + (size_t)row * dtype_table[dtype].size;
    struct element e = element_load(dtype, at);
    bool gone = c->missing && ((const bool *)tensor_data(c->missing))[row];
    if (gone || (c->kind == TY_COLUMN_WORDS ? e.i < 0 : is_nan(dtype, e)))
        add_missing(w);
    else if (c->kind == TY_COLUMN_WORDS)
        add_cell(w, words_at(c->words, e.i), strlen(words_at(c->words, e.i)), false);
    else if (c->kind == TY_COLUMN_BOOL)
        text_add(&w->text, "%s", e.i ? "True" : "False");
    else
        add_number(w, dtype, e);
}

static bool write_rows(struct table_writing *w) {
    const ty_table *t = w->table;
    if (!w->options->nameless && t->count) add_names(w);
    for (int64_t row = 0; row < t->rows; row++) {
        for (int64_t i = 0; i < t->count; i++) {
            if (i) text_add_bytes(&w->text, &w->delimiter, 1);
            add_element(w, &t->columns[i], row);
        }
        text_add_bytes(&w->text, "\n", 1);
        if (w->text.length >= FLUSH && !output_text(w->out, &w->text)) return false;
    }
    return output_text(w->out, &w->text);
}

/* ---- options ---- */

static bool ends_in(const char *path, const char *end) {
    size_t n = path ? strlen(path) : 0, length = strlen(end);
    return n >= length && !strcmp(path + n - length, end);
}

/* Set the signs of w by its options and the path (NULL: none), and check them; false sets the fault. */
static bool choose_signs(struct table_writing *w, const char *path, struct fault *fault) {
    const ty_table_write_options *o = w->options;
    bool tabs = ends_in(path, ".tsv") || ends_in(path, ".tsv.gz");
    w->decimal = o->decimal ? o->decimal : '.';
    w->delimiter = o->delimiter ? o->delimiter : tabs ? '\t' : w->decimal == ',' ? ';' : ',';
    memcpy(w->signs, (char[]){w->delimiter, '"', '\r', '\n', 0}, 5);
    if (w->delimiter == ' ')
        return fault_set(fault, E_ARGUMENT,
                         "write: the delimiter is a blank, which cannot show missing elements; expected a "
                         "comma, a semicolon, a tab or |");
    return table_check(&(ty_table_options){.delimiter = w->delimiter, .decimal = w->decimal}, fault) &&
           options_unused(&o->unused, sizeof o->unused, "table_write", fault);
}

/* Write the table of w to `out`, gzipped if `gzip`. */
static bool write_wrapped(struct table_writing *w, struct output *out, bool gzip) {
    struct output packed;
    w->out = out;
    if (!gzip) return write_rows(w);
    if (!output_deflate(&packed, out, true)) return false;
    w->out = &packed;
    bool ok = write_rows(w);
    return output_deflate_end(&packed) && ok;
}

/* Write a table to a file, or to a sink if the path is NULL; false sets the fault. */
static bool write_table(const char *path, ty_sink sink, const ty_table *table,
                        const ty_table_write_options *options, struct fault *fault) {
    struct table_writing w = {.table = table_of(table), .options = options};
    struct output out;
    if (w.table->fault.set) return fault_copy(fault, &w.table->fault), false;
    if (!path && !sink.write)
        return fault_set(fault, E_ARGUMENT, "write: the path or the sink's write function is NULL");
    if (!choose_signs(&w, path, fault)) return false;
    if (!path)
        output_to_sink(&out, sink, fault);
    else if (!output_to_path(&out, path, fault))
        return false;
    bool ok = write_wrapped(&w, &out, ends_in(path, ".gz"));
    text_drop(&w.text);
    return output_end(&out, ok) && ok;
}

static bool told(bool well, const struct fault *fault, ty_tensor **error) {
    if (!well && error) *error = tensor_fault(fault);
    return well;
}

bool ty_table_write_sized(const char *path, const ty_table *table, const ty_table_write_options *given,
                          size_t size, ty_tensor **error) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("write");
    OPTIONS_ERROR(ty_table_write_options, options, given, size, error);
    struct fault fault = {0};
    return told(write_table(path, (ty_sink){0}, table, &options, &fault), &fault, error);
}

bool ty_table_send_sized(ty_sink sink, const ty_table *table, const ty_table_write_options *given,
                         size_t size, ty_tensor **error) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("write");
    OPTIONS_ERROR(ty_table_write_options, options, given, size, error);
    struct fault fault = {0};
    return told(write_table(NULL, sink, table, &options, &fault), &fault, error);
}
