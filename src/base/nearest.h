/* Search for the candidate nearest to an unknown name, for "did you mean" hints: a word of the same meaning
   (synonyms.def), else the one that is spelt most alike. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H
#include "base/for_command.h"
#include <stdint.h>
#include "base/text.h"

enum {
    NEAREST_HINT = 128,
    NEAREST_ROWS = 8,
    NEAREST_LIST = 300,
    NEAREST_KNOWN = NEAREST_LIST + NEAREST_HINT + 40
};
/* A search; all but `wanted` is 0 at first. */
struct nearest {
    const char *wanted, *name;
    int distance; /* -1: the same name but for case, "-" and "_"; 0: a word of the same meaning */
    bool pages;   /* functions of C and pages are candidates, too */
    bool searched;
    int nrows; /* rows of synonyms that have the wanted name, or one that is spelt much like it */
    const char *rows[NEAREST_ROWS];
    int edits[NEAREST_ROWS]; /* between the wanted name and the nearest of the row */
    bool unlisted;           /* names that are offered from now on are not listed */
    int offered;             /* number of listed names */
    size_t length;           /* bytes of the list; NEAREST_LIST: it has no room for more */
    char list[NEAREST_LIST]; /* of the names that were offered, separated by ", " */
};
/* Return true if `candidate` means what n->wanted does, or differs in case, "-" and "_" alone. */
bool nearest_means(struct nearest *n, const char *candidate) FOR_COMMAND(nearest_means);
/* Keep `candidate` if it is nearer to n->wanted than the best so far: equal but for case, then by meaning, then by the
   number of edits, of itself or of a word that means it.  Dashes in front do not count.  At equal distance the first
   stays, unless the later one begins the wanted name.  The string must outlive *n. */
void nearest_offer(struct nearest *n, const char *candidate) FOR_COMMAND(nearest_offer);
/* Write " (did you mean x?)" to out[NEAREST_HINT], where x is the best candidate offered; "" if none is near
   enough. Return out. */
const char *nearest_hint(const struct nearest *n, char *out) FOR_COMMAND(nearest_hint);
/* Append a name to the list of those offered, unless it is there; long ones are cut, and if there is no room for one,
   "..." is the last. */
void nearest_list(struct nearest *n, const char *name) FOR_COMMAND(nearest_list);
/* Write the hint and the names that were offered to out[NEAREST_KNOWN], " (did you mean x?); expected one of x, y", or
   "; there are none".  Return out. */
const char *nearest_known(const struct nearest *n, char *out) FOR_COMMAND(nearest_known);
/* Set the fault that `owner` has no column `wanted`, which `role` describes (", the target" or ""), with the names of
   its n columns, the nearest first.  name(list, i) returns that of column i; `name` NULL: they have none.  Return
   false. */
bool nearest_refuse(struct fault *fault, const char *owner, const char *wanted, const char *role, int64_t n,
                    const char *(*name)(const void *list, int64_t i), const void *list);
#endif
