/* Cutting of records.  A record that the window ends in is begun again after more was read, so no state is kept. */
#include "table/records.h"
#include <inttypes.h>
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"

enum { WINDOW = 1 << 20 };

bool records_begin(struct records *r, const struct table_input *in, struct fault *fault) {
    *r = (struct records){.in = *in, .fault = fault, .after = 1};
    r->window = mem_grow(NULL, WINDOW, 1);
    r->capacity = r->window ? WINDOW : 0;
    return r->window || fault_memory(fault, WINDOW);
}

void records_end(struct records *r) {
    mem_free(r->window);
    mem_free(r->cells);
    r->window = NULL;
    r->cells = NULL;
}

bool records_refuse(const struct records *r, int64_t i, ty_code code, const char *format, ...) {
    char words[700];
    va_list args;
    va_start(args, format);
    text_format(words, sizeof words, format, args);
    va_end(args);
    return fault_set(r->fault, code, "%.200s:%" PRId64 ": column %" PRId64 ": %s", r->in.name, r->line, i + 1,
                     words);
}

bool records_more(struct records *r) {
    size_t left = r->length - r->next, got;
    if (r->moves && !r->moves(r->context)) return false;
    if (r->next && left) memmove(r->window, r->window + r->next, left);
    r->next = 0;
    r->length = left;
    if (!list_reserve(r->window, left + 2, r->capacity)) return fault_memory(r->fault, 2 * r->capacity);
    size_t room = r->capacity - left - 1;
    if (!r->in.read(r->in.context, r->at, r->window + left, room, &got, r->fault)) return false;
    r->at += got;
    r->length += got;
    r->ended = got < room;
    return true;
}

/* Consume the line that begins at the window's next byte, its end included.  False at the end of the input, or with the
   fault set. */
static bool skip_line(struct records *r) {
    for (size_t seen = 0;;) {
        char *start = r->window + r->next;
        size_t left = r->length - r->next, n = seen;
        while (n < left && start[n] != '\n' && start[n] != '\r') n++;
        if (n + 1 < left || r->ended || r->whole) {
            if (left == 0) return false;
            if (n < left) n += 1 + (start[n] == '\r' && n + 1 < left && start[n + 1] == '\n');
            r->next += n;
            r->after++;
            return true;
        }
        seen = n;
        if (!records_more(r)) return false;
    }
}

/* Skip a first line such as "sep=;".  False sets the fault. */
static bool skip_said(struct records *r) {
    enum { SIGN = 4, LINE = 6 }; /* bytes before the delimiter, and with a line end */
    const char *line = r->window + r->next;
    if (r->length - r->next < LINE || memcmp(line, "sep=", SIGN) != 0) return true;
    if (line[SIGN + 1] != '\n' && line[SIGN + 1] != '\r') return true;
    r->said = line[SIGN];
    return skip_line(r) || !r->fault->set;
}

