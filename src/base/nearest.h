/* The nearest of some candidates to a name that is in none of them: "did you mean". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

enum { NEAREST_HINT = 128 };
struct nearest {
    const char *wanted, *name;
    int distance;
};
/* Keeps the nearest (Levenshtein's distance). */
void nearest_offer(struct nearest *n, const char *candidate);
/* " (did you mean x?)" into out[NEAREST_HINT], or "" when no candidate is near; returns out. */
const char *nearest_hint(const struct nearest *n, char *out);
#endif
