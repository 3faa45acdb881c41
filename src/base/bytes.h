/* Sizes in bytes as text for messages. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H
#include <stdint.h>

enum { BYTES_WORDS = 32 };
/* Write `bytes` with a binary unit ("11.50 GiB", "312 B") to out[BYTES_WORDS].  Return out. */
char *bytes_words(char *out, uint64_t bytes);
#endif
