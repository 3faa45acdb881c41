/* Kernels for fours of bytes with different signedness, for 64-bit ARM with mixed dot-product instructions. */
#include <arm_neon.h>
#include "engine/cpu/gemm/brgemm_sizes.h"

typedef int32_t signed_vector __attribute__((vector_size(VECTOR_BYTES)));
#define DOT_UI(c, a, b)                                                                                      \
    ((signed_vector)vsudotq_lane_s32((int32x4_t)(c), (int8x16_t)(b), (uint8x8_t)vcreate_u32(a), 0))
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_ui_##x
#define MADD DOT_UI
#include "engine/cpu/gemm/brgemm.kernel.c"

#define DOT_IU(c, a, b)                                                                                      \
    ((signed_vector)vusdotq_lane_s32((int32x4_t)(c), (uint8x16_t)(b), (int8x8_t)vcreate_u32(a), 0))
#define SUM int32_t
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) four_iu_##x
#define MADD DOT_IU
#include "engine/cpu/gemm/brgemm.kernel.c"

/* clang-format off */
const struct brgemm_kernels brgemm_neoni8mm[] = {
    TYPE(TY_U8, TY_I8, TY_I32, 4, four_ui)
    TYPE(TY_I8, TY_U8, TY_I32, 4, four_iu)
};
/* clang-format on */
