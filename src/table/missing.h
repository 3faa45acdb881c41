/* Words that stand for missing elements. */
#ifndef TABLE_MISSING_H
#define TABLE_MISSING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The words that count as missing: the default ones, or the caller's. */
struct missing {
    int count; /* of the caller's words; -1: the default ones */
    const char *const *words;
};
/* Return 2 if the n characters are missing in any column, 1 if they are so in a column of numbers alone, else 0.
   Blanks around them do not count; a text of blanks alone is missing. */
int missing_is(const struct missing *m, const char *text, size_t n);
#endif
