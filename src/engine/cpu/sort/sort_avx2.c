/* Sorting for AVX2. */
#if defined(__x86_64__)
#define TABLE sort_avx2
#include "engine/cpu/sort/sort.kernel.c"
#endif
