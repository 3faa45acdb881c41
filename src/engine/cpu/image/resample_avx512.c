/* Resampling for AVX-512. */
#define TABLE resample_avx512
#include "engine/cpu/image/resample_isa.kernel.c"
