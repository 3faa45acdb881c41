/* Columns of one table after those of another. */
#ifndef TABLE_APPEND_H
#define TABLE_APPEND_H
#include "table/table.h"

/* Set *to to the elements of column a, then those of b.  `missing` takes the place of a column that is NULL: that many
   missing elements.  False sets the fault, which has the name, if the kinds do not fit. */
bool column_append(struct table_column *to, const char *name, const struct table_column *a,
                   const struct table_column *b, int64_t missing, struct fault *fault);

#endif
