/* Words of texts: the patterns' alternatives, in their order. */
#include "text/words.h"
#include <stdint.h>
#include "base/utf8.h"

const struct pattern patterns[] = {
    {.expression = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"},
    {.expression = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
                   "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
                   "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     .anything = true,
     .apart = true,
     .digits = 3,
     .any_case = true},
    {.expression =
         "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
         "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     .anything = true,
     .apart = true,
     .digits = 1,
     .any_case = true},
    {0}};

enum category { OTHER, LETTER, NUMBER, SPACE, NONE };

/* A range of code points. */
struct range {
    uint32_t first, last;
    enum category category;
};
static const struct range ranges[] = {
#define L(first, last) {first, last, LETTER},
#define N(first, last) {first, last, NUMBER},
#define S(first, last) {first, last, SPACE},
#include "text/letters.def"
};

static enum category category_of(uint32_t point) {
    size_t low = 0, high = sizeof ranges / sizeof *ranges;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof ranges / sizeof *ranges && ranges[low].first <= point ? ranges[low].category : OTHER;
}

/* Return the category of the first of n bytes' characters and its length; a byte that is no UTF-8 is a character of the
   category OTHER.  NONE at the end. */
static enum category look(const char *text, size_t n, size_t *length) {
    uint32_t point;
    *length = n > 0;
    if (!n) return NONE;
    size_t whole = utf8_read(text, n, &point);
    if (!whole) return OTHER;
    *length = whole;
    return category_of(point);
}

/* Return the bytes of the characters of a category that a text begins with, at most `most` of them; 0: any number. */
static size_t run_of(enum category category, const char *text, size_t n, int most) {
    size_t at = 0, length;
    for (int64_t i = 0; !most || i < most; i++) {
        if (look(text + at, n - at, &length) != category) break;
        at += length;
    }
    return at;
}

static bool ends_line(char c) { return c == '\n' || c == '\r'; }

static char small(char c, bool any_case) { return any_case && c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* Return the bytes of 's, 't, 're, 've, 'm, 'll or 'd; 0 if the text begins otherwise. */
static size_t short_form(const struct pattern *p, const char *text, size_t n) {
    static const char *const forms[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (n < 2 || *text != '\'') return 0;
    /* The long s is a small form of S, if letters of any case are equal. */
    if (p->any_case && n >= 3 && text[1] == '\xC5' && text[2] == '\xBF') return 3;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t k = 0;
        while (forms[i][k] && k + 1 < n && small(text[k + 1], p->any_case) == forms[i][k]) k++;
        if (!forms[i][k]) return k + 1;
    }
    return 0;
}

/* Return the bytes of white space that is a word: up to the last line end, if those are apart; else without the last
   character, if another word follows that. */
static size_t white(const struct pattern *p, const char *text, size_t n) {
    size_t run = run_of(SPACE, text, n, 0), end = run, last = 0, length;
    while (p->apart && end && !ends_line(text[end - 1])) end--;
    if (p->apart && end) return end;
    if (run == n) return run;
    for (size_t at = 0; at < run; at += length) {
        last = at;
        look(text + at, n - at, &length);
    }
    return last ? last : run;
}

size_t word_length(const struct pattern *p, const char *text, size_t n) {
    size_t length, second;
    if (!p) return n;
    size_t form = short_form(p, text, n);
    if (form) return form;
    enum category category = look(text, n, &length);
    enum category next = look(text + length, n - length, &second);
    bool blank = *text == ' ', before = p->anything ? category == OTHER || category == SPACE : blank;
    if (before && ends_line(*text)) before = false;
    if (category == LETTER || (before && next == LETTER)) {
        size_t from = category == LETTER ? 0 : length;
        return from + run_of(LETTER, text + from, n - from, 0);
    }
    if (category == NUMBER || (blank && next == NUMBER && !p->apart)) {
        size_t from = category == NUMBER ? 0 : length;
        return from + run_of(NUMBER, text + from, n - from, p->digits);
    }
    if (category == OTHER || (blank && next == OTHER)) {
        size_t end = blank;
        end += run_of(OTHER, text + end, n - end, 0);
        while (p->apart && end < n && ends_line(text[end])) end++;
        return end;
    }
    return white(p, text, n);
}
