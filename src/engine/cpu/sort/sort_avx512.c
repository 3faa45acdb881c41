/* Sorting for AVX-512. */
#if defined(__x86_64__)
#define TABLE sort_avx512
#include "engine/cpu/sort/sort.kernel.c"
#endif
