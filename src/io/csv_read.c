/*
 * Reading csv: line by line through a window of the file, so that only the numbers are ever in memory as a
 * whole.  The delimiter and the header are found out on the first line that says something.
 */
#include <inttypes.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/csv.h"
#include "io/matches.h"

enum { WINDOW = 1 << 18 };

struct reader {
    struct ty_archive *archive;
    struct input *in;
    struct fault *fault;
    char *window; /* `length` bytes of the input, of which `next` are used; `at`: where the next come from */
    size_t length, next, capacity;
    uint64_t at;
    bool ended;
    int64_t line, rows, columns;
    char delimiter; /* 0: not known yet */
    char comment;
    struct csv_cells cells;
    struct text header;
    struct csv_words words;
};

/* ---- lines ---- */

/* Moves what is left to the front and reads more behind it. */
static bool refill(struct reader *r) {
    size_t left = r->length - r->next, got;
    if (r->next) memmove(r->window, r->window + r->next, left);
    if (left == r->capacity) {
        char *larger = mem_grow(r->window, 2 * r->capacity, 1);
        if (!larger) return fault_memory(r->fault, 2 * r->capacity);
        r->window = larger;
        r->capacity *= 2;
    }
    r->next = 0;
    r->length = left;
    if (!input_read(r->in, r->at, r->window + left, r->capacity - left, &got, r->fault)) return false;
    r->at += got;
    r->length += got;
    r->ended = got < r->capacity - left;
    return r->in->exact || r->at <= unpack_limit(r->in, &r->archive->options) ||
           unpack_refuse(r->in, &r->archive->options, r->at, r->fault);
}

/* The next line without its end; false at the end of the file, or with a sentence. */
static bool next_line(struct reader *r, const char **line, size_t *n) {
    size_t seen = 0;
    for (;;) {
        char *start = r->window + r->next, *end = NULL;
        size_t left = r->length - r->next;
        if (left > seen) end = memchr(start + seen, '\n', left - seen);
        if (end || (r->ended && left)) {
            *line = start;
            *n = end ? (size_t)(end - start) : left;
            r->next += *n + (end != NULL);
            r->line++;
            if (*n && start[*n - 1] == '\r') --*n;
            return true;
        }
        if (r->ended) return false;
        seen = left;
        if (!refill(r)) return false;
    }
}

