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
    return (token->kind == TOKEN_SIGN || (token->kind == TOKEN_NAME && !token->closing)) &&
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

/* Set the fault about a letter behind the n characters of a number at `at`, with the usual ways to write it; always return
   false. */
static bool refuse_letter(const char *at, int n, struct fault *fault) {
    int word = n;
    while (ascii_is_word(at[word])) word++;
    if (word > n + 20) word = n + 20;
    int rest = word - n;
    const char *more = at + n;
    if (*more == '_') return fault_set(fault, E_FORMAT, "'%.*s': write the digits without '_'", word, at);
    if (rest == 1 && *more == 'i')
        return fault_set(fault, E_FORMAT, "'%.*s': the imaginary unit is j: %.*sj", word, at, n, at);
    if (rest == 1 && (*more == 'e' || *more == 'E'))
        return fault_set(fault, E_FORMAT, "'%.*s': digits must follow the %c, as in %.*s%c-3", word, at,
                         *more, n, at, *more);
    return fault_set(fault, E_FORMAT, "'%.*s' is neither a number nor a name; a product needs *: %.*s * %.*s",
                     word, at, n, at, rest, more);
}

/* Return the base of an integer with a prefix as C's and Python's, 0x, 0o or 0b, else 0. */
static int base_of(const char *at) {
    char letter = ascii_lower(at[1]);
    if (at[0] != '0') return 0;
    return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
}

/* Parse the integer of a base, whose prefix has two characters, at `at` into *t.  False, with the fault set, if it has no
   digits or others, or is too large. */
static bool read_based(const char *at, int base, struct token *t, struct fault *fault) {
    char *end = NULL;
    int n = 2;
    while (ascii_is_word(at[n])) n++;
    t->length = n;
    errno = 0;
    unsigned long long value = n > 2 ? strtoull(at + 2, &end, base) : 0;
    if (end != at + n || base_of(at + 2) == base) /* strtoull takes a second prefix */
        return fault_set(fault, E_FORMAT, "'%.*s': digits of base %d are expected after %.2s",
                         n > 40 ? 40 : n, at, base, at);
    if (errno)
        return fault_set(fault, E_LIMIT, "%.*s does not fit an integer of 64 bits", n > 40 ? 40 : n, at);
    t->integer = (int64_t)value;
    t->kind = t->integer < 0 ? TOKEN_NATURAL : TOKEN_INT;
    return true;
}

/* Parse a number at `at` into *t: an integer, a real or an imaginary one; t->length is the number of bytes.
   False, with the fault set, if it is too long or large, or a letter follows. */
static bool read_number(const char *at, struct token *t, struct fault *fault) {
    int n = digits(at), base = base_of(at);
    if (base) return read_based(at, base, t, fault);
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
    } else if (ascii_is_letter(at[n]) || at[n] == '_') {
        return refuse_letter(at, n, fault);
    }
    return true;
}

/* Parse a text in quotes, or a name in backquotes, at `at` into *t. False, with the fault set, if it has no end. */
static bool read_quoted(const char *at, struct token *t, struct fault *fault) {
    const char *end = strchr(at + 1, *at);
    const bool named = *at == '`';
    if (!end) return fault_set(fault, E_FORMAT, "the quoted %s is not closed", named ? "name" : "text");
    if (named && end == at + 1) return fault_set(fault, E_FORMAT, "the quoted name is empty");
    *t = (struct token){.kind = named ? TOKEN_NAME : TOKEN_TEXT,
                        .start = at + 1,
                        .length = (int)(end - at - 1),
                        .closing = 1};
    return true;
}

/* Signs of books and editors, and the way to write them here. */
static const struct {
    const char *sign, *advice;
} other_signs[] = {
    {"\xcf\x80", "pi"},
    {"\xc2\xb2", "** 2"},
    {"\xc2\xb3", "** 3"},
    {"\xe2\x88\x9a", "sqrt(x)"},
    {"\xe2\x88\x9e", "inf"},
    {"\xc3\x97", "*"},
    {"\xc2\xb7", "*"},
    {"\xe2\x8b\x85", "*"},
    {"\xc3\xb7", "/"},
    {"\xe2\x88\x92", "-"},
    {"\xe2\x80\x93", "-"},
    {"\xe2\x89\xa4", "<="},
    {"\xe2\x89\xa5", ">="},
    {"\xe2\x89\xa0", "!="},
    {"\xe2\x88\x91", "sum(x)"},
    {"\xc2\xb0", "deg2rad(x)"},
    {"\xe2\x80\x9c", "\" before and behind a text"},
    {"\xe2\x80\x9d", "\" before and behind a text"},
    {"\xe2\x80\x98", "' before and behind a text"},
    {"\xe2\x80\x99", "' before and behind a text"},
    {"\xc2\xa0", "a plain blank"},
    {"!", "factorial(n) or not x"},
    {"$", "a plain name"},
    {"?", "where(condition, a, b)"},
    {"\\", "solve(a, b), or / for a quotient"},
};

/* Set the fault about a character that begins no token; always return false. */
static bool refuse_character(const char *at, struct fault *fault) {
    for (size_t i = 0; i < sizeof other_signs / sizeof *other_signs; i++) {
        const char *sign = other_signs[i].sign;
        if (!strncmp(at, sign, strlen(sign)))
            return fault_set(fault, E_FORMAT, "unexpected character '%s': write %s", sign,
                             other_signs[i].advice);
    }
    if ((unsigned char)*at < 32 || (unsigned char)*at > 126)
        return fault_set(fault, E_FORMAT, "found a character outside printable ASCII");
    return fault_set(fault, E_FORMAT, "unexpected character '%c'", *at);
}

bool token_read(const char *at, struct token *t, struct fault *fault) {
    static const char *const signs[] = {"...", "**", "//", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    *t = (struct token){.kind = TOKEN_END, .start = at};
    if (!*at) return true;
    if (ascii_is_digit(*at) || (*at == '.' && ascii_is_digit(at[1]))) return read_number(at, t, fault);
    if (*at == '"' || *at == '\'' || *at == '`') return read_quoted(at, t, fault);
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
    return refuse_character(at, fault);
}
