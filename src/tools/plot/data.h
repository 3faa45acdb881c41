/* The data of `tyto plot`: arguments become tensors with labels. */
#ifndef TOOLS_PLOT_DATA_H
#define TOOLS_PLOT_DATA_H
#include <tyto/core.h>
#include <tyto/table.h>
#include "tools/options/reader.h"

enum { PLOT_DATA = 64, PLOT_TABLES = 8, PLOT_INPUTS = 64 };

/* An operand of a plot.  Words have codes in x, -1: missing. */
struct datum {
    ty_tensor *x; /* owned by the scope */
    char label[256];
    const ty_table *table; /* it is a column of this table; NULL: of none */
    int64_t nwords;        /* 0: numbers */
    const char **words;    /* in ascending order of bytes and numbers; the codes are their places */
    bool image;            /* the file of a picture */
};

/* Everything that was read; plot_data_drop frees it. */
struct plot_data {
    const struct reader_in *reader;
    int n; /* operands */
    struct datum operands[PLOT_DATA];
    int ntables;
    struct {
        char *path;
        ty_table *table;
    } tables[PLOT_TABLES];
    int ninputs; /* NAME=... for expressions */
    char *names[PLOT_INPUTS];
    ty_tensor *values[PLOT_INPUTS];
};

/* Read the arguments: FILE, FILE:KEY, FILE.csv:COLUMN, FILE.csv for all its columns of numbers, expressions, and
   NAME=FILE or NAME=EXPRESSION for their inputs.  False after a message on stderr. */
bool plot_data_read(struct plot_data *d, const struct option_list *arguments);
/* Read one operand that is no argument; `near`, unless NULL, is the table whose columns the text may name alone.  False
   after a message on stderr. */
bool plot_data_one(struct plot_data *d, const char *text, const ty_table *near, struct datum *out);
void plot_data_drop(struct plot_data *d);
#endif
