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

#define PAIR_C64(real, imaginary) __builtin_complex(real, imaginary)
#define PAIR_C128(real, imaginary) __builtin_complex(real, imaginary)
#include "engine/cpu/elementwise/cast_words.h"

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
