/*
 * Parsing of decimal numbers.  Up to 19 digits are gathered as an integer.  If that integer and the power of ten
 * are exact doubles, one multiplication or division rounds correctly (Clinger, "How to read floating point
 * numbers accurately", PLDI 1990).  A 64-bit long double product is as good, unless it lies so near the middle of
 * two doubles that its own rounding matters.
 *
 * All others go to strtod as an integer with an exponent, which no locale affects.  Digits beyond the 768 that
 * can matter are replaced by one digit that says whether any was not zero.
 */
#include "array/number_read.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ascii.h"

enum { FAST_DIGITS = 19, MOST_DIGITS = 770, EXACT_POWER = 22, EXPONENT_LIMIT = 100000 };
static const uint64_t EXACT_SIZE = UINT64_C(1) << 53;

static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct scan {
    const char *at, *end;
    uint64_t size;  /* the first 19 significant digits */
    int64_t digits; /* number of significant digits */
    int64_t power;  /* power of ten to multiply `size` by */
    bool any, point;
};

enum { EIGHT = 8 };
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Set *value to the number of 8 digits, the first in the lowest byte; false if one is no digit (D. Lemire, "Number parsing
   at a gigabyte per second", 2021). */
static inline bool value_of_eight(uint64_t v, uint64_t *value) {
    uint64_t above = (v + UINT64_C(0x0606060606060606)) & UINT64_C(0xf0f0f0f0f0f0f0f0);
    if (((v & UINT64_C(0xf0f0f0f0f0f0f0f0)) | above >> 4) != UINT64_C(0x3333333333333333)) return false;
    v = (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    v = (v & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    *value = (v & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
    return true;
}
#endif

/* Set *value to the number of the n digits in front of `end`, 1 to 8; the byte at end - 8 is readable.  False if one is no
   digit. */
static inline bool read_before(const char *end, size_t n, uint64_t *value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t v;
    memcpy(&v, end - EIGHT, sizeof v);
    size_t others = 8 * (EIGHT - n); /* bits of bytes that are no part, which become zeros in front */
    v = (v >> others << others) | (UINT64_C(0x3030303030303030) & ((UINT64_C(1) << others) - 1));
    return value_of_eight(v, value);
#else
    (void)end, (void)n, (void)value;
    return false;
#endif
}

/* Read the n digits behind the point at s->at up to the end of the text, so that no branch depends on their number.
   False, with nothing read, if they are other characters, many, or the first significant ones may be zeros. */
static inline bool read_rest(struct scan *s, const char *begin) {
    static const uint64_t tens[EIGHT] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    int64_t n = s->end - s->at - 1;
    uint64_t rest;
    if (n < 1 || n >= EIGHT || s->end - begin < EIGHT || s->digits + n > FAST_DIGITS) return false;
    if ((!s->digits && s->at[1] == '0') || !read_before(s->end, (size_t)n, &rest)) return false;
    s->any = true;
    s->size = tens[n] * s->size + rest;
    s->digits += n;
    s->power -= n;
    s->at = s->end - 1;
    return true;
}

/* Read digits with at most one point from s->at on, and move s->at behind them. Their first FAST_DIGITS
   significant digits become the integer s->size; s->power counts the powers of ten left out. */
static void scan_digits(struct scan *s) {
    const char *begin = s->at;
    while (s->at < s->end && *s->at == '0') s->at++;
    const char *first = s->at, *most = s->end - first < FAST_DIGITS ? s->end : first + FAST_DIGITS - 1;
    for (; s->at < most && ascii_is_digit(*s->at); s->at++) /* most numbers end in this loop */
        s->size = 10 * s->size + (uint64_t)(*s->at - '0');
    s->digits = s->at - first;
    s->any = s->at > begin;
    for (; s->at < s->end; s->at++) {
        if (*s->at == '.' && !s->point) {
            s->point = true;
            for (uint64_t eight;
                 s->end - s->at > EIGHT && s->digits <= FAST_DIGITS - EIGHT &&
                 (s->digits || s->at[1] != '0') && read_before(s->at + 1 + EIGHT, EIGHT, &eight);
                 s->at += EIGHT) {
                s->any = true;
                s->size = 100000000 * s->size + eight;
                s->digits += EIGHT;
                s->power -= EIGHT;
            }
            if (read_rest(s, begin)) continue;
            for (; s->end - s->at > 1 && ascii_is_digit(s->at[1]) && s->digits < FAST_DIGITS &&
                   (s->digits || s->at[1] != '0');
                 s->at++) {
                s->any = true;
                s->size = 10 * s->size + (uint64_t)(s->at[1] - '0');
                s->digits++;
                s->power--;
            }
            continue;
        }
        if (!ascii_is_digit(*s->at)) break;
        s->any = true;
        if (s->digits || *s->at != '0') s->digits++;
        if (s->digits <= FAST_DIGITS) {
            s->size = 10 * s->size + (uint64_t)(*s->at - '0');
            s->power -= s->point;
        } else
            s->power += !s->point;
    }
}

/* Read an exponent such as "e+10" at s->at, move s->at behind it, and return its value, cut to about
   EXPONENT_LIMIT. Return 0, and read nothing, if there is none or it is incomplete. */
static int64_t scan_exponent(struct scan *s) {
    const char *c = s->at;
    int64_t exponent = 0;
    if (c == s->end || (*c != 'e' && *c != 'E')) return 0;
    c++;
    bool negative = c < s->end && *c == '-';
    if (c < s->end && (*c == '-' || *c == '+')) c++;
    if (c == s->end || !ascii_is_digit(*c)) return 0;
    for (; c < s->end && ascii_is_digit(*c); c++)
        if (exponent < EXPONENT_LIMIT) exponent = 10 * exponent + (*c - '0');
    s->at = c;
    return negative ? -exponent : exponent;
}

/* Convert the digits of start..end by strtod, and return the double. The value is its leading FAST_DIGITS
   digits times 10^power; `digits` is the number of all digits. Above MOST_DIGITS, one more digit stands for
   the rest. */
static double slow(const char *start, const char *end, int64_t power, int64_t digits) {
    char text[MOST_DIGITS + 32];
    int n = 0;
    bool rest = false;
    for (const char *c = start; c < end && *c != 'e' && *c != 'E'; c++) {
        if (!ascii_is_digit(*c) || (n == 0 && *c == '0')) continue;
        if (n < MOST_DIGITS)
            text[n++] = *c;
        else
            rest |= *c != '0';
    }
    power -= (digits < MOST_DIGITS ? digits : MOST_DIGITS) - FAST_DIGITS;
    if (rest) {
        text[n++] = '1';
        power--;
    }
    snprintf(text + n, sizeof text - (size_t)n, "e%lld", (long long)power);
    return strtod(text, NULL);
}

#if LDBL_MANT_DIG == 64
enum { EXACT_LONG_POWER = 27, LOST_BITS = 11 };

/* Set *out to size * 10^power, computed in long double and rounded to double. False if the power is too large,
   or double rounding might give a wrong result; *out is then not valid. */
static bool scale_long(uint64_t size, int64_t power, double *out) {
    static const long double longs[EXACT_LONG_POWER + 1] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    if (power < -EXACT_LONG_POWER || power > EXACT_LONG_POWER) return false;
    long double x = power < 0 ? (long double)size / longs[-power] : (long double)size * longs[power];
    uint64_t bits, middle = UINT64_C(1) << (LOST_BITS - 1), mask = (UINT64_C(1) << LOST_BITS) - 1;
    memcpy(&bits, &x, sizeof bits); /* the significand comes first */
    *out = (double)x;
    return (bits & mask) - (middle - 1) > 2;
}
#else
static bool scale_long(uint64_t size, int64_t power, double *out) {
    (void)size, (void)power, (void)out;
    return false;
}
#endif

/* Return the scanned digits times 10^power as the nearest double, by the fastest exact method; `start` is
   the number's text. */
static double scale(const struct scan *s, const char *start, int64_t power) {
    double x;
    if (s->size == 0) return 0;
    if (s->digits <= FAST_DIGITS && s->size <= EXACT_SIZE && power >= -EXACT_POWER && power <= EXACT_POWER)
        return power < 0 ? (double)s->size / powers[-power] : (double)s->size * powers[power];
    if (s->digits <= FAST_DIGITS && scale_long(s->size, power, &x)) return x;
    if (s->digits > FAST_DIGITS) return slow(start, s->at, power, s->digits);
    char text[64];
    snprintf(text, sizeof text, "%llue%lld", (unsigned long long)s->size, (long long)power);
    return strtod(text, NULL);
}

/* Read "nan", "inf" or "infinity", in any case, from the n characters of text into *value. Return the number of
   characters read; 0, with *value unchanged, if there is none of these words. */
static size_t read_word(const char *text, size_t n, double *value) {
    static const struct {
        const char *word;
        double value;
    } words[] = {{"nan", NAN}, {"infinity", INFINITY}, {"inf", INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word), k = 0;
        while (k < length && k < n && (text[k] | 32) == words[i].word[k]) k++;
        if (k < length) continue;
        *value = words[i].value;
        return length;
    }
    return 0;
}

size_t number_read(const char *text, size_t n, struct number *out) {
    bool sign = n && (*text == '-' || *text == '+');
    struct scan s = {.at = text + sign, .end = text + n};
    *out = (struct number){.negative = sign && *text == '-'};
    bool letter = s.at < s.end && (*s.at | 32) >= 'a';
    size_t word = letter ? read_word(s.at, (size_t)(s.end - s.at), &out->value) : 0;
    s.at += word;
    if (!word) {
        scan_digits(&s);
        if (!s.any) return 0;
        bool whole = !s.point && s.digits <= FAST_DIGITS + 1;
        const char *mark = s.at;
        int64_t exponent = scan_exponent(&s);
        out->whole = whole && s.at == mark;
        out->size = s.size;
        if (out->whole && s.digits > FAST_DIGITS)
            out->whole = !__builtin_mul_overflow(s.size, UINT64_C(10), &out->size) &&
                         !__builtin_add_overflow(out->size, (uint64_t)(mark[-1] - '0'), &out->size);
        out->value = scale(&s, text + sign, s.power + exponent);
    }
    if (out->negative) out->value = -out->value;
    return (size_t)(s.at - text);
}
