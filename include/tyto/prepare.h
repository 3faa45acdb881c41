/*
 * Preparation of tables for networks: columns of numbers and words become features, a matrix of numbers.
 *
 * A preparation is fitted on the rows for training alone.  Then it transforms any table that has these columns, in any
 * order; further columns are ignored.  It is immutable, and several threads may use it.  It can be written as JSON,
 * which checkpoints and files of weights hold, and read back.
 *
 *   ty_preparation *p = ty_preparation_fit(t, (ty_preparation_options){.target = "Survived"});
 *   ty_tensor *x = ty_preparation_inputs(p, t, TY_F32);     [rows, features]
 *   ty_tensor *y = ty_preparation_targets(p, t);            [rows], classes as i32
 *   ty_preparation_print(stdout, p);                        a line for each column: what becomes of it, and why
 *
 * Without a plan, the treatment of a column depends on its values:
 *
 *   numbers         missing ones become the median and set a feature "NAME missing"; then (x - mean) / deviation.
 *   bool            0 and 1; missing ones become the most frequent value and set "NAME missing".
 *   words           a feature "NAME=WORD" for each word; rare ones share "NAME=other"; missing ones set "NAME missing".
 *                   Words that fitting has not seen count as "NAME=other" if there is this feature; else all features
 *                   of the column are 0.
 *   dropped         columns without values, or with one value and no missing one; integers with a name of identifiers
 *                   ("id") that differ in all rows; more than 30 words, distinct in most rows; complex numbers.
 *
 * Infinite numbers count as missing.  The classes of a target are its words, in the order of their bytes, its truth
 * values, or its integers if at most 20 differ.  Other targets are numbers of a regression, which are standardised.
 */
#ifndef TYTO_PREPARE_H
#define TYTO_PREPARE_H

#include <tyto/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A fitted preparation. */
typedef struct ty_preparation ty_preparation;

/* Features that a column becomes. */
typedef enum ty_encoding {
    TY_ENCODE_CHOSEN,  /* by its values, as above */
    TY_ENCODE_NUMBER,  /* one feature */
    TY_ENCODE_ONE_HOT, /* a feature for each value */
    TY_ENCODE_ORDINAL, /* one feature: the position of a value in ascending order, from 0; unseen ones are missing */
    TY_ENCODE_DROP, /* no feature */
    TY_ENCODINGS
} ty_encoding;

/* Replacement of missing elements: a number fitted on the present ones. */
typedef enum ty_fill {
    TY_FILL_CHOSEN, /* median; of bool the most frequent value */
    TY_FILL_MEAN,
    TY_FILL_MEDIAN,
    TY_FILL_FREQUENT, /* the most frequent value, the least of several */
    TY_FILLS
} ty_fill;

/* How numbers are scaled after missing ones were filled. */
typedef enum ty_scaling {
    TY_SCALING_CHOSEN,   /* standard; none for bool */
    TY_SCALING_STANDARD, /* (x - mean) / standard deviation, with divisor n */
    TY_SCALING_MIN_MAX,  /* (x - least) / (greatest - least) */
    TY_SCALING_ROBUST,   /* (x - median) / interquartile range */
    TY_SCALING_NONE,
    TY_SCALINGS
} ty_scaling;

/* Kind of the target. */
typedef enum ty_task {
    TY_TASK_CHOSEN, /* by the target's values; as a result: there is no target */
    TY_TASK_CLASSES,
    TY_TASK_REGRESSION,
    TY_TASKS
} ty_task;

/* Plan of one column; members that are 0 are chosen by its values. */
typedef struct ty_column_plan {
    const char *name; /* of the column */
    ty_encoding encoding;
    ty_fill fill;
    ty_scaling scaling;
    bool log;         /* log(1 + x), for x at least 0 (others become 0), before scaling */
    bool unflagged;   /* make no feature "NAME missing" */
    bool clipped;     /* numbers are clipped to low..high first */
    bool unused[5];   /* 0: room for later members */
    double low, high; /* if clipped */
} ty_column_plan;

/* Options of fitting; zeros are the defaults. */
typedef struct ty_preparation_options {
    const char *target; /* a column; NULL: none */
    ty_task task;
    ty_scaling scaling;          /* of columns of numbers whose plan has none */
    const ty_column_plan *plans; /* nplans of them */
    int64_t nplans;
    int64_t most_words; /* limit of features for words of a column, the most frequent ones; 0 means 30 */
    int64_t rare; /* words in fewer rows are rare; 0 means 5, or 1 for a column whose words all have fewer */
} ty_preparation_options;

