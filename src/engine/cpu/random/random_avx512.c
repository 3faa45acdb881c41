/* Random numbers for AVX-512. */
#define TABLE random_avx512
#include "engine/cpu/random/random.kernel.c"
