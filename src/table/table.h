/*
 * Tables: immutable, reference-counted columns of one length.  A column is a tensor of values, a mask of missing
 * elements, and for words a dictionary; tables share all three.
 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H
#include "base/for_command.h"
#include <stdatomic.h>
#include <tyto/table.h>
#include "array/tensor.h"
#include "table/words.h"

/* One column, owned by a table. */
struct table_column {
    ty_column_kind kind;
    ty_tensor *values;   /* [rows], contiguous, one reference; missing integers and bool are 0 */
    ty_tensor *missing;  /* bool [rows], one reference; NULL: elements that are NaN, or codes of -1 */
    struct words *words; /* one reference; NULL unless the kind is TY_COLUMN_WORDS */
};

/* A table.  `fault` is set if it has failed; then it has no columns. */
struct ty_table {
    atomic_int refs;
    struct fault fault;
    int64_t rows, count, capacity;
    struct table_column *columns;
    struct words *names; /* a name has the number of its column; NULL if the table has failed */
};

/* Return the table; for NULL a static failed one. */
const ty_table *table_of(const ty_table *table);
/* Make an empty table with one reference, whose columns are not yet fixed; a static failed one without memory. */
ty_table *table_begin(void);
/* Append a column to a table that is being made, and set the number of rows if it is the first.  The name, of n bytes,
   is copied; references to tensors and words move to the table, also on failure.  False, with the table's fault set, if
   the name is taken or another number of rows is found, or without memory. */
bool table_add(ty_table *t, const char *name, size_t n, struct table_column column);
/* Set *name, empty, to the wanted name of n bytes, or if `taken` or `also` (NULL: none) has it, to the first of NAME.1,
   NAME.2, ... that they have not, as pandas does.  False: no memory. */
bool table_free_name(struct text *name, const char *wanted, size_t n, const struct words *taken,
                     const struct words *also);
/* Append column i of another table under its own name; false, with t's fault set, on failure. */
bool table_add_shared(ty_table *t, const ty_table *from, int64_t i);
/* Return the table that was made; if its fault is set, it has no columns any more. */
ty_table *table_end(ty_table *t);
/* Return a failed table with code and message of a fault. */
ty_table *table_failed(const struct fault *fault);
/* Return the index of the column of a name, from 0; if there is none, -1 with the fault set, which lists the names. */
int64_t table_find(const ty_table *t, const char *name, struct fault *fault);

/* Set the fault that a table, called `owner`, has no column of a name, which `role` describes (", the target" or ""), with
   the names that it has, the nearest first.  Return false. */
bool table_refuse(const ty_table *t, const char *owner, const char *name, const char *role,
                  struct fault *fault) FOR_COMMAND(table_refuse);

/* Set column->kind, values and missing from a tensor [rows] and its mask (NULL: none); the column gets references of
   its own.  False sets the fault. */
bool column_from(struct table_column *column, ty_tensor *values, ty_tensor *missing, struct fault *fault);
/* Return true if f64 has each of the values, integers or others, exactly; false also sets the fault on failure. */
bool column_fits(ty_tensor *values, struct fault *fault);
/* Add references to the tensors and words of a column; return it. */
struct table_column column_share(const struct table_column *column);
/* Drop the references of a column. */
void column_drop(struct table_column *column);
/* Return the mask of missing elements, bool [rows], owned by the scope. */
ty_tensor *column_missing(const struct table_column *column);

#endif
