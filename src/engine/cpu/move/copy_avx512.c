/* Moving elements for AVX-512. */
#if defined(__x86_64__)
#define WIDTH 64
#define TABLE copy_avx512
#include "engine/cpu/move/copy_isa.kernel.c"
#endif
