/*
 * Groups of rows, joins, appended tables and summaries of tables (<tyto/table.h>).  Order and values are those of
 * pandas; docs/data.md lists the differences.
 *
 *   ty_group_column wanted[] = {{"Age", TY_GROUP_MEAN}, {"Fare", TY_GROUP_MAX, "dearest"}, {NULL, TY_GROUP_SIZE}};
 *   ty_table *g = ty_table_group(t, 2, (const char *const[]){"Pclass", "Sex"}, 3, wanted, false);
 *   ty_table_print(stdout, g);           columns Pclass, Sex, Age_mean, dearest, size
 */
#ifndef TYTO_TABLE_GROUPS_H
#define TYTO_TABLE_GROUPS_H

#include <tyto/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- groups ---- */

/* Reductions of a column in each group; missing elements are left out.  Numbers are computed in f64 (complex: c128),
   sums of integers in i64 or u64; results of f32 and narrower floating columns are rounded to their dtype. */
typedef enum ty_group_value {
    TY_GROUP_SIZE,   /* number of rows; takes no column */
    TY_GROUP_COUNT,  /* number of elements that are not missing */
    TY_GROUP_UNIQUE, /* number of distinct elements */
    TY_GROUP_FIRST,  /* first element */
    TY_GROUP_LAST,   /* last element */
    TY_GROUP_MIN,    /* least element; words are ordered by their bytes */
    TY_GROUP_MAX,    /* greatest element */
    TY_GROUP_SUM,    /* sum; 0 without elements */
    TY_GROUP_MEAN,   /* mean */
    TY_GROUP_MEDIAN, /* median; the mean of the two middle elements of an even number */
    TY_GROUP_VAR,    /* variance with divisor n - 1 */
    TY_GROUP_STD,    /* square root of this variance */
    TY_GROUP_VALUES  /* the number of reductions; as a result: there is none of that name */
} ty_group_value;
/* Return the name of a reduction, such as "mean"; "?" for other numbers.  Static text. */
TY_API const char *ty_group_value_name(ty_group_value value);
/* Return the reduction of a group by its name: "size", "count", "unique", "first", "last", "min", "max",
   "sum", "mean", "median", "var" or "std".  TY_GROUP_VALUES, which ty_table_group refuses, if there is none. */
TY_API ty_group_value ty_group_value_named(const char *name);

/* A column of the result of ty_table_group. */
typedef struct ty_group_column {
    const char *column; /* the column that is reduced; TY_GROUP_SIZE ignores it */
    ty_group_value value;
    const char *name; /* of the result's column; NULL: made of both, as "Age_mean", or "size" */
} ty_group_column;

/*
 * Return a table with a row for each distinct combination of the columns keys[0 .. n), in ascending order of the first,
 * then the next: the keys, and a column for each of values[0 .. nvalues).  n = 0: one row for all rows.
 *
 * Rows with a missing key are left out; with `missing` they are grouped, too, behind the others.  If a group has only
 * missing elements, its minimum, mean, ... are missing.  Sums, means, medians and variances refuse words.  Never NULL:
 * ty_table_error returns the reason of a failure.  The caller frees it with ty_table_free.
 */
TY_API ty_table *ty_table_group(const ty_table *table, int64_t n, const char *const *keys, int64_t nvalues,
                                const ty_group_column *values, bool missing);
/* Return a table of the distinct combinations of the columns names[0 .. n) and their number in a column "count", the
   most frequent first, equal ones by their first rows.  Rows with a missing element are left out.  Never NULL: see
   ty_table_error.  The caller frees it with ty_table_free.  If one of the names is "count", the number is "count.1". */
TY_API ty_table *ty_table_counts(const ty_table *table, int64_t n, const char *const *names);
/* Return a table of the first row of each distinct combination of the columns names[0 .. n), in the order of the rows;
   missing elements equal each other.  n = 0: all columns.  Never NULL: see ty_table_error.  The caller frees it with
   ty_table_free. */
TY_API ty_table *ty_table_unique(const ty_table *table, int64_t n, const char *const *names);

/* ---- summaries ---- */

/* Return a table with f64 statistics of each column of integers or real numbers: rows "count", "mean", "std", "min",
   "25%", "50%", "75%", "max", named by a first column "statistic" or "statistic.1".  std divides by n - 1, quartiles
   interpolate, missing elements are left out.  Never NULL: see ty_table_error.  The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_describe(const ty_table *table);
/* Return a table with a row for each column of words or truth values: "column" (its name), "count", "unique", "top" (the
   most frequent element, the first of several) and "freq" (its number).  Never NULL: see ty_table_error.  The caller
   frees it with ty_table_free. */
TY_API ty_table *ty_table_describe_words(const ty_table *table);

/* ---- two tables ---- */

/*
 * Return the rows of a table, then those of another.  Columns of one name become one; a column that one table lacks is
 * missing in its rows.  If kinds differ, bool and integers become integers, these and numbers become numbers.  A
 * table without columns adds nothing.
 *
 * A column with words in one table and numbers in the other is an error, and so are integers that would lose digits as
 * f64.  Never NULL: see ty_table_error.  The caller frees it with ty_table_free.
 */
TY_API ty_table *ty_table_append(const ty_table *table, const ty_table *other);

/* Pairs of rows in the result of ty_table_join. */
typedef enum ty_pairing {
    TY_PAIRS_INNER, /* pairs of rows with equal keys, in the order of the left table */
    TY_PAIRS_LEFT,  /* these and rows of the left table without partner, in the order of the left table */
    TY_PAIRS_RIGHT, /* pairs and rows of the right table without partner, in the order of the right table */
    TY_PAIRS_OUTER, /* all rows of both, in ascending order of the keys, missing ones last */
    TY_PAIRINGS     /* the number of kinds */
} ty_pairing;
/*
 * Return the pairs of rows of two tables with equal elements in the columns keys[0 .. n), n > 0: all columns of `left`,
 * then those of `right` but the keys.  Missing keys equal each other; a row with several partners comes several times.
 * Elements of a row without partner are missing.
 *
 * Other columns with equal names get the suffixes; NULL means "_x" and "_y".  Keys of different kinds are converted as
 * in ty_table_append.  Never NULL: see ty_table_error.  The caller frees it with ty_table_free.
 */
TY_API ty_table *ty_table_join(const ty_table *left, const ty_table *right, int64_t n,
                               const char *const *keys, ty_pairing pairing, const char *left_suffix,
                               const char *right_suffix);

#ifdef __cplusplus
}
#endif
#endif
