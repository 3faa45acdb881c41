/* The dialect of delimited text, guessed from the records at its start. */
#include <math.h>
#include <string.h>
#include "array/number_read.h"
#include "base/alloc.h"
#include "table/reader.h"

enum { SAMPLE_RECORDS = 200 };

/* Records of the sample, cut with one delimiter: numbers of their cells. */
struct sample {
    int64_t records, first, body; /* cells of the first record, and of most others */
    int64_t agree;                /* records behind the first with `body` cells */
    int64_t spaced, delimiters;   /* delimiters before a blank or an end, and all */
    int64_t pad;                  /* records behind the first that end in an empty cell */
    int64_t bytes;                /* of all records */
};

/* Copy the state of r to read its window again from the start. */
static struct records again(const struct records *r, const struct dialect *dialect, struct fault *fault) {
    struct records copy = *r;
    copy.dialect = *dialect;
    copy.fault = fault;
    copy.cells = NULL;
    copy.count = copy.room = 0;
    copy.whole = true;
    return copy;
}

/* Halving of quotes changes the window, so each look at the sample takes a copy of it.  NULL: no memory. */
static char *copy_window(const struct records *r, size_t *length) {
    size_t n = r->length - r->next;
    if (n > r->sample) n = r->sample;
    char *copy = mem_grow(NULL, n + 1, 1);
    if (copy && n) memcpy(copy, r->window + r->next, n);
    *length = n;
    return copy;
}

/* Call `look` on the records of the sample, until it returns false or the fault is set. */
static void walk_records(const struct records *r, const struct dialect *dialect,
                         bool (*look)(void *context, const struct records *r, int64_t record), void *context,
                         struct fault *fault) {
    size_t length;
    char *window = copy_window(r, &length);
    if (!window) {
        fault_memory(fault, r->sample);
        return;
    }
    struct records s = again(r, dialect, fault);
    s.ended = r->ended && length == r->length - r->next;
    s.window = window;
    s.length = length;
    s.next = 0;
    for (int64_t i = 0; i < SAMPLE_RECORDS && records_next(&s) && look(context, &s, i); i++) continue;
    mem_free(window);
    mem_free(s.cells);
}

/* Call `look` on the records of the sample, until it returns false.  False: no memory. */
static bool each_record(const struct records *r, const struct dialect *dialect,
                        bool (*look)(void *context, const struct records *r, int64_t record), void *context) {
    struct fault fault = {0};
    walk_records(r, dialect, look, context, &fault);
    return !fault.set || fault.code != E_MEMORY;
}

static bool count_cells(void *context, const struct records *r, int64_t record) {
    struct sample *s = context;
    s->records++;
    s->bytes = (int64_t)r->next;
    for (int64_t i = 1; i < r->count; i++) {
        const struct cell *c = &r->cells[i];
        s->delimiters++;
        s->spaced += (c->n && *c->text == ' ') || (c->n == 0 && i == r->count - 1);
    }
    if (record == 0) {
        s->first = r->count;
    } else {
        s->pad += r->count > 1 && r->cells[r->count - 1].n == 0 && !r->cells[r->count - 1].quoted;
        if (s->agree == 0) s->body = r->count;
        s->agree += r->count == s->body ? 1 : -1; /* the majority (Boyer and Moore, 1981) */
    }
    return true;
}

/* Make the sample large enough for two records, or all of the input.  False sets the fault of r. */
static bool choose_sample(struct records *r, const struct dialect *chosen) {
    enum { SAMPLE_BYTES = 1 << 18 };
    struct dialect dialect = *chosen;
    if (!dialect.delimiter) dialect.delimiter = ',';
    for (r->sample = SAMPLE_BYTES;; r->sample *= 2) {
        struct sample s = {0};
        struct fault fault = {0};
        while (!r->ended && r->length - r->next < r->sample)
            if (!records_more(r)) return false;
        walk_records(r, &dialect, count_cells, &s, &fault);
        if (fault.set && fault.code == E_MEMORY) return fault_copy(r->fault, &fault);
        if (fault.set || s.records > 1 || r->length - r->next <= r->sample) return true;
    }
}

/* True if all cells of the records behind the first, or of the only one, are numbers or missing. */
struct numeric {
    const struct number_style *style;
    bool only; /* there is one record */
    bool all;
};
static bool look_numeric(void *context, const struct records *r, int64_t record) {
    struct numeric *n = context;
    for (int64_t i = 0; i < r->count && (record || n->only); i++)
        n->all &= cell_kind_of(n->style, r->cells[i].text, r->cells[i].n, NULL, NULL) != CELL_WORD;
    return n->all;
}

/* Choose the delimiter: the first of tab ; | and comma with which all records have as many cells, else blanks if these
   make a table of numbers or of three columns, else the one that most records agree on. */
