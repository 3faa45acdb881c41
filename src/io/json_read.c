/*
 * Recursive-descent parser of JSON. Items of a list are counted before they are parsed, so that they are
 * contiguous: each byte is scanned once a level. All values and texts fit one block, bounded by commas,
 * brackets and the length of the text.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "io/json.h"

/* State of the parser. */
struct json_reading {
    const char *name, *part;
    struct fault *fault;
    const char *text, *at, *end;
    int depth, most_depth;
    struct json *unused, *last; /* range of values that are still free */
    const struct json **order;  /* scratch for sorting the items of any one object */
    char *texts;                /* address of the next text */
};

/* ---- messages ---- */

/* Set a fault with the formatted reason that ends with the position, "..., at line 2, column 7"; always
   return false. */
static bool refuse(struct json_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Set the fault: the reason, formatted as by printf, with the line and column of r->at; always return
   false. */
static bool refuse(struct json_reading *r, const char *format, ...) {
    char reason[400];
    long long line = 1, column = 1;
    va_list args;
    va_start(args, format);
    text_format(reason, sizeof reason, format, args);
    va_end(args);
    for (const char *c = r->text; c < r->at; c++) {
        column = *c == '\n' ? 1 : column + ((*c & 0xc0) != 0x80); /* continuation bytes are no columns */
        line += *c == '\n';
    }
    return fault_set(r->fault, E_FORMAT, "%.300s: %s %s, at line %lld, column %lld", r->name, r->part, reason,
                     line, column);
}

/* Set the fault that `what` was expected at r->at, and what stands there; always return false. */
static bool expected(struct json_reading *r, const char *what) {
    size_t left = (size_t)(r->end - r->at), length = text_visible(r->at, left);
    if (left == 0) return refuse(r, "is not valid JSON: expected %s, found the end of the text", what);
    if (length)
        return refuse(r, "is not valid JSON: expected %s, found %c%.*s%c", what, *r->at == '\'' ? '"' : '\'',
                      (int)length, r->at, *r->at == '\'' ? '"' : '\'');
    return refuse(r, "is not valid JSON: expected %s, found the byte 0x%02x", what, (unsigned char)*r->at);
}

/* ---- tokens ---- */

static void skip_blanks(struct json_reading *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')) r->at++;
}

static bool is_next(const struct json_reading *r, char c) { return r->at < r->end && *r->at == c; }

static bool is_digit(const struct json_reading *r) {
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool take_word(struct json_reading *r, const char *word, const char *what) {
    for (; *word; word++, r->at++)
        if (!is_next(r, *word)) return expected(r, what);
    return true;
}

/* ---- numbers ---- */

static bool take_digits(struct json_reading *r) {
    if (!is_digit(r)) return expected(r, "a digit");
    while (is_digit(r)) r->at++;
    return true;
}

/* Move r->at past a number, checking its grammar; false sets the fault. */
static bool take_number(struct json_reading *r) {
    r->at += is_next(r, '-');
    if (is_next(r, '0')) {
        r->at++;
        if (is_digit(r)) return expected(r, "no digit after a first 0");
    } else if (!take_digits(r))
        return false;
    if (is_next(r, '.') && (r->at++, !take_digits(r))) return false;
    if (!is_next(r, 'e') && !is_next(r, 'E')) return true;
    r->at++;
    r->at += is_next(r, '-') || is_next(r, '+');
    return take_digits(r);
}

/* Parse a number at r->at into *v, integers with all 64 bits; false sets the fault, also if it exceeds
   doubles. */
static bool read_number(struct json_reading *r, struct json *v) {
    const char *from = r->at;
    struct number number;
    if (!take_number(r)) return false;
    number_read(from, (size_t)(r->at - from), &number);
    if (!isfinite(number.value)) {
        r->at = from;
        return refuse(r, "is not valid JSON: a number is beyond the largest double, 1.8e308");
    }
    v->kind = number.whole ? JSON_WHOLE : JSON_REAL;
    v->negative = number.whole && number.negative;
    if (number.whole)
        v->size = number.size;
    else
        v->real = number.value;
    return true;
}

/* ---- texts ---- */

/* Parse four hexadecimal digits at r->at, which advances, into *unit; false sets the fault. */
static bool take_unit(struct json_reading *r, uint32_t *unit) {
    static const char digits[] = "0123456789abcdef";
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const char *digit = r->at < r->end && *r->at
                                ? strchr(digits, *r->at >= 'A' && *r->at <= 'F' ? *r->at | 32 : *r->at)
                                : NULL;
        if (!digit) return expected(r, "four hexadecimal digits after \\u");
        *unit = *unit << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

/* Parse the code point whose \u is already consumed into *point: one UTF-16 unit, or a surrogate pair.
   False sets the fault, also for U+0000. */
static bool take_point(struct json_reading *r, uint32_t *point) {
    uint32_t low;
    if (!take_unit(r, point)) return false;
    if (*point == 0) return refuse(r, "has a text with U+0000, which would end it in C");
    if (*point >= 0xdc00 && *point < 0xe000)
        return refuse(r, "is not valid JSON: a low surrogate \\u%04x follows no high one", (unsigned)*point);
    if (*point < 0xd800 || *point >= 0xe000) return true;
    if (!take_word(r, "\\u", "\\u and a low surrogate after a high one") || !take_unit(r, &low)) return false;
    if (low < 0xdc00 || low >= 0xe000)
        return refuse(r, "is not valid JSON: no low surrogate, but \\u%04x, follows a high one",
                      (unsigned)low);
    *point = 0x10000 + ((*point - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* Decode the escape whose backslash is at r->at, and append it to r->texts; false sets the fault. */
static bool read_escape(struct json_reading *r) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    uint32_t point;
    r->at++;
    const char *letter = r->at < r->end && *r->at ? strchr(letters, *r->at) : NULL;
    if (letter) {
        *r->texts++ = meanings[letter - letters];
        r->at++;
        return true;
    }
    if (!is_next(r, 'u')) return expected(r, "one of \" \\ / b f n r t u after \\");
    r->at++;
    if (!take_point(r, &point)) return false;
    r->texts += utf8_write(r->texts, point);
    return true;
}

/* Decode the text whose opening quote is at r->at, append it, ended by 0, to r->texts, and set *text to it.
   It never grows: each escape shrinks, and the final zero replaces a quote. False sets the fault. */
static bool read_text(struct json_reading *r, const char **text) {
    uint32_t point;
    *text = r->texts;
    r->at++;
    while (!is_next(r, '"')) {
        size_t n = utf8_read(r->at, (size_t)(r->end - r->at), &point);
        if (n == 0) return expected(r, r->at == r->end ? "\" at the end of a text" : "a character of UTF-8");
        if (point < 0x20) return expected(r, "\\u and four digits for a control character");
        if (point == '\\') {
            if (!read_escape(r)) return false;
            continue;
        }
        memcpy(r->texts, r->at, n);
        r->texts += n;
        r->at += n;
    }
    r->at++;
    *r->texts++ = 0;
    return true;
}

/* ---- lists and objects ---- */

/* Return the address of the quote that closes the text whose opening quote is at c; `end` if there is none
   before it. */
static const char *end_of_text(const char *c, const char *end) {
    for (c++; c < end && *c != '"'; c++) c += *c == '\\';
    return c < end ? c : end;
}

/* Return the number of items from r->at, behind an opening bracket, to its closing bracket; perhaps more if
   the text is invalid. r->at moves only past blanks. */
static size_t count_items(struct json_reading *r) {
    int64_t deep = 0;
    size_t commas = 0;
    skip_blanks(r);
    if (is_next(r, ']') || is_next(r, '}')) return 0;
    for (const char *c = r->at; c < r->end && deep >= 0; c++) {
        if (*c == '"') c = end_of_text(c, r->end);
        if (c == r->end) break;
        deep += (*c == '[' || *c == '{') - (*c == ']' || *c == '}');
        commas += *c == ',' && deep == 0;
    }
    return commas + 1;
}

static int by_key(const void *left, const void *right) {
    return strcmp((*(const struct json *const *)left)->key, (*(const struct json *const *)right)->key);
}

/* Return true if all names of the object v differ, else set the fault. r->order is scratch. */
static bool check_distinct(struct json_reading *r, const struct json *v) {
    for (size_t i = 0; i < v->count; i++) r->order[i] = &v->items[i];
    if (v->count > 1) qsort(r->order, v->count, sizeof *r->order, by_key);
    for (size_t i = 1; i < v->count; i++)
        if (!strcmp(r->order[i - 1]->key, r->order[i]->key))
            return refuse(r, "is not valid JSON: duplicate name \"%.100s\" in the object that ends here",
                          r->order[i]->key);
    return true;
}

/* Parse a name in quotes and the colon behind it at r->at; item->key receives the name. False sets the
   fault. */
static bool read_key(struct json_reading *r, struct json *item) {
    skip_blanks(r);
    if (!is_next(r, '"')) return expected(r, "a name in quotes");
    if (!read_text(r, &item->key)) return false;
    skip_blanks(r);
    return take_word(r, ":", "':' after a name");
}

static bool read_value(struct json_reading *r, struct json *v);

/* Parse the list or object whose opening bracket is at r->at into *v; false sets the fault. */
static bool read_items(struct json_reading *r, struct json *v) {
    bool object = *r->at++ == '{';
    const char *close = object ? "}" : "]";
    if (r->depth == r->most_depth) return r->at--, refuse(r, "is nested deeper than %d", r->most_depth);
    size_t n = count_items(r);
    struct json *items = r->unused;
    if (n > (size_t)(r->last - r->unused))
        return expected(r, "fewer commas"); /* unreachable: items were counted before */
    r->unused += n;
    r->depth++;
    for (size_t i = 0; i < n; i++) {
        if (i && !take_word(r, ",", object ? "',' or '}'" : "',' or ']'")) return false;
        if (object && !read_key(r, &items[i])) return false;
        if (!read_value(r, &items[i])) return false;
    }
    if (!take_word(r, close, object ? "',' or '}'" : "',' or ']'")) return false;
    r->depth--;
    v->kind = object ? JSON_OBJECT : JSON_LIST;
    v->count = n;
    v->items = items;
    return !object || check_distinct(r, v);
}

/* Parse a value at r->at and the blanks around it into *v; false sets the fault. */
static bool read_value(struct json_reading *r, struct json *v) {
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    bool done = false, known = false;
    skip_blanks(r);
    if (is_next(r, '{') || is_next(r, '['))
        done = read_items(r, v), known = true;
    else if (is_next(r, '"'))
        done = read_text(r, &v->text), v->kind = JSON_TEXT, known = true;
    else if (is_digit(r) || is_next(r, '-'))
        done = read_number(r, v), known = true;
    for (size_t i = 0; i < sizeof words / sizeof *words && !known; i++)
        if (is_next(r, *words[i].word))
            done = take_word(r, words[i].word, words[i].word), v->kind = words[i].kind, known = true;
    if (!known) return expected(r, "a value");
    skip_blanks(r);
    return done;
}

/* ---- parser ---- */

/* Return an upper bound on the number of values in text..end (end excluded): one, plus one for each opening
   bracket and each comma outside texts. */
static size_t bound_values(const char *text, const char *end) {
    size_t n = 1;
    for (const char *c = text; c < end; c++) {
        if (*c == '"') c = end_of_text(c, end);
        if (c == end) break;
        n += *c == ',' || *c == '[' || *c == '{';
    }
    return n;
}

/* Allocate n values, the sorting scratch and `bytes` bytes of texts in one block, set r's pointers into it,
   and return its start, the root, which the caller frees. NULL sets the fault, also above `most` bytes. */
static struct json *allocate(struct json_reading *r, size_t n, size_t bytes, uint64_t most) {
    const size_t each = sizeof(struct json) + sizeof *r->order;
    char words[2][BYTES_WORDS];
    if (bytes > most || n > (most - bytes) / each || n > (SIZE_MAX - bytes) / each) {
        fault_set(r->fault, E_LIMIT,
                  "%.300s: %s has %zu values in %s, more than may be read into %s: if the file is trusted, "
                  "allow more (.most_bytes; --most-bytes of tyto)",
                  r->name, r->part, n, bytes_words(words[0], bytes), bytes_words(words[1], most));
        return NULL;
    }
    struct json *root = mem_alloc(n * each + bytes);
    if (!root) {
        fault_memory(r->fault, n * each + bytes);
        return NULL;
    }
    r->unused = root + 1;
    r->last = root + n;
    r->order = (const struct json **)(void *)(root + n);
    r->texts = (char *)(r->order + n);
    return root;
}

struct json *json_read(const char *name, const char *part, const char *text, size_t n, int depth,
                       uint64_t most, struct fault *fault) {
    struct json_reading r = {name, part, fault, text, text, text + n, .most_depth = depth};
    if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        refuse(&r, "is not valid JSON: it begins with a byte order mark; save it as UTF-8 without one");
        return NULL;
    }
    struct json *root = allocate(&r, bound_values(text, text + n), n, most);
    if (!root) return NULL;
    if (read_value(&r, root) && (r.at == r.end || expected(&r, "the end of the text"))) return root;
    mem_free(root);
    return NULL;
}
