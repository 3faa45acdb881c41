/* The folds for AVX512. */
#if defined(__x86_64__)
#define VECTOR_BYTES 64
#define TABLE reduce_avx512
#include "engine/cpu/reduce_isa.kernel.c"
#endif