bool records_start(struct records *r, int64_t lines) {
    if (!records_more(r)) return false;
    const unsigned char *b = (const unsigned char *)r->window;
    if (r->length >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return fault_set(r->fault, E_FORMAT,
                         "%.200s:1: is UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)", r->in.name);
    if (r->length >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0) r->next = 3;
    if (!skip_said(r)) return false;
    while (lines-- > 0 && skip_line(r)) continue;
    return !r->fault->set;
}

bool records_rewind(struct records *r, int64_t lines) {
    r->length = r->next = 0;
    r->at = 0;
    r->ended = false;
    r->after = 1;
    return records_start(r, lines);
}

/* Results of cutting one record. */
enum cut { CUT, CUT_SHORT /* the window ends inside */, CUT_FAILED };

/* Set the fault that the present cell has zero bytes. */
static enum cut refuse_zeros(const struct records *r) {
    records_refuse(r, r->count, E_FORMAT,
                   "has zero bytes, as UTF-16 and binary files have: save it as UTF-8");
    return CUT_FAILED;
}

/* Cut the quoted cell at `from`; *next is set behind its closing quote and blanks. */
static enum cut cut_quoted(struct records *r, char *from, struct cell *c, char **next) {
    char *end = r->window + r->length, *close = from + 1;
    *c = (struct cell){.text = from + 1, .quoted = true};
    for (;;) {
        close = close < end ? memchr(close, '"', (size_t)(end - close)) : NULL;
        if (!close || (close + 1 == end && !r->ended)) {
            if (!r->ended) return CUT_SHORT;
            records_refuse(
                r, r->count, E_FORMAT,
                "a quote is opened and not closed before the end: close it, or double a quote that is text");
            return CUT_FAILED;
        }
        if (close + 1 == end || close[1] != '"') break;
        c->doubled = true;
        close += 2;
    }
    c->n = (size_t)(close - c->text);
    if (memchr(c->text, 0, c->n)) return refuse_zeros(r);
    for (close++; close < end && (*close == ' ' || *close == '\t') && *close != r->dialect.delimiter;) {
        if (r->dialect.delimiter == ' ') break;
        close++;
    }
    *next = close;
    return CUT;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Return true if the # at `at`, which begins no record, stands between blanks, or is the last byte of the window. */
static bool is_remark(const struct records *r, const char *at) {
    const char *end = r->window + r->length;
    return is_space(at[-1]) && (at + 1 == end || is_space(at[1]));
}

/* Return true if a cell ends at `at`: by the delimiter, a line end, or a comment. */
static bool ends_cell(const struct records *r, const char *at) {
    const struct dialect *d = &r->dialect;
    if (d->remarks && !d->comment && *at == '#' && is_remark(r, at)) return true;
    return *at == d->delimiter || *at == '\n' || *at == '\r' || (d->delimiter == ' ' && *at == '\t') ||
           (d->comment && *at == d->comment);
}

/* Return the address of the first byte from `at` on that is the delimiter or below 16, such as a line end; or one at
   most 8 bytes before it, or the end. */
static char *skip_text(char delimiter, char *at, const char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    for (uint64_t word; end - at >= 8; at += 8) {
        memcpy(&word, at, sizeof word);
        uint64_t other = word ^ ones * (unsigned char)delimiter;
        /* The lowest of the bits set is exact; bytes above it may be wrong (A. Mycroft, 1987). */
        uint64_t found = (((word - ones * 16) & ~word) | ((other - ones) & ~other)) & highs;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (found) return at + __builtin_ctzll(found) / 8;
#else
        if (found) break;
#endif
    }
    return at;
}

/* Return the address of the end of the unquoted text at `at`, at most `end`. */
static char *find_end(const struct records *r, char *at, char *end) {
    const struct dialect *d = &r->dialect;
    bool remarks = d->remarks && !d->comment;
    if (d->delimiter != ' ' && !d->comment && !remarks) at = skip_text(d->delimiter, at, end);
    char delimiter = d->delimiter,
         comment = d->comment ? d->comment
                   : remarks  ? '#'
                              : '\n',
         tab = delimiter == ' ' ? '\t' : '\n';
    for (;; at++) {
        while (at < end && *at != delimiter && *at != '\n' && *at != '\r' && *at && *at != tab &&
               *at != comment)
            at++;
        if (at == end || *at != '#' || !remarks) return at;
        if (at > r->window && is_remark(r, at)) return at + 1 == end && !r->ended ? end : at;
    }
}

static char *skip_blanks(char *at, const char *end, bool tabs) {
    while (at < end && (*at == ' ' || (tabs && *at == '\t'))) at++;
    return at;
}

/* Append a cell; false sets the fault. */
static bool add_cell(struct records *r, struct cell c) {
    return list_append(r->cells, r->count, r->room, c) || fault_memory(r->fault, sizeof c);
}

/* Set *next behind the line end at `at`, which may be that of a comment.  CUT_SHORT: more must be read to tell. */
static enum cut cut_line_end(struct records *r, char *at, char **next) {
    char *end = r->window + r->length;
    while (at < end && *at != '\n' && *at != '\r') at++; /* a comment */
    if (at == end && !r->ended) return CUT_SHORT;
    if (at < end && *at == '\r' && at + 1 == end && !r->ended) return CUT_SHORT;
    if (at < end) at += 1 + (*at == '\r' && at + 1 < end && at[1] == '\n');
    *next = at;
    return CUT;
}

/* Return the top bit of each byte that is 0 (H. S. Warren, Hacker's Delight, 2002). */
static inline uint64_t zeros_of(uint64_t word) {
    const uint64_t lows = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return ~(((word & lows) + lows) | word | lows);
}

/* Return bit k set where byte k of 8 is below 16, or has one of the values that fill the words `one` and (if `two`)
   `other`. */
static inline uint64_t marks_of_eight(const char *at, uint64_t one, uint64_t other, bool two) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    uint64_t marks = zeros_of(word ^ one) | zeros_of(word & UINT64_C(0xf0f0f0f0f0f0f0f0));
    if (two) marks |= zeros_of(word ^ other);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    marks = __builtin_bswap64(marks);
#endif
    return (marks >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Do so for the bytes of a block. */
enum { BLOCK = 64 };
static inline uint64_t marks_of_block(const char *at, uint64_t one, uint64_t other, bool two) {
    uint64_t marks = 0;
    for (int k = 0; k < BLOCK / 8; k++) marks |= marks_of_eight(at + 8 * k, one, other, two) << 8 * k;
    return marks;
}

/* Cut cells without quotes as long as they end with the delimiter; return the address of the next cell.  Blocks of 64
   bytes are looked at as a whole, so that no branch depends on the length of one cell. */
static char *cut_plain(struct records *r, char *at, const char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const struct dialect *d = &r->dialect;
    char sign = d->comment ? d->comment : d->remarks ? '#' : d->delimiter, *start = at;
    uint64_t delimiters = ones * (unsigned char)d->delimiter, signs = ones * (unsigned char)sign;
    if (d->delimiter == ' ' || at == end || *at == '"') return at;
    for (; end - at >= BLOCK; at += BLOCK) {
        uint64_t marks = sign == d->delimiter ? marks_of_block(at, delimiters, signs, false)
                                              : marks_of_block(at, delimiters, signs, true);
        for (; marks; marks &= marks - 1) {
            char *mark = at + __builtin_ctzll(marks);
            if (d->skips && r->count) start = skip_blanks(start, end, false);
            if (*mark != d->delimiter || *start == '"' || r->count == r->room) return start;
            size_t n = (size_t)(mark - start);
            while (d->remarks && n && start[n - 1] == ' ') n--;
            r->cells[r->count++] = (struct cell){.text = start, .n = n};
            start = mark + 1;
        }
    }
    return start;
}

/* Cut the record at `at` into r->cells; *next is set behind its line end. */
static enum cut cut_record(struct records *r, char *at, char **next) {
    char *end = r->window + r->length;
    bool blanks = r->dialect.delimiter == ' ';
    r->count = 0;
    if (blanks) at = skip_blanks(at, end, true);
    for (;;) {
        at = cut_plain(r, at, end);
        struct cell c = {.text = at};
        if (r->count && (r->dialect.skips || blanks)) c.text = at = skip_blanks(at, end, blanks);
        if (at < end && *at == '"') {
            enum cut cut = cut_quoted(r, at, &c, &at);
            if (cut != CUT) return cut;
            if (at < end && !ends_cell(r, at)) {
                int shown = 0; /* characters of the line */
                while (shown < 20 && at + shown < end && at[shown] != '\n' && at[shown] != '\r') shown++;
                records_refuse(
                    r, r->count, E_FORMAT,
                    "\"%.*s\" follows a closing quote; expected the delimiter: double a quote that is text",
                    shown, at);
                return CUT_FAILED;
            }
        } else {
            at = find_end(r, at, end);
            c.n = (size_t)(at - c.text);
            while (r->dialect.remarks && c.n && (c.text[c.n - 1] == ' ' || c.text[c.n - 1] == '\t')) c.n--;
            if (at < end && !*at) return refuse_zeros(r);
        }
        if (at == end && !r->ended) return CUT_SHORT;
        bool more = at < end && (*at == r->dialect.delimiter || (blanks && *at == '\t'));
        if (more && blanks) { /* blanks at the end of a line end no cell */
            char *rest = skip_blanks(at, end, true);
            if (rest == end && !r->ended) return CUT_SHORT;
            more = rest < end && (*rest == '"' || !ends_cell(r, rest));
            at = rest;
        } else {
            at += more;
        }
        if (!add_cell(r, c)) return CUT_FAILED;
        if (!more) return cut_line_end(r, at, next);
    }
}

/* Halve doubled quotes in place, and count the line ends inside quotes. */
static void finish(struct records *r) {
    for (int64_t i = 0; i < r->count; i++) {
        struct cell *c = &r->cells[i];
        if (!c->quoted) continue;
        for (size_t k = 0; k < c->n; k++)
            r->after +=
                c->text[k] == '\n' || (c->text[k] == '\r' && (k + 1 == c->n || c->text[k + 1] != '\n'));
        if (!c->doubled) continue;
        size_t to = 0;
        for (size_t k = 0; k < c->n; k++) {
            c->text[to++] = c->text[k];
            k += c->text[k] == '"';
        }
        c->n = to;
    }
}

/* Return true if the line at `at` is a comment. */
static bool is_comment(const struct records *r, const char *at, const char *end) {
    char sign = r->dialect.comment ? r->dialect.comment : '#';
    if (at == end || *at != sign) return false;
    if (r->dialect.comment || r->dialect.hashes || at + 1 == end) return true;
    return at[1] == ' ' || at[1] == '\t' || at[1] == '#' || at[1] == '\n' || at[1] == '\r';
}

/* Return true if the record has no text: its one cell is unquoted and blank. */
static bool is_blank(const struct records *r) {
    const struct cell *c = r->cells;
    if (r->count != 1 || c->quoted) return false;
    return skip_blanks(c->text, c->text + c->n, true) == c->text + c->n;
}

bool records_next(struct records *r) {
    for (;;) {
        char *start = r->window + r->next, *end = r->window + r->length, *next;
        if (start == end && (r->ended || r->whole)) return false;
        if (end - start > 1 || r->ended || r->whole) {
            r->line = r->after;
            bool comment = is_comment(r, start, end);
            if (comment && !skip_line(r)) return false;
            if (comment) continue;
            enum cut cut = cut_record(r, start, &next);
            if (cut == CUT_FAILED || (cut == CUT_SHORT && r->whole)) return false;
            if (cut == CUT) {
                r->next = (size_t)(next - r->window);
                r->after++;
                finish(r);
                if (is_blank(r)) continue;
                return true;
            }
        }
        if (!records_more(r)) return false;
    }
}
