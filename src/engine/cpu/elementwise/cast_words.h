/*
 * Conversions of one element between types: TO_<kind>(to, stored, x) from FROM_KIND. The kinds are those of
 * cast.kernel.c. Programs for devices contain this as text. Includers define PAIR_C64(real, imaginary), PAIR_C128.
 */
#ifndef ENGINE_CPU_ELEMENTWISE_CAST_WORDS_H
#define ENGINE_CPU_ELEMENTWISE_CAST_WORDS_H

#define EACH_WHOLE(ROW) EACH_SIGNED(ROW) EACH_UNSIGNED(ROW)
#define EACH_SIGNED(ROW)                                                                                     \
    ROW(i8, int8_t, whole) ROW(i16, int16_t, whole) ROW(i32, int32_t, whole) ROW(i64, int64_t, whole)
#define EACH_UNSIGNED(ROW)                                                                                   \
    ROW(u8, uint8_t, whole) ROW(u16, uint16_t, whole) ROW(u32, uint32_t, whole) ROW(u64, uint64_t, whole)

#define HALF(name) name##_scalar
#define HALF_FLOAT float
#define HALF_BITS uint32_t
#define HALF_MASK(c) (-(uint32_t)(c))
#include "engine/cpu/math/math_half.h" /* one element at a time */

#if !defined(HAS_F64) || HAS_F64 /* programs for devices without doubles do without these */
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
        const double most = 2.0 * (double)(UINT64_C(1) << (bits - 1));                                       \
        const double last = bits > 53 ? most * (1 - DBL_EPSILON / 2) : most - 1;                             \
        const double least = (stored)-1 < (stored)1 ? -most : 0;                                             \
        double inside = x > least ? x : least;                                                               \
        inside = inside < last ? inside : last;                                                              \
        stored y = x >= most ? (stored)(UINT64_MAX >> (64 - bits)) : (stored)inside;                         \
        return x == x ? y : 0;                                                                               \
    }
EACH_WHOLE(SATURATE)
#endif

/* Conversions of one element. REAL, IMAG: its parts; SINGLE: a float to be rounded to a half. Names of parts in devices'
   languages are x and y, so operands have others. */
#define REAL_whole(z) (z)
#define REAL_f16(z) f16_widen_scalar(z)
#define REAL_bf16(z) bf16_widen_scalar(z)
#define REAL_f32(z) (z)
#define REAL_f64(z) (z)
#define REAL_c64(z) (__real__(z))
#define REAL_c128(z) (__real__(z))
#define IMAG_whole(z) 0
#define IMAG_f16(z) 0
#define IMAG_bf16(z) 0
#define IMAG_f32(z) 0
#define IMAG_f64(z) 0
#define IMAG_c64(z) (__imag__(z))
#define IMAG_c128(z) (__imag__(z))
#define SINGLE_whole(z) single_odd((double)(z))
#define SINGLE_f16(z) f16_widen_scalar(z)
#define SINGLE_bf16(z) bf16_widen_scalar(z)
#define SINGLE_f32(z) (z)
#define SINGLE_f64(z) single_odd(z)
#define SINGLE_c64(z) (__real__(z))
#define SINGLE_c128(z) single_odd(__real__(z))
#define WHOLE_whole(to, stored, z) (stored)(z)
#define WHOLE_f16(to, stored, z) saturate_##to((double)f16_widen_scalar(z))
#define WHOLE_bf16(to, stored, z) saturate_##to((double)bf16_widen_scalar(z))
#define WHOLE_f32(to, stored, z) saturate_##to((double)(z))
#define WHOLE_f64(to, stored, z) saturate_##to(z)
#define WHOLE_c64(to, stored, z) saturate_##to((double)__real__(z))
#define WHOLE_c128(to, stored, z) saturate_##to(__real__(z))

#define TO_boolean(to, stored, z) ((JOIN(REAL_, FROM_KIND)(z) != 0) | (JOIN(IMAG_, FROM_KIND)(z) != 0))
#define TO_whole(to, stored, z) JOIN(WHOLE_, FROM_KIND)(to, stored, z)
#define TO_f16(to, stored, z) (uint16_t) f16_narrow_scalar(JOIN(SINGLE_, FROM_KIND)(z))
#define TO_bf16(to, stored, z) (uint16_t) bf16_narrow_scalar(JOIN(SINGLE_, FROM_KIND)(z))
#define TO_f32(to, stored, z) (float)JOIN(REAL_, FROM_KIND)(z)
#define TO_f64(to, stored, z) (double)JOIN(REAL_, FROM_KIND)(z)
#define TO_c64(to, stored, z) PAIR_C64((float)JOIN(REAL_, FROM_KIND)(z), (float)JOIN(IMAG_, FROM_KIND)(z))
#define TO_c128(to, stored, z) PAIR_C128((double)JOIN(REAL_, FROM_KIND)(z), (double)JOIN(IMAG_, FROM_KIND)(z))
#endif
