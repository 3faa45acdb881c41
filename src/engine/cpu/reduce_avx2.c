/* The folds for AVX2. */
#if defined(__x86_64__)
#define VECTOR_BYTES 32
#define TABLE reduce_avx2
#include "engine/cpu/reduce_isa.kernel.c"
#endif