static bool choose_delimiter(const struct records *r, struct layout_guess *g) {
    static const char candidates[] = "\t;|, ";
    int64_t best = 0;
    char chosen = g->style.decimal == ',' ? ';' : ',', shorter = 0;
    for (const char *c = candidates; *c; c++) {
        struct sample s = {0};
        struct dialect dialect = g->dialect;
        dialect.delimiter = *c;
        if (*c == g->style.decimal) continue;
        if (!each_record(r, &dialect, count_cells, &s)) return false;
        int64_t others = s.records - 1;
        bool agree = others > 0 && s.agree == others && s.body > 1;
        bool fits = s.first > 1 && (s.records == 1 || (agree && s.first == s.body));
        if (*c == ' ' && (fits || agree)) {
            struct numeric numeric = {.style = &g->style, .only = s.records == 1, .all = true};
            if (!each_record(r, &dialect, look_numeric, &numeric)) return false;
            bool table = numeric.all || (s.body >= 3 && s.records > 2);
            fits &= table;
            agree &= table;
        }
        if (fits) {
            g->dialect.delimiter = *c;
            return true;
        }
        if (agree && s.first > 1 && s.first == s.body - 1 && !shorter) shorter = *c;
        int64_t score = s.body > 1 || s.first > 1 ? 2 * s.agree + (*c == ',') : 0;
        if (*c != ' ' && score > best) best = score, chosen = *c;
    }
    g->dialect.delimiter = shorter ? shorter : chosen;
    return true;
}

/* ---- decimal signs ---- */

struct signs {
    int64_t comma, point, odd; /* numbers with each sign, and with commas that cannot be those of thousands */
};
static bool look_signs(void *context, const struct records *r, int64_t record) {
    struct signs *s = context;
    (void)record;
    for (int64_t i = 0; i < r->count; i++) {
        const char *text = r->cells[i].text;
        size_t n = r->cells[i].n, commas = 0, points = 0, digits = 0, behind = 0, k = 0;
        while (k < n && (text[k] == ' ' || text[k] == '-' || text[k] == '+')) k++;
        for (; k < n && (text[k] == ',' || text[k] == '.' || (text[k] >= '0' && text[k] <= '9')); k++) {
            commas += text[k] == ',';
            points += text[k] == '.';
            digits += text[k] >= '0' && text[k] <= '9';
            behind = text[k] == ',' ? 0 : behind + 1;
        }
        if (k < n || !digits) continue;
        s->comma += commas > 0;
        s->point += points == 1 && !commas;
        s->odd += commas == 1 && !points && (behind != 3 || digits < 4 || digits > 6);
    }
    return true;
}

/* Choose the signs of decimals and of thousands.  False: no memory. */
static bool choose_signs(const struct records *r, const ty_table_options *o, struct layout_guess *g) {
    struct signs s = {0};
    if (!o->decimal && g->dialect.delimiter != ',' && !each_record(r, &g->dialect, look_signs, &s))
        return false;
    bool comma = s.odd > 0 && s.odd >= s.point;
    comma |= g->dialect.delimiter == ';' && s.comma > 0 && s.point == 0;
    g->style.decimal = o->decimal ? o->decimal : comma ? ',' : '.';
    g->style.thousands = o->thousands ? o->thousands : g->style.decimal == ',' ? '.' : ',';
    return true;
}

/* ---- names ---- */

/* The first record and the kinds of the cells below. */
struct heads {
    const struct number_style *style;
    int64_t count, records;
    struct head {
        enum cell_kind kind;
        bool quoted, whole;
        double value;
        bool words, numbers, plain,
            reals; /* below: words, numbers, unquoted numbers, numbers that are no integers */
        double low, high;
    } * heads;
    bool failed;
};

static bool look_heads(void *context, const struct records *r, int64_t record) {
    struct heads *h = context;
    if (record == 0) {
        h->count = r->count;
        h->heads = mem_array((size_t)r->count, sizeof *h->heads);
        h->failed = !h->heads;
    }
    h->records++;
    for (int64_t i = 0; i < r->count && i < h->count && !h->failed; i++) {
        struct head *head = &h->heads[i];
        const struct cell *c = &r->cells[i];
        double value = 0;
        bool whole = false;
        enum cell_kind kind = cell_kind_of(h->style, c->text, c->n, &value, &whole);
        if (record == 0) {
            *head = (struct head){.kind = kind,
                                  .quoted = c->quoted,
                                  .whole = whole,
                                  .value = value,
                                  .low = INFINITY,
                                  .high = -INFINITY};
            continue;
        }
        bool number = kind == CELL_NUMBER || kind == CELL_TRUTH;
        head->words |= kind == CELL_WORD;
        head->numbers |= number;
        head->plain |= number && !c->quoted;
        head->reals |= number && !whole;
        if (kind == CELL_NUMBER && value < head->low) head->low = value;
        if (kind == CELL_NUMBER && value > head->high) head->high = value;
    }
    return !h->failed;
}

