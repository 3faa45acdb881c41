/* JSON strings (RFC 8259), for every writer of JSON. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H
#include "base/for_command.h"
#include "base/text.h"

/* Append the UTF-8 character of n bytes at address `at`, escaped if necessary. Also escapes '<', so that JSON
   inside an HTML page cannot end its script element. */
void json_add_character(struct text *t, const char *at, size_t n);
/* Append the string `value` in quotes, escaped. False, with the fault set, if `value` is not UTF-8. */
bool json_add_text(struct text *t, const char *value, struct fault *fault) FOR_COMMAND(json_add_text);
/* As json_add_text, of `length` bytes, among which may be zeros. */
bool json_add_bytes(struct text *t, const char *value, size_t length, struct fault *fault)
    FOR_COMMAND(json_add_bytes);
#endif
