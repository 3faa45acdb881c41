/* Matrix Market's files, for sparse matrices and as a format of dense ones. */
#ifndef IO_MATRIX_MARKET_H
#define IO_MATRIX_MARKET_H
#include <complex.h>
#include "io/archive.h"

/* Types of values, as words of the banner. */
enum market_field {
    MARKET_REAL,
    MARKET_INTEGER,
    MARKET_UNSIGNED,
    MARKET_COMPLEX,
    MARKET_PATTERN,
    MARKET_FIELDS
};
enum market_symmetry { MARKET_GENERAL, MARKET_SYMMETRIC, MARKET_SKEW, MARKET_HERMITIAN, MARKET_SYMMETRIES };

/* A value of the file, in the type of its field. */
union market_value {
    int64_t whole; /* bits of a uint64_t if the field is unsigned */
    double real, parts[2];
    double complex z;
};

/* State of reading one file. It owns indices and values; market_drop frees them. */
struct market {
    const char *name, *at, *end; /* unread rest of the text */
    uint64_t most;               /* most bytes for values and coordinates; 0: no limit */
    int64_t line;
    struct fault *fault;
    bool array; /* dense: values alone, column by column */
    int field, symmetry;
    int64_t rows, columns, entries; /* entries: number of stored values in the file */
    int64_t count, *indices;        /* coordinates so far, both triangles, as (row, column) pairs from 0 */
    void *values;
};

/* Read all of the input, unzipped, into memory that the caller frees (mem_free); *n is its size. May return
   NULL or a part, even after a failure; errors set the fault. */
char *market_text(struct input *in, const ty_file_options *options, size_t *n, struct fault *fault);
/* Read the banner and the sizes, which must be plausible for the length of the text; false sets the fault. */
bool market_read_head(struct market *m);
/* Return the dtype of the values; f64 for patterns. */
ty_dtype market_dtype(const struct market *m);
/* Read all coordinates and values into memory of m, which it allocates, with symmetric entries completed;
   false sets the fault. */
bool market_read_entries(struct market *m);
/* Read the values of a dense file into `dense`, rows * columns elements, row-major, which the caller has
   zeroed; false sets the fault. */
bool market_read_array(struct market *m, void *dense);
/* Free coordinates and values of m. */
void market_drop(struct market *m);

/* Return the banner's word for the type of elements of this dtype, such as "real". */
const char *market_field(ty_dtype dtype);
/* Append the element at `from` as text: one number, or two, with a blank between, for a complex one. */
void market_add_value(struct text *t, ty_dtype dtype, const void *from);
#endif
