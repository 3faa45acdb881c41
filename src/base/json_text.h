/* JSON strings (RFC 8259), for every writer of JSON. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H
#include "base/text.h"

/* Append one UTF-8 character of n bytes, escaped if necessary.  Also escapes '<', so that JSON inside an HTML
   page cannot end its script element. */
void json_add_character(struct text *t, const char *at, size_t n);
/* Append a quoted and escaped string.  False and fault set if `value` is not UTF-8. */
bool json_add_text(struct text *t, const char *value, struct fault *fault);
#endif
