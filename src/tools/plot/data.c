/* The data of `tyto plot`. */
#include "tools/plot/data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>
#include <unistd.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include "base/files/folders.h"
#include "io/archive.h"
#include "table/table.h"
#include "tools/options/file.h"
#include "tools/options/inputs.h"
#include "tools/options/message.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

void plot_data_drop(struct plot_data *d) {
    for (int i = 0; i < d->n; i++) free(d->operands[i].words);
    for (int i = 0; i < d->ntables; i++) {
        free(d->tables[i].path);
        ty_table_free(d->tables[i].table);
    }
    for (int i = 0; i < d->ninputs; i++) free(d->names[i]);
    d->n = d->ntables = d->ninputs = 0;
}

/* Return the table at `path`, which is read once; NULL after a message on stderr. */
static const ty_table *table_at(struct plot_data *d, const char *path) {
    for (int i = 0; i < d->ntables; i++)
        if (!strcmp(d->tables[i].path, path)) return d->tables[i].table;
    if (d->ntables == PLOT_TABLES) {
        complain("%s: more than %d tables", path, PLOT_TABLES);
        return NULL;
    }
    char *copy = strdup(path);
    ty_table *table = copy ? reader_open(path, d->reader) : NULL;
    if (!copy) complain("out of memory");
    if (!table) {
        free(copy);
        return NULL;
    }
    d->tables[d->ntables].path = copy;
    return d->tables[d->ntables++].table = table;
}

/* ---- columns ---- */

/* Compare two words by their bytes, but digits as numbers: "class 2" is before "class 10". */
static int by_bytes_and_numbers(const void *a, const void *b) {
    const char *const *first = a, *const *second = b, *x = *first, *y = *second;
    static const char digits[] = "0123456789";
    while (*x && *y) {
        size_t zeros_x = strspn(x, "0"), zeros_y = strspn(y, "0");
        size_t m = strspn(x + zeros_x, digits), n = strspn(y + zeros_y, digits);
        bool numbers = zeros_x + m && zeros_y + n;
        if (!numbers && *x != *y) break;
        if (!numbers) m = n = 1, zeros_x = zeros_y = 0;
        if (m != n) return m < n ? -1 : 1;
        int order = memcmp(x + zeros_x, y + zeros_y, m);
        if (order) return order;
        x += zeros_x + m, y += zeros_y + n;
    }
    int rest = strcmp(x, y);
    return rest ? rest : strcmp(*first, *second); /* 1 and 01 are two words */
}

/* Number the words of a column in their order; false after a message on stderr. */
static bool sort_words(const ty_table *t, int64_t i, struct datum *out) {
    int64_t n = ty_table_words(t, i);
    const char **words = malloc((size_t)(n + !n) * sizeof *words);
    int32_t *number = malloc((size_t)(n + 1) * sizeof *number);
    bool well = words && number;
    for (int64_t k = 0; k < n && well; k++) words[k] = ty_table_word(t, i, k);
    if (well) qsort(words, (size_t)n, sizeof *words, by_bytes_and_numbers);
    for (int64_t k = 0; k < n && well; k++) {
        const char *word = ty_table_word(t, i, k);
        const char **at = bsearch(&word, words, (size_t)n, sizeof *words, by_bytes_and_numbers);
        number[k] = (int32_t)(at - words);
    }
    if (well) {
        number[n] = -1; /* of missing words, whose code is -1 */
        ty_tensor *map = ty_from(TY_I32, 1, (int64_t[]){n + 1}, number);
        out->x = ty_take(map, ty_table_at(t, i), 0);
        out->words = words, out->nwords = n;
    } else {
        free(words);
        complain("out of memory");
    }
    free(number);
    return well;
}

/* Set *out to column i of the table; false after a message on stderr. */
static bool take_column(const ty_table *t, int64_t i, struct datum *out) {
    *out = (struct datum){.table = t};
    snprintf(out->label, sizeof out->label, "%s", ty_table_name(t, i));
    if (ty_table_kind(t, i) == TY_COLUMN_WORDS) return sort_words(t, i, out);
    out->x = ty_table_kind(t, i) == TY_COLUMN_BOOL ? ty_table_values(t, i) : ty_table_at(t, i);
    return true;
}

