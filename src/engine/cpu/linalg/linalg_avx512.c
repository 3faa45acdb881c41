/* Linear algebra for AVX-512. */
#define TABLE linalg_avx512
#define SPECTRAL_TABLE spectral_avx512
#define LANES(type) lanes_##type##_avx512
#include "engine/cpu/linalg/linalg.kernel.c"
