/* Batch-reduce kernels for AVX2 and FMA. */
#define TABLE brgemm_avx2
#define TABLE_COUNT brgemm_count_avx2
#include "engine/cpu/gemm/brgemm_isa.kernel.c"
