/* Products with a matrix of numbers of few bits for AVX-512. */
#define VECTOR_BYTES 64
#define LOOPS few_bits_avx512
#include "engine/cpu/gemm/few_bits_isa.kernel.c"
