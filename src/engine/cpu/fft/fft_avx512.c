/* Fourier transforms for AVX-512. */
#define TABLE fft_avx512
#define VECTOR_BYTES 64
#include "engine/cpu/fft/fft_isa.kernel.c"
