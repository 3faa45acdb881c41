/*
 * Numbers as text in rows and columns.  Cells widen the whole table as they come: bool, i64 (u64 where one
 * needs it and none is negative), f64, c128.
 */
#ifndef IO_CSV_H
#define IO_CSV_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tyto/core.h>
#include "base/text.h"

enum csv_level { CSV_BOOL, CSV_WHOLE, CSV_REAL, CSV_COMPLEX };

/* What is gathered: elements of 8 bytes (16: complex) in the order of reading. */
struct csv_cells {
    enum csv_level level;
    bool negative, large; /* whole numbers: seen below 0, above INT64_MAX */
    size_t count, capacity;
    union {
        int64_t *whole; /* bool and whole; large: as u64 */
        double *real;   /* pairs when complex */
        void *memory;
    };
};

enum csv_added { CSV_ADDED, CSV_NO_NUMBER, CSV_NO_MEMORY };
/* Adds the n characters as one cell; blank and NA-like ones are NaN. */
enum csv_added csv_add(struct csv_cells *c, const char *text, size_t n);
/* What csv_add would make of it: a word is refused. */
enum csv_kind { CSV_WORD, CSV_MISSING, CSV_NUMBER };
enum csv_kind csv_kind_of(const char *text, size_t n);
ty_dtype csv_dtype(const struct csv_cells *c);
void csv_drop(struct csv_cells *c);
#endif
