/* UTF-8 (RFC 3629). */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the bytes of the character at the beginning of the n bytes, and its code point; 0 where there is none.  Refuses
 * overlong forms, surrogates and code points beyond U+10FFFF.
 */
size_t utf8_read(const char *bytes, size_t n, uint32_t *point);
/* Writes a code point up to U+10FFFF; returns the bytes it takes, at most 4. */
size_t utf8_write(char *out, uint32_t point);
#endif
