/* Cells of csv, appended one by one in the narrowest dtype that holds all so far. */
#include <math.h>
#include <string.h>
#include "array/number_read.h"
#include "array/dtype.h"
#include "base/alloc.h"
#include "base/text.h"
#include "io/formats/csv.h"

/* A parsed cell. */
struct cell {
    enum csv_level level;
    bool negative, large;
    bool exact; /* the cell is no integer, or one that f64 represents exactly */
    int64_t whole;
    double real, imaginary;
};

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* Return true if a cell of n bytes means a missing number: it is empty, or NA, null and the like. */
static bool is_missing(const char *text, size_t n) {
    static const char *const words[] = {"NA", "N/A",  "null", "NULL",     "None", "-",
                                        "?",  "#N/A", "#NA",  "#N/A N/A", "<NA>", "n/a"};
    if (n == 0) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, n, words[i])) return true;
    return false;
}

/* Parse n bytes as False or True, in one of three spellings, into *cell. Return false, with *cell
   unchanged, for any other text. */
static bool parse_truth(const char *text, size_t n, struct cell *cell) {
    static const char *const words[][2] = {{"False", "True"}, {"false", "true"}, {"FALSE", "TRUE"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int value = 0; value < 2; value++) {
            if (!is_word(text, n, words[i][value])) continue;
            *cell = (struct cell){.level = CSV_BOOL, .exact = true, .whole = value, .real = value};
            return true;
        }
    return false;
}

/* Parse n bytes of text like (1+2j), 1+2j, 2j or 1, as NumPy and Python write complex numbers, into *cell.
   Return false for any other text; *cell is then undefined. */
static bool parse_complex(const char *text, size_t n, struct cell *cell) {
    struct number a, b;
    if (n > 2 && *text == '(' && text[n - 1] == ')') {
        text++;
        n -= 2;
    }
    *cell = (struct cell){.level = CSV_COMPLEX, .exact = true};
    size_t first = number_read(text, n, &a);
    if (first == 0) return false;
    cell->real = a.value;
    if (first == n) return true;
    if (first + 1 == n && text[first] == 'j') {
        cell->real = 0;
        cell->imaginary = a.value;
        return true;
    }
    if (text[first] != '+' && text[first] != '-') return false;
    size_t second = number_read(text + first, n - first, &b);
    cell->imaginary = b.value;
    return second > 0 && first + second + 1 == n && text[n - 1] == 'j';
}

/* Return true if an f64 represents the integer `size` exactly. */
static bool is_exact(uint64_t size) {
    double value = (double)size;
    return value < 0x1p64 && (uint64_t)value == size;
}

/* Return true if `value` has exactly the decimal digits of the n bytes of text, an integer of more than 64
   bits. Always true if the text has a point or an exponent. */
static bool has_digits(const char *text, size_t n, double value) {
    char words[400]; /* DBL_MAX has 309 digits */
    size_t skip = 0;
    while (skip < n && (text[skip] == '+' || text[skip] == '-' || text[skip] == '0')) skip++;
    for (size_t i = skip; i < n; i++)
        if (text[i] < '0' || text[i] > '9') return true; /* a point or an exponent: not an integer */
    text_print(words, sizeof words, "%.0f", fabs(value));
    return isfinite(value) && is_word(text + skip, n - skip, words);
}

/* Parse n bytes as a number, truth value, missing value (NaN) or complex number into *cell. Return false if
   they are a word; *cell is then undefined. */
static bool parse(const char *text, size_t n, struct cell *cell) {
    struct number number;
    size_t used = number_read(text, n, &number);
    if (n == 0 || used < n) {
        if (parse_truth(text, n, cell)) return true;
        if (!is_missing(text, n)) return parse_complex(text, n, cell);
        *cell = (struct cell){.level = CSV_REAL, .exact = true, .real = NAN};
        return true;
    }
    uint64_t most = (uint64_t)INT64_MAX + number.negative;
    bool large = number.size > most && !number.negative;
    bool whole = number.whole && (number.size <= most || large);
    *cell =
        (struct cell){.level = whole ? CSV_WHOLE : CSV_REAL, .real = number.value, .large = whole && large};
    cell->exact = number.whole ? is_exact(number.size)
                               : fabs(number.value) < 0x1p53 || isnan(number.value) ||
                                     has_digits(text, n, number.value);
    cell->negative = whole && number.negative && number.size > 0;
    cell->whole = (int64_t)(number.negative ? -number.size : number.size);
    return true;
}

enum csv_kind csv_kind_of(const char *text, size_t n) {
    struct cell cell;
    if (!parse(text, n, &cell)) return CSV_WORD;
    return is_missing(text, n) ? CSV_MISSING : CSV_NUMBER;
}

static uint64_t size_of(const struct csv_cells *c, int64_t whole) {
    return c->large || whole >= 0 ? (uint64_t)whole : -(uint64_t)whole;
}

/* Convert the integers in c to f64 in place, as both have eight bytes. False, with c->lost set and nothing
   changed, if one would lose digits and c->rounded does not allow it. */
static bool make_real(struct csv_cells *c) {
    for (size_t i = 0; i < c->count && !c->rounded; i++) {
        if (is_exact(size_of(c, c->whole[i]))) continue;
        c->lost = i;
        c->lost_before = true;
        return false;
    }
    for (size_t i = 0; i < c->count; i++)
        c->real[i] = c->large ? (double)(uint64_t)c->whole[i] : (double)c->whole[i];
    c->level = CSV_REAL;
    return true;
}

static size_t bytes_each(const struct csv_cells *c) { return c->level == CSV_COMPLEX ? 16 : 8; }

/* Grow c's memory to `capacity` cells, or to its limit if that is less. Return CSV_ADDED; CSV_TOO_LARGE if
   not even `least` cells are allowed; or CSV_NO_MEMORY. On errors the cells stay; c->wanted becomes the
   bytes of `least` cells. */
static enum csv_added grow(struct csv_cells *c, size_t least, size_t capacity) {
    size_t most = c->most ? c->most / bytes_each(c) : SIZE_MAX;
    c->wanted = (uint64_t)least * bytes_each(c);
    if (least > most) return CSV_TOO_LARGE;
    if (capacity > most) capacity = most;
    void *memory = mem_grow(c->memory, capacity, bytes_each(c));
    if (!memory) return CSV_NO_MEMORY;
    c->memory = memory;
    c->capacity = capacity;
    return CSV_ADDED;
}

/* Convert the cells from f64 to complex in place, from the last to the first, and raise the level. Return
   CSV_ADDED; on CSV_TOO_LARGE or CSV_NO_MEMORY they stay as they were. */
static enum csv_added make_complex(struct csv_cells *c) {
    c->level = CSV_COMPLEX;
    enum csv_added grown = grow(c, c->count, c->capacity ? c->capacity : 64);
    if (grown != CSV_ADDED) {
        c->level = CSV_REAL;
        return grown;
    }
    for (size_t i = c->count; i-- > 0;) {
        c->real[2 * i] = c->real[i];
        c->real[2 * i + 1] = 0;
    }
    return CSV_ADDED;
}

/* Raise the level of the table so that it can hold `cell`, converting the cells that it has; `cell` itself
   is not appended. Return CSV_ADDED, or CSV_ROUNDS, CSV_TOO_LARGE or CSV_NO_MEMORY. */
static enum csv_added widen(struct csv_cells *c, const struct cell *cell) {
    enum csv_level level = cell->level > c->level ? cell->level : c->level;
    bool negative = c->negative || cell->negative, large = c->large || cell->large;
    if (level == CSV_WHOLE && negative && large) level = CSV_REAL;
    if (level >= CSV_REAL && !cell->exact && !c->rounded) {
        c->lost = c->count;
        c->lost_before = false;
        return CSV_ROUNDS;
    }
    if (level >= CSV_REAL && c->level < CSV_REAL && !make_real(c)) return CSV_ROUNDS;
    if (level == CSV_COMPLEX && c->level < CSV_COMPLEX) {
        enum csv_added made = make_complex(c);
        if (made != CSV_ADDED) return made;
    }
    c->level = level;
    c->negative = negative;
    c->large = large;
    return CSV_ADDED;
}

enum csv_added csv_add(struct csv_cells *c, const char *text, size_t n) {
    struct cell cell;
    if (!parse(text, n, &cell)) return CSV_NO_NUMBER;
    enum csv_added added = widen(c, &cell);
    if (added == CSV_ADDED && c->count == c->capacity)
        added = grow(c, c->count + 1, c->capacity ? 2 * c->capacity : 64);
    if (added != CSV_ADDED) return added;
    if (c->level == CSV_COMPLEX) {
        c->real[2 * c->count] = cell.real;
        c->real[2 * c->count + 1] = cell.imaginary;
    } else if (c->level == CSV_REAL) {
        c->real[c->count] = cell.real;
    } else {
        c->whole[c->count] = cell.whole;
    }
    c->count++;
    return CSV_ADDED;
}

/* Copy all cells to `out`, in the dtype csv_dtype(c), and shrink the source meanwhile, from the last cell
   to the first: a large table exists only once. c's cells cannot be used afterwards. */
void csv_move(struct csv_cells *c, void *out) {
    enum { PIECE = 1 << 18 };
    size_t size = bytes_each(c);
    if (csv_dtype(c) == TY_BOOL) {
        for (size_t i = 0; i < c->count; i++) ((bool *)out)[i] = c->whole[i];
        return;
    }
    while (c->count) {
        size_t n = c->count < PIECE ? c->count : PIECE;
        c->count -= n;
        memcpy((char *)out + c->count * size, (const char *)c->memory + c->count * size, n * size);
        void *rest = c->count ? mem_grow(c->memory, c->count, size) : NULL;
        if (rest) c->memory = rest;
    }
}

ty_dtype csv_dtype(const struct csv_cells *c) {
    static const ty_dtype dtypes[] = {TY_BOOL, TY_I64, TY_F64, TY_C128};
    if (c->count == 0) return TY_F64;
    return c->level == CSV_WHOLE && c->large ? TY_U64 : dtypes[c->level];
}

void csv_drop(struct csv_cells *c) { mem_free(c->memory); }
