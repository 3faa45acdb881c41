/* Reading of tables: record by record into columns. */
#include <inttypes.h>
#include <string.h>
#include <tyto/graph.h>
#include "array/progress.h"
#include "base/alloc.h"
#include "base/utf8.h"
#include "base/context/stop.h"
#include "table/reader.h"

/* State of reading one table. */
struct reader {
    struct fault *fault;
    const ty_table_options *options;
    const struct table_rules *rules;
    struct records records;
    struct layout_guess guess;
    struct missing missing;
    struct cells *columns;
    struct words *names; /* name i of column i */
    bool again;          /* columns that are to be read once more alone are read */
    struct cell *held;   /* cells of records that are not in the columns yet, record after record */
    int64_t *lines;      /* of these records */
    int64_t nheld;       /* number of these records */
    int64_t rows;        /* of all records */
    int64_t unchecked;   /* cells since the last pause */
    struct progress progress;
    int64_t before; /* bytes of an earlier pass over the input */
};

/* ---- names ---- */

static bool no_memory(struct reader *r) { return fault_memory(r->fault, sizeof *r->columns); }

/* Add the name of the next column: the n bytes, or if they are taken, these and the first free number.  `later`: names
   of columns behind it, which are not to be used either; NULL: none.  False sets the fault. */
static bool add_name(struct reader *r, const char *name, size_t n, const struct words *later) {
    struct text text = {0};
    bool ok =
        table_free_name(&text, name, n, r->names, later) && words_add(r->names, text.data, text.length) >= 0;
    text_drop(&text);
    return ok || no_memory(r);
}

static const char unnamed[] = "Unnamed: ";

/* Return the names in the present record that begin as those of unnamed columns do; NULL sets the fault. */
static struct words *look_alikes(struct reader *r) {
    const size_t begin = sizeof unnamed - 1;
    struct words *w = words_new();
    bool ok = w;
    for (int64_t i = 0; i < r->records.count && ok; i++) {
        const struct cell *c = &r->records.cells[i];
        if (c->n > begin && memcmp(c->text, unnamed, begin) == 0) ok = words_add(w, c->text, c->n) >= 0;
    }
    if (ok) return w;
    words_release(w);
    no_memory(r);
    return NULL;
}

static const char not_utf8[] =
    "has bytes that are not UTF-8: save the file as UTF-8 (iconv -f LATIN1 -t UTF-8)";

/* Take the names of columns from the present record, or (none) number them.  False sets the fault. */
static bool add_names(struct reader *r, bool none) {
    const struct records *s = &r->records;
    int64_t shift = r->guess.row_names;
    char number[40];
    struct words *others = none ? NULL : look_alikes(r);
    bool ok = (none || others) && (!shift || add_name(r, "row_names", 9, NULL));
    for (int64_t i = 0; i < r->guess.columns - shift && ok; i++) {
        const struct cell *c = none || i >= s->count ? NULL : &s->cells[i];
        if (c && !utf8_is(c->text, c->n)) {
            ok = records_refuse(&r->records, i, E_FORMAT, "the name %s", not_utf8);
        } else if (c && c->n) {
            ok = add_name(r, c->text, c->n, NULL);
        } else {
            text_print(number, sizeof number, "%s%" PRId64, none ? "" : unnamed, i);
            ok = add_name(r, number, strlen(number), others);
        }
    }
    words_release(others);
    return ok;
}

/* ---- cells ---- */

/* Set the fault of a word among numbers, of column i; `first`: in the first row.  Always false. */
static bool refuse_text(struct reader *r, int64_t i, const struct cell *c, bool first) {
    const char *advice =
        memchr(c->text, '#', c->n)
            ? "a comment needs blanks around its sign, or choose the sign (.comment; tyto --comment)"
        : first
            ? "select columns of a table (ty_table_read; tyto: FILE:COLUMN), skip lines above the numbers "
              "(.skip_rows; tyto --skip-rows), or number the words (.words; tyto convert --words)"
            : "correct it, select columns of a table (ty_table_read; tyto: FILE:COLUMN), or number the words "
              "of columns (.words; tyto convert --words)";
    return records_refuse(&r->records, i, E_FORMAT, "(%.80s) has \"%.*s\", which is not a number: %s",
                          words_at(r->names, i), c->n < 40 ? (int)c->n : 40, c->text, advice);
}

