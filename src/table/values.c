/* Values that texts stand for: numbers in their styles, truth values, complex numbers. */
#include "table/values.h"
#include <math.h>
#include <string.h>
#include "base/ascii.h"
#include "array/number_read.h"
#include "base/text.h"

/* Copy a number with the sign of thousands between groups of three digits, or another decimal sign, to out[room] in the
   usual style.  Return its length; 0 if it is written otherwise. */
static size_t usual(const struct number_style *style, const char *text, size_t n, char *out, size_t room) {
    size_t to = 0, digits = 0;
    bool grouped = false, fraction = false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (to + 1 >= room) return 0;
        if (style->thousands && c == style->thousands && !fraction) {
            if (digits == 0 || digits > 3 || (grouped && digits != 3)) return 0;
            grouped = true;
            digits = 0;
            continue;
        }
        if (c == style->decimal || c == 'e' || c == 'E') {
            if (grouped && !fraction && digits != 3) return 0;
            fraction = true;
            if (c == style->decimal) c = '.';
        } else if (c == '.') {
            return 0;
        }
        digits += ascii_is_digit(c);
        out[to++] = c;
    }
    return grouped && !fraction && digits != 3 ? 0 : to;
}

/* Read a number, of which blanks around it are no part, in the style.  False if the text is no number. */
static bool read_number(const struct number_style *style, const char *text, size_t n, struct number *out) {
    char other[64];
    if (style->decimal == '.' && number_read(text, n, out) == n) return true;
    if (!((style->thousands && memchr(text, style->thousands, n)) || style->decimal != '.')) return false;
    size_t length = usual(style, text, n, other, sizeof other);
    return length && number_read(other, length, out) == length;
}

/* Parse text like (1+2j), 1+2j or 2j, as NumPy and Python write complex numbers. */
static bool parse_complex(const char *text, size_t n, struct value *p) {
    struct number a, b;
    if (n > 2 && *text == '(' && text[n - 1] == ')') text++, n -= 2;
    if (n < 2 || text[n - 1] != 'j') return false;
    *p = (struct value){.type = CELLS_COMPLEX};
    size_t first = number_read(text, n, &a);
    if (first == 0) return false;
    if (first + 1 == n) {
        p->imaginary = a.value;
        return true;
    }
    if (text[first] != '+' && text[first] != '-') return false;
    p->real = a.value;
    size_t second = number_read(text + first, n - first, &b);
    p->imaginary = b.value;
    return second > 0 && first + second + 1 == n;
}

static bool parse_truth(const char *text, size_t n, struct value *p) {
    static const char *const words[][2] = {{"False", "True"}, {"false", "true"}, {"FALSE", "TRUE"}};
    if (n != 4 && n != 5) return false;
    for (int i = 0; i < 3; i++)
        for (int value = 0; value < 2; value++)
            if (strlen(words[i][value]) == n && memcmp(words[i][value], text, n) == 0) {
                *p = (struct value){.type = CELLS_BOOL, .whole = value};
                return true;
            }
    return false;
}

/* Return true if a value has more than 53 bits and the text is an integer, without point and exponent. */
static bool is_lossy(const struct number *x, const char *text, size_t n) {
    if (x->whole) return !value_exact(x->size);
    if (!(fabs(x->value) >= 0x1p53) || isinf(x->value)) return false;
    char words[400];
    size_t skip = 0;
    while (skip < n && (text[skip] == '+' || text[skip] == '-' || text[skip] == '0')) skip++;
    for (size_t i = skip; i < n; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    text_print(words, sizeof words, "%.0f", fabs(x->value));
    return strlen(words) != n - skip || memcmp(words, text + skip, n - skip) != 0;
}

bool value_read(const struct number_style *style, const char *text, size_t n, struct value *p) {
    struct number x;
    if (!read_number(style, text, n, &x)) return parse_truth(text, n, p) || parse_complex(text, n, p);
    uint64_t most = (uint64_t)INT64_MAX + x.negative;
    bool large = x.size > most && !x.negative, whole = x.whole && (x.size <= most || large);
    *p = (struct value){.type = whole ? CELLS_WHOLE : CELLS_REAL,
                        .real = x.value,
                        .large = whole && large,
                        .negative = whole && x.negative && x.size > 0,
                        .whole = (int64_t)(x.negative ? -x.size : x.size)};
    p->lossy = fabs(x.value) >= 0x1p53 && is_lossy(&x, text, n);
    return true;
}

enum cell_kind cell_kind_of(const struct number_style *style, const char *text, size_t n, double *value,
                            bool *whole) {
    struct value p;
    int missing = missing_is(style->missing, text, n);
    if (missing) return missing == 2 ? CELL_MISSING : CELL_WEAK;
    value_trim(&text, &n);
    if (style->words || !value_read(style, text, n, &p)) return CELL_WORD;
    if (value) *value = p.real;
    if (whole) *whole = p.type == CELLS_WHOLE;
    return p.type == CELLS_BOOL ? CELL_TRUTH : CELL_NUMBER;
}
