/* Printing of tables in aligned columns: names, dtypes, the first and last rows. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <tyto/graph.h>
#include "array/number_format.h"
#include "array/print.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "table/table.h"

enum { MOST_ROWS = 60, SHOWN_ROWS = 10, WIDTH = 80, PRECISION = 6, WORD = 50, HEADS = 2, GAP = 2 };

/* Rows that are printed: `first` from the start and `last` from the end, a line of dots between if `cut`. */
struct rows {
    int64_t total, first, last;
    bool cut;
};
static int64_t lines_of(const struct rows *r) { return HEADS + r->first + r->cut + r->last; }

/* One printed column: the texts of all lines, of which line k ends at ends[k]. */
struct printed {
    struct text text;
    size_t *ends;
    int width;
    bool left; /* aligned to the left */
};

/* Append a word, its control characters visible, cut to `most` characters. */
static void add_word(struct text *t, const char *word, int most) {
    struct text seen = {0};
    char head[4 * 1024 + 1]; /* a word of megabytes is not copied */
    size_t n = strnlen(word, 4 * (size_t)(most < 1024 ? most : 1024));
    memcpy(head, word, n);
    while (n && word[n] && ((unsigned char)word[n] & 0xc0) == 0x80) n--;
    head[n] = 0;
    text_add_visible(&seen, head);
    bool cut = word[n] || text_width(seen.data ? seen.data : "", seen.length) > most;
    size_t end =
        cut && seen.data ? text_prefix(seen.data, seen.length, most > 3 ? most - 3 : 0) : seen.length;
    if (seen.data) text_add_bytes(t, seen.data, end);
    if (cut) text_add(t, "...");
    t->failed |= seen.failed;
    text_drop(&seen);
}

/* Return true if a line, from 0, stands for rows that are left out. */
static bool is_dots(const struct rows *r, int64_t line) { return r->cut && line == HEADS + r->first; }

/* Return the row of the table that is shown as number k. */
static int64_t row_at(const struct rows *r, int64_t k) {
    return k < r->first ? k : r->total - r->last + (k - r->first);
}

static bool is_missing(const struct table_column *c, int64_t row) {
    return c->missing && ((const bool *)tensor_data(c->missing))[row];
}

/* Load the elements of the shown rows, those of missing ones as 0. */
static void load(const struct table_column *c, const struct rows *r, struct element *shown) {
    const char *data = tensor_data(c->values);
    size_t size = dtype_table[c->values->dtype].size;
    for (int64_t k = 0; k < r->first + r->last; k++)
        shown[k] = element_load(c->values->dtype, data + (size_t)row_at(r, k) * size);
}

/* Append one element of a column. */
static void add_element(struct text *t, const struct table_column *c, int64_t row, struct element e,
                        const struct number_format *format, int word) {
    if (c->kind == TY_COLUMN_WORDS) {
        if (e.i < 0)
            text_add(t, "NaN");
        else
            add_word(t, words_at(c->words, e.i), word);
        return;
    }
    size_t start = t->length;
    if (is_missing(c, row)) {
        text_add(t, "NaN");
    } else if (c->kind == TY_COLUMN_BOOL) {
        text_add(t, "%s", e.i ? "True" : "False");
    } else {
        number_format_add(t, format, e);
        if (t->length > start && t->data[t->length - 1] == '.') text_add(t, "0");
    }
    size_t blanks = start; /* the column aligns the numbers itself */
    while (!t->failed && blanks < t->length && t->data[blanks] == ' ') blanks++;
    if (t->failed || blanks == start) return;
    memmove(t->data + start, t->data + blanks, t->length - blanks + 1);
    t->length -= blanks - start;
}

static void end_line(struct printed *p, int64_t line) {
    size_t start = line ? p->ends[line - 1] : 0;
    p->ends[line] = p->text.length;
    int width = p->text.data ? text_width(p->text.data + start, p->text.length - start) : 0;
    if (width > p->width) p->width = width;
}

/* Return true if so many digits after the point show something of each of n numbers, 0 excepted.  Only otherwise exponents
   are for small numbers, as in pandas; columns of a table have wider ranges than arrays. */
static bool shows_all(ty_dtype dtype, int64_t n, const struct element *shown, int digits) {
    double scale = 1; /* exact up to 10^22, then near enough; infinite at last */
    for (int k = 0; k < digits && isfinite(scale); k++) scale *= 10;
    for (int64_t k = 0; k < n; k++) {
        double x = fabs(element_number(dtype, shown[k]));
        if (x > 0 && x * scale < 1) return false;
    }
    return true;
}

/* Format a column; false: no memory. */
static bool print_column(struct printed *p, const ty_table *t, int64_t i, const struct rows *r,
                         const ty_table_print_options *o) {
    const struct table_column *c = &t->columns[i];
    int64_t n = r->first + r->last, line = 0;
    struct element *shown = mem_array((size_t)n + 1, sizeof *shown);
    *p = (struct printed){.ends = mem_array((size_t)lines_of(r), sizeof *p->ends),
                          .left = c->kind == TY_COLUMN_WORDS};
    if (!shown || !p->ends) {
        mem_free(shown);
        return false;
    }
    load(c, r, shown);
    ty_print_options numbers = print_options_fill((ty_print_options){
        .precision = o->precision ? o->precision : PRECISION, .mode = TY_MAXPREC_EQUAL, .nan_text = "NaN"});
    numbers.suppress = shows_all(c->values->dtype, n, shown, numbers.precision);
    struct number_format format = number_format_fit(c->values->dtype, n, shown, &numbers, true);
    int word = o->word > 0 ? o->word : WORD;
    add_word(&p->text, words_at(t->names, i), word);
    end_line(p, line++);
    text_add(&p->text, "%s",
             c->kind == TY_COLUMN_WORDS   ? "words"
             : c->kind == TY_COLUMN_EMPTY ? "empty"
                                          : ty_dtype_name(c->values->dtype));
    end_line(p, line++);
    for (int64_t k = 0; line < lines_of(r); line++) {
        if (is_dots(r, line))
            text_add(&p->text, "...");
        else
            add_element(&p->text, c, row_at(r, k), shown[k], &format, word), k++;
        end_line(p, line);
    }
    mem_free(shown);
    return !p->text.failed;
}

