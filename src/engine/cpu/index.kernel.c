/*
 * Template: checking and resolving contiguous indices of each integer dtype; TABLE is the ISA's table.  Checking looks
 * at the least and the greatest, which compilers make vectors of; a flag gathered by `or` they do not.
 */
#include "engine/cpu/index.h"

#define SIGNED(T, NAME)                                                                                            \
    static bool inside_##NAME(int64_t n, const void *from, int64_t size) {                                         \
        const T *x = from;                                                                                         \
        T low = 0, high = 0;                                                                                       \
        for (int64_t k = 0; k < n; k++) low = x[k] < low ? x[k] : low, high = x[k] > high ? x[k] : high;           \
        return n == 0 || ((int64_t)low >= -size && (int64_t)high < size);                                          \
    }                                                                                                              \
    static void add_##NAME(int64_t n, int64_t *restrict out, const void *from, int64_t size, int64_t stride) {     \
        const T *x = from;                                                                                         \
        for (int64_t k = 0; k < n; k++) out[k] += (x[k] + (x[k] < 0 ? size : 0)) * stride;                         \
    }
#define UNSIGNED(T, NAME)                                                                                          \
    static bool inside_##NAME(int64_t n, const void *from, int64_t size) {                                         \
        const T *x = from;                                                                                         \
        T high = 0;                                                                                                \
        for (int64_t k = 0; k < n; k++) high = x[k] > high ? x[k] : high;                                          \
        return n == 0 || (uint64_t)high < (uint64_t)size;                                                          \
    }                                                                                                              \
    static void add_##NAME(int64_t n, int64_t *restrict out, const void *from, int64_t size, int64_t stride) {     \
        const T *x = from;                                                                                         \
        (void)size;                                                                                                \
        for (int64_t k = 0; k < n; k++) out[k] += (int64_t)x[k] * stride;                                          \
    }
SIGNED(int8_t, i8)
SIGNED(int16_t, i16)
SIGNED(int32_t, i32)
SIGNED(int64_t, i64)
UNSIGNED(uint8_t, u8)
UNSIGNED(uint16_t, u16)
UNSIGNED(uint32_t, u32)
UNSIGNED(uint64_t, u64)

const struct cpu_index_loops TABLE[TY_DTYPES] = {
    [TY_I8] = {inside_i8, add_i8},    [TY_I16] = {inside_i16, add_i16}, [TY_I32] = {inside_i32, add_i32},
    [TY_I64] = {inside_i64, add_i64}, [TY_U8] = {inside_u8, add_u8},    [TY_U16] = {inside_u16, add_u16},
    [TY_U32] = {inside_u32, add_u32}, [TY_U64] = {inside_u64, add_u64}};