/* Return true if the numbers among the first record are names: years, or numbers in sequence, that differ in kind from
   those below them. */
static bool are_names(const struct heads *h, int64_t words) {
    int64_t numbers = 0;
    bool sequence = true, beyond = true, reals = false, from_zero = false;
    double last = 0, step = 0;
    for (int64_t i = 0; i < h->count; i++) {
        const struct head *head = &h->heads[i];
        if (head->kind != CELL_NUMBER) continue;
        if (!head->whole) return false;
        if (numbers == 0) from_zero = head->value == 0;
        if (numbers == 1) step = head->value - last;
        if (numbers > 0) sequence &= head->value - last == step && step != 0;
        last = head->value;
        beyond &= head->value >= 1000 && head->value <= 2100 &&
                  (head->value < head->low || head->value > head->high);
        reals |= head->reals;
        numbers++;
    }
    if (!numbers) return false;
    sequence &= step == 1 && (from_zero || numbers > 3);
    if (words) return sequence || beyond;
    return numbers > 1 && (beyond || (sequence && from_zero && reals));
}

/* Return true if the first record has the names of columns. */
static bool is_header(const struct heads *h) {
    int64_t words = 0, numbers = 0, blank = 0;
    bool quoted = h->records > 1;
    for (int64_t i = 0; i < h->count; i++) {
        const struct head *head = &h->heads[i];
        bool number = head->kind == CELL_NUMBER || head->kind == CELL_TRUTH, text = head->kind == CELL_WORD;
        if (text && head->numbers && !head->words) return true; /* a word above numbers */
        words += text;
        numbers += number;
        blank += head->kind == CELL_MISSING;
        if (number) quoted &= head->quoted && !head->words && (head->plain || !head->numbers);
    }
    if (!numbers) return words > 0;
    bool below = false;
    for (int64_t i = 0; i < h->count; i++) below |= h->heads[i].plain;
    if (quoted && below) return true;
    if (h->style->array && !words) return false;
    return h->records > 1 && are_names(h, words + (blank && h->heads[0].kind == CELL_MISSING));
}

/* Decide on names of columns and rows.  False: no memory. */
static bool choose_header(const struct records *r, const ty_table_options *o, const struct sample *s,
                          struct layout_guess *g) {
    struct heads h = {.style = &g->style};
    bool ok = each_record(r, &g->dialect, look_heads, &h) && !h.failed;
    int64_t others = s->records - 1;
    bool shorter = others > 0 && s->agree == others && s->body == s->first + 1;
    bool names = ok && h.count && is_header(&h);
    shorter &= names || !g->style.array; /* a short record of numbers is an error in an array */
    g->trailing = shorter && s->pad == others;
    g->header = o->header == TY_HEADER_FIRST ||
                (o->header == TY_HEADER_GUESSED && ok && h.count && (shorter || names));
    g->row_names = g->header && shorter && !g->trailing;
    g->columns = g->row_names || (g->trailing && !g->header) ? s->first + 1 : s->first;
    mem_free(h.heads);
    return ok;
}

/* Lines in front of the table that begin with # are comments if their number of cells is another. */
struct hashes {
    int64_t cells;
    bool other;
};
static bool look_hashes(void *context, const struct records *r, int64_t record) {
    struct hashes *h = context;
    bool hash = r->count && r->cells->n && *r->cells->text == '#' && !r->cells->quoted;
    if (record == 0 && !hash) return false;
    if (record == 0) h->cells = r->count;
    h->other = r->count != h->cells;
    return hash;
}

bool guess_layout(struct records *r, const ty_table_options *o, struct layout_guess *g) {
    struct sample s = {0};
    struct hashes hashes = {0};
    g->dialect.comment = o->comment;
    g->dialect.delimiter = o->delimiter ? o->delimiter : r->said;
    g->style.decimal = o->decimal ? o->decimal : '.';
    g->style.rounded = o->rounded;
    g->style.words = o->words;
    g->dialect.remarks = g->style.array;
    if (!choose_sample(r, &g->dialect)) return false;
    if (!g->dialect.delimiter && !choose_delimiter(r, g)) return false;
    if (!each_record(r, &g->dialect, look_hashes, &hashes)) return false;
    g->dialect.hashes = hashes.other;
    if (hashes.other && !o->delimiter && !r->said && !choose_delimiter(r, g)) return false;
    if (!choose_signs(r, o, g) || !each_record(r, &g->dialect, count_cells, &s)) return false;
    g->record = s.records ? s.bytes / s.records : 0;
    g->dialect.skips = g->dialect.delimiter != ' ' && g->dialect.delimiter != '\t' &&
                       (g->style.array || (s.delimiters > 0 && s.spaced == s.delimiters));
    return choose_header(r, o, &s, g);
}
