/* Amounts of memory in sentences. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H
#include <stdint.h>

enum { BYTES_WORDS = 32 };
/* "11.50 GiB", "312 B" into out[BYTES_WORDS]; returns out. */
char *bytes_words(char *out, uint64_t bytes);
#endif
