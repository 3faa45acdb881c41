/*
 * Tables of numbers as text. One dtype serves the whole table and widens as cells arrive: bool, i64, f64, c128.
 * Integers become u64 if one needs it and none is negative.
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

/* Cells in the order of reading, in the widest level seen so far: 8 bytes each, 16 if complex. */
struct csv_cells {
    enum csv_level level;
    bool negative, large; /* integers seen so far: one below 0, one above INT64_MAX */
    bool rounded;         /* integers may lose digits when they become real */
    size_t count, capacity;
    size_t most;      /* limit of memory in bytes; 0: no limit */
    uint64_t wanted;  /* after CSV_TOO_LARGE or CSV_NO_MEMORY: bytes needed */
    size_t lost;      /* after CSV_ROUNDS: index of the cell that would lose digits */
    bool lost_before; /* cell `lost` was added earlier and the new cell would make it real */
    union {
        int64_t *whole; /* bool and integers; u64 if `large` */
        double *real;   /* pairs if complex */
        void *memory;
    };
};

enum csv_added { CSV_ADDED, CSV_NO_NUMBER, CSV_NO_MEMORY, CSV_TOO_LARGE, CSV_ROUNDS };
/* Append the n characters as one cell; blank and NA-like text becomes NaN. Return CSV_ADDED, or on an error,
   when nothing is appended, its kind. */
enum csv_added csv_add(struct csv_cells *c, const char *text, size_t n);
/* Kinds of cells: CSV_WORD is text that csv_add refuses, CSV_MISSING becomes NaN. */
enum csv_kind { CSV_WORD, CSV_MISSING, CSV_NUMBER };
/* Classify the n characters as csv_add would read them. */
enum csv_kind csv_kind_of(const char *text, size_t n);
/* Return the dtype that holds all cells so far; f64 if there are none. */
ty_dtype csv_dtype(const struct csv_cells *c);
/* Move all elements to `out`, which has room for c->count elements of csv_dtype; the memory of c shrinks
   meanwhile, so the peak stays low. Call csv_drop afterwards. */
void csv_move(struct csv_cells *c, void *out);
/* Free the cells; c itself stays the caller's. */
void csv_drop(struct csv_cells *c);

/* Columns of words, stored as integers: the rank of each word among the distinct words of its column, in
   byte order. During reading a cell holds the word's order of appearance; csv_words_sort replaces these by
   ranks. */
struct csv_words {
    int64_t *columns; /* indices of columns of words, ascending */
    int64_t ncolumns, column_room;
    bool *has_number; /* per column, `width` of them: its first cell that is not missing was a number */
    int64_t width;
    struct csv_word {
        int64_t column;
        size_t at, n; /* offset and length in `pool` */
    } * words;
    int64_t count, capacity;
    struct text pool;
    struct map numbers; /* ids of words by hash of column and bytes */
};
/* Return true if the column, counted from 0, holds words, which its first cell that is not missing decides;
   this cell has n bytes of text. Without memory return false and set *failed. */
bool csv_words_is(struct csv_words *w, int64_t column, const char *text, size_t n, bool *failed);
/* Append the n characters as a cell of a column of words, counted from 0; blank and NA-like text becomes NaN.
   Return CSV_ADDED, or the kind of error. */
enum csv_added csv_words_add(struct csv_words *w, struct csv_cells *c, int64_t column, const char *text,
                             size_t n);
/* Replace the ids in the cells by ranks within their columns; `columns` is the width of the table. False
   without memory. */
bool csv_words_sort(struct csv_words *w, struct csv_cells *c, int64_t columns);
/* Append the sorted words of a column, counted from 0, to t, quoted where needed and separated by commas;
   call after csv_words_sort. */
void csv_words_text(const struct csv_words *w, int64_t column, struct text *t);
/* Free everything that w owns. */
void csv_words_drop(struct csv_words *w);
/* Append a column name to t, after a comma unless `first`. It is quoted if it holds a delimiter, a quote or
   #, or if it is the `alone` name and holds a blank. */
void csv_add_name(struct text *t, const char *text, size_t n, bool first, bool alone);
#endif
