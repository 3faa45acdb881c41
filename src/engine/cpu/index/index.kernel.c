/* Template: checks and resolves contiguous indices of each integer dtype (index_loops.h); TABLE is the instruction set's
   table. */
#include "engine/cpu/index/index_loops.h"

/* Bounds have the indices' own type, so that whole vectors are compared. */
#define SIGNED(T, NAME, LEAST, MOST)                                                                         \
    static bool inside_##NAME(int64_t n, const void *from, int64_t size) {                                   \
        const T *x = from;                                                                                   \
        T low = -size < LEAST ? LEAST : (T)-size, high = size > MOST ? MOST : (T)(size - 1), bad = 0;        \
        for (int64_t k = 0; k < n; k++) bad |= (T)((x[k] < low) | (x[k] > high));                            \
        return !bad;                                                                                         \
    }                                                                                                        \
    static void add_##NAME(int64_t n, int64_t *restrict out, const void *from, int64_t size,                 \
                           int64_t stride) {                                                                 \
        const T *x = from;                                                                                   \
        for (int64_t k = 0; k < n; k++) out[k] += (x[k] + (x[k] < 0 ? size : 0)) * stride;                   \
    }
#define UNSIGNED(T, NAME, MOST)                                                                              \
    static bool inside_##NAME(int64_t n, const void *from, int64_t size) {                                   \
        const T *x = from;                                                                                   \
        T high = (uint64_t)size > MOST ? MOST : (T)(size - 1), bad = size == 0 && n > 0;                     \
        for (int64_t k = 0; k < n; k++) bad |= (T)(x[k] > high);                                             \
        return !bad;                                                                                         \
    }                                                                                                        \
    static void add_##NAME(int64_t n, int64_t *restrict out, const void *from, int64_t size,                 \
                           int64_t stride) {                                                                 \
        const T *x = from;                                                                                   \
        (void)size;                                                                                          \
        for (int64_t k = 0; k < n; k++) out[k] += (int64_t)x[k] * stride;                                    \
    }
SIGNED(int8_t, i8, INT8_MIN, INT8_MAX)
SIGNED(int16_t, i16, INT16_MIN, INT16_MAX)
SIGNED(int32_t, i32, INT32_MIN, INT32_MAX)
SIGNED(int64_t, i64, INT64_MIN, INT64_MAX)
UNSIGNED(uint8_t, u8, UINT8_MAX)
UNSIGNED(uint16_t, u16, UINT16_MAX)
UNSIGNED(uint32_t, u32, UINT32_MAX)
UNSIGNED(uint64_t, u64, UINT64_MAX)

const struct cpu_index_loops TABLE[TY_DTYPES] = {
    [TY_I8] = {inside_i8, add_i8},    [TY_I16] = {inside_i16, add_i16}, [TY_I32] = {inside_i32, add_i32},
    [TY_I64] = {inside_i64, add_i64}, [TY_U8] = {inside_u8, add_u8},    [TY_U16] = {inside_u16, add_u16},
    [TY_U32] = {inside_u32, add_u32}, [TY_U64] = {inside_u64, add_u64}};
