/* Words for missing elements: pandas' and R's, and those of old files. */
#include "table/missing.h"
#include <string.h>

static const char *const always[] = {"NA",     "N/A",     "n/a",     "NaN",      "nan", "-NaN", "-nan",
                                     "NULL",   "null",    "None",    "<NA>",     "#NA", "#N/A", "#N/A N/A",
                                     "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "?",   NULL};
/* A strand of DNA is + or -, and "none" is a common class: these are missing beside numbers alone. */
static const char *const beside[] = {"-", "--", ".", "none", "na", "N.A.", "Nan", "NAN", "Null", NULL};

/* Return true if the n characters are one of the words of a list that ends with NULL. */
static bool is_in(const char *const *words, const char *text, size_t n) {
    for (; *words; words++)
        if (**words == *text && strlen(*words) == n && memcmp(*words, text, n) == 0) return true;
    return false;
}

int missing_is(const struct missing *m, const char *text, size_t n) {
    while (n && (*text == ' ' || *text == '\t')) text++, n--;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
    if (n == 0) return 2;
    for (int i = 0; i < m->count; i++)
        if (strlen(m->words[i]) == n && memcmp(m->words[i], text, n) == 0) return 2;
    if (m->count >= 0 || n > 8 || !strchr("NnN<#1-?.", *text)) return 0; /* first characters of the words */
    return is_in(always, text, n) ? 2 : is_in(beside, text, n);
}
