/* Random numbers for AVX2. */
#define TABLE random_avx2
#include "engine/cpu/random/random.kernel.c"
