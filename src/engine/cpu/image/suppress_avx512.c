/* Comparison of boxes for AVX-512. */
#define HIDES suppress_avx512
#include "engine/cpu/image/suppress.kernel.c"
