/* Sparse products for AVX-512. */
#define VECTOR_BYTES 64
#define TABLE sparse_avx512
#include "engine/cpu/sparse/sparse_isa.kernel.c"
