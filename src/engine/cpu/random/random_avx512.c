/* Random numbers for AVX512. */
#if defined(__x86_64__)
#define TABLE random_avx512
#include "engine/cpu/random/random.kernel.c"
#endif
