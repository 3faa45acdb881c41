/*
 * Template: instantiates TYPE_KERNEL for the element types of folds, for one instruction set. Parameters:
 * VECTOR_BYTES, TYPE_KERNEL (file included for each type), TYPE_STRUCT (type of each <tag>_type), TABLE (name of the
 * table). Floating and complex types define WIDE, the type of a filter's state.
 */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/math/scalar.h"
#include "engine/cpu/madd.h"

#if defined(__clang__)
#define SHUFFLE(v, from) __builtin_shufflevector(v, from)
#else
#define SHUFFLE(v, from) __builtin_shuffle(v, from)
#endif

#define COUNT_TO_64                                                                                          \
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,    \
        28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,  \
        53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63

#define IS_NAN(x) ((x) != (x))
#define INTEGER_LANES (64 / (int)sizeof(T))
#define T int8_t
#define TAG i8
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"
#define T uint8_t
#define TAG u8
#define LOWEST 0
#define HIGHEST UINT8_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"
#define T int16_t
#define TAG i16
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"
#define T uint16_t
#define TAG u16
#define LOWEST 0
#define HIGHEST UINT16_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"
#define T int32_t
#define TAG i32
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"
#define T uint32_t
#define TAG u32
#define LOWEST 0
#define HIGHEST UINT32_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"
#define T int64_t
#define TAG i64
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"
#define T uint64_t
#define SUMS 1 /* i64 adds and multiplies as u64: same bits, and overflow is defined */
#define TAG u64
#define LOWEST 0
#define HIGHEST UINT64_MAX
#include "engine/cpu/reduce/fold_integer.kernel.c"

/* Maximum and minimum of floating vectors in two steps: max(b, a) is a if either is NaN, then b replaces it if b
   is NaN. */
#if defined(__AVX512F__)
#define EXTREME(name, tail, a, b)                                                                            \
    _mm512_mask_mov_##tail(_mm512_##name##_##tail(b, a), _mm512_cmp_##tail##_mask(b, b, _CMP_UNORD_Q), b)
#elif defined(__AVX2__)
#define EXTREME(name, tail, a, b)                                                                            \
    _mm256_blendv_##tail(_mm256_##name##_##tail(b, a), b, _mm256_cmp_##tail(b, b, _CMP_UNORD_Q))
#endif

/* -0 is the identity of addition: 0 would turn a running sum of -0 into 0. */
#define T float
#define TAG f32
#define WIDE double
#define MASK int32_t
#define LANES 16
#define VECTOR 1
#define ORDERED 1
#define SUMS 1
#define SUM_IDENTITY -0.0f
#define LOWEST -INFINITY
#define HIGHEST INFINITY
#ifdef EXTREME
#define GREATER(a, b) (V) EXTREME(max, ps, (a), (b))
#define LESS(a, b) (V) EXTREME(min, ps, (a), (b))
#endif
#include TYPE_KERNEL
#define T double
#define TAG f64
#define WIDE double
#define MASK int64_t
#define LANES 8
#define VECTOR 1
#define ORDERED 1
#define SUMS 1
#define SUM_IDENTITY -0.0
#define LOWEST -(double)INFINITY
#define HIGHEST (double)INFINITY
#ifdef EXTREME
#define GREATER(a, b) (V) EXTREME(max, pd, (a), (b))
#define LESS(a, b) (V) EXTREME(min, pd, (a), (b))
#endif
#include TYPE_KERNEL
#define T float _Complex
#define TAG c64
#define WIDE double _Complex
#define LANES 8
#define VECTOR 0
#define ORDERED 0
#define SUMS 1
#define SUM_IDENTITY -__builtin_complex(0.0f, 0.0f)
#include TYPE_KERNEL
#define T double _Complex
#define TAG c128
#define WIDE double _Complex
#define LANES 4
#define VECTOR 0
#define ORDERED 0
#define SUMS 1
#define SUM_IDENTITY -__builtin_complex(0.0, 0.0)
#include TYPE_KERNEL

const struct TYPE_STRUCT *const TABLE[TY_DTYPES] = {
    [TY_BOOL] = &u8_type,   [TY_I8] = &i8_type,   [TY_I16] = &i16_type, [TY_I32] = &i32_type,
    [TY_I64] = &i64_type,   [TY_U8] = &u8_type,   [TY_U16] = &u16_type, [TY_U32] = &u32_type,
    [TY_U64] = &u64_type,   [TY_F32] = &f32_type, [TY_F64] = &f64_type, [TY_C64] = &c64_type,
    [TY_C128] = &c128_type,
};
