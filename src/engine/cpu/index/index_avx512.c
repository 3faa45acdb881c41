/* Index loops for AVX-512. */
#define TABLE index_avx512
#include "engine/cpu/index/index.kernel.c"
