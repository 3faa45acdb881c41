/* The contraction kernels for AVX2 and FMA. */
#define TABLE gemm_avx2
#include "engine/cpu/gemm_isa.kernel.c"
