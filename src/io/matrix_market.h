/* Matrix Market's files, for sparse matrices and as a format of dense ones. */
#ifndef IO_MATRIX_MARKET_H
#define IO_MATRIX_MARKET_H
#include <complex.h>
#include "io/archive.h"

enum market_field {
    MARKET_REAL,
    MARKET_INTEGER,
    MARKET_UNSIGNED,
    MARKET_COMPLEX,
    MARKET_PATTERN,
    MARKET_FIELDS
};
enum market_symmetry { MARKET_GENERAL, MARKET_SYMMETRIC, MARKET_SKEW, MARKET_HERMITIAN, MARKET_SYMMETRIES };

union market_value {
    int64_t whole; /* unsigned: its bits */
    double real, parts[2];
    double complex z;
};

struct market {
    const char *name, *at, *end; /* what is left of the text */
    uint64_t most;               /* bytes that values and coordinates may take; 0: any */
    int64_t line;
    struct fault *fault;
    bool array; /* values alone, column by column */
    int field, symmetry;
    int64_t rows, columns, entries; /* entries: lines of the file */
    int64_t count, *indices;        /* coordinates so far, both halves, as pairs from 0 */
    void *values;
};

/* All of the input in memory that mem_free ends; what fails is told. */
char *market_text(struct input *in, const ty_file_options *options, size_t *n, struct fault *fault);
/* Reads the first line and the sizes, which are compared with the text; false with a sentence. */
bool market_read_head(struct market *m);
ty_dtype market_dtype(const struct market *m);
/* Reads coordinates and values into m; false with a sentence. */
bool market_read_entries(struct market *m);
/* Reads the values of an array into rows * columns elements, row-major and zeroed; false with a sentence. */
bool market_read_array(struct market *m, void *dense);
void market_drop(struct market *m);

/* The word for elements of the dtype in a first line. */
const char *market_field(ty_dtype dtype);
/* An element as a file has it: one number, or two of a complex one. */
void market_add_value(struct text *t, ty_dtype dtype, const void *from);
#endif
