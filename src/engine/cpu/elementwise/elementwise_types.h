/*
 * Instantiates the loops for all element types. A unit includes this last, after it has defined VECTOR_BYTES and
 * ELEMENTWISE_SET, the instruction set as tables name it. CMake defines ROW_GROUP and ROW_GROUP_FILE, a group of
 * operators and its file.
 */
#include "engine/cpu/elementwise/elementwise_rows.h"
#include "engine/cpu/elementwise/loop_tables.h"
#include "ops/core/row_id.h"

#define NORMAL(v) ((L(vector))((v) != 0) & 1)
#define ONES 1
#define LANE boolean
#define SCALAR uint8_t
#define LANE_BITS 8
#include "engine/cpu/math/math_vector.h"
#include "engine/cpu/math/math_integer.h"
#define TYPE boolean
#define STORED uint8_t
#define KIND 0
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef LANE
#undef SCALAR
#undef LANE_BITS
#undef NORMAL
#undef ONES

#define NORMAL(v) (v)
#define ONES (SCALAR) - 1
#define LANE i8
#define SCALAR int8_t
#define LANE_BITS 8
#define KIND 1
#include "engine/cpu/elementwise/elementwise_integer.h"
#define LANE i16
#define SCALAR int16_t
#define LANE_BITS 16
#define KIND 1
#include "engine/cpu/elementwise/elementwise_integer.h"
#define LANE i32
#define SCALAR int32_t
#define LANE_BITS 32
#define KIND 1
#include "engine/cpu/elementwise/elementwise_integer.h"
#define LANE i64
#define SCALAR int64_t
#define LANE_BITS 64
#define KIND 1
#include "engine/cpu/elementwise/elementwise_integer.h"
#define LANE u8
#define TWIN i8
#define SCALAR uint8_t
#define LANE_BITS 8
#define KIND 2
#include "engine/cpu/elementwise/elementwise_integer.h"
#undef TWIN
#define LANE u16
#define TWIN i16
#define SCALAR uint16_t
#define LANE_BITS 16
#define KIND 2
#include "engine/cpu/elementwise/elementwise_integer.h"
#undef TWIN
#define LANE u32
#define TWIN i32
#define SCALAR uint32_t
#define LANE_BITS 32
#define KIND 2
#include "engine/cpu/elementwise/elementwise_integer.h"
#undef TWIN
#define LANE u64
#define TWIN i64
#define SCALAR uint64_t
#define LANE_BITS 64
#define KIND 2
#include "engine/cpu/elementwise/elementwise_integer.h"
#undef TWIN

#define LANE f64
#define SCALAR double
#define LANE_BITS 64
#define WHOLE 0x1p52
#define LIBM(name) name
#include "engine/cpu/math/math_vector.h"
#include "engine/cpu/math/math_float.h"
#include "engine/cpu/math/math_special.h"
#define TYPE f64
#define STORED double
#define KIND 3
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef LANE
#undef SCALAR
#undef LANE_BITS
#undef WHOLE
#undef LIBM

#define LANE f32
#define SCALAR float
#define LANE_BITS 32
#define WHOLE 0x1p23f
#define LIBM(name) name##f
#include "engine/cpu/math/math_vector.h"
#include "engine/cpu/math/math_float.h"
#include "engine/cpu/math/math_special.h"
#define TYPE f32
#define STORED float
#define KIND 3
#include "engine/cpu/elementwise/elementwise.kernel.c"

#include "engine/cpu/math/math_half_vector.h"
#define TYPE f16
#include "engine/cpu/elementwise/elementwise_half.kernel.c"
#define TYPE bf16
#include "engine/cpu/elementwise/elementwise_half.kernel.c"
#undef LANE
#undef SCALAR
#undef LANE_BITS

#if HAS_FMA /* else there are no wide lanes */
#ifdef NATIVE_64
#define UNPACKED(half, a, b) (vector_f64) NATIVE_64(unpack##half)((NATIVE_TYPE_64)(a), (NATIVE_TYPE_64)(b))
#else
#define UNPACKED_lo 0
#define UNPACKED_hi 1
#define UNPACKED(half, a, b)                                                                                 \
    (vector_f64) { (a)[UNPACKED_##half], (b)[UNPACKED_##half] }
#endif
#define KIND 5
#define LANE wide64
#define REAL_SCALAR float
#include "engine/cpu/math/complex_wide.h"
#define TYPE wide64
#define STORED float _Complex
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef LANE
#undef REAL_SCALAR
#define KIND 5
#define LANE wide128
#define REAL_SCALAR double
#include "engine/cpu/math/complex_wide.h"
#define TYPE wide128
#define STORED double _Complex
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef LANE
#undef REAL_SCALAR
#endif

#define LANE c64
#define TWIN wide64
#define LANE_BITS 32
#define SCALAR float _Complex
#define REAL_SCALAR float
#define COMPLEX_PRODUCT(a, b) math_cmulf(a, b)
#include "engine/cpu/math/math_complex.h"
#define TYPE c64
#define STORED float _Complex
#define KIND 4
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef LANE
#undef LANE_BITS
#undef SCALAR
#undef REAL_SCALAR
#undef COMPLEX_PRODUCT
#undef TWIN

#undef LIBM
#define LIBM(name) name
#define LANE c128
#define TWIN wide128
#define LANE_BITS 64
#define SCALAR double _Complex
#define REAL_SCALAR double
#define COMPLEX_PRODUCT(a, b) math_cmul(a, b)
#include "engine/cpu/math/math_complex.h"
#define TYPE c128
#define STORED double _Complex
#define KIND 4
#include "engine/cpu/elementwise/elementwise.kernel.c"

cpu_row_loops JOIN(elementwise_, JOIN(ROW_GROUP, JOIN(_, ELEMENTWISE_SET))) = {
    [TY_BOOL] = table_boolean, [TY_I8] = table_i8,   [TY_I16] = table_i16,   [TY_I32] = table_i32,
    [TY_I64] = table_i64,      [TY_U8] = table_u8,   [TY_U16] = table_u16,   [TY_U32] = table_u32,
    [TY_U64] = table_u64,      [TY_F16] = table_f16, [TY_BF16] = table_bf16, [TY_F32] = table_f32,
    [TY_F64] = table_f64,      [TY_C64] = table_c64, [TY_C128] = table_c128};
