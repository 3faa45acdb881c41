/*
 * All batch-reduce kernels of one instruction set. The includer defines TABLE and its COUNT; compiler flags choose
 * the instructions. Sums fill all registers but a row of right and a broadcast of left: 28 of 32 (AVX-512, 64-bit
 * ARM), 12 of 16 (AVX2), or 8 if a multiply-add needs a temporary. Rare types have smaller tiles, to save code size.
 *
 * Signed integers are computed as unsigned, so that they wrap. Right of f16 or bf16 is widened to f32 on loading, left
 * has f32. Pairs of i16 and fours of bytes occupy 32 bits. bool uses "or" of "and".
 */
#include "engine/cpu/gemm/brgemm_sizes.h"
#include "engine/cpu/gemm/brgemm_widen.h"
#include "engine/cpu/madd.h"

#define PLUS_TIMES(c, a, b) ((c) + (a) * (b))
/* left is a scalar or a vector; subtracting 0 makes it a vector and keeps -0 */
#define FUSED_F32(c, a, b) madd_vector_f32((a) - (madd_floats){0}, b, c)
#define FUSED_F64(c, a, b) madd_vector_f64((a) - (madd_doubles){0}, b, c)

#define SUM float
#define LEFT float
#define RIGHT float
#define NAME(x) f32_##x
#define MADD FUSED_F32
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM double
#define LEFT double
#define RIGHT double
#define NAME(x) f64_##x
#define MADD FUSED_F64
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint8_t
#define LEFT uint8_t
#define RIGHT uint8_t
#define NAME(x) u8_##x
#define MADD PLUS_TIMES
#define MOST_1 4
#define MOST_2 2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint16_t
#define LEFT uint16_t
#define RIGHT uint16_t
#define NAME(x) u16_##x
#define MADD PLUS_TIMES
#define MOST_1 4
#define MOST_2 2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) u32_##x
#define MADD PLUS_TIMES
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint64_t
#define LEFT uint64_t
#define RIGHT uint64_t
#define NAME(x) u64_##x
#define MADD PLUS_TIMES
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define OR_AND(c, a, b) ((c) | ((a) & (b)))
#define SUM uint8_t
#define LEFT uint8_t
#define RIGHT uint8_t
#define NAME(x) boolean_##x
#define MADD OR_AND
#define MOST_1 4
#define MOST_2 2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM float
#define LEFT float
#define RIGHT uint16_t
#define NAME(x) f16_##x
#define GET_RIGHT WIDEN_F16
#define MADD FUSED_F32
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM float
#define LEFT float
#define RIGHT uint16_t
#define NAME(x) bf16_##x
#define GET_RIGHT WIDEN_BF16
#define MADD FUSED_F32
#include "engine/cpu/gemm/brgemm.kernel.c"

/* Pairs of i16, modulo 2^32. */
typedef int32_t signed_vector __attribute__((vector_size(VECTOR_BYTES)));
#if VECTOR_BYTES == 64
#define SHORT_PRODUCT(a, b) ((signed_vector)_mm512_madd_epi16(_mm512_set1_epi32((int)(a)), (__m512i)(b)))
#elif VECTOR_BYTES == 32
#define SHORT_PRODUCT(a, b) ((signed_vector)_mm256_madd_epi16(_mm256_set1_epi32((int)(a)), (__m256i)(b)))
#elif defined(__x86_64__)
#include <emmintrin.h>
#define SHORT_PRODUCT(a, b) ((signed_vector)_mm_madd_epi16(_mm_set1_epi32((int)(a)), (__m128i)(b)))
#else
#define SHORT_LOW(x, words) ((words)((x) << 16) >> 16)
#define SHORT_HIGH(x, words) ((words)(x) >> 16)
#define SHORT_PRODUCT(a, b)                                                                                  \
    ((signed_vector)((word_vector)(SHORT_LOW(a, int32_t) * SHORT_LOW(b, signed_vector)) +                    \
                     (word_vector)(SHORT_HIGH(a, int32_t) * SHORT_HIGH(b, signed_vector))))
#endif
#define SHORT_PAIR(c, a, b) ((c) + (word_vector)SHORT_PRODUCT(a, b))
#define SUM uint32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) short_##x
#define MADD SHORT_PAIR
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

/* Byte i of four, sign- or zero-extended to 32 bits. Integer sums do not depend on order. */
#define SIGNED_BYTE(x, i, words) ((words)((x) << (24 - 8 * (i))) >> 24)
#define UNSIGNED_BYTE(x, i, words) ((words)((x) >> (8 * (i)) & 255))
#define BYTE_PRODUCT(l, r, a, b, i) (l(a, i, int32_t) * r(b, i, signed_vector))
#define FOUR(l, r, c, a, b)                                                                                  \
    ((c) + BYTE_PRODUCT(l, r, a, b, 0) + BYTE_PRODUCT(l, r, a, b, 1) + BYTE_PRODUCT(l, r, a, b, 2) +         \
     BYTE_PRODUCT(l, r, a, b, 3))
