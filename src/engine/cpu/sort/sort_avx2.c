/* Sorting for AVX2. */
#define TABLE sort_avx2
#include "engine/cpu/sort/sort.kernel.c"
