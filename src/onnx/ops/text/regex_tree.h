/* The tree of a regular expression, between its parser and its program. */
#ifndef ONNX_OPS_TEXT_REGEX_TREE_H
#define ONNX_OPS_TEXT_REGEX_TREE_H
#include "base/ascii.h"
#include "onnx/ops/text/regex.h"

/* The last character of Unicode. */
static const uint32_t LAST = 0x10FFFF;

struct range {
    uint32_t first, last;
};
enum kind { SET, BEGIN, END, LINE_BEGIN, LINE_END, BORDER, NO_BORDER, JOIN, EITHER, REPEAT };
/* A node of the tree: a JOIN or EITHER has any number of children, a REPEAT has one. */
struct node {
    enum kind kind;
    struct node *first, *last, *next; /* first and last child; next child of the same parent */
    int least, most;                  /* REPEAT; most -1: any */
    int n;                            /* SET */
    const struct range *ranges;
};
/* Parse a pattern of n bytes into a tree in the arena; NULL, with the fault set, if it is malformed. */
struct node *regex_parse(struct arena *arena, const uint8_t *pattern, size_t n, struct fault *fault);

/* Read a character of UTF-8 before `end`; a wrong byte is a character of its own above Unicode's. */
static inline uint32_t character(const uint8_t **at, const uint8_t *end) {
    uint32_t c = *(*at)++;
    int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
    if (c < 0x80) return c;
    if (c < 0xC2 || c > 0xF4 || end - *at < more) return LAST + 1 + c;
    uint32_t value = c & (0x3Fu >> more);
    for (int i = 0; i < more; i++) {
        if (((*at)[i] & 0xC0) != 0x80) return LAST + 1 + c;
        value = value << 6 | ((*at)[i] & 0x3F);
    }
    *at += more;
    return value;
}

#endif
