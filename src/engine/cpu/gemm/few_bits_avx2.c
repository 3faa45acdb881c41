/* Products with a matrix of numbers of few bits for AVX2. */
#define VECTOR_BYTES 32
#define LOOPS few_bits_avx2
#include "engine/cpu/gemm/few_bits_isa.kernel.c"
