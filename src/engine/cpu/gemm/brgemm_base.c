/* The batch-reduce kernels for the compiler's default instruction set. */
#define TABLE brgemm_base
#define TABLE_COUNT brgemm_base_count
#include "engine/cpu/gemm/brgemm_isa.kernel.c"
