/* Resampling for AVX2. */
#define TABLE resample_avx2
#include "engine/cpu/image/resample_isa.kernel.c"
