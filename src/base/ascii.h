/* Kinds of characters in ASCII, whatever the locale of the process: a Turkish one has no I as the capital of i. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H
#include <stdbool.h>

static inline bool ascii_is_digit(int c) { return c >= '0' && c <= '9'; }
/* A letter or "_". */
static inline bool ascii_is_letter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/* A character of names: a letter, a digit or "_". */
static inline bool ascii_is_word(int c) { return ascii_is_letter(c) || ascii_is_digit(c); }
static inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
#endif
