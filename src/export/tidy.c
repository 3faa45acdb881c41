/*
 * Text that compilers take as C99 and as C++11 without warnings: C++11 has no hexadecimal constants of floats, and some
 * functions of the preludes are not used.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "export/export.h"

/* Return the value of a hexadecimal constant.  strtod gets an integer with an exponent, which no locale affects. */
static double value_of(const char *word) {
    char whole[64];
    size_t n = 0;
    int behind = 0; /* digits behind the point */
    bool point = false;
    for (; *word != 'p'; word++) {
        point = point || *word == '.';
        if (*word != '.' && n < sizeof whole / 2) whole[n++] = *word, behind += point;
    }
    text_print(whole + n, sizeof whole - n, "p%d", atoi(word + 1) - 4 * behind);
    return strtod(whole, NULL);
}
/* Append the constant of `length` characters at `word` in decimal digits, from which compilers read the same number. */
static void add_decimal(struct text *t, const char *word, size_t length) {
    bool single = word[length - 1] == 'f';
    char digits[64];
    text_print(digits, sizeof digits, single ? "%.9g" : "%.17g", value_of(word));
    text_add(t, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", single ? "f" : "");
}
/* Return the length of the hexadecimal constant of a float at `at`; 0: there is none. */
static size_t hexadecimal(const char *at) {
    if (at[0] != '0' || at[1] != 'x') return 0;
    size_t n = 2 + strspn(at + 2, "0123456789abcdefABCDEF.");
    if (at[n] != 'p') return 0;
    n += 1 + (at[n + 1] == '-' || at[n + 1] == '+');
    n += strspn(at + n, "0123456789");
    return n + (at[n] == 'f');
}

/* Return the length of the type of a compound literal "(type){" at `at`, and its parentheses; 0: there is none. */
static size_t literal(const char *at) {
    if (at[0] != '(') return 0;
    size_t n = 1, depth = 1;
    for (; depth && (ascii_is_word(at[n]) || (at[n] && strchr(" ()", at[n]))); n++)
        depth += (at[n] == '(') - (at[n] == ')');
    return depth || at[n] != '{' ? 0 : n;
}
/* Append the type of a compound literal as a macro, which C++ spells otherwise. */
static void add_literal(struct text *t, const char *at, size_t n) {
    text_add(t, "LITERAL");
    text_add_bytes(t, at, n);
}

void tidy(struct text *to, const char *from) {
    while (*from) {
        size_t n = hexadecimal(from);
        if (n) {
            add_decimal(to, from, n);
        } else if ((n = literal(from))) {
            add_literal(to, from, n);
        } else if (ascii_is_word(*from)) {
            while (ascii_is_word(from[n])) n++;
            text_add_bytes(to, from, n);
        } else {
            text_add_bytes(to, from, n = 1);
        }
        from += n;
    }
}
