/*
 * 128-bit signed integers: __int128 where the compiler has it, otherwise (32-bit processors) two words.  Overflow
 * wraps, but no caller comes near it.  WIDE_WORDS selects the words on any machine, for their test.
 */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(WIDE_WORDS)

/* __extension__ silences -Wpedantic in ISO C projects. */
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_natural;

/* Return the upper 64 bits of the 128-bit product a * b. */
static inline uint64_t product_high(uint64_t a, uint64_t b) { return (uint64_t)((wide_natural)a * b >> 64); }
/* Convert a signed 64-bit integer to 128 bits. */
static inline wide wide_of(int64_t x) { return x; }
/* Convert an unsigned 64-bit integer to 128 bits. */
static inline wide wide_of_natural(uint64_t x) { return x; }
static inline wide wide_add(wide a, wide b) { return a + b; }
static inline wide wide_subtract(wide a, wide b) { return a - b; }
static inline wide wide_times(wide a, int64_t b) { return a * b; }
/* Return -1, 0 or 1: a is less than, equal to or greater than b. */
static inline int wide_compare(wide a, wide b) { return (a > b) - (a < b); }
/* Convert to the nearest double. */
static inline double wide_double(wide a) { return (double)a; }
/* Return the lower 64 bits of a. */
static inline uint64_t wide_low(wide a) { return (uint64_t)a; }
/* Return a / b rounded down; 0 < |b| < 2^64. */
static inline wide wide_floor_divide(wide a, wide b) {
    wide q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

#else

typedef struct wide {
    uint64_t low;
    int64_t high;
} wide;

static inline uint64_t product_high(uint64_t a, uint64_t b) {
    uint64_t low = (uint64_t)(uint32_t)a * (uint32_t)b, left = (a >> 32) * (uint32_t)b + (low >> 32),
             right = (uint64_t)(uint32_t)a * (b >> 32) + (uint32_t)left;
    return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
}
static inline wide wide_of(int64_t x) { return (wide){(uint64_t)x, x < 0 ? -1 : 0}; }
static inline wide wide_of_natural(uint64_t x) { return (wide){x, 0}; }
static inline wide wide_add(wide a, wide b) {
    uint64_t low = a.low + b.low;
    return (wide){low, (int64_t)((uint64_t)a.high + (uint64_t)b.high + (low < a.low))};
}
static inline wide wide_subtract(wide a, wide b) {
    return (wide){a.low - b.low, (int64_t)((uint64_t)a.high - (uint64_t)b.high - (a.low < b.low))};
}
static inline wide wide_times(wide a, int64_t b) {
    uint64_t n = (uint64_t)b, high = product_high(a.low, n) + (uint64_t)a.high * n - (b < 0 ? a.low : 0);
    return (wide){a.low * n, (int64_t)high};
}
static inline int wide_compare(wide a, wide b) {
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}
static inline uint64_t wide_low(wide a) { return a.low; }
/* Convert with two roundings; good enough for messages. */
static inline double wide_double(wide a) {
    if (a.high >= 0) return ldexp((double)a.high, 64) + (double)a.low;
    wide n = wide_subtract(wide_of(0), a);
    return -(ldexp((double)(uint64_t)n.high, 64) + (double)n.low);
}
/* Return a / b rounded down, by long division bit by bit on magnitudes; 0 < |b| < 2^64. */
static inline wide wide_floor_divide(wide a, wide b) {
    bool negative = (a.high < 0) != (b.high < 0);
    wide n = a.high < 0 ? wide_subtract(wide_of(0), a) : a, q = {0, 0};
    uint64_t divisor = b.high < 0 ? -b.low : b.low, rest = 0;
    for (int i = 127; i >= 0; i--) {
        uint64_t bit = (i < 64 ? n.low >> i : (uint64_t)n.high >> (i - 64)) & 1, over = rest >> 63;
        rest = rest << 1 | bit;
        bool goes = over || rest >= divisor;
        if (goes) rest -= divisor;
        q = wide_add(wide_add(q, q), wide_of(goes));
    }
    if (!negative) return q;
    return wide_subtract(wide_of(rest ? -1 : 0), q);
}

#endif

static inline bool wide_less(wide a, wide b) { return wide_compare(a, b) < 0; }
static inline wide wide_product(int64_t a, int64_t b) { return wide_times(wide_of(a), b); }
/* True if low <= a <= high. */
static inline bool wide_within(wide a, int64_t low, int64_t high) {
    return !wide_less(a, wide_of(low)) && !wide_less(wide_of(high), a);
}
#endif
