/* Kernels for fours of bytes with equal signedness, for 64-bit ARM with dot-product instructions. */
#include <arm_neon.h>
#include "engine/cpu/gemm/brgemm_sizes.h"

typedef int32_t signed_vector __attribute__((vector_size(VECTOR_BYTES)));
#define DOT_UU(c, a, b)                                                                                      \
    ((signed_vector)vdotq_lane_u32((uint32x4_t)(c), (uint8x16_t)(b), (uint8x8_t)vcreate_u32(a), 0))
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_uu_##x
#define MADD DOT_UU
#include "engine/cpu/gemm/brgemm.kernel.c"

#define DOT_II(c, a, b)                                                                                      \
    ((signed_vector)vdotq_lane_s32((int32x4_t)(c), (int8x16_t)(b), (int8x8_t)vcreate_u32(a), 0))
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_ii_##x
#define MADD DOT_II
#include "engine/cpu/gemm/brgemm.kernel.c"

/* clang-format off */
const struct brgemm_kernels brgemm_neondot[] = {
    TYPE(TY_U8, TY_U8, TY_I32, 4, four_uu)
    TYPE(TY_I8, TY_I8, TY_I32, 4, four_ii)
};
/* clang-format on */
