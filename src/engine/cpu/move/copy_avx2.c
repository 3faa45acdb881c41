/* Moving elements for AVX2. */
#if defined(__x86_64__)
#define WIDTH 32
#define TABLE copy_avx2
#include "engine/cpu/move/copy_isa.kernel.c"
#endif
