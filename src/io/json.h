/* What writers of JSON share, and what is looked at before a parser sees the text of strangers. */
#ifndef IO_JSON_H
#define IO_JSON_H
#include <stdint.h>
#include "base/text.h"

/* Adds a text in quotes; false after a fault when it is not UTF-8. */
bool json_add_text(struct text *t, const char *value, struct fault *fault);
/*
 * Whether n bytes nest at most `depth` deep, and what parsing takes is `most` bytes at most: a parser recurses, and gives
 * every two bytes of "[]," a hundred.  False after a fault that begins with `name`.
 */
bool json_check(const char *name, const char *json, size_t n, int depth, uint64_t most, struct fault *fault);
#endif
