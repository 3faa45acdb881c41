/*
 * Reader of csv, line by line through a window of the file, so that only the numbers are in memory as a whole.
 * The first line with content decides on delimiter and header.
 */
#include <inttypes.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/list.h"
#include "io/formats/csv.h"
#include "io/formats/matches.h"

enum { WINDOW = 1 << 18 };

/* State of reading one table. */
struct csv_reader {
    struct ty_archive *archive;
    struct input *in;
    struct fault *fault;
    /* `length` bytes of the input; the first `next` are consumed. `at` is the offset of the next read. */
    char *window;
    size_t length, next, capacity;
    uint64_t at;
    bool ended;
    int64_t line, rows, columns;
    char delimiter; /* 0: not known yet */
    char comment;
    bool told; /* the caller chose the sign of comments */
    /* Number of a line before the table that begins with the comment sign and no blank; 0: none. */
    int64_t marked;
    struct csv_cells cells;
    struct text header, cell; /* cell: scratch for a cell with doubled quotes */
    struct text first;  /* a line of quoted cells, held back until the next line decides if it is a header */
    int64_t first_line; /* line number of `first`; 0: none is held back */
    struct csv_words words;
};

/* Move the unread bytes to the front of the window and read more behind them; sets r->ended at the end of
   the file. False sets the fault, also above the unpack limit. */
static bool refill(struct csv_reader *r) {
    size_t left = r->length - r->next, got;
    if (r->next) memmove(r->window, r->window + r->next, left);
    if (!list_reserve(r->window, left + 1, r->capacity)) return fault_memory(r->fault, 2 * r->capacity);
    r->next = 0;
    r->length = left;
    if (!input_read(r->in, r->at, r->window + left, r->capacity - left, &got, r->fault)) return false;
    r->at += got;
    r->length += got;
    r->ended = got < r->capacity - left;
    return r->in->exact || r->at <= unpack_limit(r->in, &r->archive->options) ||
           unpack_refuse(r->in, &r->archive->options, r->at, r->fault);
}

/* Set *line and *n to the next line, which lies in r's window until the next call, without its line break.
   Return false at the end of the file, or with the fault set. */
