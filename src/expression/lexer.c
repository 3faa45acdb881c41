/* Names, numbers, quoted texts, and signs of one to three characters; the longest match wins. */
#include "expression/lexer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "array/number_read.h"
#include "base/ascii.h"
#include "base/machine/floating.h"

bool word_is(const char *word, const char *characters, int n) {
    return (int)strlen(word) == n && !memcmp(word, characters, (size_t)n);
}

bool token_is(const struct token *token, const char *sign) {
    return (token->kind == TOKEN_SIGN || token->kind == TOKEN_NAME) &&
           word_is(sign, token->start, token->length);
}

static int digits(const char *at) {
    int n = 0;
    while (ascii_is_digit(at[n])) n++;
    return n;
}

/* Return the value of the decimal number in `length` characters at `start`. */
static double real_of(const char *start, int length) {
    FLOATING_DEFAULT;
    struct number number;
    number_read(start, (size_t)length, &number);
    return number.value;
}

/* Parse a number at `at` into *t: an integer, a real or an imaginary one; t->length is the number of bytes.
   False, with the fault set, if it is too long or large, or a letter follows. */
static bool read_number(const char *at, struct token *t, struct fault *fault) {
    int n = digits(at);
    bool whole =
        at[n] != '.' || (at[n] == '.' && ascii_is_letter(at[n + 1]) && at[n + 1] != 'e' && at[n + 1] != 'j');
    if (!whole) n += 1 + digits(at + n + 1);
    if (at[n] == 'e' || at[n] == 'E') {
        int sign = at[n + 1] == '+' || at[n + 1] == '-';
        if (ascii_is_digit(at[n + 1 + sign])) {
            n += 1 + sign;
            n += digits(at + n);
            whole = false;
        }
    }
    t->length = n;
    if (n > 100) return fault_set(fault, E_LIMIT, "a number of %d characters is too long (at most 100)", n);
    t->kind = whole ? TOKEN_INT : TOKEN_REAL;
    t->real = real_of(at, n);
    errno = 0;
    if (whole) t->integer = (int64_t)strtoull(at, NULL, 10);
    if (whole && errno) return fault_set(fault, E_LIMIT, "%.*s does not fit an integer of 64 bits", n, at);
    if (whole && t->integer < 0) t->kind = TOKEN_NATURAL;
    if (at[n] == 'j') {
        t->kind = TOKEN_IMAGINARY;
        t->length++;
    } else if (ascii_is_letter(at[n])) {
        return fault_set(fault, E_FORMAT, "'%.*s' is neither a number nor a name", n + 1, at);
    }
    return true;
}

/* Parse a text in quotes at `at` into *t. False, with the fault set, if it has no end. */
static bool read_text(const char *at, struct token *t, struct fault *fault) {
    const char *end = strchr(at + 1, *at);
    if (!end) return fault_set(fault, E_FORMAT, "the quoted text is not closed");
    *t = (struct token){.kind = TOKEN_TEXT, .start = at + 1, .length = (int)(end - at - 1)};
    return true;
}

bool token_read(const char *at, struct token *t, struct fault *fault) {
    static const char *const signs[] = {"...", "**", "//", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    *t = (struct token){.kind = TOKEN_END, .start = at};
    if (!*at) return true;
    if (ascii_is_digit(*at) || (*at == '.' && ascii_is_digit(at[1]))) return read_number(at, t, fault);
    if (*at == '"' || *at == '\'') return read_text(at, t, fault);
    if (ascii_is_letter(*at)) {
        t->kind = TOKEN_NAME;
        while (ascii_is_word(at[t->length])) t->length++;
        return true;
    }
    t->kind = TOKEN_SIGN;
    t->length = 1;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(at, signs[i], strlen(signs[i]))) {
            t->length = (int)strlen(signs[i]);
            break;
        }
    if (t->length > 1 || strchr("+-*/%@&|^~<>=()[]{},:;.", *at)) return true;
    if ((unsigned char)*at < 32 || (unsigned char)*at > 126)
        return fault_set(fault, E_FORMAT, "found a character outside printable ASCII");
    return fault_set(fault, E_FORMAT, "unexpected character '%c'", *at);
}
