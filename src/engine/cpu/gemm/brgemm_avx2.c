/* The batch-reduce kernels for AVX2 and FMA. */
#if defined(__x86_64__)
#define TABLE brgemm_avx2
#define TABLE_COUNT brgemm_avx2_count
#include "engine/cpu/gemm/brgemm_isa.kernel.c"
#endif
