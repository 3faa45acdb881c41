/* Searching for AVX-512. */
#if defined(__x86_64__)
#define TABLE search_avx512
#include "engine/cpu/sort/search.kernel.c"
#endif
