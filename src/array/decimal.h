/* Floating numbers as decimal digits: the shortest that read back as the same number. */
#ifndef ARRAY_DECIMAL_H
#define ARRAY_DECIMAL_H
#include "array/dtype.h"

enum { DECIMAL_MOST = 48 };

/* digits[0] . digits[1] digits[2] ... * 10^exponent, without zeros at the end; zero is "0" with exponent 0.
 */
struct decimal {
    bool negative;
    int count, exponent;
    char digits[DECIMAL_MOST + 1];
};

/*
 * The shortest digits that tell the finite number x, a value of the real floating `dtype`, from its
 * neighbours; where these are more than `most` the number rounded to that many, where fewer than `least` the
 * number's own further digits.  Counted after the first digit, or (`places`) after the point.  At most 30.
 */
struct decimal decimal_unique(ty_dtype dtype, double x, int least, int most, bool places);
#endif
