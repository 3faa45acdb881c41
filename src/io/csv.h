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
#include "base/map.h"
#include "base/text.h"

enum csv_level { CSV_BOOL, CSV_WHOLE, CSV_REAL, CSV_COMPLEX };

/* What is gathered: elements of 8 bytes (16: complex) in the order of reading. */
struct csv_cells {
    enum csv_level level;
    bool negative, large; /* whole numbers: seen below 0, above INT64_MAX */
    bool rounded;         /* whole numbers may lose digits to become real */
    size_t count, capacity;
    size_t most;      /* bytes that they may take; 0: any */
    uint64_t wanted;  /* CSV_TOO_LARGE, CSV_NO_MEMORY: bytes that they would take */
    size_t lost;      /* CSV_ROUNDS: the cell that would lose digits */
    bool lost_before; /* it was added before, and the new cell makes it real */
    union {
        int64_t *whole; /* bool and whole; large: as u64 */
        double *real;   /* pairs when complex */
        void *memory;
    };
};

enum csv_added { CSV_ADDED, CSV_NO_NUMBER, CSV_NO_MEMORY, CSV_TOO_LARGE, CSV_ROUNDS };
/* Adds the n characters as one cell; blank and NA-like ones are NaN. */
enum csv_added csv_add(struct csv_cells *c, const char *text, size_t n);
/* What csv_add would make of it: a word is refused. */
enum csv_kind { CSV_WORD, CSV_MISSING, CSV_NUMBER };
enum csv_kind csv_kind_of(const char *text, size_t n);
ty_dtype csv_dtype(const struct csv_cells *c);
/* Moves all elements, as csv_dtype says, to the `count` of them at `out`; the memory of what was moved is given back. */
void csv_move(struct csv_cells *c, void *out);
void csv_drop(struct csv_cells *c);

/* Words that count as numbers: the place of each among the different ones of its column, in the order of bytes.  While a
   file is read a word's number says when it came first; csv_words_sort gives all cells their places. */
struct csv_words {
    int64_t *columns; /* that are words, rising */
    int64_t ncolumns;
    bool *has_number; /* of `width` columns */
    int64_t width;
    struct csv_word {
        int64_t column;
        size_t at, n; /* in the pool */
    } * words;
    int64_t count, capacity;
    struct text pool;
    struct map numbers; /* of words, by hashes of column and bytes */
};
/* Whether a cell of the column is one of words: its first cell that is not missing says so.  False too: no memory, *failed. */
bool csv_words_is(struct csv_words *w, int64_t column, const char *text, size_t n, bool *failed);
/* Adds a cell of such a column; a blank or NA-like one is missing. */
enum csv_added csv_words_add(struct csv_words *w, struct csv_cells *c, int64_t column, const char *text,
                             size_t n);
/* False: no memory. */
bool csv_words_sort(struct csv_words *w, struct csv_cells *c, int64_t columns);
/* The words of a column in their order, after csv_words_sort, as names of columns are written. */
void csv_words_text(const struct csv_words *w, int64_t column, struct text *t);
void csv_words_drop(struct csv_words *w);
/* A name with a comma in front unless it is the first, in quotes where it holds a sign of the format, or where `alone` it
   holds a blank. */
void csv_add_name(struct text *t, const char *text, size_t n, bool first, bool alone);
#endif
