/* Values that texts stand for. */
#ifndef TABLE_VALUES_H
#define TABLE_VALUES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "table/missing.h"

enum cell_type { CELLS_NONE, CELLS_BOOL, CELLS_WHOLE, CELLS_REAL, CELLS_COMPLEX, CELLS_WORDS };

/* How numbers are written. */
struct number_style {
    char decimal, thousands; /* thousands 0: none */
    bool rounded;            /* integers may lose digits */
    bool words;              /* all columns are words */
    bool array;              /* truth values beside numbers are 0 and 1 */
    bool numbers;            /* words are an error */
    const struct missing *missing;
};

/* A number or truth value. */
struct value {
    enum cell_type type;
    bool negative, large;
    bool lossy; /* an integer that f64 does not represent */
    int64_t whole;
    double real, imaginary;
};
/* Read a number, truth value or complex number, of which blanks around it are no part.  False if the text is none. */
bool value_read(const struct number_style *style, const char *text, size_t n, struct value *value);
/* Return true if f64 represents an integer of this size. */
static inline bool value_exact(uint64_t size) {
    double value = (double)size;
    return value < 0x1p64 && (uint64_t)value == size;
}
/* Move the text's ends over its blanks. */
static inline void value_trim(const char **text, size_t *n) {
    while (*n && (**text == ' ' || **text == '\t')) ++*text, --*n;
    while (*n && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t')) --*n;
}

/* Kinds of texts. */
enum cell_kind { CELL_MISSING, CELL_WEAK /* missing among numbers */, CELL_TRUTH, CELL_NUMBER, CELL_WORD };
/* Classify the n characters; *value (may be NULL) is set for a number, *whole to true if it is an integer. */
enum cell_kind cell_kind_of(const struct number_style *style, const char *text, size_t n, double *value,
                            bool *whole);
#endif
