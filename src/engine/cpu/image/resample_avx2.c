/* Resampling for AVX2. */
#if defined(__x86_64__)
#define TABLE resample_avx2
#include "engine/cpu/image/resample_isa.kernel.c"
#endif
