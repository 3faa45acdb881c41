/*
 * Updates by mode and type. Set moves elements by size. Integers are added and multiplied as unsigned: same bits, and
 * overflow is defined.
 */
#include "engine/cpu/index/update.h"
#include "array/dtype.h"
#include "base/math/scalar.h"

struct sixteen {
    uint64_t half[2];
};

#define TAKE(old, new) (new)
#define T uint8_t
#define NAME(verb) verb##_set_1
#include "engine/cpu/index/update.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_set_2
#include "engine/cpu/index/update.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_set_4
#include "engine/cpu/index/update.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_set_8
#include "engine/cpu/index/update.kernel.c"
#define T struct sixteen
#define NAME(verb) verb##_set_16
#include "engine/cpu/index/update.kernel.c"
#undef TAKE
#define TAKE(old, new) (T)((old) + (new))
#define T uint8_t
#define NAME(verb) verb##_add_u8
#include "engine/cpu/index/update.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_add_u16
#include "engine/cpu/index/update.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_add_u32
#include "engine/cpu/index/update.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_add_u64
#include "engine/cpu/index/update.kernel.c"
#define T float
#define NAME(verb) verb##_add_f32
#include "engine/cpu/index/update.kernel.c"
#define T double
#define NAME(verb) verb##_add_f64
#include "engine/cpu/index/update.kernel.c"
#define T float _Complex
#define NAME(verb) verb##_add_c64
#include "engine/cpu/index/update.kernel.c"
#define T double _Complex
#define NAME(verb) verb##_add_c128
#include "engine/cpu/index/update.kernel.c"
#undef TAKE
#define TAKE(old, new) (T)(1u * (old) * (new)) /* 1u: short types would multiply as int and overflow */
#define T uint8_t
#define NAME(verb) verb##_mul_u8
#include "engine/cpu/index/update.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_mul_u16
#include "engine/cpu/index/update.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_mul_u32
#include "engine/cpu/index/update.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_mul_u64
#include "engine/cpu/index/update.kernel.c"
#undef TAKE
#define TAKE(old, new) ((old) * (new))
#define T float
#define NAME(verb) verb##_mul_f32
#include "engine/cpu/index/update.kernel.c"
#define T double
#define NAME(verb) verb##_mul_f64
#include "engine/cpu/index/update.kernel.c"
#undef TAKE
#define TAKE math_cmulf
#define T float _Complex
#define NAME(verb) verb##_mul_c64
#include "engine/cpu/index/update.kernel.c"
#undef TAKE
#define TAKE math_cmul
#define T double _Complex
#define NAME(verb) verb##_mul_c128
#include "engine/cpu/index/update.kernel.c"
#undef TAKE
#define TAKE(old, new) ((new) < (old) || (new) != (new) ? (new) : (old))
#define T int8_t
#define NAME(verb) verb##_min_i8
#include "engine/cpu/index/update.kernel.c"
#define T int16_t
#define NAME(verb) verb##_min_i16
#include "engine/cpu/index/update.kernel.c"
#define T int32_t
#define NAME(verb) verb##_min_i32
#include "engine/cpu/index/update.kernel.c"
#define T int64_t
#define NAME(verb) verb##_min_i64
#include "engine/cpu/index/update.kernel.c"
#define T uint8_t
#define NAME(verb) verb##_min_u8
#include "engine/cpu/index/update.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_min_u16
#include "engine/cpu/index/update.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_min_u32
#include "engine/cpu/index/update.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_min_u64
#include "engine/cpu/index/update.kernel.c"
#define T float
#define NAME(verb) verb##_min_f32
#include "engine/cpu/index/update.kernel.c"
#define T double
#define NAME(verb) verb##_min_f64
#include "engine/cpu/index/update.kernel.c"
#undef TAKE
#define TAKE(old, new) ((new) > (old) || (new) != (new) ? (new) : (old))
#define T int8_t
#define NAME(verb) verb##_max_i8
#include "engine/cpu/index/update.kernel.c"
#define T int16_t
#define NAME(verb) verb##_max_i16
#include "engine/cpu/index/update.kernel.c"
#define T int32_t
#define NAME(verb) verb##_max_i32
#include "engine/cpu/index/update.kernel.c"
#define T int64_t
#define NAME(verb) verb##_max_i64
#include "engine/cpu/index/update.kernel.c"
#define T uint8_t
#define NAME(verb) verb##_max_u8
#include "engine/cpu/index/update.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_max_u16
#include "engine/cpu/index/update.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_max_u32
#include "engine/cpu/index/update.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_max_u64
#include "engine/cpu/index/update.kernel.c"
#define T float
#define NAME(verb) verb##_max_f32
#include "engine/cpu/index/update.kernel.c"
#define T double
#define NAME(verb) verb##_max_f64
#include "engine/cpu/index/update.kernel.c"
#undef TAKE

