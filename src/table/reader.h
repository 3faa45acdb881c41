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

/* Guess the dialect of the sample in the window of r, from which nothing is consumed; options that are set hold.  False
   sets the fault: no memory. */
bool guess_layout(struct records *r, const ty_table_options *options, struct layout_guess *guess);
/* Return the table of an input, which may have failed; the caller frees it. */
ty_table *table_read(const struct table_input *in, const ty_table_options *options);
#endif
