/* Index loops for AVX-512. */
#if defined(__x86_64__)
#define TABLE index_avx512
#include "engine/cpu/index/index.kernel.c"
#endif
