/*
 * Text: the words of OpenCL C 1.2 that programs need, in the place of C's headers. The program begins with HAS_F64, 1
 * if the device has doubles. With OWN_FUNCTIONS the compiler has not read its own header.
 */
#if HAS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#ifdef OWN_FUNCTIONS
#include "engine/text/prelude/opencl_functions.h"
#endif

typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define INT64_C(x) x##L
#define UINT64_C(x) x##UL
#define UINT64_MAX UINT64_C(0xffffffffffffffff)

/* Functions and memory. */
#define STEP __kernel void
#define MEMORY __global
#define CONSTANT_SPACE __constant const
#define STORED_CONSTANT __constant const
#define EACH_ITEM(type, item, dimension, count)                                                              \
    const type item = (type)get_global_id(dimension);                                                        \
    if (item < (count))
#define RAISE(cell, x) atomic_max(cell, x)
#define inline
#define UNROLLED _Pragma("unroll")

/* Vectors with the alignment of their elements; stores past the caches; functions that are one instruction: compilers
   made of clang have them. Drivers make vloadn of pieces, and rint and floor of many operations. */
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_nontemporal_store)
#define LOOSE(type, scalar, n) typedef scalar##n loose_##type##x##n __attribute__((aligned(sizeof(scalar))));
#define LOAD_LOOSE(type, n, from) (*(const __global loose_##type##x##n *)(from))
#define STORE_LOOSE(type, n, x, to) (*(__global loose_##type##x##n *)(to) = x)
#define STORE_PAST(type, n, x, to) __builtin_nontemporal_store(x, (__global type##x##n *)(to))
#else
#define LOOSE(type, scalar, n)
#define LOAD_LOOSE(type, n, from) vload##n(0, from)
#define STORE_LOOSE(type, n, x, to) vstore##n(x, 0, to)
#define STORE_PAST STORE_LOOSE
#endif
#if __has_builtin(__builtin_elementwise_roundeven)
#define ROUND_LANES(x) __builtin_elementwise_roundeven(x)
#define FLOOR_LANES(x) __builtin_elementwise_floor(x)
#endif

/* Vectors of lanes, and masks of these, whose lanes are 0 or -1. transpose_ turns a square by perfect shuffles. */
#define LANES(type, scalar, whole, natural, n)                                                               \
    typedef scalar##n type##x##n;                                                                            \
    typedef whole##n mask_##type##x##n;                                                                      \
    typedef natural##n bits_##type##x##n;                                                                    \
    LOOSE(type, scalar, n)                                                                                   \
    static type##x##n read_##type##x##n(const __global scalar *from) { return LOAD_LOOSE(type, n, from); }   \
    static type##x##n add_of_##type##x##n(type##x##n a, type##x##n b) { return a + b; }                      \
    static type##x##n mul_of_##type##x##n(type##x##n a, type##x##n b) { return a * b; }                      \
    static type##x##n fma_of_##type##x##n(type##x##n a, type##x##n b, type##x##n c) { return fma(a, b, c); } \
    static type##x##n max_of_##type##x##n(type##x##n a, type##x##n b) {                                      \
        return select(select(a, b, b > a), b, b != b);                                                       \
    }                                                                                                        \
    static type##x##n min_of_##type##x##n(type##x##n a, type##x##n b) {                                      \
        return select(select(a, b, b < a), b, b != b);                                                       \
    }                                                                                                        \
    static void transpose_##type##x##n(type##x##n *v) {                                                      \
        _Pragma("unroll") for (int k = 0; k < (n == 16 ? 4 : n == 8 ? 3 : 2); k++) {                         \
            type##x##n t[n];                                                                                 \
            _Pragma("unroll") for (int i = 0; i < n / 2; i++) {                                              \
                t[2 * i].even = v[i].lo;                                                                     \
                t[2 * i].odd = v[i + n / 2].lo;                                                              \
                t[2 * i + 1].even = v[i].hi;                                                                 \
                t[2 * i + 1].odd = v[i + n / 2].hi;                                                          \
            }                                                                                                \
            _Pragma("unroll") for (int i = 0; i < n; i++) v[i] = t[i];                                       \
        }                                                                                                    \
    }                                                                                                        \
    static void store_##type##x##n(type##x##n x, __global scalar *to, int first, int bypass) {               \
        scalar y[n];                                                                                         \
        if (first == 0) {                                                                                    \
            if (bypass && ((ulong)to & (sizeof x - 1)) == 0)                                                 \
                STORE_PAST(type, n, x, to);                                                                  \
            else                                                                                             \
                STORE_LOOSE(type, n, x, to);                                                                 \
            return;                                                                                          \
        }                                                                                                    \
        vstore##n(x, 0, y);                                                                                  \
        for (int i = first; i < n; i++) to[i] = y[i];                                                        \
    }
#define SPREAD_LANES(vector, x) ((vector)(x))
#define LOAD_LANES(vector, n, from) vload##n(0, from)
#define STORE_LANES(vector, n, value, to) vstore##n(value, 0, to)
#define READ_LANES(vector, from) read_##vector(from)
#define WRITE_LANES(vector, value, to, first, bypass) store_##vector(value, to, first, bypass)

/* Bits of numbers. */
#define bits_of_f32(x) as_uint(x)
#define f32_of_bits(x) as_float(x)
#define bits_of_f64(x) as_ulong(x)
#define f64_of_bits(x) as_double(x)
#define LEADING_ZEROS(x) clz((uint64_t)(x))
#define product_high(a, b) mul_hi((uint64_t)(a), (uint64_t)(b))

/* Functions that are exact or rounded once; they are named alike for all types. */
#define LIBM(name) name
#define MADD(a, b, c) fma(a, b, c)
#define MADD_F64(a, b, c) fma(a, b, c)
#define __builtin_fabs(x) fabs(x)
#define sqrtf(x) sqrt(x)
#define half half_ /* words of OpenCL C here, variables in the mathematics */
#define constant constant_
