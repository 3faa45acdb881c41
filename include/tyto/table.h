/*
 * Tables: named columns of equal length, of numbers, truth values or words; elements may be missing.  docs/data.md has
 * examples.
 *
 * A table is immutable, and several threads may use it.  Functions that change one return another, which shares the
 * memory of unchanged columns.  Columns are numbered from 0; names are distinct texts without zero bytes.
 *
 *   ty_table *t = ty_table_read("titanic.csv", (ty_table_options){0});
 *   ty_tensor *age = ty_table_column(t, "Age");          f64 [891], NaN where missing
 *   ty_table_print(stdout, t);
 *   ty_table_free(t);
 */
#ifndef TYTO_TABLE_H
#define TYTO_TABLE_H

#include <tyto/core.h>
#include <tyto/io.h> /* ty_source */

#ifdef __cplusplus
extern "C" {
#endif

/* A table. */
typedef struct ty_table ty_table;

/* Kinds of columns, with the dtype of their values as read from text. */
typedef enum ty_column_kind {
    TY_COLUMN_EMPTY,  /* all elements are missing: f64, NaN */
    TY_COLUMN_BOOL,   /* bool */
    TY_COLUMN_WHOLE,  /* integers: i64, or u64 if one is above the limit of i64 */
    TY_COLUMN_NUMBER, /* real or complex numbers: f64, c128; NaN is missing */
    TY_COLUMN_WORDS,  /* i32 codes: index of each word among the column's distinct words; -1: missing */
    TY_COLUMN_KINDS   /* the number of kinds; as a result: there is no such column */
} ty_column_kind;
/* Return the name of a kind: "empty", "bool", "whole", "number" or "words"; "?" for others.  Static text. */
TY_API const char *ty_column_kind_name(ty_column_kind kind);

/* ---- construction ---- */

/* Make a table of n tensors [rows] of any dtype, such as those of ty_from; promises are evaluated.  names[0 .. n) are
   distinct and are copied; NULL: "0", "1", ...  NaN counts as missing.  Never NULL: ty_table_error returns the reason
   of a failure.  The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_new(int64_t n, const char *const *names, ty_tensor *const *columns);
/* Return a table with the column `name` replaced, or added behind the others, by `values` [rows].  `missing`, bool
   [rows], marks missing elements (NULL: NaN alone).  Values are bool, integers, real or complex.  A table without
   columns takes any number of rows.  Never NULL: see ty_table_error.  The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_with(const ty_table *table, const char *name, ty_tensor *values,
                               ty_tensor *missing);
/* Return a table with the column `name` replaced, or added behind the others, by words.  `codes`, integers [rows], are
   indices into words[0 .. n), which are distinct; -1: missing.  Texts are copied.  Never NULL: see ty_table_error.
   The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_with_words(const ty_table *table, const char *name, ty_tensor *codes, int64_t n,
                                     const char *const *words);
/* Return a table of the columns names[0 .. n), in that order, which share their memory with those of `table`.  Never
   NULL: see ty_table_error.  The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_select(const ty_table *table, int64_t n, const char *const *names);
/* Free a table; tables and tensors made of it live on.  NULL is allowed. */
TY_API void ty_table_free(ty_table *table);

/* ---- reading of delimited text ---- */

/* The line of names of a table. */
typedef enum ty_header {
    TY_HEADER_GUESSED, /* the first record has names if its cells suggest it (docs/data.md) */
    TY_HEADER_FIRST,   /* the first record has the names */
    TY_HEADER_NONE     /* names are "0", "1", ... */
} ty_header;

/* Options of reading a table; zeros are the defaults. */
typedef struct ty_table_options {
    char
        delimiter; /* 0: guessed among comma, semicolon, tab, | and blanks; ' ': blanks and tabs, any number */
    char decimal;  /* 0: '.', or ',' if there are numbers such as 1,5 and the delimiter is another sign */
    char thousands; /* between groups of three digits; 0: ',', or '.' if the decimal sign is ',' */
    char comment;   /* begins text that is skipped; 0: only lines that begin with # and a blank are skipped */
    ty_header header;
    int64_t skip_rows; /* lines to skip at the start */
    int64_t rows;      /* greatest number of rows to read; 0: all */
    const char *const
        *missing; /* nmissing words that stand for missing elements; NULL: those of docs/data.md */
    int nmissing;
    bool words;   /* read all columns as words */
    bool ragged;  /* records with too few cells end in missing elements */
    bool rounded; /* integers of more digits than an f64 holds may be rounded in a column of real numbers */
    bool unused;
    /* limit in bytes: of a compressed file's text, 0 means 16 times the file plus 64 MiB; of a pipe, 0: none */
    uint64_t most_bytes;
} ty_table_options;

TY_API ty_table *ty_table_read_sized(const char *path, const ty_table_options *options, size_t size);
/*
 * Read a table of delimited text (csv, tsv, ...), in UTF-8, perhaps gzipped.  Quotes are those of RFC 4180.
 *
 * The type of a column is that of all its cells: bool, integers, real or complex numbers, else words, which keep their
 * blanks; dates are words.  Empty and repeated names become distinct ("Unnamed: 2", "a.1").  Errors name line and
 * column.  The file is read a second time if words follow numbers in a column.  `path` may be a pipe, a terminal or a
 * socket, such as /dev/stdin: at most .most_bytes of it are read (0: no limit), and bytes beyond 1 MiB are kept in a
 * temporary file (TMPDIR, /tmp).  Never NULL: see ty_table_error.  The caller frees it with ty_table_free.
 */
TY_INLINE ty_table *ty_table_read(const char *path, ty_table_options options) {
    return ty_table_read_sized(path, &options, sizeof options);
}
TY_API ty_table *ty_table_parse_sized(const void *bytes, size_t n, const ty_table_options *options,
                                      size_t size);
/* Read a table of n bytes in memory, as ty_table_read; they are needed during the call alone.  Never NULL: see
   ty_table_error.  The caller frees it with ty_table_free. */
TY_INLINE ty_table *ty_table_parse(const void *bytes, size_t n, ty_table_options options) {
    return ty_table_parse_sized(bytes, n, &options, sizeof options);
}
TY_API ty_table *ty_table_receive_sized(const char *name, ty_source source, const ty_table_options *options,
                                        size_t size);
/* Read a table from the caller's functions, as ty_table_read; a source that only reads in order, such as a pipe, is
   held in memory.  `name` (NULL: "source") is for error messages.  Never NULL: see ty_table_error.  The caller frees
   it with ty_table_free. */
TY_INLINE ty_table *ty_table_receive(const char *name, ty_source source, ty_table_options options) {
    return ty_table_receive_sized(name, source, &options, sizeof options);
}

/* ---- inspection ---- */

/* Return the error message of a table, "" if it is valid.  The text lives as long as the table. */
TY_API const char *ty_table_error(const ty_table *table);
/* Return the error of a table as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_table_failure(const ty_table *table);
/* Return the number of rows; 0 if the table has failed. */
TY_API int64_t ty_table_rows(const ty_table *table);
/* Return the number of columns; 0 if the table has failed. */
TY_API int64_t ty_table_columns(const ty_table *table);
/* Return the name of column i, counted from 0, which lives as long as the table; NULL if i is outside. */
TY_API const char *ty_table_name(const ty_table *table, int64_t i);
/* Return the index of the column of a name, counted from 0; -1 if there is none. */
TY_API int64_t ty_table_find(const ty_table *table, const char *name);
/* Return the kind of column i, counted from 0; TY_COLUMN_KINDS if i is outside. */
TY_API ty_column_kind ty_table_kind(const ty_table *table, int64_t i);
/* Return the number of distinct words of column i, counted from 0; 0 if it has another kind or i is outside. */
TY_API int64_t ty_table_words(const ty_table *table, int64_t i);
/* Return word `code` of column i, both counted from 0, which lives as long as the table; NULL if there is none. */
TY_API const char *ty_table_word(const ty_table *table, int64_t i, int64_t code);

/* ---- columns as tensors, which the scope owns ---- */

/* Return the column of a name [rows], as ty_table_at; poison if there is none. */
TY_API ty_tensor *ty_table_column(const ty_table *table, const char *name);
/* Return column i, counted from 0, as a tensor [rows] that shares its memory.  Words are codes, i32, -1 where missing.
   Missing numbers are NaN; integers and bool become f64 if any is missing.  Poison if i is outside, or an integer
   would lose digits. */
TY_API ty_tensor *ty_table_at(const ty_table *table, int64_t i);
/* Return the stored values of column i, counted from 0, in their own dtype.  Missing integers and bool are 0,
   while ty_table_at makes them NaN.  Poison if i is outside. */
TY_API ty_tensor *ty_table_values(const ty_table *table, int64_t i);
/* Return the mask of missing elements of column i, counted from 0: bool [rows].  Poison if i is outside. */
TY_API ty_tensor *ty_table_missing(const ty_table *table, int64_t i);
/* Return all columns as a matrix [rows, columns] of `dtype`, missing elements as NaN.  Poison if a column has words,
   if elements are missing and `dtype` has no NaN, or if a column is complex and `dtype` is not. */
TY_API ty_tensor *ty_table_matrix(const ty_table *table, ty_dtype dtype);

/* ---- text ---- */

/* Options of printing a table; zeros are the defaults. */
typedef struct ty_table_print_options {
    int64_t rows;  /* most rows to print, first and last ones; 0: 60, or 10 of more; negative: all */
    int width;     /* most characters of a line; 0 means 80; negative: no limit; the middle is left out */
    int precision; /* digits after the point of numbers; 0 means 6 */
    int word;      /* characters of a word; longer words are cut; 0 means 50 */
    int unused;    /* 0: room for a later member */
} ty_table_print_options;

TY_API char *ty_table_to_string_sized(const ty_table *table, const ty_table_print_options *options,
                                      size_t size);
/* Format a table as text: a line of names, one of kinds, rows, the numbers of rows and columns; "error: " and the
   message for a failed one.  Missing elements are NaN.  The caller frees the text with ty_free; NULL: out of
   memory. */
TY_INLINE char *ty_table_to_string(const ty_table *table, ty_table_print_options options) {
    return ty_table_to_string_sized(table, &options, sizeof options);
}
/* Print a table to `file` as ty_table_to_string does by default, and a line end.  False, with errno set, if it could
   not be written or `file` is NULL. */
TY_API bool ty_table_print(FILE *file, const ty_table *table);

/* ---- writing of delimited text ---- */

/* Options of writing a table; zeros are the defaults. */
typedef struct ty_table_write_options {
    char
        delimiter; /* 0: a tab if the path ends in .tsv or .tsv.gz, else ',', or ';' if the decimal sign is ',' */
    char decimal;  /* 0: '.' */
    bool nameless; /* no line of names */
    bool unused;
    int precision;       /* significant digits of real and complex numbers; 0: as many as distinguish them */
    const char *missing; /* text of missing elements; NULL: an empty cell */
} ty_table_write_options;

TY_API bool ty_table_write_sized(const char *path, const ty_table *table,
                                 const ty_table_write_options *options, size_t size, ty_tensor **error);
/* Write a table to the file `path`, atomically: the names, then a line for each row; gzipped if the path ends in .gz.
   ty_table_read returns an equal table, with exceptions: words for missing elements (NA), words of a column that all
   look like numbers, and f16, bf16 and f32, which become f64.  False on failure: nothing changed on disk, and *error,
   unless NULL, receives a poisoned tensor that the scope owns. */
TY_INLINE bool ty_table_write(const char *path, const ty_table *table, ty_table_write_options options,
                              ty_tensor **error) {
    return ty_table_write_sized(path, table, &options, sizeof options, error);
}
TY_API bool ty_table_send_sized(ty_sink sink, const ty_table *table, const ty_table_write_options *options,
                                size_t size, ty_tensor **error);
/* Write a table to the caller's function sink.write, as ty_table_write, never gzipped.  False on failure: *error,
   unless NULL, receives a poisoned tensor that the scope owns.  Some bytes may have been written then. */
TY_INLINE bool ty_table_send(ty_sink sink, const ty_table *table, ty_table_write_options options,
                             ty_tensor **error) {
    return ty_table_send_sized(sink, table, &options, sizeof options, error);
}

#ifdef __cplusplus
}
#endif
#endif
