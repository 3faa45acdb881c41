/*
 * Preparations: what becomes of each column of a table.  A fit summarises a column, chooses its treatment and keeps the
 * numbers and words that the treatment needs.
 */
#ifndef PREPARE_PREPARE_H
#define PREPARE_PREPARE_H
#include <tyto/prepare.h>
#include "base/text.h"
#include "table/words.h"

/* Treatment of one column, as chosen or planned. */
struct treatment {
    char *name; /* of the column; owned */
    ty_column_kind kind;
    ty_encoding encoding; /* chosen */
    ty_fill fill;
    ty_scaling scaling;
    bool log, flagged, clipped, other; /* other: the last feature of words is that of rare and unseen ones */
    double low, high;                  /* clipping */
    double filled;                     /* replaces missing elements, before clipping */
    double shift, scale;               /* (x - shift) / scale */
    int64_t missing;                   /* number of missing elements in the fitted rows */
    struct words
        *values;  /* one reference; values of one-hot and ordinal encodings by feature; NULL: others */
    char why[64]; /* reason of the choice; "": a plan said so */
};

/* A preparation.  `fault` is set if it has failed; then it has no treatments. */
struct ty_preparation {
    struct fault fault;
    int64_t rows; /* number of fitted rows */
    int64_t count, capacity;
    struct treatment *columns;
    struct words *features; /* names of features */
    ty_task task;
    char *target;           /* owned; NULL: no target */
    struct words *classes;  /* NULL unless the task is classes */
    double mean, deviation; /* of the target of a regression */
    char why[64];           /* reason of the choice of the task */
};

/* Return the preparation; for NULL a static failed one. */
const ty_preparation *preparation_of(const ty_preparation *preparation);
/* Make an empty preparation; a static failed one without memory. */
ty_preparation *preparation_begin(void);
/* Return the preparation that was made, with the names of features; without treatments if its fault is set. */
ty_preparation *preparation_end(ty_preparation *p);
/* Append a treatment, whose name and words move to the preparation, also on failure; false sets its fault. */
bool preparation_add(ty_preparation *p, struct treatment treatment);
/* Free the members of a treatment. */
void treatment_drop(struct treatment *t);

/* Return the number of features of a treatment. */
int64_t treatment_features(const struct treatment *t);
/* Names of enumerators, in the JSON text and in tables: "one-hot", "median", ...; NULL outside. */
const char *encoding_name(int i), *fill_name(int i), *scaling_name(int i), *task_name(int i);

/* A column in memory: numbers, NaN where missing, or codes of words, -1 where missing. */
struct series {
    int64_t n;
    double *numbers;       /* owned; NULL: words */
    int32_t *codes;        /* owned; NULL: numbers */
    const ty_table *table; /* borrowed, for words */
    int64_t column;        /* of the table */
    ty_column_kind kind;
};
/* Read column i of a table; false sets the fault.  Call series_drop in any case. */
bool series_read(struct series *series, const ty_table *table, int64_t i, struct fault *fault);
void series_drop(struct series *series);
/* Bytes of room for series_word. */
enum { VALUE_WORD = 40 };
/* Return the value of cell i as a word, such as "3" or "Oslo"; numbers are written to `room`.  NULL if it is
   missing. */
const char *series_word(const struct series *series, int64_t i, char *room);

/* Distinct values of a column with their numbers of rows. */
struct tally {
    struct words *values;
    int64_t *counts; /* owned */
    int64_t present; /* rows that are not missing */
    bool many;       /* counting stopped at the limit */
};
/* Count the distinct values, up to `most`; false sets the fault.  Call tally_drop in any case. */
bool tally_count(struct tally *tally, const struct series *series, int64_t most, struct fault *fault);
void tally_drop(struct tally *tally);

/* Numbers that describe the present elements of a column. */
struct numbers {
    int64_t present, distinct;
    double mean, deviation, least, lower, median, upper, greatest, frequent; /* NaN without elements */
    bool whole;                                                              /* all are integers below 2^53 */
};
/* Summarise n numbers, without those that are NaN; false sets the fault. */
bool numbers_of(struct numbers *numbers, int64_t n, const double *x, struct fault *fault);

/* Set the target of a preparation from the column named by options; false sets its fault. */
bool preparation_fit_target(ty_preparation *p, const ty_table *table, const ty_preparation_options *o);
#endif
