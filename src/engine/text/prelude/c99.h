/*
 * Text: the words of C99 that programs need. A step is a function that computes all of its work
 * items.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#endif
#if !defined(__GNUC__) || defined(__clang__) /* GCC ignores it, with a warning */
#pragma STDC FP_CONTRACT OFF
#endif

#ifndef STEP /* files of which the steps are no public functions define it */
#define STEP void
#endif
/* Loops over work items. With PARALLEL_ITEMS outer ones have pragmas of OpenMP. */
#define EACH_INNER(type, item, dimension, count) for (type item = 0; item < (count); item++)
#ifndef PARALLEL_ITEMS
#define PARALLEL
#elif defined(_OPENMP)
#define PARALLEL _Pragma("omp parallel for")
#else
#define PARALLEL
#endif
#define EACH_ITEM(type, item, dimension, count) PARALLEL EACH_INNER(type, item, dimension, count)
#define RAISE(cell, x) (*(cell) = (x) > *(cell) ? (x) : *(cell))
#define MEMORY
#define CONSTANT_SPACE const
#define STORED_CONSTANT static const
#define UNROLLED

#include "engine/cpu/math/number_bits.h"
/* Return the number of zeros above the highest 1 of x, which is not 0. */
static inline int leading_zeros(uint64_t x) {
    int n = 0;
    for (; !(x >> 63); x <<= 1) n++;
    return n;
}
#define LEADING_ZEROS(x) leading_zeros(x)
/* Return the upper 64 bits of a * b. */
static inline uint64_t product_high(uint64_t a, uint64_t b) {
    uint64_t low = (uint64_t)(uint32_t)a * (uint32_t)b, left = (a >> 32) * (uint32_t)b + (low >> 32),
             right = (uint64_t)(uint32_t)a * (b >> 32) + (uint32_t)left;
    return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
}

#define LIBM_f32(name) name##f
#define LIBM_f64(name) name
#define LIBM_c64(name) name##f
#define LIBM_c128(name) name
#define LIBM(name) JOIN(LIBM_, LANE)(name)
#define MADD(a, b, c) LIBM(fma)(a, b, c)
#define MADD_F64(a, b, c) fma(a, b, c)
#define __builtin_fabs(x) fabs(x)

/* Vectors of lanes, and masks of these, whose lanes are 0 or -1. `long` has 64 bits in OpenCL C alone. */
#define EACH_OF(n, value)                                                                                    \
    for (int i = 0; i < n; i++) y.lane[i] = value;                                                           \
    return y
#define VECTOR_OF(vector, scalar, n)                                                                         \
    typedef struct vector {                                                                                  \
        scalar lane[n];                                                                                      \
    } vector;                                                                                                \
    static inline vector spread_##vector(scalar x) {                                                         \
        vector y;                                                                                            \
        EACH_OF(n, x);                                                                                       \
    }                                                                                                        \
    static inline vector load_##vector(const scalar *from) {                                                 \
        vector y;                                                                                            \
        EACH_OF(n, from[i]);                                                                                 \
    }                                                                                                        \
    static inline void store_##vector(vector x, scalar *to, int first) {                                     \
        for (int i = first; i < n; i++) to[i] = x.lane[i];                                                   \
    }
#define VECTOR_OPERATOR(name, type, n, value)                                                                \
    static inline type##x##n name##_of_##type##x##n(type##x##n a, type##x##n b) {                            \
        type##x##n y;                                                                                        \
        EACH_OF(n, value);                                                                                   \
    }
#define MASK_int int32_t
#define MASK_long int64_t
#define FIRST a.lane[i]
#define SECOND b.lane[i]
#define BEATS(more) ((more) || SECOND != SECOND) && FIRST == FIRST ? SECOND : FIRST
#define LANES(type, scalar, whole, natural, n)                                                               \
    VECTOR_OF(type##x##n, scalar, n)                                                                         \
    VECTOR_OF(mask_##type##x##n, MASK_##whole, n)                                                            \
    VECTOR_OPERATOR(add, type, n, FIRST + SECOND)                                                            \
    VECTOR_OPERATOR(mul, type, n, FIRST *SECOND)                                                             \
    VECTOR_OPERATOR(max, type, n, BEATS(SECOND > FIRST))                                                     \
    VECTOR_OPERATOR(min, type, n, BEATS(SECOND < FIRST))                                                     \
    static inline void transpose_##type##x##n(type##x##n *v) {                                               \
        for (int i = 0; i < n; i++)                                                                          \
            for (int k = 0; k < i; k++) {                                                                    \
                scalar x = v[i].lane[k];                                                                     \
                v[i].lane[k] = v[k].lane[i], v[k].lane[i] = x;                                               \
            }                                                                                                \
    }                                                                                                        \
    static inline type##x##n fma_of_##type##x##n(type##x##n a, type##x##n b, type##x##n c) {                 \
        type##x##n y;                                                                                        \
        EACH_OF(n, LIBM_##type(fma)(FIRST, SECOND, c.lane[i]));                                              \
    }
#define SPREAD_LANES(vector, x) spread_##vector(x)
#define LOAD_LANES(vector, n, from) load_##vector(from)
#define STORE_LANES(vector, n, value, to) store_##vector(value, to, 0)
#define READ_LANES(vector, from) load_##vector(from)
#define WRITE_LANES(vector, value, to, first, bypass) store_##vector(value, to, first)
