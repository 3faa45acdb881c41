/*
 * Keys of numbers, whose order is the total order of elements (array/order.h).  Programs for devices contain this file
 * as text.
 */
#ifndef ARRAY_ORDER_KEY_H
#define ARRAY_ORDER_KEY_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/math/scalar.h"

struct order_key {
    uint64_t first, second; /* second: phase of a complex number, else 0 */
};

/* Return the key of x: keys in ascending order are doubles in ascending order, NaN last; -0 equals 0. */
static inline uint64_t order_key_f64(double x) {
    union {
        double x;
        uint64_t bits;
    } u = {x == 0 ? 0 : x};
    if (x != x) return UINT64_MAX;
    return u.bits >> 63 ? ~u.bits : u.bits | (uint64_t)1 << 63;
}

/* Return the magnitude of a complex number, NaN if a part is NaN. */
static inline double order_magnitude(double real, double imaginary) {
    return real != real || imaginary != imaginary ? (double)NAN : math_hypot(real, imaginary);
}

/* Return the phase of a complex number, NaN if a part is NaN.  Adding 0 turns -0 into 0, so that negative real
   numbers have phase pi, not -pi. */
static inline double order_phase(double real, double imaginary) {
    return real != real || imaginary != imaginary ? (double)NAN : math_atan2(imaginary + 0.0, real + 0.0);
}

/* Return the key of a complex number: its order is by magnitude, then by phase; NaN last. */
static inline struct order_key order_key_complex(double real, double imaginary) {
    return (struct order_key){order_key_f64(order_magnitude(real, imaginary)),
                              order_key_f64(order_phase(real, imaginary))};
}

/* True if the element of key a comes before that of key b in ascending order. */
static inline bool order_before(struct order_key a, struct order_key b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
}

/* ORDER_NONE: unordered, because a part is NaN. */
enum { ORDER_LESS = -1, ORDER_SAME = 0, ORDER_MORE = 1, ORDER_NONE = 2 };

/* Compare a = ar + i ai with b = br + i bi by magnitude, then phase. Return ORDER_LESS, ORDER_MORE or
   ORDER_SAME; ORDER_NONE if a part is NaN. NumPy orders by real, then imaginary part. */
static inline int complex_order(double ar, double ai, double br, double bi) {
    struct order_key a = order_key_complex(ar, ai), b = order_key_complex(br, bi);
    if (a.first == UINT64_MAX || b.first == UINT64_MAX) return ORDER_NONE;
    return order_before(a, b) ? ORDER_LESS : order_before(b, a) ? ORDER_MORE : ORDER_SAME;
}
#endif
