/* Text to tokens.  A token points into the text. */
#ifndef EXPRESSION_LEXER_H
#define EXPRESSION_LEXER_H
#include <stdbool.h>
#include <stdint.h>
#include "base/text.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_INT,
    TOKEN_NATURAL,
    TOKEN_REAL,
    TOKEN_IMAGINARY,
    TOKEN_TEXT,
    TOKEN_SIGN
};
struct token {
    enum token_kind kind;
    const char *start;
    int length;
    int64_t integer; /* of TOKEN_NATURAL, which is beyond 2^63 - 1, the bits of a u64 */
    double real;
};
/* The token at `at`; false after a fault (sentence without a column; the token's start is set). */
bool token_read(const char *at, struct token *token, struct fault *fault);
bool token_is(const struct token *token, const char *sign);
/* Whether `word` is the n characters. */
bool word_is(const char *word, const char *characters, int n);
#endif
