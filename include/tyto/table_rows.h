/*
 * Rows of tables: selection by numbers, a mask or an expression, and sorting.  Parts of <tyto/table.h> of their own.
 *
 *   ty_table *old = ty_table_where(t, "Age > 60");
 *   ty_table *sorted = ty_table_sort(old, 2, (const char *const[]){"Pclass", "Age"}, (const bool[]){false, true});
 */
#ifndef TYTO_TABLE_ROWS_H
#define TYTO_TABLE_ROWS_H

#include <tyto/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return a table of the rows index[0 .. n), integers [n] counted from 0, in that order; a row may come several times.
   Negative numbers count from the end.  Columns of words keep all their words.  Never NULL: ty_table_error returns
   the reason of a failure, such as a row outside.  The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_take(const ty_table *table, ty_tensor *index);
/* Return a table of the rows at which `mask`, bool [rows], is set.  Never NULL: see ty_table_error.  The caller frees
   it with ty_table_free. */
TY_API ty_table *ty_table_filter(const ty_table *table, ty_tensor *mask);
/* Return a table of the rows at which an expression of the columns is true, such as `age > 60 and city != "Rome"`: see
   <tyto/expression.h>.  It contains names of columns, in which a first digit, and characters other than letters, digits
   and _, become _; or names in backquotes as they are: `a name`.  Columns of words can be compared with quoted texts, in
   the order of bytes; comparisons with missing elements are false, except those by !=, and isnan(x) is true for them.
   The error of an expression names its column.  Never NULL: see ty_table_error.  The caller frees it with
   ty_table_free. */
TY_API ty_table *ty_table_where(const ty_table *table, const char *expression);
/* Return a table of the rows without a missing element in the columns names[0 .. n); n = 0: in any column.  Never NULL:
   see ty_table_error.  The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_drop_missing(const ty_table *table, int64_t n, const char *const *names);
/* Return a table of the rows start <= i < stop, counted from 0; negative numbers count from the end, and bounds outside
   become the ends, as in Python.  Never NULL: see ty_table_error.  The caller frees it with ty_table_free. */
TY_API ty_table *ty_table_rows_between(const ty_table *table, int64_t start, int64_t stop);
/* Return a table with the rows in ascending order of the columns names[0 .. n), the first of them most significant;
   descending[i] reverses column i (NULL: none).  Words are ordered by their bytes, missing elements come last in either
   order, and equal rows keep their order.  Never NULL: see ty_table_error.  The caller frees it with
   ty_table_free. */
TY_API ty_table *ty_table_sort(const ty_table *table, int64_t n, const char *const *names,
                               const bool *descending);

#ifdef __cplusplus
}
#endif
#endif
