/* Pooling for AVX-512. */
#define TABLE pool_avx512
#define VECTOR_BYTES 64
#include "engine/cpu/window/pool_isa.kernel.c"
