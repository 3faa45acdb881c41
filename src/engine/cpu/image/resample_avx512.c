/* Resampling for AVX-512. */
#if defined(__x86_64__)
#define TABLE resample_avx512
#include "engine/cpu/image/resample_isa.kernel.c"
#endif
