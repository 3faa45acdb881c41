/* Tables of the commands: files, and their parts for training. */
#ifndef TOOLS_NETWORK_TABLE_H
#define TOOLS_NETWORK_TABLE_H
#include <tyto/model.h>
#include <tyto/prepare.h>
#include "base/text.h"
#include "tools/network/labels.h"
#include "tools/network/network.h"
#include "tools/options/reader.h"

/* Return true if the file's name ends as those of tables do, or it is a stream. */
bool table_named(const char *path);

/* Arguments of table_split. */
struct table_split_options {
    const char *target;    /* NULL: the last column */
    int64_t limit;         /* most rows, drawn by the seed; 0: all */
    double validate, test; /* shares of the rows */
    int64_t folds,
        fold;      /* folds > 0: the test has every folds-th row, from number `fold` on, in place of `test` */
    uint64_t seed; /* of the order of rows */
    ty_task task;
};

enum table_part { PART_TRAIN, PART_VALIDATE, PART_TEST, PARTS_OF_TABLE };
/* A prepared table; table_drop frees the preparation, and the scope owns the tensors. */
struct table_parts {
    ty_preparation *preparation;                      /* fitted on the rows for training */
    ty_tensor *x[PARTS_OF_TABLE], *y[PARTS_OF_TABLE]; /* f32 [rows, features], and targets; NULL: no rows */
    int64_t unknown;                                  /* rows that have no target, which are left out */
};
/* Split the rows of a table at random, for classes each class by itself, fit a preparation on those for training, and
   transform all.  False after a message on stderr; call table_drop in any case. */
bool table_split(struct table_parts *parts, const char *path, const ty_table *table,
                 const struct table_split_options *options);
void table_drop(struct table_parts *parts);
/* Set *epochs, *batch and, if the user gave no length, *patience, where they are 0, by the numbers of rows; nothing without
   a prepared table. */
void table_length(const struct table_parts *parts, int64_t *epochs, int64_t *batch, int64_t *patience);
/* Keep the preparation, if any, with the model, for files of weights; false after a message on stderr. */
bool table_keep(const struct table_parts *parts, const char *path, ty_model *model);
/* Type of an option whose value is a ty_task. */
extern const struct option_type option_task;

/* Open the network of a preparation and load its weights; false after a message on stderr.  Call network_close in any
   case. */
bool table_network(struct network *n, const char *name, const ty_preparation *preparation,
                   const char *weights, int layout);

/* Print on stderr which columns of a table have words that the training had not. */
void table_warn(const ty_preparation *preparation, const char *path, const ty_table *table);

/* Reports of the quality of predictions. */
struct report {
    const struct labels *labels; /* names of classes */
    const char *curve;           /* file for the ROC curve of two classes; NULL: none */
    double *score;               /* receives the accuracy or R2; NULL: not wanted */
};
/* Print metrics of scores [n, classes] for labels [n], integers from 0; `what` names the rows.  False after a message on
   stderr. */
bool report_classes(const struct report *report, const char *what, ty_tensor *scores, ty_tensor *labels);
/* Print metrics of predictions of a network, scores [n, classes] or standardised numbers [n] or [n, 1], for targets
   of the preparation [n]; `what` names the rows.  False after a message on stderr. */
bool table_report(const ty_preparation *preparation, const struct report *report, const char *what,
                  ty_tensor *predictions, ty_tensor *targets);
/* Print the metrics of a model on the rows for validation and the test, or on those for training if there are no
   others; *score receives that of the last.  False after a message on stderr. */
bool table_report_parts(const struct table_parts *parts, ty_model *model, double *score);

/* Columns of predictions as csv: the file if there are several, the class and the probability of each, or a number. */
struct answers {
    const struct labels *labels;
    int64_t classes;    /* 0: numbers */
    const char *target; /* name of the first column */
    const char *file;   /* name of the file of the rows; NULL: there is one file */
};
/* Append lines for scores [n, classes] or numbers [n], behind a line of names if the text is empty.  False after a message
   on stderr. */
bool answers_add(struct text *t, const struct answers *answers, ty_tensor *y);
/* Append the lines of predictions of a preparation's network; false after a message on stderr. */
bool table_answers(struct text *t, const ty_preparation *preparation, const struct labels *labels,
                   const char *file, ty_tensor *predictions);
#endif
