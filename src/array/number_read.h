/* Parsing of numbers, independent of the locale. */
#ifndef ARRAY_NUMBER_READ_H
#define ARRAY_NUMBER_READ_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number {
    bool whole; /* true if the text has digits only and `size` can hold them */
    bool negative;
    uint64_t size; /* absolute value of an integer */
    double value;  /* correctly rounded to nearest */
};

/* Parse the number at the start of n characters: sign, digits, point, exponent; or nan, inf, infinity in any
   case. Return the number of characters read, 0 if there is no number. */
size_t number_read(const char *text, size_t n, struct number *out) FOR_COMMAND(number_read);
#endif
