/* Splits a text into tokens, which point into the text. */
#ifndef EXPRESSION_LEXER_H
#define EXPRESSION_LEXER_H
#include "base/for_command.h"
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
    int closing;     /* characters behind it that end it: 1 for a quote */
    int64_t integer; /* for TOKEN_NATURAL, which is beyond 2^63 - 1, the bits of a u64 */
    double real;
};
/* Read the token at `at`, after blanks. At the end its kind is TOKEN_END. False, with the fault set without a
   column, if it is invalid; token->start is set all the same. */
bool token_read(const char *at, struct token *token, struct fault *fault) FOR_COMMAND(token_read);
/* True if the token is a sign or a name and equals `sign`. */
bool token_is(const struct token *token, const char *sign) FOR_COMMAND(token_is);
/* True if `word` equals the n characters. */
bool word_is(const char *word, const char *characters, int n);
#endif