TY_API ty_preparation *ty_preparation_fit_sized(const ty_table *table, const ty_preparation_options *options,
                                                size_t size);
/* Fit a preparation on a table.  Never NULL: ty_preparation_error returns the reason of a failure: no rows, no column
   left, unknown names, missing targets.  The caller frees it with ty_preparation_free. */
TY_INLINE ty_preparation *ty_preparation_fit(const ty_table *table, ty_preparation_options options) {
    return ty_preparation_fit_sized(table, &options, sizeof options);
}
/* Read a preparation from n bytes of text of ty_preparation_to_json.  Never NULL: see ty_preparation_error.  The caller
   frees it with ty_preparation_free. */
TY_API ty_preparation *ty_preparation_parse(const char *text, size_t n);
/* Read the preparation that a checkpoint or a file of weights at `path` holds.  Never NULL: see ty_preparation_error;
   the code is TY_ERROR_ARGUMENT if the file holds none.  The caller frees it with ty_preparation_free. */
TY_API ty_preparation *ty_preparation_read(const char *path);
/* Free a preparation.  NULL is allowed. */
TY_API void ty_preparation_free(ty_preparation *preparation);
/* Return the error message of a preparation, "" if it is valid.  The text lives as long as the preparation. */
TY_API const char *ty_preparation_error(const ty_preparation *preparation);
/* Return the error of a preparation as a poisoned tensor, owned by the innermost scope.  NULL if it is valid. */
TY_API ty_tensor *ty_preparation_failure(const ty_preparation *preparation);

/* ---- tables to tensors, which the scope owns ---- */

/* Return the features of a table, [rows, features] of `dtype`, TY_F32 or TY_F64.  Columns are matched by name, and
   others are ignored.  Poison if a column is missing, or has words for numbers. */
TY_API ty_tensor *ty_preparation_inputs(const ty_preparation *preparation, const ty_table *table,
                                        ty_dtype dtype);
/* Return a line for each column with words that fitting has not seen: in how many rows, and an example.  Columns with a
   feature "NAME=other" do not count, as it stands for such words.  "" if there are none.  The caller frees the text
   with ty_free.  NULL: the preparation or the table has failed, a column is missing, or there
   is no memory. */
TY_API char *ty_preparation_unseen(const ty_preparation *preparation, const ty_table *table);
/* Return the targets of a table [rows]: the numbers of classes, i32, -1 for missing ones and others; or standardised
   numbers, f32, NaN for missing ones.  Poison if there is no target, or the table lacks its column. */
TY_API ty_tensor *ty_preparation_targets(const ty_preparation *preparation, const ty_table *table);
/* Return predicted numbers in the units of the target: y times its deviation, plus its mean.  Returns y for classes.
   Gradients flow to y. */
TY_API ty_tensor *ty_preparation_answers(const ty_preparation *preparation, ty_tensor *y);

/* ---- inspection ---- */

/* Return the number of features; 0 if the preparation has failed. */
TY_API int64_t ty_preparation_features(const ty_preparation *preparation);
/* Return the name of feature i, counted from 0, which lives as long as the preparation; NULL if i is outside. */
TY_API const char *ty_preparation_feature(const ty_preparation *preparation, int64_t i);
/* Return the kind of the target; TY_TASK_CHOSEN if there is none. */
TY_API ty_task ty_preparation_task(const ty_preparation *preparation);
/* Return the name of the target's column, which lives as long as the preparation; NULL if there is none. */
TY_API const char *ty_preparation_target(const ty_preparation *preparation);
/* Return the number of classes; 0 without classes. */
TY_API int64_t ty_preparation_classes(const ty_preparation *preparation);
/* Return the name of class i, counted from 0, which lives as long as the preparation; NULL if i is outside. */
TY_API const char *ty_preparation_class(const ty_preparation *preparation, int64_t i);
/* Format a preparation as a table of text: a line for each column with its kind, missing elements, features, treatment
   and the reason; "error: " and the message for a failed one.  The caller frees it with ty_free; NULL: out of
   memory. */
TY_API char *ty_preparation_to_string(const ty_preparation *preparation);
/* Print ty_preparation_to_string to `file`.  False, with errno set, if it could not be written or `file` is NULL. */
TY_API bool ty_preparation_print(FILE *file, const ty_preparation *preparation);
/* Format a preparation as JSON, which ty_preparation_parse reads back to an equal one.  The caller frees the text with
   ty_free; NULL: it has failed, a name is not UTF-8, or there is no memory. */
TY_API char *ty_preparation_to_json(const ty_preparation *preparation);

#ifdef __cplusplus
}
#endif
#endif
