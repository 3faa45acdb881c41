/* UTF-8 (RFC 3629). */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read the first character of n bytes.  Return its length and its code point in *point; 0 if n is 0 or the bytes
 * are invalid.  Refuses overlong forms, surrogates and code points beyond U+10FFFF.
 */
size_t utf8_read(const char *bytes, size_t n, uint32_t *point) FOR_COMMAND(utf8_read);
/* Return true if n bytes are characters of UTF-8. */
bool utf8_is(const char *bytes, size_t n);
/* Write a code point up to U+10FFFF to out.  Return its length in bytes, at most 4. */
size_t utf8_write(char *out, uint32_t point);
#endif