/* Format the column of row numbers, or (dots) the one that stands for columns left out; false: no memory. */
static bool print_side(struct printed *p, const struct rows *r, bool dots) {
    int64_t lines = lines_of(r);
    *p = (struct printed){.ends = mem_array((size_t)lines, sizeof *p->ends), .left = true};
    if (!p->ends) return false;
    for (int64_t line = 0; line < lines; line++) {
        if (dots || is_dots(r, line))
            text_add(&p->text, "...");
        else if (line >= HEADS)
            text_add(&p->text, "%" PRId64, row_at(r, line - HEADS - (r->cut && line - HEADS > r->first)));
        end_line(p, line);
    }
    return !p->text.failed;
}

static void drop(struct printed *p) {
    text_drop(&p->text);
    mem_free(p->ends);
}

/* Append line k of a column, aligned. */
static void add_line(struct text *t, const struct printed *p, int64_t k, bool last) {
    size_t start = k ? p->ends[k - 1] : 0, n = p->ends[k] - start;
    const char *text = p->text.data ? p->text.data + start : "";
    size_t blanks = (size_t)(p->width - text_width(text, n));
    if (!p->left) text_pad(t, ' ', blanks);
    text_add_bytes(t, text, n);
    if (p->left && !last) text_pad(t, ' ', blanks);
}

/* Format as many columns as fit, in turn from the start and from the end, into list[], in the order of the table; the
   list has room for all.  Return their number; -1: no memory. */
static int64_t choose(struct printed *list, const ty_table *t, const struct rows *r,
                      const ty_table_print_options *o) {
    int64_t n = t->count, first = 0, last = 0;
    int room = o->width > 0 ? o->width : o->width < 0 ? INT_MAX : WIDTH;
    bool ok = print_side(&list[0], r, false);
    for (int used = list[0].width; ok && first + last < n;) {
        bool back = last < first;
        struct printed p;
        ok = print_column(&p, t, back ? n - 1 - last : first, r, o);
        int others = n - first - last > 1 ? GAP + 3 : 0; /* the column of dots */
        if (ok && first && used > room - p.width - GAP - others) {
            drop(&p);
            break;
        }
        used += p.width + GAP;
        if (back)
            list[n + 1 - last++] = p;
        else
            list[1 + first++] = p;
    }
    int64_t count = 1 + first;
    if (ok && first + last < n) ok = print_side(&list[count++], r, true);
    memmove(list + count, list + n + 2 - last, (size_t)last * sizeof *list);
    count += last;
    for (int64_t i = 0; i < count && !ok; i++) drop(&list[i]);
    return ok ? count : -1;
}

/* Append the table; false: no memory. */
static bool add_table(struct text *text, const ty_table *t, const ty_table_print_options *o) {
    int64_t most = o->rows > 0 ? o->rows : o->rows < 0 ? INT64_MAX : MOST_ROWS;
    struct rows r = {.total = t->rows, .first = t->rows, .cut = t->rows > most};
    if (r.cut) {
        int64_t shown = o->rows ? most : SHOWN_ROWS;
        r.first = (shown + 1) / 2;
        r.last = shown / 2;
    }
    struct printed *list = mem_array((size_t)t->count + 3, sizeof *list);
    int64_t count = list ? choose(list, t, &r, o) : -1;
    for (int64_t k = 0; k < lines_of(&r) && count > 0; k++) {
        for (int64_t i = 0; i < count; i++) {
            if (i) text_pad(text, ' ', GAP);
            add_line(text, &list[i], k, i == count - 1);
        }
        while (!text->failed && text->length && text->data[text->length - 1] == ' ') text->length--;
        text_add(text, "\n");
    }
    text_add(text, "\n[%" PRId64 " row%s x %" PRId64 " column%s]", t->rows, t->rows == 1 ? "" : "s", t->count,
             t->count == 1 ? "" : "s");
    for (int64_t i = 0; i < count; i++) drop(&list[i]);
    mem_free(list);
    return count >= 0;
}

char *ty_table_to_string_sized(const ty_table *table, const ty_table_print_options *given, size_t size) {
    FLOATING_DEFAULT;
    ty_table_print_options options;
    struct fault fault = {0};
    struct text text = {0};
    const ty_table *t = table_of(table);
    bool ok = true;
    if (t->fault.set) fault_copy(&fault, &t->fault);
    if (!fault.set) OPTIONS_READ(options, given, size, &fault);
    if (fault.set)
        text_add(&text, "error: %s", fault.text);
    else
        ok = add_table(&text, t, &options);
    char *taken = text_take(&text);
    if (ok) return taken;
    mem_free(taken);
    return NULL;
}

bool ty_table_print(FILE *file, const ty_table *table) {
    char *text = ty_table_to_string(table, (ty_table_print_options){0});
    if (!text || !file) {
        errno = text ? EINVAL : ENOMEM;
        ty_free(text);
        return false;
    }
    bool ok = fprintf(file, "%s\n", text) >= 0;
    ty_free(text);
    return ok;
}
