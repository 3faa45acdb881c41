/*
 * The total order of elements, for sorting and searching.  Numbers ascend; -0 equals 0; NaNs come last and equal
 * each other.  Complex numbers are ordered by magnitude, then by phase in (-pi, pi]; one with a NaN part is a
 * NaN.  Each element becomes an unsigned key whose order is that of elements.  All comparisons of complex numbers
 * use these functions, so that they agree on ties.
 */
#ifndef ARRAY_ORDER_H
#define ARRAY_ORDER_H
#include <math.h>
#include <string.h>
#include "array/dtype.h"
#include "base/math/scalar.h"

struct order_key {
    uint64_t first, second; /* second: phase of a complex number, else 0 */
};

/* Return the key of x: keys in ascending order are doubles in ascending order, NaN last; -0 equals 0. */
static inline uint64_t order_key_f64(double x) {
    uint64_t bits;
    x = x == 0 ? 0 : x;
    if (x != x) return UINT64_MAX;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Return the magnitude of a complex number, NaN if a part is NaN. */
static inline double order_magnitude(double real, double imaginary) {
    return real != real || imaginary != imaginary ? NAN : math_hypot(real, imaginary);
}

/* Return the phase of a complex number, NaN if a part is NaN.  Adding 0 turns -0 into 0, so that negative real
   numbers have phase pi, not -pi. */
static inline double order_phase(double real, double imaginary) {
    return real != real || imaginary != imaginary ? NAN : math_atan2(imaginary + 0.0, real + 0.0);
}

/* Return the key of a complex number: its order is by magnitude, then by phase; NaN last. */
static inline struct order_key order_key_complex(double real, double imaginary) {
    return (struct order_key){order_key_f64(order_magnitude(real, imaginary)),
                              order_key_f64(order_phase(real, imaginary))};
}

/* Return the key of an element of `dtype`, as loaded by element_load. Keys of one dtype compare as its
   elements do. */
static inline struct order_key order_key(ty_dtype dtype, struct element e) {
    if (dtype_is(dtype, CLASS_COMPLEX)) return order_key_complex((double)creall(e.z), (double)cimagl(e.z));
    if (dtype_is(dtype, CLASS_FLOAT)) return (struct order_key){order_key_f64((double)creall(e.z)), 0};
    return (struct order_key){(uint64_t)e.i ^ (dtype_is(dtype, CLASS_SIGNED) ? (uint64_t)1 << 63 : 0), 0};
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
