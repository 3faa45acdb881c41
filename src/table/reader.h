/*
 * The reader of delimited text: guesses the dialect from a sample, reads columns whose types are those of all their
 * cells, and names them.
 */
#ifndef TABLE_READER_H
#define TABLE_READER_H
#include "table/cells.h"
#include "table/records.h"

/* The dialect and the begin of a table. */
struct layout_guess {
    struct dialect dialect;
    struct number_style style;
    bool header;    /* the first record has the names of columns */
    bool row_names; /* the first cell of each record but the header names the row */
    bool trailing;  /* each record but the header ends in a delimiter, behind which no column is */
    int64_t columns;
    int64_t record; /* mean bytes of a record of the sample; 0: unknown */
};

/* Guess the dialect of a sample at the start, which is read into the window of r and not consumed; options that are set
   hold.  False sets the fault, or there is no memory. */
bool guess_layout(struct records *r, const ty_table_options *options, struct layout_guess *guess);
/* Rules of a table whose columns are joined to one array. */
struct table_rules {
    bool
        array; /* truth values beside numbers are 0 and 1, a record of numbers alone has no names, and text from a #
                   between blanks on is a comment; so are lines that begin with # and have another number of cells */
    bool words; /* array: columns of words are allowed; else a word is an error */
    bool named; /* result: a record had the names of columns */
};
/* Return the table of an input, which may have failed; the caller frees it.  `rules` NULL: none. */
ty_table *table_read(const struct table_input *in, const ty_table_options *options,
                     struct table_rules *rules);
#endif