/* Append column i of a table to the operands; false after a message on stderr. */
static bool add_column(struct plot_data *d, const ty_table *t, int64_t i) {
    if (d->n == PLOT_DATA)
        return complain("more than %d columns; select some: FILE:NAME,NAME", PLOT_DATA) == EXIT_SUCCESS;
    return take_column(t, i, &d->operands[d->n]) && ++d->n;
}

/* Append the columns of numbers of a whole table, or its columns of words if it has no others. */
static bool add_table(struct plot_data *d, const char *path, const ty_table *t) {
    int64_t n = ty_table_columns(t), numbers = 0;
    for (int64_t i = 0; i < n; i++) numbers += ty_table_kind(t, i) != TY_COLUMN_WORDS;
    for (int64_t i = 0; i < n; i++)
        if ((!numbers || ty_table_kind(t, i) != TY_COLUMN_WORDS) && !add_column(d, t, i)) return false;
    return n || complain("%s has no columns", path) == EXIT_SUCCESS;
}

/* Append the columns that `names`, separated by commas, select; false after a message on stderr. */
static bool add_names(struct plot_data *d, const char *path, const ty_table *t, const char *names) {
    char owner[320];
    struct fault fault = {0};
    text_print(owner, sizeof owner, "%.300s:", path);
    if (ty_table_find(t, names) >= 0) return add_column(d, t, ty_table_find(t, names));
    if (!*names) return complain("%s:: expected the name of a column behind the colon", path) == EXIT_SUCCESS;
    while (*names) {
        size_t length = strcspn(names, ",");
        char *name = strndup(names, length);
        if (!name) return complain("out of memory") == EXIT_SUCCESS;
        int64_t i = ty_table_find(t, name);
        if (i < 0) table_refuse(t, owner, name, "", &fault);
        free(name);
        if (fault.set) return complain_fault(&fault) == EXIT_SUCCESS;
        if (!add_column(d, t, i)) return false;
        names += length + (names[length] == ',');
    }
    return true;
}

/* ---- files and expressions ---- */

/* Return true if the text names a file, perhaps with a key of its archive. */
static bool names_file(const char *text) {
    if (reader_streams(text) || !access(text, F_OK)) return true;
    const char *colon = folders_key(text);
    char *path = colon ? strndup(text, (size_t)(colon - text)) : NULL;
    bool there = path && !access(path, F_OK);
    free(path);
    /* a name with a known ending that is not there is a file that is missing, no expression */
    bool gzip, plain = strspn(text, LETTERS "-./") == strlen(text);
    return there || (plain && format_of_path(text, &gzip));
}

/* Set *out to the value of an expression; false after a message on stderr. */
static bool take_expression(struct plot_data *d, const char *text, struct datum *out) {
    *out = (struct datum){.x = ty_expression(text, d->ninputs, (const char *const *)d->names, d->values)};
    snprintf(out->label, sizeof out->label, "%s", text);
    if (ty_ok(out->x)) return true;
    complain_about(out->x, "%s: no such file, nor an expression", text);
    for (int i = 0; i < d->ntables; i++)
        if (ty_table_find(d->tables[i].table, text) >= 0)
            complain_below("  the column of %s is %s:%s\n", d->tables[i].path, d->tables[i].path, text);
    char unknown[64], more;
    if (!d->ntables && !d->ninputs && strpbrk(text, "(+-*/ ") &&
        sscanf(ty_error(out->x), "column %*d: unknown name %63[^ ;]%c", unknown, &more) == 1)
        complain_below("  an input gives it: %s='linspace(0, 6, 100)', or %s=FILE\n", unknown, unknown);
    return false;
}

