/* Batch-reduce kernels for the compiler's default instruction set. */
#define TABLE brgemm_base
#define TABLE_COUNT brgemm_count_base
#include "engine/cpu/gemm/brgemm_isa.kernel.c"
