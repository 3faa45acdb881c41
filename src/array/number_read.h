/* Numbers out of text, whatever the locale. */
#ifndef ARRAY_NUMBER_READ_H
#define ARRAY_NUMBER_READ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number {
    bool whole; /* digits only, and `size` holds them */
    bool negative;
    uint64_t size; /* of a whole number, without its sign */
    double value;  /* rounded once, to nearest */
};

/*
 * Reads the number at the beginning of the n characters: sign, digits, point, exponent, or nan, inf,
 * infinity. Returns how many characters it takes, 0 when there is none.
 */
size_t number_read(const char *text, size_t n, struct number *out);
#endif
