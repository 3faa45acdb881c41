/* The contraction kernels for the compiler's default instruction set. */
#define TABLE gemm_base
#include "engine/cpu/gemm_isa.kernel.c"
