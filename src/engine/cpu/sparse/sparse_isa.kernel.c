/* Template: sparse products of all dtypes and both index widths for one instruction set; TABLE is the table's
   name. */
#include <complex.h>
#include <string.h>
#include "base/context/stop.h"
#include "base/machine/cache.h"
#include "base/math/scalar.h"
#include "engine/cpu/madd.h"
#include "engine/cpu/sparse/sparse.h"
#include "ops/sparse/part.h"

#define ITSELF(x) (x)
#define JOIN_NAMES(verb, type, index) verb##_##type##_##index
#define JOINED(verb, type, index) JOIN_NAMES(verb, type, index)
#define NAME(verb) JOINED(verb, TYPE, INDEX)

/* ROWS: rows checked at a time; AHEAD: entries prefetched ahead; LOOK: turns between two looks for requests to stop */
enum { ROWS = 32, AHEAD = 40, LOOK = 16 };

/* Return -1, or a row among begin .. end-1 with invalid starts or at or before invalid indices. Each runs for ROWS
   rows, so a call costs nothing, and loops of all types share it. */
#define CHECK_OF(name, place, wide, limit_of)                                                                \
    static __attribute__((noinline)) int64_t name(const struct sparse_job *j, int64_t begin, int64_t end) {  \
        const int64_t *starts = j->starts;                                                                   \
        const place *indices = j->indices;                                                                   \
        wide limit = limit_of(j->columns), bad = 0;                                                          \
        if (starts[begin] < 0) return begin;                                                                 \
        for (int64_t row = begin; row < end; row++)                                                          \
            if (starts[row + 1] < starts[row] || starts[row + 1] > j->entries) return row;                   \
        for (int64_t e = starts[begin]; e < starts[end]; e++) bad |= (wide)indices[e] >= limit;              \
        return bad ? begin : -1;                                                                             \
    }
#define LIMIT_I32(columns) ((columns) > INT32_MAX ? (uint32_t)INT32_MAX + 1 : (uint32_t)(columns))
#define LIMIT_I64(columns) ((uint64_t)(columns))
CHECK_OF(check_i32, int32_t, uint32_t, LIMIT_I32)
CHECK_OF(check_i64, int64_t, uint64_t, LIMIT_I64)

#define CONJ ITSELF
#define T float
#define TYPE f32
#define MADD(sum, a, b) madd_scalar_f32(a, b, sum)
#define VECTOR madd_floats
#define VECTOR_MADD(sum, a, b) madd_vector_f32(a, b, sum)
#define DIVIDES(a, b) ((a) / (b))
#include "engine/cpu/sparse/sparse_type.kernel.c"
#define T double
#define TYPE f64
#define MADD(sum, a, b) madd_scalar_f64(a, b, sum)
#define VECTOR madd_doubles
#define VECTOR_MADD(sum, a, b) madd_vector_f64(a, b, sum)
#define DIVIDES(a, b) ((a) / (b))
#include "engine/cpu/sparse/sparse_type.kernel.c"
/* Signed integers use the unsigned loops: same bits. */
#define MADD(sum, a, b) ((T)((sum) + (T)((a) * (b))))
#define T uint8_t
#define TYPE u8
#include "engine/cpu/sparse/sparse_type.kernel.c"
#define MADD(sum, a, b) ((T)((sum) + (T)((uint32_t)(a) * (b))))
#define T uint16_t
#define TYPE u16
#include "engine/cpu/sparse/sparse_type.kernel.c"
#define MADD(sum, a, b) ((sum) + (a) * (b))
#define T uint32_t
#define TYPE u32
#include "engine/cpu/sparse/sparse_type.kernel.c"
#define MADD(sum, a, b) ((sum) + (a) * (b))
#define T uint64_t
#define TYPE u64
#include "engine/cpu/sparse/sparse_type.kernel.c"
#undef CONJ
#define CONJ conjf
#define T float _Complex
#define TYPE c64
#define MADD(sum, a, b) ((sum) + math_cmulf(a, b))
#define DIVIDES(a, b) ((T)math_cdiv(a, b))
#include "engine/cpu/sparse/sparse_type.kernel.c"
#undef CONJ
#define CONJ conj
#define T double _Complex
#define TYPE c128
#define MADD(sum, a, b) ((sum) + math_cmul(a, b))
#define DIVIDES(a, b) ((T)math_cdiv(a, b))
#include "engine/cpu/sparse/sparse_type.kernel.c"

#define WHOLE(type, index)                                                                                   \
    .read = read_##type##_##index, .add = add_##type##_##index, .dot = dot_##type##_##index,                 \
    .mask = mask_##type##_##index
#define FLOATING(type)                                                                                       \
    {                                                                                                        \
        {WHOLE(type, i32), .solve = solve_##type##_i32}, { WHOLE(type, i64), .solve = solve_##type##_i64 }   \
    }
#define INTEGER(type)                                                                                        \
    {                                                                                                        \
        {WHOLE(type, i32)}, { WHOLE(type, i64) }                                                             \
    }
const struct sparse_loops TABLE[TY_DTYPES][2] = {
    [TY_I8] = INTEGER(u8),    [TY_I16] = INTEGER(u16),  [TY_I32] = INTEGER(u32),  [TY_I64] = INTEGER(u64),
    [TY_U8] = INTEGER(u8),    [TY_U16] = INTEGER(u16),  [TY_U32] = INTEGER(u32),  [TY_U64] = INTEGER(u64),
    [TY_F32] = FLOATING(f32), [TY_F64] = FLOATING(f64), [TY_C64] = FLOATING(c64), [TY_C128] = FLOATING(c128)};
