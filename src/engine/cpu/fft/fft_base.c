/* Fourier transforms for the instruction set that every processor has. */
#define TABLE fft_base
#define VECTOR_BYTES 16
#include "engine/cpu/fft/fft_isa.kernel.c"
