/* Index loops for AVX2. */
#if defined(__x86_64__)
#define TABLE index_avx2
#include "engine/cpu/index/index.kernel.c"
#endif