static bool next_line(struct csv_reader *r, const char **line, size_t *n) {
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

/* Remove blanks and tabs from both ends of the text *text of *n bytes, by moving *text and reducing *n. */
static void trim(const char **text, size_t *n) {
    while (*n && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*n;
    }
    while (*n && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t')) --*n;
}

static bool is_blank(const char *line, size_t n, size_t i) {
    return i >= n || line[i] == ' ' || line[i] == '\t';
}

/* Return the number of the n bytes of a line in front of its comment; n without one. The sign is ignored in
   quotes and, unless the caller chose it, where no blanks surround it: #FF0000 is a cell. */
static size_t before_comment(const struct csv_reader *r, const char *line, size_t n) {
    bool quoted = false;
    if (!memchr(line, r->comment, n)) return n;
    for (size_t i = 0; i < n; i++) {
        quoted ^= line[i] == '"';
        if (line[i] != r->comment || quoted) continue;
        if (r->told || i == 0 || (is_blank(line, n, i - 1) && is_blank(line, n, i + 1))) return i;
    }
    return n;
}

/* Return the first delimiter of the list tab ; , | that occurs outside quotes in the line, else a blank. */
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

/* A cell of a line and the rest of that line. */
struct csv_cut {
    const char *text, *rest;
    size_t n;
    bool last, quoted;
};

/* Copy cell c's text, doubled quotes halved, to r->cell and make c refer to it; false sets the fault. */
static bool halve_quotes(struct csv_reader *r, struct csv_cut *c) {
    r->cell.length = 0;
    for (size_t i = 0; i < c->n; i++) {
        text_add_bytes(&r->cell, c->text + i, 1);
        i += c->text[i] == '"';
    }
    c->text = r->cell.data;
    c->n = r->cell.length;
    return !r->cell.failed || fault_memory(r->fault, r->cell.length);
}

/* Cut the quoted cell (a quote in it is doubled: RFC 4180) that begins line..end, end excluded, into *c,
   whose `rest` is then behind its delimiter. False sets the fault. */
static bool cut_quoted(struct csv_reader *r, const char *line, const char *end, struct csv_cut *c) {
    const char *close = memchr(line + 1, '"', (size_t)(end - line - 1));
    bool twice = false;
    for (; close && close + 1 < end && close[1] == '"'; twice = true)
        close = memchr(close + 2, '"', (size_t)(end - close - 2));
    if (!close)
        return fault_set(r->fault, E_FORMAT, "%s:%" PRId64 ": a quote is opened and not closed in the line",
                         r->in->name, r->line);
    c->quoted = true;
    c->text = line + 1;
    c->n = (size_t)(close - c->text);
    c->rest = close + 1;
    while (c->rest < end && *c->rest == ' ' && r->delimiter != ' ') c->rest++;
    c->last = c->rest == end;
    if (!c->last && *c->rest != r->delimiter)
        return fault_set(r->fault, E_FORMAT,
                         "%s:%" PRId64 ": \"%.20s\" follows a closing quote where the delimiter is expected",
                         r->in->name, r->line, c->rest);
    c->rest += !c->last;
    return !twice || halve_quotes(r, c);
}

/* Cut the first cell, trimmed, off line..end (end excluded; begins with no blank) into *c, whose `rest` is
   then behind its delimiter. False sets the fault. */
static bool cut_cell(struct csv_reader *r, const char *line, const char *end, struct csv_cut *c) {
    c->quoted = false;
    if (line < end && *line == '"') {
        if (!cut_quoted(r, line, end, c)) return false;
    } else {
        const char *stop = line;
        while (stop < end && *stop != r->delimiter && !(r->delimiter == ' ' && *stop == '\t')) stop++;
        *c = (struct csv_cut){.text = line, .n = (size_t)(stop - line), .last = stop == end};
        c->rest = stop + !c->last;
    }
    trim(&c->text, &c->n);
    while (c->rest < end && (*c->rest == ' ' || (*c->rest == '\t' && r->delimiter != '\t'))) c->rest++;
    if (r->delimiter == ' ') c->last = c->rest == end;
    return true;
}

/* Set *row and *column, both from 1, for cell i of the table, from 0; a header or line without cells is no row. */
static void place_of(const struct csv_reader *r, size_t i, int64_t *row, int64_t *column) {
    int64_t columns = r->columns ? r->columns : (int64_t)i + 1; /* still in the first row */
    *row = (int64_t)i / columns + 1;
    *column = (int64_t)i % columns + 1;
}

/* Set the fault that cell c, `column` from 0, or an earlier one exceeds the digits of f64; return false. */
static bool refuse_rounding(struct csv_reader *r, const struct csv_cut *c, int64_t column) {
    static const char advice[] =
        "write it with a point, or allow rounding (.rounded; tyto convert --rounded)";
    char words[32];
    int64_t row, of;
    const struct csv_cells *cells = &r->cells;
    int shown = c->n < 40 ? (int)c->n : 40;
    if (!cells->lost_before)
        return fault_set(r->fault, E_FORMAT,
                         "%s:%" PRId64 ": column %" PRId64
                         ": %.*s would lose digits as f64, the dtype of a table with blanks, real numbers or "
                         "integers beyond 64 bits: %s",
                         r->in->name, r->line, column + 1, shown, c->text, advice);
    place_of(r, cells->lost, &row, &of);
    text_print(words, sizeof words, cells->large ? "%" PRIu64 : "%" PRId64, cells->whole[cells->lost]);
    return fault_set(r->fault, E_FORMAT,
                     "%s:%" PRId64 ": column %" PRId64
                     ": \"%.*s\" would make the table f64, and %s in row %" PRId64 ", column %" PRId64
                     " would lose digits: %s",
                     r->in->name, r->line, column + 1, shown, c->text, words, row, of, advice);
}

/* Set the fault that cell c, in `column` from 0, is not a number; always return false. */
static bool refuse_word(struct csv_reader *r, const struct csv_cut *c, int64_t column) {
    const char *advice =
        memchr(c->text, r->comment, c->n) && !r->told
            ? ": a comment needs blanks around its sign (.comment; tyto convert --csv-comment chooses one)"
            : "";
    return fault_set(r->fault, E_FORMAT, "%s:%" PRId64 ": column %" PRId64 ": \"%.*s\" is not a number%s",
                     r->in->name, r->line, column + 1, c->n < 40 ? (int)c->n : 40, c->text, advice);
}

/* Append cell c in `column`, from 0, to the table, words as ids if allowed; false sets the fault. */
static bool add_cell(struct csv_reader *r, const struct csv_cut *c, int64_t column) {
    bool failed = false,
         word = r->archive->options.words && csv_words_is(&r->words, column, c->text, c->n, &failed);
    if (failed) return fault_memory(r->fault, sizeof column);
    enum csv_added added =
        word ? csv_words_add(&r->words, &r->cells, column, c->text, c->n) : csv_add(&r->cells, c->text, c->n);
    switch (added) {
    case CSV_ADDED:
        return true;
    case CSV_NO_MEMORY:
        return fault_memory(r->fault, (size_t)r->cells.wanted);
    case CSV_TOO_LARGE:
        return unpack_refuse(r->in, &r->archive->options, r->cells.wanted, r->fault);
    case CSV_ROUNDS:
        return refuse_rounding(r, c, column);
    default:
        return refuse_word(r, c, column);
    }
}

/* Append a line of n bytes as a row; false sets the fault, also for another number of cells than before. */
static bool add_row(struct csv_reader *r, const char *line, size_t n) {
    struct csv_cut c = {.rest = line};
    const char *end = line + n;
    int64_t column = 0;
    do {
        if (!cut_cell(r, c.rest, end, &c) || !add_cell(r, &c, column)) return false;
        column++;
    } while (!c.last);
    if (r->rows == 0 && !r->columns) r->columns = column;
    if (column != r->columns)
        return fault_set(r->fault, E_FORMAT,
                         "%s:%" PRId64 ": has %" PRId64 " columns; the lines before it have %" PRId64,
                         r->in->name, r->line, column, r->columns);
    r->rows++;
    return true;
}

/* Return true if the line names the columns: words and no numbers, or `surely` is set; then r->columns and
   r->header are set. False without a fault: it is a row. False with the fault set: it cannot be cut, or
   mixes words and numbers, which may be names like 2019 or an error, and words are not allowed. */
static bool is_header(struct csv_reader *r, const char *line, size_t n, bool surely) {
    struct csv_cut c = {.rest = line};
    char word[41];
    int64_t words = 0, numbers = 0, first = 0;
    do {
        if (!cut_cell(r, c.rest, line + n, &c)) return false;
        enum csv_kind kind = csv_kind_of(c.text, c.n);
        if (kind == CSV_WORD && !words++) {
            text_print(word, sizeof word, "%.*s", c.n < 40 ? (int)c.n : 40, c.text);
            first = r->columns + 1;
        }
        numbers += kind == CSV_NUMBER;
        csv_add_name(&r->header, c.text, c.n, !r->columns, c.last && !r->columns);
        r->columns++;
    } while (!c.last);
    if (surely || (words && !numbers)) return true;
    r->columns = 0;
    r->header.length = 0;
    if (words && !r->archive->options.words)
        fault_set(r->fault, E_FORMAT,
                  "%s:%" PRId64 ": column %" PRId64
                  ": \"%s\" is not a number, but others of the first line are: skip a line of names "
                  "(.skip_rows; tyto convert --skip-rows), or encode text (.words)",
                  r->in->name, r->line, first, word);
    return false;
}

/* Return true if all cells are quoted, false also after a fault; *number: an unquoted cell is a number. */
static bool is_quoted(struct csv_reader *r, const char *line, size_t n, bool *number) {
    struct csv_cut c = {.rest = line};
    bool all = true;
    *number = false;
    do {
        if (!cut_cell(r, c.rest, line + n, &c)) return false;
        all = all && c.quoted;
        *number = *number || (!c.quoted && csv_kind_of(c.text, c.n) == CSV_NUMBER);
    } while (!c.last);
    return all;
}

/* Add the first line as header, if `surely` or of words without numbers, or as row; false sets the fault. */
static bool add_first(struct csv_reader *r, const char *line, size_t n, bool surely) {
    if (is_header(r, line, n, surely)) return true;
    return !r->fault->set && add_row(r, line, n);
}

/* Add the line held back in r->first; `names` is true if the next has an unquoted number, so this is surely
   a header. False sets the fault. */
static bool add_kept(struct csv_reader *r, bool names) {
    int64_t line = r->line;
    struct text kept = r->first;
    r->line = r->first_line;
    r->first = (struct text){0};
    r->first_line = 0;
    bool ok =
        (!kept.failed || fault_memory(r->fault, kept.length)) && add_first(r, kept.data, kept.length, names);
    text_drop(&kept);
    r->line = line;
    return ok;
}

/* Add a line as header or row, or hold it back while undecided (all quoted); false sets the fault. */
static bool add_content(struct csv_reader *r, const char *line, size_t n) {
    bool number, first = r->rows == 0 && r->columns == 0;
    if (r->first_line) {
        is_quoted(r, line, n, &number);
        return !r->fault->set && add_kept(r, number) && add_row(r, line, n);
    }
    if (!first) return add_row(r, line, n);
    if (is_quoted(r, line, n, &number)) {
        text_add_bytes(&r->first, line, n);
        r->first_line = r->line;
        return true;
    }
    return !r->fault->set && add_first(r, line, n, false);
}

/* Return true if the line is plain text; UTF-16, zero bytes and inner carriage returns set the fault. */
static bool check_text(struct csv_reader *r, const char *line, size_t n) {
    bool marked = r->line == 1 && n >= 2 && (!memcmp(line, "\xff\xfe", 2) || !memcmp(line, "\xfe\xff", 2));
    if (marked || memchr(line, 0, n))
        return fault_set(r->fault, E_FORMAT, "%s:%" PRId64 ": %s: save it as UTF-8", r->in->name, r->line,
                         marked ? "is UTF-16" : "has zero bytes, as UTF-16 and binary files have");
    if (memchr(line, '\r', n))
        return fault_set(r->fault, E_FORMAT,
                         "%s:%" PRId64
                         ": has a carriage return inside the line: end lines with \\n or \\r\\n, "
                         "not with \\r alone (tr '\\r' '\\n')",
                         r->in->name, r->line);
    return true;
}

/* Return the number of cells of a line of n bytes; 0 if it cannot be cut into cells. Sets no fault. */
static int64_t count_cells(struct csv_reader *r, const char *line, size_t n) {
    struct csv_cut c = {.rest = line};
    struct fault unheard = {0}, *heard = r->fault;
    int64_t count = 0;
    r->fault = &unheard;
    do count++;
    while (cut_cell(r, c.rest, line + n, &c) && !c.last);
    r->fault = heard;
    return unheard.set ? 0 : count;
}

/* Return true if a line that begins with the comment sign, without a blank behind it, is a row: its first
   cell is missing, as in #N/A,2. False if it is a comment, or with the fault set if it has as many cells
   as the table and so is ambiguous. */
static bool is_marked_row(struct csv_reader *r, const char *line, size_t n) {
    struct csv_cut c;
    if (r->told || n < 2 || line[0] != r->comment || is_blank(line, n, 1) || line[1] == r->comment)
        return false;
    char known = r->delimiter;
    if (!known) r->delimiter = find_delimiter(line, n);
    bool missing = cut_cell(r, line, line + n, &c) && csv_kind_of(c.text, c.n) == CSV_MISSING;
    int64_t cells = r->columns ? count_cells(r, line, n) : 0;
    if (!missing) r->delimiter = known;
    if (missing || r->fault->set) return missing;
    if (!r->columns && !r->first_line)
        r->marked = r->line;
    else if (cells == r->columns)
        fault_set(r->fault, E_FORMAT,
                  "%s:%" PRId64
                  ": begins with %c, the sign of a comment, but has as many cells as the table: put a blank "
                  "after the sign, or choose another (.comment; tyto convert --csv-comment)",
                  r->in->name, r->line, r->comment);
    return false;
}

/* Add a line of n bytes unless it is skipped, blank or a comment; false sets the fault. */
static bool add_line(struct csv_reader *r, const char *line, size_t n) {
    if (!check_text(r, line, n)) return false;
    if (r->line <= r->archive->options.skip_rows) return true;
    if (r->line == 1 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) { /* byte order mark of UTF-8 */
        line += 3;
        n -= 3;
    }
    bool row = is_marked_row(r, line, n);
    if (r->fault->set) return false;
    if (!row) n = before_comment(r, line, n);
    if (r->delimiter != '\t')
        trim(&line, &n);
    else
        while (n && *line == ' ') line++, n--;
    if (n == 0) return true;
    if (!r->delimiter) r->delimiter = find_delimiter(line, n);
    return add_content(r, line, n);
}

/* Add a line held back at the end. False sets the fault, also if comments like rows are all it has. */
static bool end_lines(struct csv_reader *r) {
    if (r->first_line) return add_kept(r, false);
    return !r->marked || r->rows || r->columns ||
           fault_set(r->fault, E_FORMAT,
                     "%s: has only comments; line %" PRId64
                     " has no blank after its sign: if these are rows, choose another sign (.comment; tyto "
                     "convert --csv-comment)",
                     r->in->name, r->marked);
}

/* Return a new tensor with the table moved out of r->cells; shape[] receives rows and columns, *rank is 1
   for a single column or no rows, else 2. The caller owns it; NULL sets the fault. */
static ty_tensor *make_tensor(struct csv_reader *r, int *rank, int64_t shape[2]) {
    shape[0] = r->rows;
    shape[1] = r->columns;
    *rank = r->columns == 1 || r->rows == 0 ? 1 : 2;
    ty_tensor *x = tensor_new_value(csv_dtype(&r->cells), *rank, shape);
    if (x)
        csv_move(&r->cells, tensor_data(x));
    else
        fault_memory(r->fault, r->cells.count * 8);
    return x;
}

/* Append copies of the texts `key` and `value` to the archive's metadata, whose array must have room; false
   sets a's fault. */
static bool add_pair(struct ty_archive *a, const char *key, const struct text *value) {
    if (value->failed) return fault_memory(&a->fault, value->length);
    const char *name = archive_text(a, key, strlen(key)),
               *words = archive_text(a, value->data, value->length);
    if (!name || !words) return fault_memory(&a->fault, value->length);
    a->index.pairs[a->index.npairs++] = (struct archive_pair){name, words};
    return true;
}

/* Enter the table as the archive's only tensor, with names of columns and words; false sets the fault. */
static bool describe(struct csv_reader *r) {
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
    struct csv_reader r = {.archive = a, .in = a->input, .fault = &a->fault, .capacity = WINDOW};
    const char *line;
    size_t n;
    bool gzip;
    r.delimiter = a->options.delimiter;
    r.told = a->options.comment;
    r.comment = r.told ? a->options.comment : '#';
    r.cells.rounded = a->options.rounded;
    if (!r.in->exact) r.cells.most = (size_t)unpack_limit(r.in, &a->options);
    if (!r.delimiter && format_of_path(a->input->name, &gzip) && strstr(a->input->name, ".tsv"))
        r.delimiter = '\t';
    r.window = mem_alloc(WINDOW);
    bool ok = r.window || fault_memory(r.fault, WINDOW);
    while (ok && next_line(&r, &line, &n)) ok = add_line(&r, line, n);
    ok = ok && !r.fault->set && end_lines(&r);
    if (r.header.failed) fault_memory(r.fault, r.header.length);
    ok = ok && !r.fault->set &&
         (csv_words_sort(&r.words, &r.cells, r.columns) || fault_memory(r.fault, WINDOW));
    ok = ok && describe(&r);
    mem_free(r.window);
    csv_drop(&r.cells);
    csv_words_drop(&r.words);
    text_drop(&r.header);
    text_drop(&r.cell);
    text_drop(&r.first);
    return ok;
}

ty_tensor *csv_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    (void)e, (void)fault;
    return tensor_share(a->held);
}
