/* Products with a matrix of numbers of few bits for any processor. */
#define VECTOR_BYTES 16
#define LOOPS few_bits_base
#include "engine/cpu/gemm/few_bits_isa.kernel.c"
