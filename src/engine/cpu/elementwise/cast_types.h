/*
 * Casts for one instruction set: conversions between kinds of elements, and the pass over all types. A unit includes
 * this last, after it has defined CAST_TABLE, the name of its table.
 */
#include <complex.h>
#include <float.h>
#include <stdint.h>
#include "engine/cpu/elementwise/loop_tables.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
/* Elements are independent: y does not overlap a, or equals it. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Types in the order of ty_dtype. */
#define EACH_TYPE(ROW)                                                                                       \
    ROW(boolean, uint8_t, boolean)                                                                           \
    EACH_SIGNED(ROW)                                                                                         \
    EACH_UNSIGNED(ROW)                                                                                       \
    EACH_FLOATING(ROW)
#define EACH_WHOLE(ROW) EACH_SIGNED(ROW) EACH_UNSIGNED(ROW)
#define EACH_SIGNED(ROW)                                                                                     \
    ROW(i8, int8_t, whole) ROW(i16, int16_t, whole) ROW(i32, int32_t, whole) ROW(i64, int64_t, whole)
#define EACH_UNSIGNED(ROW)                                                                                   \
    ROW(u8, uint8_t, whole) ROW(u16, uint16_t, whole) ROW(u32, uint32_t, whole) ROW(u64, uint64_t, whole)
#define EACH_FLOATING(ROW)                                                                                   \
    ROW(f16, uint16_t, f16)                                                                                  \
    ROW(bf16, uint16_t, bf16)                                                                                \
    ROW(f32, float, f32) ROW(f64, double, f64) ROW(c64, float _Complex, c64) ROW(c128, double _Complex, c128)

/* Integers become unsigned ones by the casts to signed ones, which leave the same bits; bool reads as u8. */
#define IS_WHOLE_whole 1
#define IS_WHOLE_f16 0
#define IS_WHOLE_bf16 0
#define IS_WHOLE_f32 0
#define IS_WHOLE_f64 0
#define IS_WHOLE_c64 0
#define IS_WHOLE_c128 0
#define SIGNED_u8 i8
#define SIGNED_u16 i16
#define SIGNED_u32 i32
#define SIGNED_u64 i64

#define HALF(name) name##_scalar
#define HALF_FLOAT float
#define HALF_BITS uint32_t
#define HALF_MASK(c) (-(uint32_t)(c))
#include "engine/cpu/math/math_half.h"

/* Round x to odd: return a float whose last bit records lost bits, so that rounding it to a half rounds x correctly
   (Boldo and Melquiond, "When double rounding is odd", 2005). */
static inline float single_odd(double x) {
    float near = (float)x;
    uint32_t bits = to_bits_scalar(near), too_far = __builtin_fabs((double)near) > __builtin_fabs(x);
    bits -= too_far;
    bits |= (double)near != x && x == x;
    return of_bits_scalar(bits);
}

/* Rounds toward zero; NaN becomes 0. Values out of range saturate, where C leaves them undefined. */
#define SATURATE(to, stored, kind)                                                                           \
    static inline stored saturate_##to(double x) {                                                           \
        const int bits = 8 * (int)sizeof(stored) - ((stored)-1 < (stored)1);                                 \
        const double most = 2.0 * (double)(1ull << (bits - 1));                                              \
        const double last = bits > 53 ? most * (1 - DBL_EPSILON / 2) : most - 1;                             \
        const double least = (stored)-1 < (stored)1 ? -most : 0;                                             \
        double inside = x > least ? x : least;                                                               \
        inside = inside < last ? inside : last;                                                              \
        stored y = x >= most ? (stored)(UINT64_MAX >> (64 - bits)) : (stored)inside;                         \
        return x == x ? y : 0;                                                                               \
    }
EACH_WHOLE(SATURATE)

/* Conversions of one element. REAL: real part; SINGLE: a float to be rounded to a half; FULL: the whole value. */
#define REAL_whole(x) (x)
#define REAL_f16(x) f16_widen_scalar(x)
#define REAL_bf16(x) bf16_widen_scalar(x)
#define REAL_f32(x) (x)
#define REAL_f64(x) (x)
#define REAL_c64(x) crealf(x)
#define REAL_c128(x) creal(x)
#define SINGLE_whole(x) single_odd((double)(x))
#define SINGLE_f16(x) f16_widen_scalar(x)
#define SINGLE_bf16(x) bf16_widen_scalar(x)
#define SINGLE_f32(x) (x)
#define SINGLE_f64(x) single_odd(x)
#define SINGLE_c64(x) crealf(x)
#define SINGLE_c128(x) single_odd(creal(x))
#define FULL_whole(x) (x)
#define FULL_f16(x) f16_widen_scalar(x)
#define FULL_bf16(x) bf16_widen_scalar(x)
#define FULL_f32(x) (x)
#define FULL_f64(x) (x)
#define FULL_c64(x) (x)
#define FULL_c128(x) (x)
#define WHOLE_whole(to, stored, x) (stored)(x)
#define WHOLE_f16(to, stored, x) saturate_##to((double)f16_widen_scalar(x))
#define WHOLE_bf16(to, stored, x) saturate_##to((double)bf16_widen_scalar(x))
#define WHOLE_f32(to, stored, x) saturate_##to((double)(x))
#define WHOLE_f64(to, stored, x) saturate_##to(x)
#define WHOLE_c64(to, stored, x) saturate_##to((double)crealf(x))
#define WHOLE_c128(to, stored, x) saturate_##to(creal(x))

#define TO_boolean(to, stored, x) (JOIN(FULL_, FROM_KIND)(x) != 0)
#define TO_whole(to, stored, x) JOIN(WHOLE_, FROM_KIND)(to, stored, x)
#define TO_f16(to, stored, x) (uint16_t) f16_narrow_scalar(JOIN(SINGLE_, FROM_KIND)(x))
#define TO_bf16(to, stored, x) (uint16_t) bf16_narrow_scalar(JOIN(SINGLE_, FROM_KIND)(x))
#define TO_f32(to, stored, x) (float)JOIN(REAL_, FROM_KIND)(x)
#define TO_f64(to, stored, x) (double)JOIN(REAL_, FROM_KIND)(x)
#define TO_c64(to, stored, x) (float _Complex) JOIN(FULL_, FROM_KIND)(x)
#define TO_c128(to, stored, x) (double _Complex) JOIN(FULL_, FROM_KIND)(x)

#define FROM i8
#define FROM_STORED int8_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM i16
#define FROM_STORED int16_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM i32
#define FROM_STORED int32_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM i64
#define FROM_STORED int64_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM u8
#define FROM_STORED uint8_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM u16
#define FROM_STORED uint16_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM u32
#define FROM_STORED uint32_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM u64
#define FROM_STORED uint64_t
#define FROM_KIND whole
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM f16
#define FROM_STORED uint16_t
#define FROM_KIND f16
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM bf16
#define FROM_STORED uint16_t
#define FROM_KIND bf16
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM f32
#define FROM_STORED float
#define FROM_KIND f32
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM f64
#define FROM_STORED double
#define FROM_KIND f64
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM c64
#define FROM_STORED float _Complex
#define FROM_KIND c64
#include "engine/cpu/elementwise/cast.kernel.c"
#define FROM c128
#define FROM_STORED double _Complex
#define FROM_KIND c128
#include "engine/cpu/elementwise/cast.kernel.c"

#define casts_from_boolean casts_from_u8
#define TABLE(from, stored, kind) casts_from_##from,
const cpu_loop *const CAST_TABLE[TY_DTYPES] = {EACH_TYPE(TABLE)};