#define FOUR_UU(c, a, b) FOUR(UNSIGNED_BYTE, UNSIGNED_BYTE, c, a, b)
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_uu_##x
#define MADD FOUR_UU
#define MOST_1 4
#define MOST_2 2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define FOUR_UI(c, a, b) FOUR(UNSIGNED_BYTE, SIGNED_BYTE, c, a, b)
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_ui_##x
#define MADD FOUR_UI
#define MOST_1 4
#define MOST_2 2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define FOUR_IU(c, a, b) FOUR(SIGNED_BYTE, UNSIGNED_BYTE, c, a, b)
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_iu_##x
#define MADD FOUR_IU
#define MOST_1 4
#define MOST_2 2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define FOUR_II(c, a, b) FOUR(SIGNED_BYTE, SIGNED_BYTE, c, a, b)
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_ii_##x
#define MADD FOUR_II
#define MOST_1 4
#define MOST_2 2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

/* Left with columns: f32, f64, and integers of 32 and 64 bits. */
#define SUM float
#define LEFT float
#define RIGHT float
#define LEFT_COLUMNS 1
#define NAME(x) columns_f32_##x
#define MADD FUSED_F32
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM double
#define LEFT double
#define RIGHT double
#define LEFT_COLUMNS 1
#define NAME(x) columns_f64_##x
#define MADD FUSED_F64
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define LEFT_COLUMNS 1
#define NAME(x) columns_u32_##x
#define MADD PLUS_TIMES
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint64_t
#define LEFT uint64_t
#define RIGHT uint64_t
#define LEFT_COLUMNS 1
#define NAME(x) columns_u64_##x
#define MADD PLUS_TIMES
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

/* Left with columns, right without. */
#define SUM float
#define LEFT float
#define RIGHT float
#define LEFT_COLUMNS 1
#define RIGHT_SINGLE 1
#define NAME(x) single_f32_##x
#define MADD FUSED_F32
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM double
#define LEFT double
#define RIGHT double
#define LEFT_COLUMNS 1
#define RIGHT_SINGLE 1
#define NAME(x) single_f64_##x
#define MADD FUSED_F64
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define LEFT_COLUMNS 1
#define RIGHT_SINGLE 1
#define NAME(x) single_u32_##x
#define MADD PLUS_TIMES
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define SUM uint64_t
#define LEFT uint64_t
#define RIGHT uint64_t
#define LEFT_COLUMNS 1
#define RIGHT_SINGLE 1
#define NAME(x) single_u64_##x
#define MADD PLUS_TIMES
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

#define ALIKE(dtype, name) TYPE(dtype, dtype, dtype, 1, name)
/* clang-format off */
const struct brgemm_kernels TABLE[] = {
    ALIKE(TY_F32, f32) ALIKE(TY_F64, f64)
    ALIKE(TY_I32, u32) ALIKE(TY_I64, u64) ALIKE(TY_U32, u32) ALIKE(TY_U64, u64)
    ALIKE(TY_I8, u8) ALIKE(TY_I16, u16) ALIKE(TY_U8, u8) ALIKE(TY_U16, u16) ALIKE(TY_BOOL, boolean)
    TYPE(TY_F32, TY_F16, TY_F32, 1, f16) TYPE(TY_F32, TY_BF16, TY_F32, 1, bf16)
    TYPE(TY_I16, TY_I16, TY_I32, 2, short)
    TYPE(TY_U8, TY_I8, TY_I32, 4, four_ui) TYPE(TY_U8, TY_U8, TY_I32, 4, four_uu)
    TYPE(TY_I8, TY_I8, TY_I32, 4, four_ii) TYPE(TY_I8, TY_U8, TY_I32, 4, four_iu)
    ALIKE(TY_F32, columns_f32) ALIKE(TY_F64, columns_f64)
    ALIKE(TY_I32, columns_u32) ALIKE(TY_I64, columns_u64) ALIKE(TY_U32, columns_u32) ALIKE(TY_U64, columns_u64)
    ALIKE(TY_F32, single_f32) ALIKE(TY_F64, single_f64)
    ALIKE(TY_I32, single_u32) ALIKE(TY_I64, single_u64) ALIKE(TY_U32, single_u32) ALIKE(TY_U64, single_u64)
};
/* clang-format on */
const int TABLE_COUNT = sizeof TABLE / sizeof *TABLE;
