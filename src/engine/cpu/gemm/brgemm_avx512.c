/* Batch-reduce kernels for AVX-512 (F, BW, DQ, VL). */
#define TABLE brgemm_avx512
#define TABLE_COUNT brgemm_count_avx512
#include "engine/cpu/gemm/brgemm_isa.kernel.c"
