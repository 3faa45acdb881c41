/* Block copies for AVX2. */
#define WIDTH 32
#define TABLE copy_avx2
#include "engine/cpu/move/copy_isa.kernel.c"
