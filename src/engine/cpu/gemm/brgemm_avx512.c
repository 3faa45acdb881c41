/* The batch-reduce kernels for AVX-512 (F, BW, DQ, VL). */
#if defined(__x86_64__)
#define TABLE brgemm_avx512
#define TABLE_COUNT brgemm_avx512_count
#include "engine/cpu/gemm/brgemm_isa.kernel.c"
#endif
