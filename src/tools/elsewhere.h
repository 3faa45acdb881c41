/* Hints for signs and functions of other languages in an expression, below its error on stderr. */
#ifndef TOOLS_ELSEWHERE_H
#define TOOLS_ELSEWHERE_H
#include <stdbool.h>

/* Print how to derive by x, as this is no function of expressions. */
void hint_derivative(void);
/* Print what is written in the place of a sign of other languages, if the expression has one at `at`. Return true if it
   has. */
bool hint_sign(const char *expression, const char *at);
/* Print how to derive if an unknown function means that elsewhere, and where it is looked for. */
void hint_function(const char *unknown);
/* Print how to derive for an error, which lies at `at`, of diff(f, x) or of the difference of one number. */
void hint_diff(const char *error, const char *at);
#endif
