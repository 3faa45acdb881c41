/* Conversion of floating-point numbers to decimal: the shortest digits that read back as the same number. */
#ifndef ARRAY_DECIMAL_H
#define ARRAY_DECIMAL_H
#include "array/dtype.h"

enum { DECIMAL_MOST = 640 }; /* of the largest number: 309 before the point and 320 behind it */

/* The number digits[0] . digits[1] digits[2] ... * 10^exponent, without trailing zeros.  Zero is "0", exponent
   0. */
struct decimal {
    bool negative;
    int count, exponent;
    char digits[DECIMAL_MOST + 1];
};

/*
 * Set *d to the finite number x, a value of the real floating `dtype`, to the fewest decimal digits that read back
 * as x.  With more than `most` digits, x is rounded to `most`; with fewer than `least`, more exact digits of x
 * are added.  Both count digits after the first, or if `places` after the decimal point; `least` is cut to 320.
 * Trailing zeros are dropped.
 */
void decimal_unique(struct decimal *d, ty_dtype dtype, double x, int least, int most, bool places);
#endif
