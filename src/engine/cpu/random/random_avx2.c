/* Random numbers for AVX2. */
#if defined(__x86_64__)
#define TABLE random_avx2
#include "engine/cpu/random/random.kernel.c"
#endif
