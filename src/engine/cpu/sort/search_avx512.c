/* Search for AVX-512. */
#define TABLE search_avx512
#include "engine/cpu/sort/search.kernel.c"
