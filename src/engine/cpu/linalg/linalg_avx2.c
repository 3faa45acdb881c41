/* Linear algebra for AVX2. */
#define TABLE linalg_avx2
#define SPECTRAL_TABLE spectral_avx2
#define LANES(type) lanes_##type##_avx2
#include "engine/cpu/linalg/linalg.kernel.c"
