/* Strings of operators: comparison, and bytes in memory of a call. */
#ifndef ONNX_OPS_TEXT_WORDS_H
#define ONNX_OPS_TEXT_WORDS_H
#include <string.h>
#include "onnx/call.h"

static inline bool words_equal(struct wire_bytes a, struct wire_bytes b) {
    return a.n == b.n && (a.n == 0 || !memcmp(a.at, b.at, a.n));
}
static inline struct wire_bytes words_of(const char *text) {
    return (struct wire_bytes){(const uint8_t *)text, strlen(text)};
}
/* Return the place of a word in a list, from the end if a word is repeated; -1 if it is not there. */
static inline int words_find(struct wire_bytes word, int n, const struct wire_bytes *list) {
    while (n-- > 0)
        if (words_equal(list[n], word)) return n;
    return -1;
}
/* True for a blank, tab or line end. */
static inline bool is_blank(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
#endif
