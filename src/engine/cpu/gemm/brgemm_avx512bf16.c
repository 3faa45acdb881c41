/*
 * Kernels for pairs of bf16 with the AVX512_BF16 instruction, which multiplies and adds both. It flushes subnormal
 * numbers to 0, unlike plain arithmetic. So on such CPUs both the table and generated code use it.
 */
#include "engine/cpu/gemm/brgemm_sizes.h"

#define PAIR(c, a, b)                                                                                        \
    ((float_vector)_mm512_dpbf16_ps((__m512)(c), (__m512bh)_mm512_set1_epi32((int)(a)), (__m512bh)(b)))
#define SUM float
#define LEFT uint32_t
#define RIGHT uint32_t
#define NAME(x) pair_##x
#define MADD PAIR
#define MOST_1 SOME_1
#define MOST_2 SOME_2
#define MOST_3 0
#define MOST_4 0
#include "engine/cpu/gemm/brgemm.kernel.c"

const struct brgemm_kernels brgemm_avx512bf16[] = {TYPE(TY_BF16, TY_BF16, TY_F32, 2, pair)};
