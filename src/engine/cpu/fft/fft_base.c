/* Fourier transforms for the base instruction set. */
#define TABLE fft_base
#define VECTOR_BYTES 16
#include "engine/cpu/fft/fft_isa.kernel.c"
