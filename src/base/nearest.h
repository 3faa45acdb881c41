/* Search for the candidate nearest to a misspelt name, for "did you mean" hints. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H
#include <stdint.h>
#include "base/text.h"

enum { NEAREST_HINT = 128 };
struct nearest {
    const char *wanted, *name;
    int distance;
};
/* Keep `candidate` if it is nearer to n->wanted than the best so far, by Levenshtein's distance. The string
   must outlive *n. */
void nearest_offer(struct nearest *n, const char *candidate);
/* Write " (did you mean x?)" to out[NEAREST_HINT], where x is the best candidate offered; "" if none is near
   enough. Return out. */
const char *nearest_hint(const struct nearest *n, char *out);
/* Set the fault that `owner` has no column `wanted`, which `role` describes (", the target" or ""), with the names of
   its n columns, the nearest first.  name(list, i) returns that of column i; `name` NULL: they have none.  Return
   false. */
bool nearest_refuse(struct fault *fault, const char *owner, const char *wanted, const char *role, int64_t n,
                    const char *(*name)(const void *list, int64_t i), const void *list);
#endif
