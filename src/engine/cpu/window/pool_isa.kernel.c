/* Template: pooling of all element types for one instruction set. TABLE is the table's name, VECTOR_BYTES the size
   of a vector. */
#include <string.h>
#include "engine/cpu/window/pool_loops.h"

#define IS_NAN(x) ((x) != (x))
#define EVEN_16(n) n, n + 2, n + 4, n + 6, n + 8, n + 10, n + 12, n + 14
#if VECTOR_BYTES == 64
#define EVEN_NUMBERS                                                                                         \
    EVEN_16(0), EVEN_16(16), EVEN_16(32), EVEN_16(48), EVEN_16(64), EVEN_16(80), EVEN_16(96), EVEN_16(112)
#elif VECTOR_BYTES == 32
#define EVEN_NUMBERS EVEN_16(0), EVEN_16(16), EVEN_16(32), EVEN_16(48)
#else
#define EVEN_NUMBERS EVEN_16(0), EVEN_16(16)
#endif

#define T int8_t
#define BITS int8_t
#define TYPE i8
#define ORDERED
#include "engine/cpu/window/pool.kernel.c"
#define T uint8_t
#define BITS int8_t
#define TYPE u8
#define ORDERED
#include "engine/cpu/window/pool.kernel.c"
#define T int16_t
#define BITS int16_t
#define TYPE i16
#define ORDERED
#include "engine/cpu/window/pool.kernel.c"
#define T uint16_t
#define BITS int16_t
#define TYPE u16
#define ORDERED
#include "engine/cpu/window/pool.kernel.c"
#define T int32_t
#define BITS int32_t
#define TYPE i32
#define ORDERED
#define PLACE int32_t
#define MOST INT32_MAX
#include "engine/cpu/window/pool.kernel.c"
#define T uint32_t
#define BITS int32_t
#define TYPE u32
#define ORDERED
#define PLACE int32_t
#define MOST INT32_MAX
#include "engine/cpu/window/pool.kernel.c"
#define T int64_t
#define BITS int64_t
#define TYPE i64
#define REAL int64_t
#define ORDERED
#define PLACE int64_t
#define MOST INT64_MAX
#include "engine/cpu/window/pool.kernel.c"
#define T uint64_t
#define BITS int64_t
#define TYPE u64
#define REAL uint64_t
#define ORDERED
#define PLACE int64_t
#define MOST INT64_MAX
#include "engine/cpu/window/pool.kernel.c"
#define T float
#define BITS int32_t
#define TYPE f32
#define REAL float
#define ORDERED
#define PLACE int32_t
#define MOST INT32_MAX
#include "engine/cpu/window/pool.kernel.c"
#define T double
#define BITS int64_t
#define TYPE f64
#define REAL double
#define ORDERED
#define PLACE int64_t
#define MOST INT64_MAX
#include "engine/cpu/window/pool.kernel.c"
#define T float _Complex
#define TYPE c64
#define REAL float
#include "engine/cpu/window/pool.kernel.c"
#define T double _Complex
#define TYPE c128
#define REAL double
#include "engine/cpu/window/pool.kernel.c"

const struct pool_type *const TABLE[TY_DTYPES] = {
    [TY_BOOL] = &type_u8,   [TY_I8] = &type_i8,   [TY_I16] = &type_i16, [TY_I32] = &type_i32,
    [TY_I64] = &type_i64,   [TY_U8] = &type_u8,   [TY_U16] = &type_u16, [TY_U32] = &type_u32,
    [TY_U64] = &type_u64,   [TY_F32] = &type_f32, [TY_F64] = &type_f64, [TY_C64] = &type_c64,
    [TY_C128] = &type_c128,
};
