/* Sorting for AVX-512. */
#define TABLE sort_avx512
#include "engine/cpu/sort/sort.kernel.c"
