/* The contraction kernels for AVX-512 (F, BW, DQ, VL). */
#define TABLE gemm_avx512
#include "engine/cpu/gemm_isa.kernel.c"
