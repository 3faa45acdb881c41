/* Fourier transforms for AVX2. */
#define TABLE fft_avx2
#define VECTOR_BYTES 32
#include "engine/cpu/fft/fft_isa.kernel.c"
