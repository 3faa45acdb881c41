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

/* Words for vectors of lanes, which are functions of their types.  `long` has 64 bits in OpenCL C alone. */
#define MASK_int int32_t
#define MASK_long int64_t
#define BITS_uint uint32_t
#define BITS_ulong uint64_t
#define SPREAD_LANES(vector, x) spread_##vector(x)
#define LOAD_LANES(vector, n, from) load_##vector(from)
#define STORE_LANES(vector, n, value, to) store_##vector(value, to, 0)
#define READ_LANES(vector, from) load_##vector(from)
#define WRITE_LANES(vector, value, to, first, bypass) store_##vector(value, to, first)
