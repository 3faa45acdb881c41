/*
 * The one order of elements, for sorting and searching: numbers ascending, NaN behind all of them and equal
 * to each other, -0 equal to 0; complex numbers by magnitude, then by phase in (-pi, pi], one with a NaN part
 * is a NaN.  An element becomes an unsigned key so that keys compare as elements do.
 */
#ifndef ARRAY_ORDER_H
#define ARRAY_ORDER_H
#include <math.h>
#include <string.h>
#include "array/dtype.h"

struct order_key {
    uint64_t first, second; /* second: the phase of a complex number, else 0 */
};

/* The key of a double.  Turning the bits of negative numbers round puts them below, the larger the lower. */
static inline uint64_t order_key_f64(double x) {
    uint64_t bits;
    x = x == 0 ? 0 : x;
    if (x != x) return UINT64_MAX;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static inline double order_magnitude(double real, double imaginary) {
    return real != real || imaginary != imaginary ? NAN : hypot(real, imaginary);
}

/* Adding 0 makes 0 of -0, so that a negative real number has the phase pi and not -pi. */
static inline double order_phase(double real, double imaginary) {
    return real != real || imaginary != imaginary ? NAN : atan2(imaginary + 0.0, real + 0.0);
}

static inline struct order_key order_key_complex(double real, double imaginary) {
    return (struct order_key){order_key_f64(order_magnitude(real, imaginary)),
                              order_key_f64(order_phase(real, imaginary))};
}

/* An element in the widest type of its class, as element_load gives it. */
static inline struct order_key order_key(ty_dtype dtype, struct element e) {
    if (dtype_is(dtype, CLASS_COMPLEX)) return order_key_complex((double)creall(e.z), (double)cimagl(e.z));
    if (dtype_is(dtype, CLASS_FLOAT)) return (struct order_key){order_key_f64((double)creall(e.z)), 0};
    return (struct order_key){(uint64_t)e.i ^ (dtype_is(dtype, CLASS_SIGNED) ? (uint64_t)1 << 63 : 0), 0};
}

static inline bool order_before(struct order_key a, struct order_key b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
}
#endif
