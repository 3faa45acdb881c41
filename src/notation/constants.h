/* Numbers that formulas write by constants, such as 2 pi. */
#ifndef NOTATION_CONSTANTS_H
#define NOTATION_CONSTANTS_H
#include "notation/notes.h"

struct constant {
    double value;
    const char *letter; /* the name inside of its signs; NULL: none */
    struct symbol symbol;
};
/* Find a constant c for which the number, above 0, is above/below * c, or above/below / c if `divides`, but for
   rounding in its dtype; above and below are small integers.  NULL if there is none. */
const struct constant *constant_in(ty_dtype dtype, double number, bool divides, double *above, double *below);
/* Return the constant of this value in a dtype; NULL if there is none. */
const struct constant *constant_equal(ty_dtype dtype, double value);
/* Return the constant that is spelled so; NULL if there is none. */
const struct constant *constant_spelled(const char *name);
#endif
