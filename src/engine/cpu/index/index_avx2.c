/* Index loops for AVX2. */
#define TABLE index_avx2
#include "engine/cpu/index/index.kernel.c"
