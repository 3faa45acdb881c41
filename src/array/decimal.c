/*
 * Shortest decimal digits by trial: the least p such that x rounded to p digits reads back as x.  This is
 * monotone in p, so bisection finds p.  The C library rounds correctly in both directions, which leaves one
 * special case.  Below a power of two the neighbour is nearer than above: the next p-digit number above x may
 * read back where the nearest one, below x, does not.  (Steele & White, "How to print floating-point numbers
 * accurately", 1990; NumPy's Dragon4 accepts it, too.)
 *
 * The locale does not matter: digits are picked from snprintf's output, and strtod gets an integer with an
 * exponent.
 */
#include "array/decimal.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ascii.h"
#include "array/number_read.h"

/* EXACT_ENOUGH: digits after which rounding no longer changes the exponent. LEAST_LIMIT: the most that `least` may
   be, so that with the 309 digits before a point all fit a struct decimal. */
enum { EXACT_ENOUGH = 25, LEAST_LIMIT = 320 };

/* Copy *from to *to. Of the digits only those in use and the final 0 are copied, since a struct decimal has
   space for many more. */
static void copy(struct decimal *to, const struct decimal *from) {
    memcpy(to, from, offsetof(struct decimal, digits) + (size_t)from->count + 1);
}

/* Set *d to zero. */
static void set_zero(struct decimal *d) {
    d->negative = false;
    d->count = 1;
    d->exponent = 0;
    memcpy(d->digits, "0", 2);
}

/* Parse a number that snprintf wrote by "%e", with any character as decimal point, into *d. Trailing zeros are
   kept as digits. No sign is expected. */
static void parse_scientific(struct decimal *d, const char *text) {
    const char *c = text;
    set_zero(d);
    d->count = 0;
    for (; *c && *c != 'e'; c++)
        if (ascii_is_digit(*c) && d->count < DECIMAL_MOST) d->digits[d->count++] = *c;
    d->digits[d->count] = 0;
    if (*c == 'e') d->exponent = (int)strtol(c + 1, NULL, 10);
}

/* Set *d to x > 0 rounded to p significant digits, trailing zeros included. */
static void nearest(struct decimal *d, double x, int p) {
    char text[DECIMAL_MOST + 16];
    snprintf(text, sizeof text, "%.*e", p - 1, x);
    parse_scientific(d, text);
}

/* True if the digits *d, read as a number of `dtype`, give x. */
static bool reads_back(ty_dtype dtype, const struct decimal *d, double x) {
    char text[DECIMAL_MOST + 16];
    snprintf(text, sizeof text, "%se%d", d->digits, d->exponent - d->count + 1);
    if (dtype == TY_F32) return strtof(text, NULL) == (float)x;
    struct number back;
    number_read(text, strlen(text), &back);
    if (dtype == TY_F16) return f64_to_f16(back.value) == f64_to_f16(x);
    if (dtype == TY_BF16) return f64_to_bf16(back.value) == f64_to_bf16(x);
    return back.value == x;
}

/* Add one to the last digit of *d; the number of digits stays. */
static void add_one(struct decimal *d) {
    int i = d->count - 1;
    while (i >= 0 && d->digits[i] == '9') d->digits[i--] = '0';
    if (i >= 0) {
        d->digits[i]++;
        return;
    }
    d->digits[0] = '1'; /* 99 becomes 100: the digit count stays, the exponent grows */
    d->exponent++;
}

/* Set *d to x > 0 rounded to p significant digits. Return true if it reads back as x in the dtype; if not, *d is
   the plain rounding. For a power of two, the next number of p digits above is tried, too: the gap below is half
   as wide. */
static bool round_to(struct decimal *d, ty_dtype dtype, double x, int p) {
    nearest(d, x, p);
    int exponent;
    if (reads_back(dtype, d, x)) return true;
    if (frexp(x, &exponent) != 0.5) return false;
    struct decimal above;
    copy(&above, d);
    add_one(&above);
    if (!reads_back(dtype, &above, x)) return false;
    copy(d, &above);
    return true;
}

/* Set *low and *high to bounds of the number of digits that identify x > 0: *low digits always survive in a
   normal number, *high digits always suffice. Subnormal x: *low is 1. */
static void digit_bounds(ty_dtype dtype, double x, int *low, int *high) {
    const double digits_a_bit = 0.30102999566398119521; /* log10(2) */
    int bits = dtype_table[dtype].digits;
    *low = x < ldexp(1, dtype_least_normal(dtype)) ? 1 : (int)((bits - 1) * digits_a_bit);
    *high = (int)(bits * digits_a_bit) + 2;
}

/* Set *d to the fewest digits of x > 0 that read back as x, found by bisection. Return their number: not below
   the digits that always survive, so trailing zeros may remain. */
static int shortest(struct decimal *d, ty_dtype dtype, double x) {
    int low, high, found = 0;
    struct decimal middle;
    digit_bounds(dtype, x, &low, &high);
    while (low < high) {
        int count = (low + high) / 2;
        if (round_to(&middle, dtype, x, count)) {
            high = found = count;
            copy(d, &middle);
        } else
            low = count + 1;
    }
    if (found != low) round_to(d, dtype, x, low);
    return low;
}

/* Set *d to x > 0 rounded to `places` decimals, for an x below 10^-places: the result is 0 or 10^-places. */
static void last_place_only(struct decimal *d, double x, int places) {
    char text[LEAST_LIMIT + 16]; /* the first digit of the least number is at place 324 */
    set_zero(d);
    snprintf(text, sizeof text, "%.*f", places, x);
    if (!strchr(text, '1')) return;
    d->digits[0] = '1';
    d->exponent = -places;
}

static void drop_zeros(struct decimal *d) {
    while (d->count > 1 && d->digits[d->count - 1] == '0') d->count--;
    d->digits[d->count] = 0;
}

static int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

void decimal_unique(struct decimal *d, ty_dtype dtype, double x, int least, int most, bool places) {
    bool negative = signbit(x) != 0;
    set_zero(d);
    d->negative = negative;
    if (x == 0 || !isfinite(x)) return;
    x = fabs(x);
    /* digits that `least` and `most` do not count */
    int before = 1;
    if (places) {
        nearest(d, x, EXACT_ENOUGH);
        before = d->exponent + 1;
    }
    int low = clamp(least, 0, LEAST_LIMIT), high = clamp(most, low, INT16_MAX);
    int count = shortest(d, dtype, x), wanted = count;
    if (before + high < 1) {
        last_place_only(d, x, high);
    } else {
        if (wanted < before + low) wanted = before + low;
        if (wanted > before + high) wanted = before + high;
        if (wanted != count) round_to(d, dtype, x, clamp(wanted, 1, DECIMAL_MOST));
    }
    d->negative = negative;
    drop_zeros(d);
}
