/* Search for AVX2. */
#define TABLE search_avx2
#include "engine/cpu/sort/search.kernel.c"
