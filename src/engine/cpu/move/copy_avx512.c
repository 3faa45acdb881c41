/* Block copies for AVX-512. */
#define WIDTH 64
#define TABLE copy_avx512
#include "engine/cpu/move/copy_isa.kernel.c"
