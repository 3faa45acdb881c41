/* Addition at positions. Integers are added as unsigned: same bits, and overflow is defined. */
#include "engine/cpu/index/add_at.h"

#define T uint8_t
#define NAME(verb) verb##_u8
#include "engine/cpu/index/add_at.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_u16
#include "engine/cpu/index/add_at.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_u32
#include "engine/cpu/index/add_at.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_u64
#include "engine/cpu/index/add_at.kernel.c"
#define T float
#define NAME(verb) verb##_f32
#include "engine/cpu/index/add_at.kernel.c"
#define T double
#define NAME(verb) verb##_f64
#include "engine/cpu/index/add_at.kernel.c"
#define T float _Complex
#define NAME(verb) verb##_c64
#include "engine/cpu/index/add_at.kernel.c"
#define T double _Complex
#define NAME(verb) verb##_c128
#include "engine/cpu/index/add_at.kernel.c"

const struct cpu_add *cpu_add_find(ty_dtype dtype) {
    static const struct cpu_add table[TY_DTYPES] = {
        [TY_I8] = {at_u8},   [TY_I16] = {at_u16}, [TY_I32] = {at_u32}, [TY_I64] = {at_u64},
        [TY_U8] = {at_u8},   [TY_U16] = {at_u16}, [TY_U32] = {at_u32}, [TY_U64] = {at_u64},
        [TY_F32] = {at_f32}, [TY_F64] = {at_f64}, [TY_C64] = {at_c64}, [TY_C128] = {at_c128},
    };
    return table[dtype].at ? &table[dtype] : NULL;
}
