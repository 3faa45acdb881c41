/* Sparse products for AVX2. */
#define VECTOR_BYTES 32
#define TABLE sparse_avx2
#include "engine/cpu/sparse/sparse_isa.kernel.c"
