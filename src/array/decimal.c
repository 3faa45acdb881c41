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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/number_read.h"

/* EXACT_ENOUGH: digits after which rounding no longer changes the exponent. LEAST_LIMIT: the most that `least` asks for,
   so that with the 309 digits before a point all fit a struct decimal. */
enum { EXACT_ENOUGH = 25, LEAST_LIMIT = 320 };

/* Parse a number that snprintf wrote by "%e", with any character as decimal point; zeros stay. No sign is
   expected. */
static struct decimal parse_scientific(const char *text) {
    struct decimal d = {0};
    const char *c = text;
    for (; *c && *c != 'e'; c++)
        if (*c >= '0' && *c <= '9' && d.count < DECIMAL_MOST) d.digits[d.count++] = *c;
    if (*c == 'e') d.exponent = (int)strtol(c + 1, NULL, 10);
    return d;
}

/* Round x > 0 to p significant digits; keeps trailing zeros. */
static struct decimal nearest(double x, int p) {
    char text[DECIMAL_MOST + 16];
    snprintf(text, sizeof text, "%.*e", p - 1, x);
    return parse_scientific(text);
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

/* Return d with one added to its last digit; the number of digits stays. */
static struct decimal next_above(struct decimal d) {
    int i = d.count - 1;
    while (i >= 0 && d.digits[i] == '9') d.digits[i--] = '0';
    if (i >= 0) {
        d.digits[i]++;
        return d;
    }
    d.digits[0] = '1'; /* 99 becomes 100: the digit count stays, the exponent grows */
    d.exponent++;
    return d;
}

/* Round x > 0 to p significant digits. *same says whether the result reads back as x in the dtype. For a
   power of two, the next number of p digits above is tried, too: the gap below is half as wide. */
static struct decimal round_to(ty_dtype dtype, double x, int p, bool *same) {
    struct decimal d = nearest(x, p);
    *same = reads_back(dtype, &d, x);
    int exponent;
    if (*same || frexp(x, &exponent) != 0.5) return d;
    struct decimal above = next_above(d);
    *same = reads_back(dtype, &above, x);
    return *same ? above : d;
}

/* Return bounds of the number of digits that identify x > 0: *low digits always survive in a normal number,
   *high digits always suffice. Subnormal x: *low is 1. */
static void digit_bounds(ty_dtype dtype, double x, int *low, int *high) {
    const double digits_a_bit = 0.30102999566398119521; /* log10(2) */
    int bits = dtype_table[dtype].digits;
    *low = x < ldexp(1, dtype_least_normal(dtype)) ? 1 : (int)((bits - 1) * digits_a_bit);
    *high = (int)(bits * digits_a_bit) + 2;
}

/* Return the fewest digits of x > 0 that read back as x, found by bisection; *count is their number. It is
   not below the digits that always survive, so trailing zeros may remain. */
static struct decimal shortest(ty_dtype dtype, double x, int *count) {
    int low, high;
    bool same = false;
    struct decimal best = {0};
    digit_bounds(dtype, x, &low, &high);
    *count = 0;
    while (low < high) {
        int middle = (low + high) / 2;
        struct decimal d = round_to(dtype, x, middle, &same);
        if (same) {
            high = *count = middle;
            best = d;
        } else
            low = middle + 1;
    }
    if (*count == low) return best;
    *count = low;
    return round_to(dtype, x, low, &same);
}

/* Round x > 0 to `places` decimals, where its first digit is behind all of them. Return 0 or 10^-places. */
static struct decimal last_place_only(double x, int places) {
    char text[LEAST_LIMIT + 16]; /* the first digit of the least number is at place 324 */
    struct decimal d = {.count = 1, .digits = "0"};
    snprintf(text, sizeof text, "%.*f", places, x);
    if (!strchr(text, '1')) return d;
    d.digits[0] = '1';
    d.exponent = -places;
    return d;
}

static void drop_zeros(struct decimal *d) {
    while (d->count > 1 && d->digits[d->count - 1] == '0') d->count--;
    d->digits[d->count] = 0;
}

static int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

struct decimal decimal_unique(ty_dtype dtype, double x, int least, int most, bool places) {
    struct decimal d = {.negative = signbit(x) != 0, .count = 1, .digits = "0"};
    if (x == 0 || !isfinite(x)) return d;
    x = fabs(x);
    /* digits that `least` and `most` do not count */
    int before = places ? nearest(x, EXACT_ENOUGH).exponent + 1 : 1;
    bool negative = d.negative, same;
    int low = clamp(least, 0, LEAST_LIMIT), high = clamp(most, low, INT16_MAX), count;
    struct decimal fewest = shortest(dtype, x, &count);
    int wanted = count;
    if (before + high < 1) {
        d = last_place_only(x, high);
    } else {
        if (wanted < before + low) wanted = before + low;
        if (wanted > before + high) wanted = before + high;
        d = wanted == count ? fewest : round_to(dtype, x, clamp(wanted, 1, DECIMAL_MOST), &same);
    }
    d.negative = negative;
    drop_zeros(&d);
    return d;
}
