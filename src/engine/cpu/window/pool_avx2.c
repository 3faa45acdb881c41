/* Pooling for AVX2. */
#define TABLE pool_avx2
#define VECTOR_BYTES 32
#include "engine/cpu/window/pool_isa.kernel.c"
