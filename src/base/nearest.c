/* Nearest name by edit distance. */
#include "base/nearest.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 40 };

/* Return Levenshtein's distance between a and b, computed row by row. If one has more than 40 characters,
   return 40. */
static int distance(const char *a, const char *b) {
    size_t na = strlen(a), nb = strlen(b);
    int row[NAME_MAX_LENGTH + 1];
    if (na > NAME_MAX_LENGTH || nb > NAME_MAX_LENGTH) return NAME_MAX_LENGTH;
    for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

/* Keep `candidate` if it is nearer to n->wanted than the best so far. At equal distance the first stays,
   unless the later one is a prefix of the wanted name. */
void nearest_offer(struct nearest *n, const char *candidate) {
    int d = distance(n->wanted, candidate);
    bool begins = !strncmp(n->wanted, candidate, strlen(candidate));
    if (n->name && d >= n->distance && !(begins && d == n->distance)) return;
    n->name = candidate;
    n->distance = d;
}

const char *nearest_hint(const struct nearest *n, char *out) {
    out[0] = 0;
    int length = (int)strlen(n->wanted), most = length < 4 ? 1 : length < 8 ? 2 : 3;
    if (n->name && n->distance <= most && n->distance < (int)strlen(n->name))
        snprintf(out, NEAREST_HINT, " (did you mean %s?)", n->name);
    return out;
}

bool nearest_refuse(struct fault *fault, const char *owner, const char *wanted, const char *role, int64_t n,
                    const char *(*name)(const void *list, int64_t i), const void *list) {
    enum { LISTED = 400, SHOWN = 40 }; /* bytes of all names and of one: a message has room for 1023 */
    struct nearest near = {.wanted = wanted};
    struct text names = {0};
    char hint[NEAREST_HINT];
    int64_t i = 0;
    for (int64_t k = 0; k < n && name; k++) nearest_offer(&near, name(list, k));
    bool first = *nearest_hint(&near, hint);
    if (first) text_add(&names, "%.*s", SHOWN, near.name);
    for (; i < n && name && names.length < LISTED; i++) {
        const char *other = name(list, i);
        if (!first || other != near.name) text_add(&names, "%s%.*s", names.length ? ", " : "", SHOWN, other);
    }
    if (names.failed)
        fault_memory(fault, LISTED);
    else if (n && !name)
        fault_set(fault, E_ARGUMENT,
                  "%.300s has no column \"%.100s\"%s: its %" PRId64
                  " columns have no names; number them from 0, or from the end: -1 is the last",
                  owner, wanted, role, n);
    else
        fault_set(fault, E_ARGUMENT, "%.300s has no column \"%.100s\"%s%s; its %" PRId64 " column%s %s%s",
                  owner, wanted, role, hint, n,
                  n == 1 ? " is"
                  : n    ? "s are"
                         : "s",
                  names.data ? names.data : "", i < n ? ", ..." : "");
    text_drop(&names);
    return false;
}