/* Set *out to the array of a file; false after a message on stderr. */
static bool take_array(struct plot_data *d, const char *text, struct datum *out) {
    const char *last = folders_name(text), *name = *last ? last : text;
    const char *colon = folders_key(name), *dot = strrchr(name, '.');
    if (colon && colon[1]) name = colon + 1, dot = NULL; /* the key of an archive */
    *out = (struct datum){.x = file_tensor(text, d->reader), .image = inputs_image(text)};
    text_print(out->label, sizeof out->label, "%.*s", dot > name ? (int)(dot - name) : (int)strlen(name),
               name);
    return ty_ok(out->x);
}

/* Append the operands that an argument names; false after a message on stderr. */
static bool add(struct plot_data *d, const char *text) {
    const char *rest = NULL;
    char *path = file_selected(text, &rest);
    const ty_table *t = path ? table_at(d, path) : NULL;
    if (path) {
        bool well =
            t && (*rest == ':' ? add_names(d, path, t, rest + 1)
                               : complain("%s: expected FILE:NAME or FILE:NAME,NAME", text) == EXIT_SUCCESS);
        free(path);
        return well;
    }
    if (d->n == PLOT_DATA) return complain("more than %d operands", PLOT_DATA) == EXIT_SUCCESS;
    if (names_file(text) && file_is_csv(&(struct file_in){.path = text})) {
        t = table_at(d, text);
        return t && add_table(d, text, t);
    }
    struct datum *out = &d->operands[d->n];
    return (names_file(text) ? take_array(d, text, out) : take_expression(d, text, out)) && ++d->n;
}

bool plot_data_one(struct plot_data *d, const char *text, const ty_table *near, struct datum *out) {
    int before = d->n;
    int64_t i = near ? ty_table_find(near, text) : -1;
    bool given = false;
    for (int k = 0; k < d->ninputs; k++) given = given || !strcmp(d->names[k], text);
    if (near && i < 0 && !given && strspn(text, LETTERS) == strlen(text) && access(text, F_OK)) {
        struct fault fault = {0};
        table_refuse(near, "--by:", text, "", &fault);
        return complain_fault(&fault) == EXIT_SUCCESS;
    }
    if (i >= 0 ? !add_column(d, near, i) : !add(d, text)) return false;
    if (d->n != before + 1) return complain("%s: expected one column", text) == EXIT_SUCCESS;
    *out = d->operands[before]; /* its words stay owned by the operands */
    return true;
}

/* ---- arguments ---- */

/* Return the length of NAME of a text NAME=..., 0 for other texts, such as a == b. */
static size_t name_length(const char *text) {
    size_t n = strspn(text, LETTERS);
    return n && text[n] == '=' && text[n + 1] && text[n + 1] != '=' && access(text, F_OK) ? n : 0;
}

/* Read the input NAME=... of expressions; false after a message on stderr. */
static bool add_input(struct plot_data *d, const char *text, size_t length) {
    int before = d->n;
    if (d->ninputs == PLOT_INPUTS) return complain("more than %d inputs", PLOT_INPUTS) == EXIT_SUCCESS;
    if (!add(d, text + length + 1)) return false;
    if (d->n != before + 1) return complain("%s: expected one array or column", text) == EXIT_SUCCESS;
    d->n = before;
    free(d->operands[before].words);
    d->names[d->ninputs] = strndup(text, length);
    if (!d->names[d->ninputs]) return complain("out of memory") == EXIT_SUCCESS;
    d->values[d->ninputs++] = d->operands[before].x;
    return true;
}

bool plot_data_read(struct plot_data *d, const struct option_list *arguments) {
    for (int i = 0; i < arguments->n; i++) { /* inputs first: an expression may stand before them */
        size_t length = name_length(arguments->items[i]);
        if (length && !add_input(d, arguments->items[i], length)) return false;
    }
    for (int i = 0; i < arguments->n; i++)
        if (!name_length(arguments->items[i]) && !add(d, arguments->items[i])) return false;
    if (!d->n)
        return complain("nothing to plot: expected a file, FILE:COLUMN or an expression") == EXIT_SUCCESS;
    for (int i = 0; i < d->n; i++) {
        struct datum *x = &d->operands[i];
        x->x = ty_eval(x->x);
        if (!ty_ok(x->x)) return complain_about(x->x, "%s", x->label) == EXIT_SUCCESS;
    }
    return true;
}
