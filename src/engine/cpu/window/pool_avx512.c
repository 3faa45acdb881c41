/* Max pooling for AVX512. */
#if defined(__x86_64__)
#define TABLE pool_avx512
#define VECTOR_BYTES 64
#include "engine/cpu/window/pool_isa.kernel.c"
#endif
