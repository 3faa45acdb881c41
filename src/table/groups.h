/* Rows of columns: sorting keys, groups of equal rows, gathered rows.  Tensors belong to the scope. */
#ifndef TABLE_GROUPS_H
#define TABLE_GROUPS_H
#include "table/table.h"

/* Return the n columns of names, at least `least`; NULL sets the fault.  The caller frees the array by mem_free. */
const struct table_column **columns_named(const ty_table *t, int64_t n, const char *const *names,
                                          int64_t least, const char *function, struct fault *fault);
/* Return the *n columns of names; none stand for all columns, whose number *n becomes. */
const struct table_column **columns_named_or_all(const ty_table *t, int64_t *n, const char *const *names,
                                                 const char *function, struct fault *fault);

/* Return the places at which a vector of bool is set, i64; or is not set. */
ty_tensor *mask_places(ty_tensor *mask);
ty_tensor *mask_gaps(ty_tensor *mask);
/* Return true if an element of a mask is set.  False also on failure, with the fault set. */
bool mask_any(ty_tensor *mask, struct fault *fault);

/* Set keys[0], the values of a column as numbers to sort by, and keys[1], its mask of missing elements, which is more
   significant; poison for complex numbers. */
void order_keys(const struct table_column *column, bool descending, ty_tensor **keys);

/* Rows that are sorted by group; those of group g are order[starts[g] .. starts[g] + counts[g]). */
struct groups {
    int64_t count;
    ty_tensor *order;  /* i64: numbers of rows; poison if the groups have failed */
    ty_tensor *group;  /* i64: the group of each element of `order`, from 0, ascending */
    ty_tensor *starts; /* i64 [count] */
    ty_tensor *counts; /* i64 [count] */
};
/* Group rows by n > 0 columns, in ascending order of the first, then the next; within a group, rows keep their order.
   Rows with a missing element are left out, or with `missing` come last in each column. */
struct groups groups_of(int64_t n, const struct table_column *const *columns, bool missing);
/* Return one group of all rows. */
struct groups groups_one(int64_t rows);
/* Return the groups without the rows at which `mask`, bool [rows], is set; a group may become empty. */
struct groups groups_without(const struct groups *g, ty_tensor *mask);
/* Sort the rows of each group by the values of a column, none of which is missing. */
struct groups groups_by_value(const struct groups *g, const struct table_column *column);
/* Return the mask of the elements of `order` whose key differs from the one before in their group. */
ty_tensor *groups_changes(const struct groups *g, const struct table_column *column);
/* Set *rows to the first row of each group and *counts to its number of rows, the largest group first, groups of one size
   by their first rows; none may be empty. */
void groups_by_frequency(const struct groups *g, ty_tensor **rows, ty_tensor **counts);
/* Return the row of each group at the place starts + shift, i64 [count]; -1 where the group is empty. */
ty_tensor *groups_row(const struct groups *g, ty_tensor *shift);

/* Append the rows `index` of a column to a table that is being made; false, with t's fault set, on failure. */
bool table_add_rows(ty_table *t, const char *name, const struct table_column *from, ty_tensor *index);
/* Set *to to the rows `index` of a column, of which -1 gives a missing element, with references of its own; false sets
   the fault. */
bool column_take_or_miss(struct table_column *to, const struct table_column *from, ty_tensor *index,
                         struct fault *fault);
/* Set *to to a column of the kind and words of `like`; values and mask (NULL: none) may be poison.  False sets the
   fault. */
bool column_of_kind(struct table_column *to, const struct table_column *like, ty_tensor *values,
                    ty_tensor *missing, struct fault *fault);
#endif
