/* Comparison of boxes for AVX2. */
#define HIDES suppress_avx2
#include "engine/cpu/image/suppress.kernel.c"