static void trim(const char **text, size_t *n) {
    while (*n && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*n;
    }
    while (*n && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t')) --*n;
}

/* Cuts a comment off, which a quoted cell may seem to contain. */
static size_t before_comment(const struct reader *r, const char *line, size_t n) {
    bool quoted = false;
    if (!memchr(line, r->comment, n)) return n;
    for (size_t i = 0; i < n; i++) {
        quoted ^= line[i] == '"';
        if (line[i] == r->comment && !quoted) return i;
    }
    return n;
}

/* ---- cells ---- */

/* The first of these that the line has outside quotes, else blanks. */
static char find_delimiter(const char *line, size_t n) {
    static const char candidates[] = "\t;,|";
    bool quoted = false, found[sizeof candidates] = {0};
    for (size_t i = 0; i < n; i++) {
        const char *c = memchr(candidates, line[i], sizeof candidates - 1);
        quoted ^= line[i] == '"';
        if (c && !quoted) found[c - candidates] = true;
    }
    for (size_t i = 0; i < sizeof candidates - 1; i++)
        if (found[i]) return candidates[i];
    return ' ';
}

/* A cell of the line and what follows it. */
struct cut {
    const char *text, *rest;
    size_t n;
    bool last, quoted;
};

/* A quote in a quoted cell stands there twice (RFC 4180); such a cell is a word, and stays as it is written. */
static bool cut_quoted(struct reader *r, const char *line, const char *end, struct cut *c) {
    const char *close = memchr(line + 1, '"', (size_t)(end - line - 1));
    while (close && close + 1 < end && close[1] == '"')
        close = memchr(close + 2, '"', (size_t)(end - close - 2));
    if (!close)
        return fault_set(r->fault, "%s:%" PRId64 ": a quote is opened and not closed in the line",
                         r->in->name, r->line);
    c->quoted = true;
    c->text = line + 1;
    c->n = (size_t)(close - c->text);
    c->rest = close + 1;
    while (c->rest < end && *c->rest == ' ' && r->delimiter != ' ') c->rest++;
    c->last = c->rest == end;
    if (!c->last && *c->rest != r->delimiter)
        return fault_set(r->fault,
                         "%s:%" PRId64 ": \"%.20s\" follows a closing quote where the delimiter is expected",
                         r->in->name, r->line, c->rest);
    c->rest += !c->last;
    return true;
}

/* The cell at the front of line..end, which is trimmed at its front. */
static bool cut_cell(struct reader *r, const char *line, const char *end, struct cut *c) {
    c->quoted = false;
    if (line < end && *line == '"') {
        if (!cut_quoted(r, line, end, c)) return false;
    } else {
        const char *stop = line;
        while (stop < end && *stop != r->delimiter && !(r->delimiter == ' ' && *stop == '\t')) stop++;
        *c = (struct cut){.text = line, .n = (size_t)(stop - line), .last = stop == end};
        c->rest = stop + !c->last;
    }
    trim(&c->text, &c->n);
    while (c->rest < end && (*c->rest == ' ' || (*c->rest == '\t' && r->delimiter != '\t'))) c->rest++;
    if (r->delimiter == ' ') c->last = c->rest == end;
    return true;
}

/* Whether the cell is of a column of words, which the first row decides. */
static bool is_word(struct reader *r, const struct cut *c, int64_t column) {
    if (!r->archive->options.words) return false;
    if (r->rows == 0 && csv_kind_of(c->text, c->n) == CSV_WORD && !csv_words_column(&r->words, column))
        fault_memory(r->fault, sizeof column);
    return csv_words_has(&r->words, column);
}

static bool add_cell(struct reader *r, const struct cut *c, int64_t column) {
    bool word = is_word(r, c, column);
    if (r->fault->set) return false;
    enum csv_added added =
        word ? csv_words_add(&r->words, &r->cells, column, c->text, c->n) : csv_add(&r->cells, c->text, c->n);
    if (added == CSV_ADDED) return true;
    if (added == CSV_NO_MEMORY) return fault_memory(r->fault, r->cells.capacity * 16);
    return fault_set(r->fault, "%s:%" PRId64 ": column %" PRId64 ": \"%.*s\" is no number", r->in->name,
                     r->line, column + 1, c->n < 40 ? (int)c->n : 40, c->text);
}

static bool add_row(struct reader *r, const char *line, size_t n) {
    struct cut c = {.rest = line};
    const char *end = line + n;
    int64_t column = 0;
    do {
        if (!cut_cell(r, c.rest, end, &c) || !add_cell(r, &c, column)) return false;
        column++;
    } while (!c.last);
    if (r->rows == 0 && !r->columns) r->columns = column;
    if (column != r->columns)
        return fault_set(r->fault, "%s:%" PRId64 ": has %" PRId64 " columns, the lines before it %" PRId64,
                         r->in->name, r->line, column, r->columns);
    r->rows++;
    return true;
}

/* A line of words before all others names the columns.  One with words and numbers may be names like 2019, or a row
   with an error: nobody can tell, so the caller must. */
static bool is_header(struct reader *r, const char *line, size_t n) {
    struct cut c = {.rest = line}, word = {0};
    int64_t words = 0, numbers = 0, first = 0;
    do {
        if (!cut_cell(r, c.rest, line + n, &c)) return false;
        enum csv_kind kind = csv_kind_of(c.text, c.n);
        if (kind == CSV_WORD && !words++) {
            word = c;
            first = r->columns + 1;
        }
        numbers += kind == CSV_NUMBER;
        csv_add_name(&r->header, c.text, c.n, !r->columns, c.last && !r->columns, c.quoted);
        r->columns++;
    } while (!c.last);
    if (words && !numbers) return true;
    r->columns = 0;
    r->header.length = 0;
    if (words && !r->archive->options.words)
        fault_set(r->fault,
                  "%s:%" PRId64 ": column %" PRId64
                  ": \"%.*s\" is no number, but others of the first line are: "
                  "if the line has names, pass over it (.skip_rows; tyto convert --skip-rows); words can be "
                  "numbered (.words)",
                  r->in->name, r->line, first, word.n < 40 ? (int)word.n : 40, word.text);
    return false;
}

/* Refuses what is no text, or none that others would read so: UTF-16, other formats, lines that end in a carriage
   return alone. */
static bool check_text(struct reader *r, const char *line, size_t n) {
    bool marked = r->line == 1 && n >= 2 && (!memcmp(line, "\xff\xfe", 2) || !memcmp(line, "\xfe\xff", 2));
    if (marked || memchr(line, 0, n))
        return fault_set(r->fault, "%s:%" PRId64 ": %s: save it as UTF-8", r->in->name, r->line,
                         marked ? "is UTF-16" : "has zero bytes, as UTF-16 and files of other formats have");
    if (memchr(line, '\r', n))
        return fault_set(r->fault,
                         "%s:%" PRId64
                         ": has a carriage return inside the line: end lines with \\n or \\r\\n, "
                         "not with \\r alone (tr '\\r' '\\n')",
                         r->in->name, r->line);
    return true;
}

static bool add_line(struct reader *r, const char *line, size_t n) {
    bool first = r->rows == 0 && r->columns == 0;
    if (!check_text(r, line, n)) return false;
    if (r->line <= r->archive->options.skip_rows) return true;
    if (r->line == 1 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) { /* Windows marks UTF-8 so */
        line += 3;
        n -= 3;
    }
    n = before_comment(r, line, n);
    if (r->delimiter != '\t')
        trim(&line, &n);
    else
        while (n && *line == ' ') line++, n--;
    if (n == 0) return true;
    if (!r->delimiter) r->delimiter = find_delimiter(line, n);
    if (first && is_header(r, line, n)) return true;
    return !r->fault->set && add_row(r, line, n);
}

/* ---- the table ---- */

static ty_tensor *make_tensor(const struct reader *r, int *rank, int64_t shape[2]) {
    ty_dtype dtype = csv_dtype(&r->cells);
    shape[0] = r->rows;
    shape[1] = r->columns;
    *rank = r->columns == 1 || r->rows == 0 ? 1 : 2;
    ty_tensor *x = tensor_new_value(dtype, *rank, shape);
    if (!x) {
        fault_memory(r->fault, r->cells.count * 8);
        return NULL;
    }
    if (dtype == TY_BOOL)
        for (size_t i = 0; i < r->cells.count; i++) ((bool *)tensor_data(x))[i] = r->cells.whole[i];
    else if (r->cells.count)
        memcpy(tensor_data(x), r->cells.memory, r->cells.count * dtype_table[dtype].size);
    return x;
}

static bool add_pair(struct ty_archive *a, const char *key, const struct text *value) {
    if (value->failed) return fault_memory(&a->fault, value->length);
    const char *name = archive_text(a, key, strlen(key)),
               *words = archive_text(a, value->data, value->length);
    if (!name || !words) return fault_memory(&a->fault, value->length);
    a->index.pairs[a->index.npairs++] = (struct archive_pair){name, words};
    return true;
}

static bool describe(struct reader *r) {
    struct ty_archive *a = r->archive;
    struct archive_entry *e = archive_single(a);
    int64_t shape[2];
    int rank;
    if (!e) return false;
    a->held = make_tensor(r, &rank, shape);
    if (!a->held) return false;
    e->dtype = a->held->dtype;
    if (!entry_shape(e, &a->arena, rank, shape, r->fault)) return false;
    a->index.pairs = arena_array(&a->arena, 1 + (size_t)r->words.ncolumns, sizeof *a->index.pairs);
    if (!a->index.pairs) return fault_memory(r->fault, sizeof *a->index.pairs);
    bool ok = !r->header.length || add_pair(a, "columns", &r->header);
    for (int64_t i = 0; i < r->words.ncolumns && ok; i++) {
        char key[40];
        struct text names = {0};
        text_print(key, sizeof key, "words:%" PRId64, r->words.columns[i]);
        csv_words_text(&r->words, r->words.columns[i], &names);
        ok = add_pair(a, key, &names);
        text_drop(&names);
    }
    return ok;
}

bool csv_open(struct ty_archive *a) {
    struct reader r = {.archive = a, .in = a->input, .fault = &a->fault, .capacity = WINDOW};
    const char *line;
    size_t n;
    bool gzip;
    r.delimiter = a->options.delimiter;
    r.comment = a->options.comment ? a->options.comment : '#';
    if (!r.delimiter && format_of_path(a->input->name, &gzip) && strstr(a->input->name, ".tsv"))
        r.delimiter = '\t';
    r.window = mem_alloc(WINDOW);
    bool ok = r.window || fault_memory(r.fault, WINDOW);
    while (ok && next_line(&r, &line, &n)) ok = add_line(&r, line, n);
    if (r.header.failed) fault_memory(r.fault, r.header.length);
    ok = ok && !r.fault->set &&
         (csv_words_sort(&r.words, &r.cells, r.columns) || fault_memory(r.fault, WINDOW));
    ok = ok && describe(&r);
    mem_free(r.window);
    csv_drop(&r.cells);
    csv_words_drop(&r.words);
    text_drop(&r.header);
    return ok;
}

ty_tensor *csv_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    (void)e, (void)fault;
    return tensor_share(a->held);
}
