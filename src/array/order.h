/*
 * The total order of elements, for sorting and searching.  Numbers ascend; -0 equals 0; NaNs come last and equal
 * each other.  Complex numbers are ordered by magnitude, then by phase in (-pi, pi]; one with a NaN part is a
 * NaN.  Each element becomes an unsigned key whose order is that of elements.  All comparisons of complex numbers
 * use these functions, so that they agree on ties.
 */
#ifndef ARRAY_ORDER_H
#define ARRAY_ORDER_H
#include "array/dtype.h"
#include "array/order_key.h"

/* Return the key of an element of `dtype`, as loaded by element_load. Keys of one dtype compare as its
   elements do. */
static inline struct order_key order_key(ty_dtype dtype, struct element e) {
    if (dtype_is(dtype, CLASS_COMPLEX)) return order_key_complex((double)creall(e.z), (double)cimagl(e.z));
    if (dtype_is(dtype, CLASS_FLOAT)) return (struct order_key){order_key_f64((double)creall(e.z)), 0};
    return (struct order_key){(uint64_t)e.i ^ (dtype_is(dtype, CLASS_SIGNED) ? (uint64_t)1 << 63 : 0), 0};
}

#endif
