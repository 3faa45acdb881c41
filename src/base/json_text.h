/* Texts as JSON has them (RFC 8259), for every writer of JSON. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H
#include "base/text.h"

/* Adds one character of n bytes, escaped where it must be; < too, so that a script in a page of HTML cannot end in it. */
void json_add_character(struct text *t, const char *at, size_t n);
/* Adds a text in quotes; false after a fault when it is not UTF-8. */
bool json_add_text(struct text *t, const char *value, struct fault *fault);
#endif
