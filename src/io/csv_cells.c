/* One cell after another, in the narrowest form that holds all so far. */
#include <math.h>
#include <string.h>
#include "array/number_read.h"
#include "base/alloc.h"
#include "io/csv.h"

/* What one cell is. */
struct cell {
    enum csv_level level;
    bool negative, large;
    int64_t whole;
    double real, imaginary;
};

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static bool is_missing(const char *text, size_t n) {
    static const char *const words[] = {"NA", "N/A", "null", "NULL", "None", "-", "?"};
    if (n == 0) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, n, words[i])) return true;
    return false;
}

static bool parse_truth(const char *text, size_t n, struct cell *cell) {
    static const char *const words[][2] = {{"False", "True"}, {"false", "true"}, {"FALSE", "TRUE"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int value = 0; value < 2; value++) {
            if (!is_word(text, n, words[i][value])) continue;
            *cell = (struct cell){.level = CSV_BOOL, .whole = value, .real = value};
            return true;
        }
    return false;
}

/* (1+2j), 1+2j, 2j: as NumPy and Python write them. */
static bool parse_complex(const char *text, size_t n, struct cell *cell) {
    struct number a, b;
    if (n > 2 && *text == '(' && text[n - 1] == ')') {
        text++;
        n -= 2;
    }
    *cell = (struct cell){.level = CSV_COMPLEX};
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

static bool parse(const char *text, size_t n, struct cell *cell) {
    struct number number;
    size_t used = number_read(text, n, &number);
    if (n == 0 || used < n) {
        if (parse_truth(text, n, cell)) return true;
        if (!is_missing(text, n)) return parse_complex(text, n, cell);
        *cell = (struct cell){.level = CSV_REAL, .real = NAN};
        return true;
    }
    uint64_t most = (uint64_t)INT64_MAX + number.negative;
    bool large = number.size > most && !number.negative;
    bool whole = number.whole && (number.size <= most || large);
    *cell =
        (struct cell){.level = whole ? CSV_WHOLE : CSV_REAL, .real = number.value, .large = whole && large};
    cell->negative = whole && number.negative && number.size > 0;
    cell->whole = (int64_t)(number.negative ? -number.size : number.size);
    return true;
}

enum csv_kind csv_kind_of(const char *text, size_t n) {
    struct cell cell;
    if (!parse(text, n, &cell)) return CSV_WORD;
    return is_missing(text, n) ? CSV_MISSING : CSV_NUMBER;
}

/* Whole numbers become real ones in place: both have eight bytes. */
static void make_real(struct csv_cells *c) {
    for (size_t i = 0; i < c->count; i++)
        c->real[i] = c->large ? (double)(uint64_t)c->whole[i] : (double)c->whole[i];
    c->level = CSV_REAL;
}

static bool grow(struct csv_cells *c, size_t capacity) {
    void *memory = mem_grow(c->memory, capacity, c->level == CSV_COMPLEX ? 16 : 8);
    if (!memory) return false;
    c->memory = memory;
    c->capacity = capacity;
    return true;
}

/* From the last to the first, each to its new place. */
static bool make_complex(struct csv_cells *c) {
    c->level = CSV_COMPLEX;
    if (!grow(c, c->capacity ? c->capacity : 64)) {
        c->level = CSV_REAL;
        return false;
    }
    for (size_t i = c->count; i-- > 0;) {
        c->real[2 * i] = c->real[i];
        c->real[2 * i + 1] = 0;
    }
    return true;
}

/* Makes room for what the cell is: the table's level is the highest of all cells. */
static bool widen(struct csv_cells *c, struct cell *cell) {
    enum csv_level level = cell->level > c->level ? cell->level : c->level;
    bool negative = c->negative || cell->negative, large = c->large || cell->large;
    if (level == CSV_WHOLE && negative && large) level = CSV_REAL;
    if (level >= CSV_REAL && c->level < CSV_REAL) make_real(c);
    if (level == CSV_COMPLEX && c->level < CSV_COMPLEX && !make_complex(c)) return false;
    c->level = level;
    c->negative = negative;
    c->large = large;
    return true;
}

enum csv_added csv_add(struct csv_cells *c, const char *text, size_t n) {
    struct cell cell;
    if (!parse(text, n, &cell)) return CSV_NO_NUMBER;
    if (!widen(c, &cell)) return CSV_NO_MEMORY;
    if (c->count == c->capacity && !grow(c, c->capacity ? 2 * c->capacity : 64)) return CSV_NO_MEMORY;
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

ty_dtype csv_dtype(const struct csv_cells *c) {
    static const ty_dtype dtypes[] = {TY_BOOL, TY_I64, TY_F64, TY_C128};
    if (c->count == 0) return TY_F64;
    return c->level == CSV_WHOLE && c->large ? TY_U64 : dtypes[c->level];
}

void csv_drop(struct csv_cells *c) { mem_free(c->memory); }
