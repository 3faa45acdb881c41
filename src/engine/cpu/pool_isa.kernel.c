/* Max pooling of every element type for one instruction set: TABLE is the table's name. */
#include <string.h>
#include "engine/cpu/pool.h"

#define IS_NAN(x) ((x) != (x))

#define T int8_t
#define PLACE int8_t
#define NAME(verb) verb##_i8
#include "engine/cpu/pool.kernel.c"
#define T uint8_t
#define PLACE int8_t
#define NAME(verb) verb##_u8
#include "engine/cpu/pool.kernel.c"
#define T int16_t
#define PLACE int16_t
#define NAME(verb) verb##_i16
#include "engine/cpu/pool.kernel.c"
#define T uint16_t
#define PLACE int16_t
#define NAME(verb) verb##_u16
#include "engine/cpu/pool.kernel.c"
#define T int32_t
#define PLACE int32_t
#define NAME(verb) verb##_i32
#include "engine/cpu/pool.kernel.c"
#define T uint32_t
#define PLACE int32_t
#define NAME(verb) verb##_u32
#include "engine/cpu/pool.kernel.c"
#define T int64_t
#define PLACE int64_t
#define NAME(verb) verb##_i64
#include "engine/cpu/pool.kernel.c"
#define T uint64_t
#define PLACE int64_t
#define NAME(verb) verb##_u64
#include "engine/cpu/pool.kernel.c"
#define T float
#define PLACE int32_t
#define NAME(verb) verb##_f32
#include "engine/cpu/pool.kernel.c"
#define T double
#define PLACE int64_t
#define NAME(verb) verb##_f64
#include "engine/cpu/pool.kernel.c"

const struct pool_type *const TABLE[TY_DTYPES] = {
    [TY_BOOL] = &type_u8, [TY_I8] = &type_i8,   [TY_I16] = &type_i16, [TY_I32] = &type_i32,
    [TY_I64] = &type_i64, [TY_U8] = &type_u8,   [TY_U16] = &type_u16, [TY_U32] = &type_u32,
    [TY_U64] = &type_u64, [TY_F32] = &type_f32, [TY_F64] = &type_f64,
};
