/* Classes of elements, by words, truth values or few whole numbers. */
#ifndef TOOLS_PLOT_GROUPS_H
#define TOOLS_PLOT_GROUPS_H
#include "tools/plot/data.h"

struct groups {
    ty_tensor *codes; /* i32 [n], -1: missing; owned by the scope */
    int64_t count;
    const char **names; /* [count]; owned */
    char *texts;        /* of the names that are no words */
};
/* Number the values of a datum in ascending order.  count is 0 if it has other numbers, or more than `most` whole ones.
   False after a message on stderr; plot_groups_drop must be called in any case. */
bool plot_groups_of(const struct datum *d, int64_t most, struct groups *out);
void plot_groups_drop(struct groups *g);
/* Return f64 [count, k]: how many elements of each class have each class of `by` (NULL: k = 1).  With `values`, f64
   [n], their means in the place of numbers of elements.  Poison on failure. */
ty_tensor *plot_groups_table(const struct groups *g, const struct groups *by, ty_tensor *values);
#endif