/* Set the fault of cell c of column i, in row `row` of the held ones, that could not be added.  Always false. */
static bool refuse_cell(struct reader *r, int64_t row, int64_t i, enum cell_added why) {
    if (why == CELL_NO_MEMORY) return no_memory(r);
    const struct cell *c = &r->held[row * r->guess.columns + i];
    const char *name = words_at(r->names, i);
    int shown = c->n < 40 ? (int)c->n : 40;
    r->records.line = r->lines[row];
    if (why == CELL_ENCODING) return records_refuse(&r->records, i, E_FORMAT, "(%.80s) %s", name, not_utf8);
    if (why == CELL_TEXT) return refuse_text(r, i, c, r->rows - r->nheld + row == 0);
    static const char advice[] = "write it with a point, or allow rounding (.rounded; tyto --rounded)";
    if (r->columns[i].lost < 0)
        return records_refuse(
            &r->records, i, E_FORMAT,
            "(%.80s) has %.*s, which would lose digits as f64, the dtype of a column of real numbers: %s",
            name, shown, c->text, advice);
    return records_refuse(
        &r->records, i, E_FORMAT,
        "(%.80s) has \"%.*s\", which would make the column f64, and the integer of row %" PRId64
        ", counted from 0, would lose digits: %s",
        name, shown, c->text, r->columns[i].lost, advice);
}

/* Set the fault that a record has another number of cells.  Always false. */
static bool refuse_record(struct reader *r) {
    int64_t found = r->records.count, wanted = r->guess.columns;
    return records_refuse(
        &r->records, found < wanted ? found : wanted, E_FORMAT,
        "the record has %" PRId64 " cell%s; expected %" PRId64 ": %s", found, found == 1 ? "" : "s", wanted,
        found < wanted
            ? "add what is missing, or let it be missing (.ragged of ty_table_options; tyto --ragged)"
            : "quote cells with delimiters, choose another (.delimiter; tyto --delimiter), or skip lines "
              "above "
              "(.skip_rows; tyto --skip-rows)");
}

/* Check that the elements so far fit the limit of their bytes; false sets the fault. */
static bool check_bytes(struct reader *r) {
    const struct table_input *in = &r->records.in;
    uint64_t each = 0;
    for (int64_t i = 0; i < r->guess.columns && in->most; i++)
        each += r->columns[i].type == CELLS_COMPLEX ? 16 : 8;
    return !in->most || (uint64_t)r->rows * each <= in->most ||
           in->refuse(in->context, (uint64_t)r->rows * each, r->fault);
}

/* Return true if the record is a comment: it begins with # and has another number of cells. */
static bool is_comment(const struct reader *r) {
    const struct cell *c = r->records.cells;
    return r->rules->array && r->records.count != r->guess.columns && c->n && *c->text == '#' && !c->quoted;
}

/* Append the held records, column by column, so that the state of one column is at hand.  False sets the fault of the
   first record that has one. */
static bool append_held(struct reader *r) {
    int64_t n = r->nheld, columns = r->guess.columns, bad = -1;
    enum cell_added why = CELL_ADDED;
    for (int64_t i = 0; i < columns && n; i++) {
        struct cells *c = &r->columns[i];
        int64_t done;
        if (c->again != r->again) continue;
        enum cell_added added = cells_add(c, &r->guess.style, r->held + i, columns, n, &done);
        if (added != CELL_ADDED && added != CELL_AGAIN) n = done, bad = i, why = added;
    }
    bool ok = bad < 0 || refuse_cell(r, n, bad, why);
    r->nheld = 0;
    return ok;
}

/* The texts of held records move with the window. */
static bool window_moves(void *context) { return append_held(context); }

/* Hold the present record.  False sets the fault. */
static bool hold_record(struct reader *r) {
    static char nothing[] = "";
    const struct records *s = &r->records;
    int64_t count = s->count, columns = r->guess.columns;
    if (r->guess.trailing && count == columns + 1 && s->cells[count - 1].n == 0) count--;
    if (count > columns || (count < columns && !r->options->ragged)) return refuse_record(r);
    struct cell *to = r->held + r->nheld * columns;
    memcpy(to, s->cells, (size_t)count * sizeof *to);
    for (int64_t i = count; i < columns; i++) to[i] = (struct cell){.text = nothing};
    r->lines[r->nheld++] = s->line;
    r->rows++;
    return true;
}

enum { HELD = 8192 }; /* cells: some 64 KiB of text and 192 KiB of cells, which are read in some 0.3 ms */

/* Make room for held records of the columns.  False sets the fault. */
static bool make_held(struct reader *r) {
    int64_t columns = r->guess.columns, rows = columns < HELD ? HELD / (columns ? columns : 1) : 1;
    r->held = mem_array((size_t)rows, (size_t)columns * sizeof *r->held);
    r->lines = mem_array((size_t)rows, sizeof *r->lines);
    return (r->held && r->lines) || no_memory(r);
}

/* Make the columns of the present record, the first, if the sample had no whole one.  False sets the fault. */
static bool make_columns(struct reader *r) {
    if (r->guess.columns) return true;
    mem_free(r->columns);
    r->guess.columns = r->records.count;
    r->columns = mem_array((size_t)r->guess.columns, sizeof *r->columns);
    if (!r->columns) r->guess.columns = 0;
    if (!r->columns) return no_memory(r);
    return r->guess.header || add_names(r, true);
}