#define PAIR(name)                                                                                           \
    { run_##name, at_##name }

/* Indexed by log2 of the element size. */
static const struct cpu_update sets[] = {PAIR(set_1), PAIR(set_2), PAIR(set_4), PAIR(set_8), PAIR(set_16)};
static const struct cpu_update others[TY_SCATTER_MODES][TY_DTYPES] = {
    [TY_SCATTER_ADD] =
        {
            [TY_I8] = PAIR(add_u8),
            [TY_I16] = PAIR(add_u16),
            [TY_I32] = PAIR(add_u32),
            [TY_I64] = PAIR(add_u64),
            [TY_U8] = PAIR(add_u8),
            [TY_U16] = PAIR(add_u16),
            [TY_U32] = PAIR(add_u32),
            [TY_U64] = PAIR(add_u64),
            [TY_F32] = PAIR(add_f32),
            [TY_F64] = PAIR(add_f64),
            [TY_C64] = PAIR(add_c64),
            [TY_C128] = PAIR(add_c128),
        },
    [TY_SCATTER_MUL] =
        {
            [TY_I8] = PAIR(mul_u8),
            [TY_I16] = PAIR(mul_u16),
            [TY_I32] = PAIR(mul_u32),
            [TY_I64] = PAIR(mul_u64),
            [TY_U8] = PAIR(mul_u8),
            [TY_U16] = PAIR(mul_u16),
            [TY_U32] = PAIR(mul_u32),
            [TY_U64] = PAIR(mul_u64),
            [TY_F32] = PAIR(mul_f32),
            [TY_F64] = PAIR(mul_f64),
            [TY_C64] = PAIR(mul_c64),
            [TY_C128] = PAIR(mul_c128),
        },
    [TY_SCATTER_MIN] =
        {
            [TY_BOOL] = PAIR(min_u8),
            [TY_I8] = PAIR(min_i8),
            [TY_I16] = PAIR(min_i16),
            [TY_I32] = PAIR(min_i32),
            [TY_I64] = PAIR(min_i64),
            [TY_U8] = PAIR(min_u8),
            [TY_U16] = PAIR(min_u16),
            [TY_U32] = PAIR(min_u32),
            [TY_U64] = PAIR(min_u64),
            [TY_F32] = PAIR(min_f32),
            [TY_F64] = PAIR(min_f64),
        },
    [TY_SCATTER_MAX] =
        {
            [TY_BOOL] = PAIR(max_u8),
            [TY_I8] = PAIR(max_i8),
            [TY_I16] = PAIR(max_i16),
            [TY_I32] = PAIR(max_i32),
            [TY_I64] = PAIR(max_i64),
            [TY_U8] = PAIR(max_u8),
            [TY_U16] = PAIR(max_u16),
            [TY_U32] = PAIR(max_u32),
            [TY_U64] = PAIR(max_u64),
            [TY_F32] = PAIR(max_f32),
            [TY_F64] = PAIR(max_f64),
        },
};

const struct cpu_update *cpu_update_find(ty_scatter_mode mode, ty_dtype dtype) {
    if (mode == TY_SCATTER_SET) return &sets[__builtin_ctzll(dtype_table[dtype].size)];
    return others[mode][dtype].run ? &others[mode][dtype] : NULL;
}
