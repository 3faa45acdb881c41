/* Searching for AVX2. */
#if defined(__x86_64__)
#define TABLE search_avx2
#include "engine/cpu/sort/search.kernel.c"
#endif
