/* Reductions of a column in each group of rows. */
#ifndef TABLE_REDUCTIONS_H
#define TABLE_REDUCTIONS_H
#include <tyto/table_groups.h>
#include "table/groups.h"

/* A column that is reduced. */
struct reduced {
    const char *name;
    const struct table_column *column; /* NULL: only TY_GROUP_SIZE */
    const struct groups *all;          /* groups of all rows */
    struct groups present;             /* without missing elements, in the order of rows */
};
/* Return a column of a name for reductions. */
struct reduced reduced_begin(const char *name, const struct table_column *column, const struct groups *all);
/* Set *to to a valid reduction of the column, with an element for each group; false sets the fault. */
bool reduced_column(struct table_column *to, const struct reduced *r, ty_group_value value,
                    struct fault *fault);

#endif