/* Check limits, look for a request to stop, report progress.  False sets the fault. */
static bool pause_reading(struct reader *r) {
    const struct records *s = &r->records;
    int64_t read = r->before + (int64_t)(s->at - (s->length - s->next));
    r->unchecked = 0;
    return check_bytes(r) && stop_check(r->fault) && progress_step(&r->progress, read, r->fault);
}

/* Append the records that are still held.  A fault of theirs comes before that of a later record, if it is set. */
static bool append_last(struct reader *r) {
    struct fault later = *r->fault;
    fault_clear(r->fault);
    bool ok = append_held(r);
    return ok && later.set ? fault_copy(r->fault, &later) : ok;
}

/* Read all records.  False sets the fault. */
static bool read_rows(struct reader *r, bool again) {
    bool ok = true;
    r->rows = 0;
    r->again = again;
    if (r->guess.header) {
        ok = records_next(&r->records);
        if (ok && !again) ok = make_columns(r) && add_names(r, false);
    }
    while (ok && (!r->options->rows || r->rows < r->options->rows) && records_next(&r->records)) {
        if (!make_columns(r) || (!r->held && !make_held(r))) break;
        if (is_comment(r)) continue;
        ok = hold_record(r);
        if (ok && (r->unchecked += r->guess.columns) > HELD - r->guess.columns)
            ok = append_held(r) && pause_reading(r);
    }
    return append_last(r) && check_bytes(r);
}

/* Read once more the columns that turned out to be words.  False sets the fault. */
static bool read_again(struct reader *r) {
    bool any = false;
    for (int64_t i = 0; i < r->guess.columns; i++) {
        struct cells *c = &r->columns[i];
        if (c->type == CELLS_NONE && c->weak && !r->guess.style.numbers) c->again = true;
        if (!c->again) continue;
        cells_restart(c);
        c->again = true;
        any = true;
    }
    if (!any) return true;
    r->before = (int64_t)r->records.at;
    r->progress.total *= 2;
    return records_rewind(&r->records, r->options->skip_rows) && read_rows(r, true);
}

/* ---- the table ---- */

/* Move the columns to a table.  False sets the fault. */
static bool make_table(struct reader *r, ty_table *t) {
    for (int64_t i = 0; i < r->guess.columns; i++) {
        struct table_column column;
        const char *name = words_at(r->names, i);
        if (!cells_end(&r->columns[i], &column)) return no_memory(r);
        if (!table_add(t, name, strlen(name), column)) return fault_copy(r->fault, &t->fault);
        if (!stop_check(r->fault)) return false;
    }
    return true;
}

/* Guess the dialect and make the columns.  False sets the fault. */
static bool begin(struct reader *r) {
    if (!records_start(&r->records, r->options->skip_rows)) return false;
    if (!guess_layout(&r->records, r->options, &r->guess)) return !r->fault->set && no_memory(r);
    r->records.dialect = r->guess.dialect;
    r->names = words_new();
    r->columns = mem_array((size_t)r->guess.columns + 1, sizeof *r->columns);
    if (!r->names || !r->columns) return no_memory(r);
    if (r->guess.record > 0 && !r->options->rows) {
        /* a sixteenth more than expected, since lengths of records vary */
        int64_t rows = (int64_t)(r->records.in.about / (uint64_t)r->guess.record);
        for (int64_t i = 0; i < r->guess.columns; i++) r->columns[i].expected = rows + rows / 16;
    }
    return r->guess.header || add_names(r, true);
}

ty_table *table_read(const struct table_input *in, const ty_table_options *options,
                     struct table_rules *rules) {
    struct fault fault = {0};
    struct table_rules none = {0};
    struct reader r = {.fault = &fault, .options = options, .rules = rules ? rules : &none};
    ty_table *t = table_begin();
    r.missing = (struct missing){options->missing ? options->nmissing : -1, options->missing};
    r.guess.style.missing = &r.missing;
    r.guess.style.array = r.rules->array;
    r.guess.style.numbers = r.rules->array && !r.rules->words;
    progress_begin(&r.progress, "read", (int64_t)in->size);
    bool ok = records_begin(&r.records, in, &fault);
    r.records.moves = window_moves;
    r.records.context = &r;
    ok = ok && begin(&r) && read_rows(&r, false) && read_again(&r);
    records_end(&r.records);
    ok = ok && make_table(&r, t);
    if (!ok) fault_copy(&t->fault, &fault);
    if (rules) rules->named = r.guess.header;
    for (int64_t i = 0; i < r.guess.columns && r.columns; i++) cells_drop(&r.columns[i]);
    mem_free(r.columns);
    mem_free(r.held);
    mem_free(r.lines);
    words_release(r.names);
    progress_end(&r.progress);
    return table_end(t);
}
